//! Edits the catalogue based on evidence, and determines the consequences of an edit for users of the client.
//!
//! Every edit is returned as a [`CatalogueChange`], which can be inspected; nothing is written until the caller writes
//! it.

mod add;
mod change;
pub mod diff;
mod edit;
mod endpoint;
mod fill;
mod format_maps;
mod import;
mod learn;
mod live;
mod naming;
mod numbered_types;
mod observed;
mod saved_response;
mod valid_catalogue;
mod yaml_path;
mod yaml_tree;

pub use add::{Addition, add};
pub use change::{CatalogueChange, Refusal};
pub use import::{Import, import};
pub use learn::{LearnOptions, Lesson, learn};
pub use live::LiveRequest;
