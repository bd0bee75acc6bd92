//! Tests of the sandbox. They are one program, because several programs would take longer to link.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy allows these in functions with `#[test]`, but not in helpers.

// Crates that depend on the sandbox use this alias too.
extern crate generated_client_sandbox as sandbox;

mod bodies;
mod catalogue;
mod credentials;
mod faults;
mod history;
mod lifetime;
mod limits;
mod page;
mod pages;
mod params;
mod registry;
mod support;
mod text_bodies;
