//! Compares two catalogues. The result lists the changes that affect users of the client, and the version bump that
//! each change requires.
//!
//! Users see the emitted Rust code, so every change is described with the names of the client, not with the names in
//! the YAML files. The models of the catalogues are compared, so text that the emitter ignores, such as a YAML comment,
//! is not a change. `crates/catalogue-edit/tests/diffs` records a verdict for each kind of change; an ignored test in
//! `crates/catalogue-edit/tests/cases` confirms these verdicts with the compiler.

mod change_list;

mod public_items;

mod compare_methods;
mod facts;
mod renames;
mod service_facts;

mod compare_items;

pub use change_list::{Change, Changes, Heading, Verdict};

use std::cmp::Reverse;

use catalogue::Api;
use codegen::{File, Package, emit};

/// Returns the changes from an old catalogue to a new one, sorted by verdict and heading.
pub fn compare(old: &Api, new: &Api) -> Changes {
    let mut changes = Changes::default();
    compare_items::compare(old, new, &mut changes);
    base_url(old, new, &mut changes);
    // If emitted files differ although no change was found, these files are reported, so that no difference is missed.
    if changes.verdict().is_none() {
        let before = emit(old, &Package::new("client"));
        let after = emit(new, &Package::new("client"));
        report_files(&after, &before, &mut changes);
        report_files(&before, &after, &mut changes);
    }
    changes.list.sort_by_key(|change| (Reverse(change.verdict), change.heading));
    changes
}

/// Reports the files that are not among the others.
fn report_files(files: &[File], others: &[File], changes: &mut Changes) {
    for file in files {
        if !others.contains(file) {
            let text = "the docs, the registry, or the format of requests or responses differ".to_owned();
            changes.add(Verdict::Patch, None, text, Some(&file.path));
        }
    }
}

fn base_url(old: &Api, new: &Api, changes: &mut Changes) {
    let was = old.service.declared.base_url_suffix();
    let now = new.service.declared.base_url_suffix();
    // If the new suffix is the end of the old suffix, such as `/v2` and `/api/v2`, every old base URL is still valid,
    // so no program has to change.
    if now != was && was.ends_with(now) {
        let text = format!("a base URL no longer has to end in `{was}`");
        changes.add(Verdict::Patch, Some(Heading::Changed), text, None);
    } else if now != was {
        changes.add(Verdict::Major, Some(Heading::Changed), format!("a base URL must end in `{now}`"), None);
    }
}
