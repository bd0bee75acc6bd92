//! Compares the facts that do not appear in the names and types of a client. Most of them are in one table, which lists
//! the location, the text and the value of each fact, and the verdict if the value changes.

use std::collections::BTreeMap;

use codegen::Api;
use codegen::model::{Endpoint, Group, HistorySource, KeyCarrier, Param, Range, RecordLayout, Service, TimeForm, Type};

use super::Verdict::{self, Major, Minor, Patch};
use super::change_list::{Change, Changes, Heading};
use super::public_items::{arguments, call, params, records};

pub(super) fn compare(old: &Api, new: &Api, changes: &mut Changes) {
    base_url(&old.service, &new.service, changes);
    let (before, after) = (Facts::of(old), Facts::of(new));
    for (fact @ (location, what), (verdict, value)) in &after.0 {
        if let Some((_, was)) = before.0.get(fact).filter(|(_, was)| was != value) {
            let heading = if *verdict == Minor { Heading::Added } else { Heading::Changed };
            let change = Change::new(*verdict, heading, format!("{what} {value} instead of {was}"));
            changes.add(if location.is_empty() { change } else { change.on(format!("`{location}`")) });
        }
    }
    let (before, after) = (methods(old), methods(new));
    for (call, new) in &after {
        if let Some(old) = before.get(call) {
            method(call, old, new, changes);
        }
    }
}

/// The facts by location and text. Each entry consists of the verdict if the value changes, and the value.
#[derive(Default)]
struct Facts(BTreeMap<(String, String), (Verdict, String)>);

impl Facts {
    fn of(api: &Api) -> Self {
        let mut facts = Self::default();
        let service = &api.service;
        facts.add("", "the environment variables begin with", Major, format!("`{}_`", service.env_prefix));
        let unit = format!("`{}`", service.time_form.word());
        facts.add("", "timestamps without their own unit or format are in", Patch, unit);
        if let Some(envelope) = &service.envelope {
            facts.add("", "the records of a series are read from", Patch, format!("`{}`", envelope.data));
        }
        let (verdict, value) = match service.api_key.as_ref().map(|key| key.optional) {
            Some(true) => (Minor, "optional"),
            Some(false) => (Major, "required"),
            None => (Major, "an error (the service has no API key)"),
        };
        facts.add("", "`Builder::api_key` is", verdict, value.to_owned());
        if let Some(key) = &service.api_key {
            facts.add("", "the API key is sent", Patch, carrier(&key.carrier));
            let form = if key.carrier == KeyCarrier::Basic { "`name:password`" } else { "a single string" };
            facts.add("", "the API key has the form", Major, form.to_owned());
        }
        let (verdict, value) = match service.client_credentials {
            Some(_) => (Minor, "optional"),
            None => (Major, "an error (because no token is fetched)"),
        };
        facts.add("", "`Builder::client_credentials` is", verdict, value.to_owned());
        for limit in &service.limits {
            let value = format!("{} requests in {} s", limit.requests, limit.seconds);
            facts.add(&format!("limits::{}", limit.constant), "the limit is", Patch, value);
        }
        facts.add_sort("", service.history.as_ref());
        for (call, endpoint) in methods(api) {
            if let HistorySource::Endpoint(history) = &endpoint.history {
                facts.add_sort(&call, Some(history));
            }
            for param in params(endpoint) {
                facts.add_unit(service, &format!("{call}.{}()", param.ident), &param.ty, &param.unit);
            }
        }
        for (name, record) in records(api) {
            if record.form == RecordLayout::Positional {
                // The text contains the sorted names, and only facts with equal texts are compared. So the order is
                // compared only between records with the same fields.
                let mut sorted: Vec<_> = record.fields.iter().map(|field| format!("`{}`", field.wire_name)).collect();
                let order = sorted.join(", ");
                sorted.sort();
                facts.add(&name, &format!("the order of {} is", sorted.join(", ")), Patch, order);
            }
            for field in &record.fields {
                facts.add_unit(service, &format!("{name}.{}", field.ident), &field.ty, &field.unit);
            }
        }
        facts
    }

    fn add(&mut self, location: &str, what: &str, verdict: Verdict, value: String) {
        self.0.insert((location.to_owned(), what.to_owned()), (verdict, value));
    }

    /// Adds the param that sorts a history. A change of this param is a patch, because `history` returns the records in
    /// ascending time in any case.
    fn add_sort(&mut self, location: &str, history: Option<&codegen::model::History>) {
        if let Some((param, oldest_first)) = history.and_then(|history| history.sort.as_ref()) {
            self.add(location, "a history sorts by", Patch, format!("`{param}={oldest_first}`"));
        }
    }

    /// Adds the unit or format of a value. A change of the unit is a patch, because programs cannot read it at run
    /// time.
    fn add_unit(&mut self, service: &Service, location: &str, ty: &Type, unit: &str) {
        let value = match ty.innermost() {
            Type::Timestamp(form) if *form == service.time_form => "that of the service".to_owned(),
            Type::Timestamp(form) => format!("`{}`", TimeForm::word(*form)),
            _ if unit.is_empty() => "unspecified".to_owned(),
            _ => format!("`{unit}`"),
        };
        self.add(location, "the unit or format is", Patch, value);
    }
}

/// Returns all methods, each with the call that users write.
fn methods(api: &Api) -> BTreeMap<String, &Endpoint> {
    let of_group = |group| Group::methods(group).map(move |endpoint| (call(group, endpoint), endpoint));
    api.groups.iter().flat_map(of_group).collect()
}

fn base_url(before: &Service, after: &Service, changes: &mut Changes) {
    let [was, now] = [before, after].map(|service| service.base_url_suffix.as_str());
    // If the new suffix is the end of the old suffix, such as `/v2` and `/api/v2`, every old base URL is still valid,
    // so no program has to change.
    if now != was && was.ends_with(now) {
        let text = format!("a base URL no longer has to end in `{was}`");
        changes.add(Change::new(Patch, Heading::Changed, text));
    } else if now != was {
        changes.add(Change::new(Major, Heading::Changed, format!("a base URL must end in `{now}`")));
    }
}

fn carrier(carrier: &KeyCarrier) -> String {
    match carrier {
        KeyCarrier::Header { name, prefix } if prefix.is_empty() => format!("in the header `{name}`"),
        KeyCarrier::Header { name, prefix } => format!("in the header `{name}` after `{prefix}`"),
        KeyCarrier::Basic => "as HTTP Basic".to_owned(),
        KeyCarrier::Query(name) => format!("in the query as `{name}`"),
    }
}

fn method(call: &str, old: &Endpoint, new: &Endpoint, changes: &mut Changes) {
    if let (None, Some(note)) = (&old.deprecated, &new.deprecated) {
        changes.add(Change::new(Minor, Heading::Deprecated, format!("`{call}` is deprecated: {note}")));
    }
    // If the number of arguments changed, the type of the method has changed too, and `compare_items` reports that.
    let [was, now] = [old, new].map(|endpoint| arguments(endpoint).map(|param| &*param.wire_name).collect::<Vec<_>>());
    let is_moved = |(index, name): (usize, &&str)| was.contains(name) && was.get(index) != Some(name);
    if was.len() == now.len() && now.iter().enumerate().any(is_moved) {
        let text = format!("the arguments are `{}` instead of `{}`", now.join("`, `"), was.join("`, `"));
        changes.add(Change::new(Major, Heading::Changed, text).on(format!("`{call}`")));
    }
    for param in params(new) {
        let was = params(old).find(|old| old.wire_name == param.wire_name);
        if was.is_some_and(|was| !allows_all_of(enforced(param), enforced(was))) {
            let text = format!("`{}` must be {} (checked before sending)", param.argument(), bounds(param.range));
            changes.add(Change::new(Major, Heading::Changed, text).on(format!("`{call}`")));
        }
    }
}

/// Returns the range that the client enforces, which is unlimited if the evidence of the param is too weak.
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
