//! Responses of a generated client as tables: Arrow in memory, and Parquet, CSV and JSON Lines in files.
//!
//! The crate uses the registry of a client (the descriptions of its endpoints), not the client's types, so it works
//! with any generated client.
//!
//! - [`Backfill`] writes histories of several series to one file, or to a data set of many files, and updates them;
//!   [`status`] reads the state of a target.
//! - [`TableSchema`] describes the columns of an endpoint's records, and converts records to Arrow record batches.
//!   [`TextWriter`] writes such batches as CSV or JSON Lines.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `s3` | data sets in a bucket of S3-compatible object storage |

// Modules, lowest layer first.
mod column_names;
mod error;

mod empty_ranges;
mod partition;
mod response_monitor;
mod target;
mod time_ranges;
mod timestamps;

mod spacing;

mod series;
mod series_columns;
mod value_ranges;

mod table_schema;

mod checked_writer;
mod cursor;
mod data_set_paths;
mod fetched_at;
mod lock;
mod other_members;
mod text_writer;
mod unknown_values;

mod row_labels;

mod column_storage;
mod columns;
mod file_storage;
mod last_seen;
mod partial_intervals;
mod row_facts;

mod changes;
mod first_seen;
mod retired_series;
mod revisions;
mod series_state;

mod interrupted_merges;

mod earlier_rows;
mod field_marks;
mod kept_revisions;
mod marks;
mod section;

mod merge_rules;
mod table_state;

mod lost_rows;
mod vanished_rows;

mod saved_state;

mod file_state;
mod merge_rows;
mod missing_fields;
mod unsent_fields;

mod footer_check;

mod merge_interval;
mod parquet_footer;

mod parquet_input;

mod parquet_file;

mod buffered_rows;
mod place;

mod journal;

mod damage;

mod table;
mod table_files;
mod table_journal;
mod table_size;

mod damaged_data;
mod locked_tables;
mod missing_revisions;
mod repair;
mod series_writer;
mod text_file;

mod encoded_rows;

mod file_rewrite;

mod merge_journal;

mod acknowledge;
mod adopt;
mod backfill;
mod remove;
mod repair_target;
mod retire;
mod stored_tables;
mod streamed_fields;

mod stored_rows;

mod status;

mod quality;

#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzz;

pub use acknowledge::{Acknowledged, acknowledge, acknowledge_unfetched};
pub use adopt::{Adopted, adopt};
pub use arrow_array::RecordBatch;
pub use backfill::{
    Backfill, BackfillEvent, BackfillPlan, FollowEvent, ReadableRecords, SeriesPlan, SeriesReport, Summary,
};
pub use column_names::UNKNOWN_FIELDS;
pub use columns::SeriesTable;
pub use data_set_paths::check_new_file;
pub use error::{Error, quoted};
pub use file_storage::{NewFile, write_file};
pub use lock::RunOwner;
pub use lost_rows::{LostRows, LostSeries};
pub use missing_fields::MissingField;
pub use other_members::MemberColumns;
pub use partition::Partition;
pub use quality::{FieldQuality, Numbers, Quality, SeriesNumbers, SeriesQuality, numbers, quality};
pub use remove::{Removed, remove};
pub use repair_target::{Repaired, repair};
pub use response_monitor::ResponseMonitor;
pub use retire::{Retired, retire};
pub use series::{SeriesRequest, stored_name};
pub use series_columns::unknown_fields;
pub use status::{SeriesStatus, Status, status, verify};
pub use stored_rows::{NumericField, RevisedValue, StoredRows};
pub use stored_tables::StoredTables;
pub use streamed_fields::StreamedFields;
pub use table_schema::TableSchema;
pub use target::{Format, Target};
pub use text_writer::TextWriter;
pub use unsent_fields::UnsentField;

/// Compiles the program in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
