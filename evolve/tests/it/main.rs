//! Tests of edits, in one program, which links faster than one per module. The program `cases` has a test for each
//! folder.

#![allow(clippy::expect_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod compile;
mod import_mutated;
mod same_body;
mod scratch;
mod write;
