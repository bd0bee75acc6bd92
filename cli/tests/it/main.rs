//! `derivs` as a shell starts it; all tests are one program, so that it is linked once.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod backfill;
mod completion;
mod concurrent_runs;
mod pipes;
#[allow(dead_code, reason = "tests of the gate use more of it")]
#[path = "../../../shared-gate/tests/it/server.rs"]
mod server;
mod shared_rate_limit;
mod support;
#[cfg(unix)]
mod terminal;
