//! Tests of the public API, over a transport in memory.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

// The alias that dependants also use.
extern crate generated_client_tables as tables;

mod backfill;
mod columns;
mod month;
mod support;
mod table_schema;
mod trouble;
