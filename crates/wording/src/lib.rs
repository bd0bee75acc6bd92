//! Sentences about facts of a service, names of params outside of Rust, and suggestions for mistyped names.
//!
//! The docs of a client, its command line, the sandbox and the errors of a catalogue use the same words.

mod fact_sentences;
mod param_names;
mod suggest;

pub use fact_sentences::{Facts, enumerated};
pub use param_names::{ParamNames, SERIES_KEYS, is_python_name, is_reserved_option, python_name};
pub use suggest::{did_you_mean, most_similar, normalized};
