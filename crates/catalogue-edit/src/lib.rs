//! Edits the catalogue based on evidence, and determines the consequences of an edit for users of the client.
//!
//! Every edit is returned as a [`CatalogueChange`], which can be inspected. Nothing is written until the caller writes
//! the change.

mod add;
mod content;
pub mod diff;
mod draft;
mod drift;
mod editor;
mod endpoint_places;
mod exact_numbers;
mod gate;
mod har;
mod history_params;
mod import;
mod learn;
mod merge;
mod observed_query;
mod observed_values;
mod pages;
mod rust_names;
mod saved_response;
mod unix_time;
mod written_periods;
mod yaml_edit;
mod yaml_layout;

pub use catalogue::spec::Evidence;

pub use add::{Addition, add};
pub use drift::{EndpointDrift, drift};
pub use editor::{CatalogueChange, Refusal};
pub use endpoint_places::{EndpointPlace, endpoint_places};
pub use har::{RecordedService, Recording, endpoints_of};
pub use import::{Import, import};
pub use learn::{EndpointResponses, LearnOptions, learn};
pub use observed_query::ObservedQuery;
