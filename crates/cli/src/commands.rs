//! The commands, one per file.

pub(crate) mod acknowledge;
pub(crate) mod adopt;
pub(crate) mod backfill;
pub(crate) mod check;
pub(crate) mod describe;
pub(crate) mod export;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod man;
#[cfg(any(feature = "mcp", test))]
pub(crate) mod mcp;
pub(crate) mod plot;
pub(crate) mod poll;
pub(crate) mod remove;
pub(crate) mod repair;
pub(crate) mod report;
pub(crate) mod retire;
pub(crate) mod status;
