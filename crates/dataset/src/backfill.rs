//! Writes complete histories to files. Records that the files already contain are fetched again only if they may have
//! changed.
//!
//! The input is a list of series, a range and a target. The target contains the state of each series, which lists the
//! ranges that were already fetched. A run fetches the missing ranges into a journal, and merges the journal into the
//! data files at its end. After a run was killed, the next run continues from the state and the journal.

// Modules, lowest layer first.
mod event;
mod job;
mod readable;
mod repeated_rows;

mod job_tables;
mod streamed;

mod buffered_pages;
mod plan;

mod pending_ranges;

mod run;

mod ends;

mod fetch;

mod follow;
mod run_job;

pub use event::{BackfillEvent, FollowEvent, SeriesReport, Summary};
pub use job::Backfill;
pub use plan::{BackfillPlan, SeriesPlan};
pub use readable::ReadableRecords;
