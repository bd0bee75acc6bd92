//! Emits the generated part of a client from the model of its catalogue, and writes it to disk.
//!
//! ```text
//! Api ─emit→ Vec<File> ─write→ disk, or a report of drift
//! ```
//!
//! This crate contains no facts about endpoints, groups, params or services. All of them are in the catalogue.

mod emit;
mod replaced_files;

mod write;

pub use emit::{
    File, MARKER, OpenApiVersion, Package, Program, catalogue_schema, documents, emit, openapi, python, scaffold,
    scaffold_cli,
};
pub use replaced_files::replace;
pub use write::{ChangeKind, FileChange, Folder, Mode, Report, readme_tables, write};
