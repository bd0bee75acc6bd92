//! Omits the revisions of merges that did not complete.
//!
//! A merge writes its revisions before its data file. If it is stopped in between, the data file keeps its generation, the
//! rows are still in it, and the next merge begins with that generation again. So of all merges that begin with one
//! generation, only one completes, and none while a data file has that generation.
//!
//! A reader opens the data files first, so the revisions can have further merges, of which its files have no row.

use std::collections::{BTreeMap, BTreeSet};

use crate::revisions::Revision;

/// The revisions of merges that completed, in the order of series and time, each once. `revisions` are in the order in
/// which they were appended, and `generations` are those of the present data files.
///
/// A revision without a merge was written by an earlier version, or about rows that no data file had before. It is kept.
pub(crate) fn completed(revisions: Vec<Revision>, generations: &BTreeSet<String>) -> BTreeSet<Revision> {
    let next = next_generations(&revisions, generations);
    let not_replaced = with_later_generations(&revisions, generations);
    let mut all = BTreeSet::new();
    for mut revision in revisions {
        if let Some(merge) = &revision.merge {
            let is_next = next.get(&merge.from) == Some(&merge.to);
            if !is_next || not_replaced.contains(&merge.from) {
                continue;
            }
        }
        // The merge is not a part of what was replaced.
        revision.merge = None;
        all.insert(revision);
    }
    all
}

/// The generations of the data files, and those of the merges that began with one of them, also indirectly.
fn with_later_generations(revisions: &[Revision], generations: &BTreeSet<String>) -> BTreeSet<String> {
    let mut all = generations.clone();
    // A merge is appended after the merge that it continues.
    for merge in revisions.iter().filter_map(|revision| revision.merge.as_ref()) {
        if all.contains(&merge.from) {
            all.insert(merge.to.clone());
        }
    }
    all
}

/// The generation that follows each generation: one that a data file had, or else the last. A run that could not replace
/// an object in object storage, because another run had replaced it, appends its revisions after those of that run.
fn next_generations(revisions: &[Revision], generations: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut were_visible = generations.clone();
    for revision in revisions {
        were_visible.extend(revision.merge.iter().map(|merge| merge.from.clone()));
    }
    let mut next: BTreeMap<String, String> = BTreeMap::new();
    for merge in revisions.iter().filter_map(|revision| revision.merge.as_ref()) {
        let is_completed = next.get(&merge.from).is_some_and(|known| were_visible.contains(known));
        if !is_completed || were_visible.contains(&merge.to) {
            next.insert(merge.from.clone(), merge.to.clone());
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revisions::GenerationChange;

    /// The revision of a row by the merge from one generation to another; without generations, that of an earlier version.
    fn revision(time: i64, merge: Option<(&str, &str)>) -> Revision {
        let merge = merge.map(|(from, to)| GenerationChange { from: from.to_owned(), to: to.to_owned() });
        Revision {
            series: "e".to_owned(),
            time,
            fetched_at: Some(0),
            replaced_at: Some(1),
            old: BTreeMap::new(),
            same: BTreeMap::new(),
            number: 0,
            merge,
        }
    }

    /// Compares the times of the revisions of completed merges.
    fn check(merges: &[Option<(&str, &str)>], generations: &[&str], expected: &[i64]) {
        let mut revisions = Vec::new();
        for (time, merge) in (0..).zip(merges) {
            revisions.push(revision(time, *merge));
        }
        let generations = generations.iter().map(|generation| (*generation).to_owned()).collect();
        let found: Vec<i64> = completed(revisions, &generations).iter().map(|revision| revision.time).collect();
        assert_eq!(found, expected, "{merges:?} {generations:?}");
    }

    #[test]
    fn merges_that_did_not_complete_have_no_revisions() {
        // The merge completed, was stopped, or was repeated.
        check(&[Some(("a", "b"))], &["b"], &[0]);
        check(&[Some(("a", "b"))], &["a"], &[]);
        check(&[Some(("a", "b")), Some(("a", "c"))], &["c"], &[1]);
        check(&[Some(("a", "b")), Some(("a", "c")), Some(("c", "d"))], &["d"], &[1, 2]);
        check(&[Some(("a", "b")), Some(("a", "c"))], &["a"], &[]);
        // Each file has its own generations.
        check(&[Some(("a", "b")), Some(("x", "y"))], &["a", "y"], &[1]);
        // Another run has replaced the object.
        check(&[Some(("a", "b")), Some(("a", "c"))], &["b"], &[0]);
        check(&[Some(("a", "b")), Some(("a", "c")), Some(("b", "d"))], &["d"], &[0, 2]);
        // The file is gone, was restored from a copy, or is newer than the revisions.
        check(&[Some(("a", "b")), Some(("a", "c"))], &[], &[1]);
        check(&[Some(("a", "b")), Some(("b", "c"))], &["a"], &[]);
        check(&[Some(("a", "b"))], &["z"], &[0]);
        // Several merges completed after the file was opened.
        check(&[Some(("a", "b")), Some(("b", "c")), Some(("c", "d"))], &["b"], &[0]);
        check(&[Some(("a", "b")), Some(("a", "c")), Some(("c", "d"))], &["a"], &[]);
        // Revisions of an earlier version.
        check(&[None, Some(("a", "b"))], &["a"], &[0]);
    }

    #[test]
    fn a_revision_that_was_appended_twice_is_one() {
        let repeated = vec![revision(0, None), revision(0, None), revision(0, Some(("a", "b")))];
        assert_eq!(completed(repeated, &BTreeSet::from(["b".to_owned()])).len(), 1);
    }
}
