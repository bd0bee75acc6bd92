//! Tests of the generator as a library. They are in one program, because several programs take longer to link. `cases`
//! is a second program.

#![allow(clippy::expect_used, clippy::panic)] // Clippy allows both in functions with `#[test]`, but not in helpers.

mod catalogue_schema;
mod determinism;
mod endpoint_counts;
mod hostile;
mod linear;
mod openapi;
mod property;
mod readme;
mod write;
