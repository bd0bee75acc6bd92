//! Two catalogues in, the changes that downstream notices out, with their consequence for the version.
//!
//! Downstream are the users of the emitted Rust: every change is described in the names of the client, not in those of
//! YAML. The models are compared, so text that the emitter ignores, such as a comment, is no change.
//! `evolve/tests/diffs` records a verdict for each kind of change, and `cargo xtask verify diff` has the compiler
//! confirm them.

mod changes;
mod endpoints;
mod named_types;
mod pairing;
mod pairs;
mod params;
mod records;
mod report;
mod service;
mod setters;
mod verdict;
mod words;

pub use changes::{Change, Changes, Heading};
pub use verdict::{Reading, Verdict};

use codegen::{Api, Package, emit};

use pairs::Pairs;

/// Compares a catalogue with an older one.
pub fn compare(old: &Api, new: &Api) -> Changes {
    let pairs = Pairs::new(old, new);
    let mut changes = Changes::default();
    service::compare(&old.service, &new.service, &mut changes);
    service::completeness(old, new, &mut changes);
    endpoints::groups(&pairs, &mut changes);
    endpoints::endpoints(&pairs, &mut changes);
    setters::compare(&pairs, &mut changes);
    records::compare(&pairs, &mut changes);
    named_types::compare(&pairs, &mut changes);
    // Only order and form can still differ, which is reported so that no file changes without a change in the list.
    let emitted = |api| emit(api, &Package::new("client"));
    if changes.is_empty() && emitted(old) != emitted(new) {
        changes.rearranged();
    }
    changes.sorted()
}
