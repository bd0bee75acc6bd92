//! Tests of the emitted client, in one program, which links faster than one program per module.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod former;
mod history;
mod misbehaviour_on_demand;
mod shell;
