//! The generator as a library: one program, so that it is linked once. `cases` is another one, with a test for each folder.

#![allow(clippy::expect_used, clippy::panic)] // Clippy knows a test by its attribute, which helpers do not have.

mod catalogue_schema;
mod determinism;
mod endpoint_counts;
mod hostile;
mod linear;
mod property;
mod readme;
#[path = "../recorded/mod.rs"]
#[allow(dead_code)] // The other program uses the rest.
mod recorded;
mod write;
