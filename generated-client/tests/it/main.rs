//! Tests of the emitted client, in one program, which links faster than one program per module.

#![allow(clippy::unwrap_used)] // Clippy allows this in functions with `#[test]`, but not in helpers.

mod former;
mod history;
mod misbehaviour_on_demand;
mod shell;
