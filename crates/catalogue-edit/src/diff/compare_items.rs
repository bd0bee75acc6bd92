//! Compares two lists of public items. Each old item is paired with the new item of the same name or, if there is none,
//! of the same wire name. Items without a partner are new or removed.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::Api;

use super::Verdict::{Major, Minor, Patch};
use super::change_list::{Changes, Heading};
use super::compare_methods::compare_methods;
use super::public_items::{Item, Key, Kind, items};
use super::renames::Renames;

pub(super) fn compare(old: &Api, new: &Api, changes: &mut Changes) {
    let before = items(old);
    let after = items(new);
    let mut comparison = Comparison::new(&before, &after, changes);
    let mut gone = Vec::new();
    for old in &before {
        // The old item may contain the old name of a renamed group or type. The new name replaces the old name, so that
        // only the rename itself is reported.
        let old = comparison.renames.applied(old);
        match comparison.partner(&old) {
            Some(new) => comparison.pair(&old, new),
            None => gone.push(old),
        }
    }
    for old in gone {
        comparison.report_removed(&old);
    }
    for new in &after {
        comparison.report_added(new);
    }
}

/// The items of both catalogues, and what is known about them so far.
struct Comparison<'a, 'i> {
    before: &'i [Item<'a>],
    after: &'i [Item<'a>],
    keys_before: BTreeSet<Key>,
    by_key_after: BTreeMap<Key, &'i Item<'a>>,
    /// The keys of the new items that have a partner.
    paired: BTreeSet<Key>,
    renames: Renames,
    changes: &'i mut Changes,
}

impl<'a, 'i> Comparison<'a, 'i> {
    fn new(before: &'i [Item<'a>], after: &'i [Item<'a>], changes: &'i mut Changes) -> Self {
        let mut keys_before = BTreeSet::new();
        for item in before {
            keys_before.insert(item.key());
        }
        let mut by_key_after = BTreeMap::new();
        for item in after {
            by_key_after.insert(item.key(), item);
        }
        let renames = Renames::default();
        Self { before, after, keys_before, by_key_after, paired: BTreeSet::new(), renames, changes }
    }

    /// The new item with the same name or, if there is none, the same item under another name.
    fn partner(&self, old: &Item<'_>) -> Option<&'i Item<'a>> {
        if let Some(same) = self.by_key_after.get(&old.key()) {
            return Some(same);
        }
        for new in self.after {
            let is_free = !self.keys_before.contains(&new.key()) && !self.paired.contains(&new.key());
            if is_free && old.is_continued_by(new) {
                return Some(new);
            }
        }
        None
    }

    /// Reports the changes of the name, the wire name and the type of an item, and all changes of a method.
    fn pair(&mut self, old: &Item<'a>, new: &Item<'a>) {
        if old.key() != new.key() {
            self.renames.note(old, new);
            let text = format!("`{}` is now `{}`", old.name, new.name);
            self.changes.add(Major, Some(Heading::Changed), text, new.location());
        }
        self.paired.insert(new.key());
        self.compare_wire_names(old, new);
        self.compare_types(old, new);
        if let (Some(old), Some(endpoint)) = (old.endpoint, new.endpoint) {
            compare_methods(&new.name, old, endpoint, self.changes);
        }
    }

    fn compare_wire_names(&mut self, old: &Item<'_>, new: &Item<'_>) {
        if !is_on_the_wire(new) || old.wire == new.wire {
            return;
        }
        let mut verdict = Patch;
        let mut heading = Heading::Fixed;
        if self.belonged_to_another(new) {
            verdict = Major;
            heading = Heading::Changed;
        }
        // Files and stored JSON have the old name, under which the client no longer reads them.
        let mark = if old.column == new.column { "" } else { " (stored data has the old name)" };
        let text = format!("`{}` is `{}` on the wire instead of `{}`{mark}", new.name, new.wire, old.wire);
        self.changes.add(verdict, Some(heading), text, new.location());
    }

    /// `true` if the wire name of an item belonged to another item before. Its change is then not a correction. For
    /// example, a method now returns the data of another endpoint.
    fn belonged_to_another(&self, new: &Item<'_>) -> bool {
        for other in self.before {
            if other.kind != new.kind || other.wire != new.wire {
                continue;
            }
            if new.kind == Kind::Endpoint || self.renames.applied(other).owner == new.owner {
                return true;
            }
        }
        false
    }

    fn compare_types(&mut self, old: &Item<'_>, new: &Item<'_>) {
        if old.ty == new.ty || old.ty.is_empty() || new.ty.is_empty() {
            return;
        }
        let what = if new.kind == Kind::Fact { new.name.clone() } else { format!("`{}` is", new.name) };
        let heading = if new.verdict == Minor { Heading::Added } else { Heading::Changed };
        let text = format!("{what} {} instead of {}", new.ty, old.ty);
        self.changes.add(new.verdict, Some(heading), text, new.location());
    }

    fn report_removed(&mut self, old: &Item<'_>) {
        let is_implied =
            is_implied(old, |key| self.keys_before.contains(key), |key| self.by_key_after.contains_key(key));
        if !is_implied {
            let text = format!("`{}` was removed{}", old.name, substitute(old));
            self.changes.add(Major, Some(Heading::Removed), text, old.location());
        }
    }

    /// Reports a new item that has no partner.
    fn report_added(&mut self, new: &Item<'_>) {
        if self.paired.contains(&new.key()) {
            return;
        }
        // The report of a new group does not list the endpoints of the group, so new endpoints are always reported.
        let is_implied = is_implied(new, |key| self.by_key_after.contains_key(key), |key| self.paired.contains(key));
        if new.kind == Kind::Endpoint || !is_implied {
            self.changes.add(Minor, Some(Heading::Added), introduced(new), new.location());
        }
    }
}

fn is_on_the_wire(item: &Item<'_>) -> bool {
    match item.kind {
        Kind::Endpoint | Kind::Value | Kind::Field => true,
        Kind::Setter | Kind::ListSetter => item.location().is_none(),
        _ => false,
    }
}

/// `true` if the addition or removal of an item need not be reported, because its owner, or the shared setter with the
/// same name, was added or removed too. Always returns `true` for a fact, because only a change of its value is
/// reported.
fn is_implied(item: &Item<'_>, is_on_side: impl Fn(&Key) -> bool, is_on_both_sides: impl Fn(&Key) -> bool) -> bool {
    if item.kind == Kind::Fact {
        return true;
    }
    if !item.owner.is_empty() && !is_on_both_sides(&root_key(&item.owner)) {
        return true;
    }
    let shared_setter = root_key(&item.name);
    item.location().is_some() && is_on_side(&shared_setter) && !is_on_both_sides(&shared_setter)
}

/// The key of an item without an owner.
fn root_key(name: &str) -> Key {
    (String::new(), name.to_owned())
}

fn introduced(new: &Item<'_>) -> String {
    let ty = if new.ty.is_empty() { String::new() } else { format!(" ({})", new.ty) };
    let summary = if new.summary.is_empty() { String::new() } else { format!(": {}", new.summary) };
    format!("`{}`{ty} is new{summary}", new.name)
}

/// The replacement for a removed item, in parentheses; empty if there is none.
fn substitute(Item { kind, owner, wire, .. }: &Item<'_>) -> String {
    match kind {
        Kind::Endpoint if !wire.contains('{') => format!(" (`client.raw(\"{wire}\")` returns untyped JSON)"),
        Kind::Value => format!(" (`{owner}::from(\"{wire}\")` still sends the value)"),
        Kind::Field => format!(" (`unknown_fields` contains `{wire}` if a response has it)"),
        _ => String::new(),
    }
}
