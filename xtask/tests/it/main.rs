//! Tests of `cargo xtask`. They are one program, because several would take longer to link.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in their helpers.

mod cli;
mod merge;
mod rust_version;
