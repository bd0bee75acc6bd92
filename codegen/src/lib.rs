//! The pipeline from a catalogue to the generated part of a client.
//!
//! ```text
//! spec/*.yaml ─load→ Catalogue ─resolve→ Api, or all errors ─emit→ Vec<File> ─write→ disk, or a report of drift
//! ```
//!
//! This crate contains no facts about endpoints, groups, params or services. All of them are in the catalogue.

mod catalogue_reader;
mod coverage;
mod diagnostic;
mod emit;
mod evidence;
// Part of the command line. A crate of its own would have to be published with the command line.
#[path = "../../crates/cli/src/fact_sentences.rs"]
mod fact_sentences;
mod load;
mod resolve;
mod rules;
mod spanned;
mod suggest;
mod time_unit;
mod write;

// These modules are public only for the crate `catalogue-edit`, which uses the types of the format and of the model. They are
// not part of the public API.
#[doc(hidden)]
pub mod catalogue_format;
#[doc(hidden)]
pub mod duration;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod type_expr;
#[doc(hidden)]
pub mod url_path;
#[doc(hidden)]
pub mod yaml_parser;
#[doc(hidden)]
pub mod yaml_writer;

use std::path::Path;

#[doc(hidden)]
pub use catalogue_reader::{is_invisible, is_line, is_prose, repeats_name};
pub use coverage::{CountTable, Coverage, endpoint_counts};
pub use diagnostic::{Diagnostic, Diagnostics};
#[doc(hidden)]
pub use emit::MARKER;
pub use emit::{File, OpenApiVersion, Package, catalogue_schema, documents, emit, openapi, scaffold, scaffold_cli};
pub use load::{Catalogue, is_part, load, load_texts};
pub use model::Api;
pub use resolve::{check, resolve};
#[doc(hidden)]
pub use resolve::{may_be_fixed, may_carry_key};
#[doc(hidden)]
pub use suggest::did_you_mean;
#[doc(hidden)]
pub use write::replace;
pub use write::{ChangeKind, FileChange, Folder, Mode, Report, readme_tables, write};

/// Reads a catalogue, and returns the model of the client, or all errors in the catalogue.
pub fn read(spec: &Path) -> Result<Api, Diagnostics> {
    check(&load(spec))
}
