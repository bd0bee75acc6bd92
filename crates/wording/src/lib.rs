//! Sentences about facts of a service, and suggestions for mistyped names.
//!
//! The docs of a client, its command line, the sandbox and the errors of a catalogue use the same words.

mod fact_sentences;
mod suggest;

pub use fact_sentences::{Facts, enumerated};
pub use suggest::{did_you_mean, most_similar, normalized};
