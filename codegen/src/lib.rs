//! The pipeline: a catalogue in, the generated part of a client out.
//!
//! ```text
//! spec/*.yaml ─load→ Catalogue ─check→ Checked ─lower→ Api ─emit→ Vec<File> ─write→ disk, or a report of drift
//! ```
//!
//! It knows no endpoint, no group, no param and no service; what is special about one stands in its catalogue.

mod check;
mod coverage;
mod diagnostic;
mod duration;
mod emit;
mod evidence;
pub mod evolve;
mod format;
mod load;
mod lower;
mod marked;
mod model;
mod names;
mod spec;
mod suggest;
mod summary;
mod time_unit;
mod type_expr;
mod walk;
mod write;
mod yaml;

use std::path::Path;

pub use check::{Checked, check};
pub use coverage::{Coverage, Tally, Wanted};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use emit::{File, OpenApiFormat, OpenApiVersion, Package, catalogue_schema, documents, emit, openapi, scaffold};
pub use evolve::{Addition, CatalogueChange, Import, Learning, Lesson, Question, Refusal, add, import, learn};
pub use load::{Catalogue, load, load_texts};
pub use lower::lower;
pub use model::Api;
pub use summary::{GroupSummary, Summary};
pub use write::{Change, ChangeKind, Folder, Mode, Report, write};

/// Reads a catalogue and makes the client's model of it, or says everything that is wrong with it.
pub fn read(spec: &Path) -> Result<Api, Diagnostics> {
    Ok(lower(&check(load(spec))?))
}
