//! Tests of a rate limiter on a server that implements the protocol of Redis.

#![allow(clippy::unwrap_used)] // Clippy allows this in functions with `#[test]`, but not in helpers.

// Dependants import the crate as `shared_rate_limit`, so its own tests do the same.
extern crate generated_client_shared_rate_limit as shared_rate_limit;

mod redis;
