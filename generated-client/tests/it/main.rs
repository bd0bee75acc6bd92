//! The emitted client: one program, so that it is linked once.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod former;
mod history;
mod misbehaviour_on_demand;
mod shell;
