//! Facts that all endpoints share. Few of them are types, but other settings of a client have to be reported.

use codegen::model::{Api, ApiKey, ClientCredentials, Envelope, Limit, Service};

use super::changes::{Change, Changes, Heading};

pub(super) fn compare(old: &Service, new: &Service, changes: &mut Changes) {
    if (&old.title, &old.summary, &old.history) != (&new.title, &new.summary, &new.history) {
        changes.docs("the service".to_owned());
    }
    if old.version != new.version {
        let text = format!("the interface is `{}` instead of `{}`", new.version, old.version);
        changes.add(Change::patch(Heading::Changed, text));
    }
    set_up(old, new, changes);
    credentials(old, new, changes);
    on_the_wire(old, new, changes);
    if (&old.errors, &old.error_body) != (&new.errors, &new.error_body) {
        changes.add(Change::patch(Heading::Changed, "errors say something else of what the service answers"));
    }
}

/// Settings of the builder and the environment.
fn set_up(old: &Service, new: &Service, changes: &mut Changes) {
    if old.env_prefix != new.env_prefix {
        let (before, after) = (&old.env_prefix, &new.env_prefix);
        let text = format!("`Client::from_env` reads `{after}_BASE_URL` and its like instead of `{before}_BASE_URL`");
        changes.add(Change::major(Heading::Changed, text).instead("rename the variables"));
    }
    let (before, after) = (&old.base_url_suffix, &new.base_url_suffix);
    if before != after {
        let change = if before.ends_with(after.as_str()) {
            Change::patch(Heading::Changed, format!("a base URL need not end in `{before}`"))
        } else {
            Change::major(Heading::Changed, format!("a base URL has to end in `{after}`"))
        };
        changes.add(change);
    }
    limits(old, new, changes);
}

/// The sets of limits, each a constant.
fn limits(old: &Service, new: &Service, changes: &mut Changes) {
    let lacks = |service: &Service, constant: &str| service.limits.iter().all(|limit| limit.constant != constant);
    for limit in new.limits.iter().filter(|limit| lacks(old, &limit.constant)) {
        changes.add(Change::minor(Heading::Added, format!("`limits::{}`", limit.constant)));
    }
    for limit in old.limits.iter().filter(|limit| lacks(new, &limit.constant)) {
        changes.add(Change::major(Heading::Removed, format!("`limits::{}`", limit.constant)));
    }
    let kept = |service: &Service, other: &Service| -> Vec<Limit> {
        service.limits.iter().filter(|limit| !lacks(other, &limit.constant)).cloned().collect()
    };
    if kept(old, new) != kept(new, old) {
        changes.add(Change::patch(Heading::Changed, "the limits that the client keeps to are others"));
    }
}

fn credentials(old: &Service, new: &Service, changes: &mut Changes) {
    match (old.api_key.as_ref().map(|key| &key.header), new.api_key.as_ref().map(|key| &key.header)) {
        (None, Some(_)) => {
            let change = Change::major(Heading::Changed, "a client needs an API key");
            changes.add(change.instead("set it with `Builder::api_key`"));
        }
        (Some(_), None) => {
            let change = Change::major(Heading::Changed, "a client takes no API key, and is not built with one");
            changes.add(change.instead("leave out `Builder::api_key`"));
        }
        (Some(before), Some(after)) if before != after => {
            let text = format!("the API key is sent as `{after}` instead of `{before}`");
            changes.add(Change::patch(Heading::Fixed, text));
        }
        _ => {}
    }
    if let (Some(before), Some(after)) = (&old.api_key, &new.api_key) {
        key(before, after, changes);
    }
    let (before, after) = (&old.client_credentials, &new.client_credentials);
    match (before, after) {
        (None, Some(_)) => {
            changes.add(Change::minor(Heading::Added, "a client can fetch tokens: `Builder::client_credentials`"));
        }
        (Some(_), None) => {
            let change = Change::major(Heading::Changed, "a client fetches no tokens, and is not built to");
            changes.add(change.instead("leave out `Builder::client_credentials`"));
        }
        (Some(before), Some(after)) if before != after => token(before, after, changes),
        _ => {}
    }
}

fn key(old: &ApiKey, new: &ApiKey, changes: &mut Changes) {
    match (old.optional, new.optional) {
        (true, false) => {
            let change = Change::major(Heading::Changed, "a client needs an API key");
            changes.add(change.instead("set it with `Builder::api_key`"));
        }
        (false, true) => changes.add(Change::minor(Heading::Added, "a client can be built without an API key")),
        _ => {}
    }
    if old.prefix != new.prefix {
        let text = format!("the API key is sent behind {:?} instead of {:?}", new.prefix, old.prefix);
        changes.add(Change::patch(Heading::Fixed, text));
    }
}

fn token(old: &ClientCredentials, new: &ClientCredentials, changes: &mut Changes) {
    if old.path == new.path {
        changes.docs("the token flow".to_owned());
    } else {
        let text = format!("tokens are fetched from `{}` instead of `{}`", new.path, old.path);
        changes.add(Change::patch(Heading::Fixed, text));
    }
}

/// The form of replies.
fn on_the_wire(old: &Service, new: &Service, changes: &mut Changes) {
    if old.time_form != new.time_form {
        let unit = new.time_form.word();
        changes.add(Change::patch(Heading::Fixed, format!("times are read and sent in {unit}")));
    }
    if old.headers != new.headers {
        let headers: Vec<_> = new.headers.iter().map(|header| format!("`{}: {}`", header.name, header.value)).collect();
        let headers = if headers.is_empty() { "no headers of its own".to_owned() } else { headers.join(", ") };
        changes.add(Change::patch(Heading::Fixed, format!("every request carries {headers}")));
    }
    let names = |envelope: &Option<Envelope>| {
        envelope.as_ref().map(|Envelope { data, metadata, .. }| (data.clone(), metadata.clone()))
    };
    if names(&old.envelope) != names(&new.envelope) {
        let text = match names(&new.envelope) {
            None => "a series is read as a bare list".to_owned(),
            Some((data, None)) => format!("a series is read from `{data}`"),
            Some((data, Some(metadata))) => format!("a series is read from `{data}` and `{metadata}`"),
        };
        changes.add(Change::patch(Heading::Fixed, text));
    }
}

/// The metadata field by which `require_complete` finds what a reply leaves out.
pub(super) fn completeness(old: &Api, new: &Api, changes: &mut Changes) {
    let text = match (old.unsupported(), new.unsupported()) {
        // A field with another name only is reported as that.
        (Some(before), Some(after)) if before.ident == after.ident || before.wire_name == after.wire_name => return,
        (None, None) => return,
        (_, Some(after)) => format!("`Series::require_complete` fails where `{}` lists something", after.ident),
        (Some(_), None) => "`Series::require_complete` never fails, as nothing tells what is left out".to_owned(),
    };
    changes.add(Change::patch(Heading::Changed, text));
}
