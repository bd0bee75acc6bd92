//! Tests of `cargo xtask`, in one program, which links faster than one per module.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in their helpers.

mod cli;
mod merge;
mod rust_version;
