//! Compares two catalogues. The result lists the changes that affect users of the client, and the version bump that
//! each change requires.
//!
//! Users see the emitted Rust code, so every change is described with the names of the client, not with the names in
//! the YAML files. The models of the catalogues are compared, so text that the emitter ignores, such as a YAML comment,
//! is not a change. `evolve/tests/diffs` records a verdict for each kind of change; an ignored test in
//! `evolve/tests/cases` confirms these verdicts with the compiler.

mod change_list;
mod compare_items;
mod facts;
mod public_items;
mod renames;
mod report;
mod verdict;

pub use change_list::{Change, Changes, Heading};
pub use verdict::Verdict;

use codegen::{Api, Package, emit};

/// Returns the changes from an old catalogue to a new one.
pub fn compare(old: &Api, new: &Api) -> Changes {
    let mut changes = Changes::default();
    compare_items::compare(old, new, &mut changes);
    facts::compare(old, new, &mut changes);
    // If emitted files differ although no change was found, these files are reported, so that no difference is missed.
    if changes.is_empty() {
        let [before, after] = [old, new].map(|api| emit(api, &Package::new("client")));
        let new_or_different = after.iter().filter(|file| !before.contains(file));
        for file in new_or_different.chain(before.iter().filter(|file| !after.contains(file))) {
            let text = "the docs, the registry, or the format of requests or responses differ";
            let change = Change { heading: None, ..Change::new(Verdict::Patch, Heading::Changed, text) };
            changes.add(change.on(format!("`{}`", file.path)));
        }
    }
    changes.sorted()
}
