//! Tests of `cargo xtask`. They are in one program, because several programs take longer to link.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in their helpers.

mod cli;
mod merge;
mod references;
mod rust_version;
