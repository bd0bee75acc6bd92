//! Reads a catalogue: YAML files become the model of a client, or every error in them.
//!
//! ```text
//! spec/*.yaml ─load→ Catalogue ─resolve→ Api, or all errors
//! ```
//!
//! This crate contains no facts about endpoints, groups, params or services. All of them are in the catalogue.

#![allow(missing_docs, reason = "the crate is not published, and many names of fields say everything")]

mod catalogue_reader;
mod coverage;
mod diagnostic;
mod evidence;
mod load;
mod registry;
mod resolve;
mod rules;
mod spanned;
mod time_unit;

pub mod catalogue_format;
pub mod duration;
pub mod model;
pub mod names;
pub mod spec;
pub mod type_expr;
pub mod url_path;
pub mod yaml_parser;
pub mod yaml_writer;

use std::path::Path;

pub use catalogue_reader::{INVISIBLE, expected, is_invisible, is_line, is_prose, repeats_name};
pub use coverage::{CountTable, Coverage, endpoint_counts};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use load::{Catalogue, is_part, load, load_texts};
pub use model::Api;
pub use registry::registry;
pub use resolve::{check, may_be_fixed, may_carry_key, resolve};

/// Reads a catalogue, and returns the model of the client, or all errors in the catalogue.
pub fn read(spec: &Path) -> Result<Api, Diagnostics> {
    check(&load(spec))
}
