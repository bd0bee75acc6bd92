//! Compares two lists of public items. Each old item is paired with the new item of the same name or, if there is none,
//! of the same wire name. Items without a partner are new or removed.

use std::collections::{BTreeMap, BTreeSet};

use codegen::Api;

use super::Verdict::{Major, Minor, Patch};
use super::change_list::{Changes, Heading};
use super::methods;
use super::public_items::{Item, Key, Kind, items};
use super::renames::Renames;

pub(super) fn compare(old: &Api, new: &Api, changes: &mut Changes) {
    let (before, after) = (items(old), items(new));
    let known: BTreeSet<Key> = before.iter().map(Item::key).collect();
    let there: BTreeMap<Key, &Item<'_>> = after.iter().map(|item| (item.key(), item)).collect();
    let (mut renames, mut paired) = (Renames::default(), BTreeSet::new());
    let mut gone = Vec::new();
    for old in &before {
        // The old item may contain the old name of a renamed group or type. The new name replaces the old name, so that
        // only the rename itself is reported.
        let old = renames.applied(old);
        let is_free = |new: &&&Item<'_>| !known.contains(&new.key()) && !paired.contains(&new.key());
        let under_another_name = || after.iter().find(|new| old.is_continued_by(new) && is_free(&new));
        match there.get(&old.key()).copied().or_else(under_another_name) {
            Some(new) => {
                if old.key() != new.key() {
                    renames.note(&old, new);
                }
                paired.insert(new.key());
                pair(&old, new, (&before, &renames), changes);
            }
            None => gone.push(old),
        }
    }
    for old in gone.iter().filter(|old| !is_implied(old, |key| known.contains(key), |key| there.contains_key(key))) {
        let text = format!("`{}` was removed{}", old.name, substitute(old));
        changes.add(Major, Heading::Removed, text, old.location());
    }
    for new in after.iter().filter(|new| !paired.contains(&new.key())) {
        // The report of a new group does not list the endpoints of the group, so new endpoints are always reported.
        if new.kind == Kind::Endpoint || !is_implied(new, |key| there.contains_key(key), |key| paired.contains(key)) {
            changes.add(Minor, Heading::Added, introduced(new), new.location());
        }
    }
}

/// Returns `true` if the addition or removal of an item need not be reported, because its owner, or the shared setter
/// with the same name, was added or removed too. Always returns `true` for a fact, because only a change of its value is
/// reported.
fn is_implied(item: &Item<'_>, is_on_side: impl Fn(&Key) -> bool, is_on_both_sides: impl Fn(&Key) -> bool) -> bool {
    let root = |name: &str| (String::new(), name.to_owned());
    let setter = root(&item.name);
    item.kind == Kind::Fact
        || !item.owner.is_empty() && !is_on_both_sides(&root(&item.owner))
        || item.location().is_some() && is_on_side(&setter) && !is_on_both_sides(&setter)
}

/// Reports the changes of the name, the wire name and the type of an item, and all changes of a method.
fn pair(old: &Item<'_>, new: &Item<'_>, (before, renames): (&[Item<'_>], &Renames), changes: &mut Changes) {
    let (was, is) = (&old.name, &new.name);
    if old.key() != new.key() {
        changes.add(Major, Heading::Changed, format!("`{was}` is now `{is}`"), new.location());
    }
    let is_on_the_wire = matches!(new.kind, Kind::Endpoint | Kind::Value | Kind::Field)
        || matches!(new.kind, Kind::Setter | Kind::ListSetter) && new.location().is_none();
    if is_on_the_wire && old.wire != new.wire {
        // If the new wire name belonged to another item before, the change is not a correction. For example, a method
        // now returns the data of another endpoint.
        let belonged_to_another = before.iter().any(|other| {
            let has_owner = || new.kind == Kind::Endpoint || renames.applied(other).owner == new.owner;
            other.kind == new.kind && other.wire == new.wire && has_owner()
        });
        let (verdict, heading) = if belonged_to_another { (Major, Heading::Changed) } else { (Patch, Heading::Fixed) };
        let text = format!("`{is}` is `{}` on the wire instead of `{}`", new.wire, old.wire);
        changes.add(verdict, heading, text, new.location());
    }
    if old.ty != new.ty && !old.ty.is_empty() && !new.ty.is_empty() {
        let what = if new.kind == Kind::Fact { is.clone() } else { format!("`{is}` is") };
        let heading = if new.verdict == Minor { Heading::Added } else { Heading::Changed };
        let text = format!("{what} {} instead of {}", new.ty, old.ty);
        changes.add(new.verdict, heading, text, new.location());
    }
    if let (Some(old), Some(new)) = (old.endpoint, new.endpoint) {
        methods::compare(is, old, new, changes);
    }
}

fn introduced(new: &Item<'_>) -> String {
    let ty = if new.ty.is_empty() { String::new() } else { format!(" ({})", new.ty) };
    let summary = if new.summary.is_empty() { String::new() } else { format!(": {}", new.summary) };
    format!("`{}`{ty} is new{summary}", new.name)
}

/// Returns the replacement for a removed item, in parentheses; empty if there is none.
fn substitute(Item { kind, owner, wire, .. }: &Item<'_>) -> String {
    match kind {
        Kind::Endpoint if !wire.contains('{') => format!(" (`client.raw(\"{wire}\")` returns untyped JSON)"),
        Kind::Value => format!(" (`{owner}::from(\"{wire}\")` still sends the value)"),
        Kind::Field => format!(" (`unknown_fields` contains `{wire}` if a response has it)"),
        _ => String::new(),
    }
}
