//! Edits of catalogues: one program, so that it is linked once. `cases` is another one, with a test for each folder.

#![allow(clippy::expect_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod compile;
mod import_mutated;
mod same_body;
mod scratch;
mod write;
