//! Tests of `cargo xtask`; all modules are one program, which is linked once.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in their helpers.

mod cli;
mod merge;
mod rust_version;
