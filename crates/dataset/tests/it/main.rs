//! Tests of the public API, with a transport in memory.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy allows these in functions with `#[test]`, but not in helpers.

// Dependants import the crate as `dataset`, so its own tests do the same.
extern crate generated_client_dataset as dataset;

mod account;
mod account_figures;
mod backfill;
mod cancelled_runs;
mod changed_folders;
mod clocks;
mod columns;
mod concurrent_runs;
mod damage;
mod failed_requests;
mod follow;
mod interrupted_merges;
mod invalid_records;
mod irregular_series;
mod journal;
mod kept_values;
mod long_journal;
mod month;
mod older_format;
mod outages;
mod removed_series;
mod repairs;
mod requests;
mod stored_rows;
mod support;
mod table_schema;
mod text_files;
