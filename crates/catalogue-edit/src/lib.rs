//! Edits the catalogue based on evidence, and determines the consequences of an edit for users of the client.
//!
//! Every edit is returned as a [`CatalogueChange`], which can be inspected. Nothing is written until the caller writes
//! the change.

pub mod diff;

mod exact_numbers;
mod json_paths;
mod long_ids;
mod refusal;
mod sent_fields;
mod yaml_layout;

mod catalogue_change;
mod drafted_type;
mod names_in_use;
mod observed_values;
mod record_time;
mod rounded_numbers;
mod text_body;

mod saved_response;
mod yaml_edit;

mod content;
mod draft;
mod named_records;
mod rust_names;

mod editor;
mod endpoint_places;
mod host_names;
mod word_lists;

mod sent_values;

mod enum_values;
mod history_params;
mod page_names;
mod unix_time;

mod lost_digits;
mod record_step;
mod written_periods;

mod observed_query;

mod sent_times;

mod gate;
mod merge;
mod pages;

mod learn;

mod add;

mod drift;
mod har;
mod import;

pub use catalogue::spec::Evidence;

pub use add::{Addition, add};
pub use catalogue_change::CatalogueChange;
pub use drift::{EndpointDrift, drift};
pub use endpoint_places::{EndpointPlace, endpoint_places};
pub use har::{RecordedService, Recording, endpoints_of};
pub use import::{Import, import};
pub use learn::{EndpointResponses, LearnOptions, learn};
pub use observed_query::ObservedQuery;
pub use refusal::Refusal;
pub use sent_times::SentTimes;
pub use sent_values::SentValues;
