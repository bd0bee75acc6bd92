//! Compares a method with its former version: its deprecation, the order of its arguments and the ranges of its params.

use codegen::model::{Endpoint, Param, Range};

use super::Verdict::{Major, Minor};
use super::change_list::{Changes, Heading};
use super::public_items::{arguments, params};

pub(super) fn compare(call: &str, old: &Endpoint, new: &Endpoint, changes: &mut Changes) {
    if let (None, Some(note)) = (&old.deprecated, &new.deprecated) {
        changes.add(Minor, Heading::Deprecated, format!("`{call}` is deprecated: {note}"), None);
    }
    // The order is compared only if the number of arguments is unchanged. Otherwise, the type of the method differs,
    // and `compare_items` reports this change.
    let [was, now] = [old, new].map(|endpoint| arguments(endpoint).map(|param| &*param.wire_name).collect::<Vec<_>>());
    let is_moved = |(index, name): (usize, &&str)| was.contains(name) && was.get(index) != Some(name);
    if was.len() == now.len() && now.iter().enumerate().any(is_moved) {
        let text = format!("the arguments are `{}` instead of `{}`", now.join("`, `"), was.join("`, `"));
        changes.add(Major, Heading::Changed, text, Some(call));
    }
    for param in params(new) {
        let was = params(old).find(|old| old.wire_name == param.wire_name);
        if was.is_some_and(|was| !allows_all_of(enforced(param), enforced(was))) {
            let text = format!("`{}` must be {} (checked before sending)", param.argument(), bounds(param.range));
            changes.add(Major, Heading::Changed, text, Some(call));
        }
    }
}

/// Returns the range that the client enforces. The range is unlimited if the client does not enforce facts with the
/// evidence of the param.
fn enforced(param: &Param) -> Range {
    if param.evidence.is_enforced() { param.range } else { Range::default() }
}

/// Returns `true` if `range` allows every value that `old` allows.
fn allows_all_of(range: Range, old: Range) -> bool {
    range.min.is_none_or(|min| old.min.is_some_and(|old| old >= min))
        && range.max.is_none_or(|max| old.max.is_some_and(|old| old <= max))
}

fn bounds(range: Range) -> String {
    let min = range.min.map(|min| format!("at least {min}"));
    let max = range.max.map(|max| format!("at most {max}"));
    min.into_iter().chain(max).collect::<Vec<_>>().join(" and ")
}
