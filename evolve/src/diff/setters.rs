//! The setters of requests, each of which stands once for all endpoints that have it.
//!
//! A setter takes one type if all of them agree on it. As soon as one endpoint disagrees, its trait gains an
//! associated type, which breaks code that is generic over it or passes a bare number, on whichever endpoint.

use codegen::model::{Endpoint, Setter};

use super::changes::{Change, Changes, Heading};
use super::pairs::Pairs;
use super::words;

pub(super) fn compare(pairs: &Pairs<'_>, changes: &mut Changes) {
    for (old, new) in &pairs.setters.both {
        renamed(old, new, changes);
        value(pairs, old, new, changes);
    }
    for old in &pairs.setters.gone {
        // Endpoints that are still there have reported it.
        if !pairs.methods().any(|(placed, _)| has(placed.endpoint, &old.ident)) {
            let text = format!("`.{}()` and `params::{}` are gone with what took them", old.ident, old.takes);
            changes.add(Change::major(Heading::Removed, text));
        }
    }
}

fn has(endpoint: &Endpoint, setter: &str) -> bool {
    let params = endpoint.params.iter().flatten().map(|param| &param.param);
    params
        .filter(|param| !param.is_argument())
        .any(|param| param.ident == setter || param.list.as_deref() == Some(setter))
}

fn renamed(old: &Setter, new: &Setter, changes: &mut Changes) {
    if old.ident != new.ident {
        let text = format!(
            "`.{}()` is now `.{}()`, and `params::{}` is `params::{}`",
            old.ident, new.ident, old.takes, new.takes
        );
        let remedy = format!("write `.{}()` for `.{}()`", new.ident, old.ident);
        changes.add(Change::major(Heading::Changed, text).instead(remedy));
    }
    if old.wire_name != new.wire_name {
        let text = format!("`.{}()` is sent as `{}` instead of `{}`", new.ident, new.wire_name, old.wire_name);
        changes.add(Change::patch(Heading::Fixed, text));
    }
    if old.several != new.several {
        let (now, before) = if new.several { ("several values", "one") } else { ("one value", "several") };
        let text = format!("`.{}()` takes {now} instead of {before}", new.ident);
        changes.add(Change::major(Heading::Changed, text));
    }
}

fn value(pairs: &Pairs<'_>, old: &Setter, new: &Setter, changes: &mut Changes) {
    let Setter { ident, takes, type_ident, .. } = new;
    match (&old.ty, &new.ty) {
        (Some(before), Some(after)) if pairs.ty(before) != pairs.in_service_unit(after) => {
            let (before, after) = (words::rust(before), words::rust(after));
            let text = format!("`.{ident}()` takes `{after}` instead of `{before}`");
            changes.add(Change::major(Heading::Changed, text));
        }
        (Some(before), None) => {
            let before = words::rust(before);
            let text =
                format!("`.{ident}()` takes `{takes}::{type_ident}`, which endpoints differ in, instead of `{before}`");
            let remedy = format!("name the type of a bare number, and `E::{type_ident}` in generic code");
            changes.add(Change::major(Heading::Changed, text).instead(remedy));
        }
        (None, Some(after)) => {
            let after = words::rust(after);
            let text = format!("`.{ident}()` takes `{after}` on every endpoint, and `{takes}::{type_ident}` is gone");
            changes.add(Change::major(Heading::Changed, text));
        }
        _ => {}
    }
}
