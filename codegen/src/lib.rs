//! Emits the generated part of a client from the model of its catalogue, and writes it to disk.
//!
//! ```text
//! Api ─emit→ Vec<File> ─write→ disk, or a report of drift
//! ```
//!
//! This crate contains no facts about endpoints, groups, params or services. All of them are in the catalogue.

mod emit;
// Part of the command line. A crate of its own would have to be published with the command line.
#[path = "../../crates/cli/src/fact_sentences.rs"]
mod fact_sentences;
mod write;

pub use emit::{
    File, MARKER, OpenApiVersion, Package, catalogue_schema, documents, emit, openapi, scaffold, scaffold_cli,
};
pub use write::{ChangeKind, FileChange, Folder, Mode, Report, readme_tables, replace, write};
