//! Tests of `cargo xtask`. They are in one program, because several programs take longer to link.

#![allow(clippy::expect_used)] // Clippy allows `expect` in functions with `#[test]`, but not in their helpers.

mod cli;
mod layers;
mod merge;
mod references;
mod rust_version;

/// The `service.yaml` of the catalogues in tests.
const SERVICE: &str = "\
title: Example
version: v1
summary: A service to try things on.
env_prefix: EXAMPLE
time: {unit: seconds, evidence: documented}
";
