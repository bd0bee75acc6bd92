//! Tests of edits in one program, because one program links faster than one for each module. The program `cases` has a
//! test for each recorded case.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in helpers.

mod compile;
mod corpus;
mod gate;
mod import_case;
mod import_mutated;
mod recorded;
mod recorded_errors;
mod round_trip;
mod same_body;
mod scratch;
mod untrusted;
mod write;
