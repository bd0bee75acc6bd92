//! Compares two lists of public items. Each old item is paired with the new item of the same name or, if there is none,
//! of the same wire name. Items without a partner are new or removed.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::Api;
use catalogue::model::{Endpoint, Param, Range};

use super::Verdict::{Major, Minor, Patch};
use super::change_list::{Changes, Heading};
use super::public_items::{Item, Key, Kind, arguments, items, params};

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
        changes.add(Major, Some(Heading::Removed), text, old.location());
    }
    for new in after.iter().filter(|new| !paired.contains(&new.key())) {
        // The report of a new group does not list the endpoints of the group, so new endpoints are always reported.
        if new.kind == Kind::Endpoint || !is_implied(new, |key| there.contains_key(key), |key| paired.contains(key)) {
            changes.add(Minor, Some(Heading::Added), introduced(new), new.location());
        }
    }
}

/// `true` if the addition or removal of an item need not be reported, because its owner, or the shared setter with the
/// same name, was added or removed too. Always returns `true` for a fact, because only a change of its value is
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
        changes.add(Major, Some(Heading::Changed), format!("`{was}` is now `{is}`"), new.location());
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
        // Files and stored JSON have the old name, under which the client no longer reads them.
        let mark = if old.column == new.column { "" } else { " (stored data has the old name)" };
        let text = format!("`{is}` is `{}` on the wire instead of `{}`{mark}", new.wire, old.wire);
        changes.add(verdict, Some(heading), text, new.location());
    }
    if old.ty != new.ty && !old.ty.is_empty() && !new.ty.is_empty() {
        let what = if new.kind == Kind::Fact { is.clone() } else { format!("`{is}` is") };
        let heading = if new.verdict == Minor { Heading::Added } else { Heading::Changed };
        let text = format!("{what} {} instead of {}", new.ty, old.ty);
        changes.add(new.verdict, Some(heading), text, new.location());
    }
    if let (Some(old), Some(new)) = (old.endpoint, new.endpoint) {
        compare_methods(is, old, new, changes);
    }
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

/// Compares a method with its former version: its deprecation, the order of its arguments and the ranges of its params.
fn compare_methods(call: &str, old: &Endpoint, new: &Endpoint, changes: &mut Changes) {
    if let (None, Some(note)) = (&old.declared.deprecated, &new.declared.deprecated) {
        changes.add(Minor, Some(Heading::Deprecated), format!("`{call}` is deprecated: {note}"), None);
    }
    // The order is compared only if the number of arguments is unchanged. Otherwise, the type of the method differs,
    // and `compare_items` reports this change.
    let [was, now] =
        [old, new].map(|endpoint| arguments(endpoint).map(|param| param.declared.name.as_str()).collect::<Vec<_>>());
    let is_moved = |(index, name): (usize, &&str)| was.contains(name) && was.get(index) != Some(name);
    if was.len() == now.len() && now.iter().enumerate().any(is_moved) {
        let text = format!("the arguments are `{}` instead of `{}`", now.join("`, `"), was.join("`, `"));
        changes.add(Major, Some(Heading::Changed), text, Some(call));
    }
    for param in params(new) {
        let was = params(old).find(|old| old.declared.name == param.declared.name);
        if was.is_some_and(|was| !allows_all_of(enforced(param), enforced(was))) {
            let text = format!("`{}` must be {} (checked before sending)", param.argument(), bounds(param.range));
            changes.add(Major, Some(Heading::Changed), text, Some(call));
        }
    }
}

/// The range that the client enforces. The range is unlimited if the client does not enforce facts with the evidence of
/// the param.
fn enforced(param: &Param) -> Range {
    if param.evidence.is_enforced() { param.range } else { Range::default() }
}

/// `true` if `range` allows every value that `old` allows.
fn allows_all_of(range: Range, old: Range) -> bool {
    range.min.is_none_or(|min| old.min.is_some_and(|old| old >= min))
        && range.max.is_none_or(|max| old.max.is_some_and(|old| old <= max))
}

fn bounds(range: Range) -> String {
    let min = range.min.map(|min| format!("at least {min}"));
    let max = range.max.map(|max| format!("at most {max}"));
    min.into_iter().chain(max).collect::<Vec<_>>().join(" and ")
}

/// The renamed items: pairs of the old and the new name.
#[derive(Default)]
struct Renames(Vec<(String, String)>);

impl Renames {
    /// Adds the old and the new name of an item. Fields and setters of an endpoint are skipped, because no other item
    /// contains their names.
    fn note(&mut self, old: &Item<'_>, new: &Item<'_>) {
        if old.location().is_none() {
            self.0.push((old.name.clone(), new.name.clone()));
        }
        // The names of records and marker types contain the name of the group as a module, such as `market::`.
        if old.kind == Kind::Group {
            let [from, to] = [old, new].map(|group| group.name.replace("client.", "").replace("()", "::"));
            self.0.push((from, to));
        }
    }

    /// A copy of an old item in which every old name is replaced by the new name.
    fn applied<'a>(&self, item: &Item<'a>) -> Item<'a> {
        let replaced =
            |text: &String| self.0.iter().fold(text.clone(), |text, (old, new)| replace_word(&text, old, new));
        let [owner, name, ty] = [&item.owner, &item.name, &item.ty].map(replaced);
        Item { owner, name, ty, ..item.clone() }
    }
}

/// Replaces a name where it is not part of a longer name.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let (mut replaced, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(old) {
        let (before, after) = (&rest[..start], &rest[start + old.len()..]);
        // If `before` is empty, the character before the match is the last character of `replaced`.
        let is_start = !(replaced.clone() + before).ends_with(|c: char| c.is_alphanumeric() || "_.:)".contains(c));
        let is_end = old.ends_with(':') || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        replaced += before;
        replaced += if is_start && is_end { new } else { old };
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::replace_word;

    #[test]
    fn only_the_complete_name_is_replaced() {
        for (text, expected) in [
            ("`Option<Side>`", "`Option<Taker>`"),
            ("Side::Buy", "Taker::Buy"),
            ("(Side, Side) -> market::Side", "(Taker, Taker) -> market::Side"),
            ("Sides", "Sides"),
            ("BookSide", "BookSide"),
        ] {
            assert_eq!(replace_word(text, "Side", "Taker"), expected);
        }
        assert_eq!(replace_word("Series<rates::Fee>", "rates::", "costs::"), "Series<costs::Fee>");
        assert_eq!(replace_word("client.a().coin()", ".coin()", ".symbol()"), "client.a().coin()");
    }
}
