//! Groups and endpoints: the accessors of the client, their methods, and their bodies.

use codegen::Api;
use codegen::model::{Body, Endpoint, Group, History, HistoryOf, RecordForm, RecordRef};

use super::changes::{Change, Changes, Heading};
use super::pairs::{Pairs, Placed};
use super::{params, words};

pub(super) fn groups(pairs: &Pairs<'_>, changes: &mut Changes) {
    for group in &pairs.groups.new {
        let (accessor, title) = (words::accessor(group), &group.title);
        changes.add(Change::minor(Heading::Added, format!("{accessor} is new, for {title}")));
    }
    for group in &pairs.groups.gone {
        let accessor = words::accessor(group);
        changes
            .add(Change::major(Heading::Removed, format!("{accessor} is gone, with its module and all that is in it")));
    }
    for (old, new) in &pairs.groups.both {
        if old.ident != new.ident {
            let text = format!(
                "{} is now {}, with its module and `{}`",
                words::accessor(old),
                words::accessor(new),
                new.handle
            );
            let remedy = format!("write `{}` for `{}`", new.ident, old.ident);
            changes.add(Change::major(Heading::Changed, text).instead(remedy));
        }
        if facts_of_group(old) != facts_of_group(new) {
            changes.docs(words::accessor(new));
        }
    }
}

/// The facts about a group in its docs and in the registry.
fn facts_of_group(group: &Group) -> impl PartialEq + '_ {
    let Group { title, summary, aliases, notes, file: _, ident: _, handle: _, records: _, endpoints: _ } = group;
    (title, summary, aliases, notes)
}

pub(super) fn endpoints(pairs: &Pairs<'_>, changes: &mut Changes) {
    for new in &pairs.endpoints.new {
        match new.endpoint.path {
            Some(_) => is_new(*new, "is new", changes),
            None => changes.docs(listed(new.endpoint)),
        }
    }
    for old in &pairs.endpoints.gone {
        let has_group = pairs.groups.both.iter().any(|(group, _)| group.ident == old.group.ident);
        match old.endpoint.path {
            // The removal of its group implies it.
            Some(_) if has_group => is_gone(*old, "is gone", changes),
            Some(_) => {}
            None => changes.docs(listed(old.endpoint)),
        }
    }
    for (old, new) in &pairs.endpoints.both {
        match (&old.endpoint.path, &new.endpoint.path) {
            (None, Some(_)) => is_new(*new, "is new, as its path is known now", changes),
            (Some(_), None) => is_gone(*old, "is gone, as its path is not known any more", changes),
            (None, None) if facts(old.endpoint) != facts(new.endpoint) || params_differ(*old, *new) => {
                changes.docs(listed(new.endpoint));
            }
            (None, None) => {}
            (Some(_), Some(_)) => method(pairs, *old, *new, changes),
        }
    }
}

fn is_new(new: Placed<'_>, how: &str, changes: &mut Changes) {
    let text = format!("{} {how}: {}", words::signature(new), new.endpoint.summary);
    changes.add(Change::minor(Heading::Added, text));
}

fn is_gone(old: Placed<'_>, how: &str, changes: &mut Changes) {
    let change = Change::major(Heading::Removed, format!("{} {how}", words::method(old)));
    let path = old.endpoint.path.as_ref().filter(|path| !path.contains('{'));
    changes.add(match path {
        Some(path) => change.instead(format!("`client.raw(\"{path}\")` asks for it without its types")),
        None => change,
    });
}

/// The words for an endpoint that is no method.
fn listed(endpoint: &Endpoint) -> String {
    format!("\u{201c}{}\u{201d}, known by name only", endpoint.name)
}

fn method(pairs: &Pairs<'_>, old: Placed<'_>, new: Placed<'_>, changes: &mut Changes) {
    let place = words::method(new);
    // A change that has been reported changes the docs anyway.
    let mut is_told = renamed(pairs, old, new, changes);
    if let (Some(before), Some(after)) = (&old.endpoint.path, &new.endpoint.path)
        && before != after
    {
        let corrected =
            || Change::patch(Heading::Fixed, format!("`{after}` is asked instead of `{before}` by")).on(&place);
        let other = asked_by_another(pairs, after, old);
        changes.add(other.map_or_else(corrected, |other| asks_for_another(pairs, before, after, new, other)));
        is_told = true;
    }
    params::compare(pairs, old, new, changes);
    is_told |= answer(pairs, old, new, changes)
        | history(pairs, old, new, &place, changes)
        | deprecation(old.endpoint, new.endpoint, &place, changes);
    let (before, after) = (old.endpoint.weight, new.endpoint.weight);
    if before != after {
        let text = format!("a limit counts {after} instead of {before} for each request of");
        changes.add(Change::patch(Heading::Changed, text).on(&place));
        is_told = true;
    }
    if !is_told && facts(old.endpoint) != facts(new.endpoint) {
        changes.docs(place);
    }
}

/// The other method that asked a path before, if it is still there.
fn asked_by_another<'a>(pairs: &Pairs<'a>, path: &str, old: Placed<'_>) -> Option<Placed<'a>> {
    let mut methods = pairs.methods().map(|(other, _)| other);
    let is_old = |other: Placed<'_>| std::ptr::eq(other.endpoint, old.endpoint);
    methods.find(|other| other.endpoint.path.as_deref() == Some(path) && !is_old(*other))
}

/// Names may have been swapped instead of paths corrected: the method then returns what another one returned.
fn asks_for_another(pairs: &Pairs<'_>, before: &str, after: &str, new: Placed<'_>, other: Placed<'_>) -> Change {
    let text = format!("{} asks `{after}`, which {} asked until now", words::method(new), words::method(other));
    let heir = pairs.methods().find(|(_, now)| now.endpoint.path.as_deref() == Some(before));
    let heir = heir.map_or_else(|| format!("`client.raw(\"{before}\")`"), |(_, now)| words::method(now));
    let change = Change::major(Heading::Changed, text);
    change.instead(format!("unless the path was wrong, call {heir}, which asks `{before}`"))
}

/// Reports that the history of an endpoint is asked for in another way, is new, or is gone.
fn history(pairs: &Pairs<'_>, old: Placed<'_>, new: Placed<'_>, place: &str, changes: &mut Changes) -> bool {
    let ways = [walked(pairs.old, old.endpoint), walked(pairs.new, new.endpoint)];
    let [before, after] = ways.map(|way| {
        way.map(|History { from, to, limit, step, sort, since, evidence: _ }| (from, to, limit, step, sort, since))
    });
    let change = match (before, after) {
        (Some(_), None) => Change::major(Heading::Removed, "`.history()` and `.follow()` are gone from")
            .instead("ask for one part of the range after the other"),
        (None, Some(_)) => Change::minor(Heading::Added, "`.history()` and `.follow()` are new on"),
        (before, after) if before != after => Change::patch(Heading::Fixed, "`.history()` asks in another way on"),
        _ => return false,
    };
    changes.add(change.on(place));
    true
}

/// How the history of an endpoint is walked, if it has one.
fn walked<'a>(api: &'a Api, endpoint: &'a Endpoint) -> Option<&'a History> {
    match &endpoint.history {
        HistoryOf::Service => api.service.history.as_ref().filter(|_| endpoint.has_history),
        HistoryOf::Own(own) => Some(own).filter(|_| endpoint.has_history),
        HistoryOf::Unknown => None,
    }
}

fn deprecation(old: &Endpoint, new: &Endpoint, place: &str, changes: &mut Changes) -> bool {
    match (&old.deprecated, &new.deprecated) {
        (None, Some(note)) => {
            changes.add(Change::minor(Heading::Deprecated, format!("{place} is deprecated: {note}")));
        }
        (Some(_), None) => {
            changes.add(Change::patch(Heading::Changed, format!("{place} is not deprecated any more")));
        }
        _ => return false,
    }
    true
}

/// Reports another name.
fn renamed(pairs: &Pairs<'_>, old: Placed<'_>, new: Placed<'_>, changes: &mut Changes) -> bool {
    let has_moved = pairs.module(&old.group.ident) != new.group.ident;
    if !has_moved && old.endpoint.ident == new.endpoint.ident {
        return false;
    }
    let call = |placed: Placed<'_>| format!("client.{}().{}", placed.group.ident, placed.endpoint.ident);
    let marker = |placed: Placed<'_>| format!("{}::{}", placed.group.ident, placed.endpoint.type_ident);
    let text =
        format!("`{}()` is now `{}()`, and its marker `{}` is `{}`", call(old), call(new), marker(old), marker(new));
    let remedy = if has_moved {
        format!("write `{}()` for `{}()`", call(new), call(old))
    } else {
        format!("write `.{}()` for `.{}()`", new.endpoint.ident, old.endpoint.ident)
    };
    changes.add(Change::major(Heading::Changed, text).instead(remedy));
    true
}

/// The body of an endpoint, as its type shows it.
#[derive(PartialEq)]
enum Answer {
    Series(Option<RecordRef>),
    Object(RecordRef),
    Unknown,
}

/// Reports another body.
fn answer(pairs: &Pairs<'_>, old: Placed<'_>, new: Placed<'_>, changes: &mut Changes) -> bool {
    let answer = |body: &Body, record: &dyn Fn(&RecordRef) -> RecordRef| match body {
        Body::Series { record: known, .. } => Answer::Series(known.as_ref().map(record)),
        Body::Object { record: known, .. } => Answer::Object(record(known)),
        Body::Unknown => Answer::Unknown,
    };
    let (before, after) = (&old.endpoint.body, &new.endpoint.body);
    if answer(before, &|record| pairs.record(record)) == answer(after, &RecordRef::clone) {
        return false;
    }
    let text = format!("{} answers with {} instead of {}", words::method(new), words::body(after), words::body(before));
    let change = Change::major(Heading::Changed, text);
    let is_typed_now = before.record().is_none() && after.record().is_some();
    changes.add(match pairs.form_of(after) {
        Some(RecordForm::Value) => change.instead("the field `value` has the whole body"),
        _ if is_typed_now => change.instead("read fields instead of keys; `unknown_fields` has what is no field"),
        _ => change,
    });
    true
}

/// The facts about an endpoint in its docs and in the registry, without its params.
fn facts(endpoint: &Endpoint) -> impl PartialEq + '_ {
    let body = match &endpoint.body {
        Body::Series { time, time_form, evidence, record: _ } => Some((time.as_deref(), *time_form, *evidence)),
        Body::Object { evidence, record: _ } => Some((None, None, *evidence)),
        Body::Unknown => None,
    };
    let Endpoint { name, aliases, evidence, summary, notes, deprecated, params, history, .. } = endpoint;
    (name, aliases, *evidence, summary, notes, deprecated.as_deref(), body, params.is_some(), history)
}

/// Whether the registry lists other params for endpoints that are no methods.
fn params_differ(old: Placed<'_>, new: Placed<'_>) -> bool {
    let params = |placed: Placed<'_>| {
        let params = placed.endpoint.params.iter().flatten();
        params.map(|param| param.param.clone()).collect::<Vec<_>>()
    };
    params(old) != params(new)
}
