//! Reads a catalogue: YAML files become the model of a client, or every error in them.
//!
//! ```text
//! spec/*.yaml ─load→ Catalogue ─resolve→ Api, or all errors
//! ```
//!
//! This crate contains no facts about endpoints, groups, params or services. All of them are in the catalogue.

#![allow(missing_docs, reason = "the crate is not published, and many names of fields say everything")]

// The modules, lowest layer first.
mod rules;

mod diagnostic;

pub mod yaml_parser;

mod spanned;

pub mod url_path;

mod pattern;

pub mod duration;

pub mod names;

pub mod catalogue_format;

mod evidence;

mod time_unit;

pub mod type_expr;

mod known;

mod catalogue_reader;

pub mod spec;

mod load;

pub mod model;

mod resolve;

mod coverage;

mod registry;

pub mod yaml_writer;

use std::path::Path;

pub use catalogue_reader::{INVISIBLE, expected, is_invisible, is_line, is_prose, repeats_name};
pub use coverage::{CountTable, Coverage, endpoint_counts};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use load::{Catalogue, is_catalogue_file, load, load_texts};
pub use model::Api;
pub use registry::{GroupEntries, RegistryEntries, registry};
pub use resolve::{check, may_be_fixed, may_carry_key, resolve};
pub use spanned::Text;

/// Reads a catalogue, and returns the model of the client, or all errors in the catalogue.
pub fn read(spec: &Path) -> Result<Api, Diagnostics> {
    check(&load(spec))
}
