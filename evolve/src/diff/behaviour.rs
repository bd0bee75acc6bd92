//! Changes of behaviour that affect programs which still compile.

use std::collections::BTreeMap;

use codegen::Api;
use codegen::model::{ApiKey, Endpoint, KeyCarrier, Param, Range, Service};

use super::Verdict::{self, Major, Minor, Patch};
use super::change_list::{Change, Changes, Heading};
use super::public_items::{arguments, call, params};

pub(super) fn compare(old: &Api, new: &Api, changes: &mut Changes) {
    service(&old.service, &new.service, changes);
    let (before, after) = (methods(old), methods(new));
    for (call, new) in &after {
        if let Some(old) = before.get(call) {
            method(call, old, new, changes);
        }
    }
}

/// All methods, by the call that users write.
fn methods(api: &Api) -> BTreeMap<String, &Endpoint> {
    let of_group = |group| codegen::model::Group::methods(group).map(move |endpoint| (call(group, endpoint), endpoint));
    api.groups.iter().flat_map(of_group).collect()
}

/// Reports changes of a client's settings.
fn service(before: &Service, after: &Service, changes: &mut Changes) {
    let mut report = |verdict: Verdict, text: String| {
        let heading = if verdict == Minor { Heading::Added } else { Heading::Changed };
        changes.add(Change::new(verdict, heading, text));
    };
    if before.env_prefix != after.env_prefix {
        let [now, was] = [&after.env_prefix, &before.env_prefix];
        report(Major, format!("the environment variables begin with `{now}_` instead of `{was}_`"));
    }
    let [now, was] = [&after.base_url_suffix, &before.base_url_suffix];
    // A base URL that ended in the old suffix also ends in a shorter one, so no program has to change.
    if now != was && was.ends_with(now.as_str()) {
        report(Patch, format!("a base URL no longer has to end in `{was}`"));
    } else if now != was {
        report(Major, format!("a base URL must end in `{now}`"));
    }
    let [was, now] = [before, after].map(|service| service.time_form.word());
    if was != now {
        report(Patch, format!("timestamps without their own unit or format are in `{now}` instead of `{was}`"));
    }
    let [was, now] = [before, after].map(|service| service.envelope.as_ref().map(|envelope| &envelope.data));
    if let (Some(was), Some(now)) = (was, now)
        && was != now
    {
        report(Patch, format!("the records of a series are read from `{now}` instead of `{was}`"));
    }
    let [was, now] = [before, after].map(|service| service.api_key.as_ref().map(|key| key.optional));
    match (was, now) {
        (None | Some(true), Some(false)) => report(Major, "`Builder::api_key` is required".to_owned()),
        (Some(_), None) => {
            report(Major, "calling `Builder::api_key` is an error, because no API key is sent".to_owned());
        }
        (Some(false), Some(true)) => report(Minor, "`Builder::api_key` is optional".to_owned()),
        (None, Some(true)) => report(Minor, "`Builder::api_key` is new".to_owned()),
        _ => {}
    }
    if let (Some(was), Some(now)) = (&before.api_key, &after.api_key)
        && was.carrier != now.carrier
    {
        // Only HTTP Basic needs a key in another form, `name:password`.
        let is_basic = |key: &ApiKey| key.carrier == KeyCarrier::Basic;
        let verdict = if is_basic(was) == is_basic(now) { Patch } else { Major };
        let (now, was) = (carrier(&now.carrier), carrier(&was.carrier));
        report(verdict, format!("the API key is sent {now} instead of {was}"));
    }
    match (&before.client_credentials, &after.client_credentials) {
        (None, Some(_)) => report(Minor, "`Builder::client_credentials` is new".to_owned()),
        (Some(_), None) => {
            report(Major, "calling `Builder::client_credentials` is an error, because no token is fetched".to_owned());
        }
        _ => {}
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
    let names = |endpoint| arguments(endpoint).map(|param| param.wire_name.as_str()).collect::<Vec<_>>();
    let (was, is) = (names(old), names(new));
    if was != is && was.len() == is.len() && is.iter().all(|name| was.contains(name)) {
        let text = format!("`{call}` has its arguments in another order: {}", is.join(", "));
        changes.add(Change::new(Major, Heading::Changed, text));
    }
    for param in params(new) {
        let was = params(old).find(|old| old.wire_name == param.wire_name);
        if was.is_some_and(|was| !allows_all_of(enforced(param), enforced(was))) {
            let text = format!("`{}` must be {} (checked before sending)", param.argument(), bounds(param.range));
            changes.add(Change::new(Major, Heading::Changed, text).on(format!("`{call}`")));
        }
    }
}

/// The range that the client enforces; unlimited if the evidence of the param is too weak.
fn enforced(param: &Param) -> Range {
    if param.evidence.is_enforced() { param.range } else { Range::default() }
}

/// Returns whether a range allows every value that the old one allows.
fn allows_all_of(range: Range, old: Range) -> bool {
    range.min.is_none_or(|min| old.min.is_some_and(|old| old >= min))
        && range.max.is_none_or(|max| old.max.is_some_and(|old| old <= max))
}

fn bounds(range: Range) -> String {
    let min = range.min.map(|min| format!("at least {min}"));
    let max = range.max.map(|max| format!("at most {max}"));
    min.into_iter().chain(max).collect::<Vec<_>>().join(" and ")
}
