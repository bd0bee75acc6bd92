//! Tests of a gate on a server that implements the protocol of Redis.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

// Dependants use this alias too.
extern crate generated_client_shared_gate as shared_gate;

#[path = "../../../runtime/tests/it/invented/mod.rs"]
mod invented;
mod redis;
mod server;
