//! The pipeline from a catalogue to the generated part of a client.
//!
//! ```text
//! spec/*.yaml ─load→ Catalogue ─resolve→ Api, or all errors ─emit→ Vec<File> ─write→ disk, or a report of drift
//! ```
//!
//! This crate contains no facts about endpoints, groups, params or services; these are in the catalogue.

mod count_table;
mod coverage;
mod diagnostic;
mod emit;
mod evidence;
mod load;
mod page;
mod resolve;
mod spanned;
mod suggest;
mod summary;
mod time_unit;
mod walk;
mod write;

// Items for the crate `evolve`, in addition to the stages of the pipeline: the types of the format and of the model.
// They are not a public API.
#[doc(hidden)]
pub mod duration;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod marked;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod path;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod type_expr;
#[doc(hidden)]
pub mod yaml;

use std::path::Path;

pub use count_table::CountTable;
pub use coverage::Coverage;
pub use diagnostic::{Diagnostic, Diagnostics};
#[doc(hidden)]
pub use emit::MARKER;
pub use emit::{File, OpenApiFormat, OpenApiVersion, Package, catalogue_schema, documents, emit, openapi, scaffold};
pub use load::{Catalogue, is_part, load, load_texts};
pub use model::Api;
pub use page::write_page;
pub use resolve::{check, resolve};
#[doc(hidden)]
pub use resolve::{may_be_fixed, may_carry_key};
#[doc(hidden)]
pub use suggest::did_you_mean;
pub use summary::summary;
#[doc(hidden)]
pub use walk::{is_invisible, is_line, is_prose};
#[doc(hidden)]
pub use write::replace;
pub use write::{ChangeKind, FileChange, Folder, Mode, Report, write};

/// Reads a catalogue and returns the model of the client, or all errors of the catalogue.
pub fn read(spec: &Path) -> Result<Api, Diagnostics> {
    check(&load(spec))
}
