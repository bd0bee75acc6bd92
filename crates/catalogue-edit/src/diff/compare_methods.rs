//! Compares two versions of a method: its deprecation, the order of its arguments and the ranges of its params.

use catalogue::model::{Endpoint, Param, Range};

use super::Verdict::{Major, Minor};
use super::change_list::{Changes, Heading};
use super::public_items::{arguments, params};

/// Reports the changes of a method; `call` is its call as users write it.
pub(super) fn compare_methods(call: &str, old: &Endpoint, new: &Endpoint, changes: &mut Changes) {
    if let (None, Some(note)) = (&old.declared.deprecated, &new.declared.deprecated) {
        changes.add(Minor, Some(Heading::Deprecated), format!("`{call}` is deprecated: {note}"), None);
    }
    let was = names_of_arguments(old);
    let now = names_of_arguments(new);
    if are_moved(&was, &now) {
        let text = format!("the arguments are `{}` instead of `{}`", now.join("`, `"), was.join("`, `"));
        changes.add(Major, Some(Heading::Changed), text, Some(call));
    }
    for param in params(new) {
        let Some(was) = params(old).find(|old| old.declared.name == param.declared.name) else { continue };
        if !allows_all_of(enforced(param), enforced(was)) {
            let text = format!("`{}` must be {} (checked before sending)", param.argument(), bounds(param.range));
            changes.add(Major, Some(Heading::Changed), text, Some(call));
        }
    }
}

fn names_of_arguments(endpoint: &Endpoint) -> Vec<&str> {
    let mut names = Vec::new();
    for param in arguments(endpoint) {
        names.push(param.declared.name.as_str());
    }
    names
}

/// `true` if an argument has another position. The order is compared only if the number of arguments is unchanged.
/// Otherwise, the type of the method differs, and `compare_items` reports this change.
fn are_moved(was: &[&str], now: &[&str]) -> bool {
    if was.len() != now.len() {
        return false;
    }
    for (old, new) in was.iter().zip(now) {
        if old != new && was.contains(new) {
            return true;
        }
    }
    false
}

/// The range that the client enforces. The range is unlimited if the client does not enforce facts with the evidence of
/// the param.
fn enforced(param: &Param) -> Range {
    if param.evidence.is_enforced() { param.range } else { Range::default() }
}

/// `true` if `range` allows every value that `old` allows.
fn allows_all_of(range: Range, old: Range) -> bool {
    let allows_min = match (range.min, old.min) {
        (None, _) => true,
        (Some(min), Some(old)) => old >= min,
        (Some(_), None) => false,
    };
    let allows_max = match (range.max, old.max) {
        (None, _) => true,
        (Some(max), Some(old)) => old <= max,
        (Some(_), None) => false,
    };
    allows_min && allows_max
}

fn bounds(range: Range) -> String {
    match (range.min, range.max) {
        (Some(min), Some(max)) => format!("at least {min} and at most {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    }
}
