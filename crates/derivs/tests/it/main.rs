//! Tests that run `derivs` as a process. All tests are in one program, which is linked only once.

#![allow(clippy::unwrap_used)] // Clippy allows these in functions with `#[test]`, but not in helpers.

mod backfill;
mod completion;
mod concurrent_runs;
mod connection;
mod failed_backfills;
mod foreign_text;
mod job_files;
mod json;
mod lost_rows;
mod mcp;
mod missing_rows;
mod options;
mod pipes;
mod remove;
mod report;
mod shared_rate_limit;
#[cfg(unix)]
mod signals;
mod status;
mod support;
#[cfg(unix)]
mod terminal;
