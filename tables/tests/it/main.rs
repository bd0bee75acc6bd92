//! Tables and backfills against the sandbox: one program, so that it is linked once.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod at_once;
mod backfill;
mod columns;
mod interrupted;
mod open_interval;
mod origin;
mod support;
mod table;
