//! `cargo xtask` as a shell starts it: one program, which is linked once.

#![allow(clippy::expect_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod cli;
mod merge;
mod rust_version;
