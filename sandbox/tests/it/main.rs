//! Tests of the sandbox, in one program, which links faster than one per module.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

// The alias that dependants use too.
extern crate generated_client_sandbox as sandbox;

mod bodies;
mod catalogue;
mod credentials;
mod faults;
#[path = "../../program/src/from_spec.rs"]
mod from_spec;
mod history;
#[path = "../../../runtime/tests/it/invented/mod.rs"]
mod invented;
mod lifetime;
mod limits;
mod page;
mod params;
mod registry;
mod support;
