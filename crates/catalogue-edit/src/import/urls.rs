//! The URLs of operations: paths with servers of their own, and the styles of params in paths.

use std::collections::BTreeSet;

use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::omissions::Weight;
use super::schemas::type_of;

/// The host and the path of a server.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The host with the port; `None` if the URL is relative to the description.
    host: Option<String>,
    /// The path without `/` at the end.
    pub(super) path: String,
}

impl Address {
    /// Reads the URL of a server, with the defaults of its variables.
    fn of(server: &Value) -> Option<Self> {
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            url = url.replace(&format!("{{{name}}}"), &variable.get("default").map(text_of).unwrap_or_default());
        }
        let (host, path) = match url.split_once("://").map(|(_, rest)| rest).or(url.strip_prefix("//")) {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(rest[..end].to_ascii_lowercase()), &rest[end..])
            }
            None => (None, url.as_str()),
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_owned();
        Some(Self { host, path })
    }
}

/// Returns the segments that two paths have in common at their start.
fn shared_start(one: &str, other: &str) -> String {
    let mut shared = String::new();
    for (segment, of_other) in one.split('/').zip(other.split('/')).skip(1) {
        if segment != of_other {
            break;
        }
        shared += &format!("/{segment}");
    }
    shared
}

/// Describes that no server has the host of the options.
fn no_server(host: &str, all: &[Address]) -> String {
    let known: BTreeSet<&str> = all.iter().filter_map(|address| address.host.as_deref()).collect();
    if known.is_empty() {
        return format!("the description names no host, so `{host}` is not one of its servers; omit `--host`");
    }
    let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    format!("no server of the description has the host `{host}`; pass one of these: {}", known.join(", "))
}

impl<'d> Reader<'d> {
    /// Returns the server whose endpoints are imported: the host of the options, or that of the first server, and the part of
    /// the path that all of its servers share. Returns `None` if the description names no server, and an error if none of its
    /// servers has the host of the options.
    pub(super) fn base_address(&self) -> Result<Option<Address>, String> {
        let all = self.addresses();
        let chosen = self.options.host.as_ref().map(|host| host.to_ascii_lowercase());
        if let Some(host) = &chosen
            && all.iter().all(|address| address.host.as_ref() != Some(host))
        {
            return Err(no_server(host, &all));
        }
        let Some(first) = all.first() else { return Ok(None) };
        let host = chosen.or(first.host.clone());
        let mut path: Option<String> = None;
        for address in all.iter().filter(|address| address.host.is_none() || address.host == host) {
            path = Some(path.map_or_else(|| address.path.clone(), |path| shared_start(&path, &address.path)));
        }
        Ok(Some(Address { host, path: path.unwrap_or_default() }))
    }

    /// Returns the address of the description, and those of paths and operations with a server of their own.
    fn addresses(&self) -> Vec<Address> {
        let mut all = Vec::from_iter(self.description_address());
        for (_, item) in entries(&self.document.root, "paths") {
            let Some((item, _)) = self.document.follow(item) else { continue };
            let operation = item.get("get").and_then(|operation| self.document.follow(operation));
            if let Some((operation, _)) = operation {
                all.extend(self.own_address(item, operation));
            }
        }
        all
    }

    fn description_address(&self) -> Option<Address> {
        Address::of(items(&self.document.root, "servers").first()?)
    }

    /// Returns the address of an operation or its path, if one of them has a server of its own. A URL without a host has that
    /// of the description.
    fn own_address(&self, item: &Value, operation: &Value) -> Option<Address> {
        let server = items(operation, "servers").first().or(items(item, "servers").first())?;
        let Address { host, path } = Address::of(server)?;
        let host = host.or_else(|| self.description_address()?.host);
        Some(Address { host, path })
    }

    /// Returns the path of an operation relative to the server whose endpoints are imported. Returns `None` if the operation
    /// is on another server.
    pub(super) fn path_on_server(&mut self, path: &str, item: &'d Value, operation: &'d Value) -> Option<String> {
        let own = self.own_address(item, operation);
        let Some(address) = own.or(self.description_address()) else { return Some(path.to_owned()) };
        let Some(base) = &self.base else { return Some(path.to_owned()) };
        if address.host.is_none() || address.host == base.host {
            let prefix = address.path.strip_prefix(&base.path).unwrap_or_default();
            return Some(format!("{prefix}{path}"));
        }
        let host = address.host.unwrap_or_default();
        let why = format!(
            "an endpoint on another server, `{host}{}`; import it with `--host {host}` into a catalogue of its own (first \
             `{path}`)",
            address.path
        );
        self.omissions.add(Weight::Missing, why, &format!("`{path}`"));
        None
    }

    /// Returns a path in which the params have the texts around them that their `style` requires, such as `;id=` before
    /// `{id}`.
    pub(super) fn styled_path(&self, path: &str, listed: &[&'d Value]) -> String {
        let mut styled = path.to_owned();
        for param in listed {
            let Some((param, _)) = self.document.follow(param) else { continue };
            let schema = param.get("schema").and_then(|schema| self.document.follow(schema));
            let is_scalar = schema.is_some_and(|(schema, _)| !["array", "object"].contains(&type_of(schema)));
            if text(param, "in") != Some("path") || !is_scalar {
                continue;
            }
            let name = text(param, "name").unwrap_or_default();
            let before = match text(param, "style") {
                Some("matrix") => format!(";{name}="),
                Some("label") => ".".to_owned(),
                _ => continue,
            };
            styled = styled.replace(&format!("{{{name}}}"), &format!("{before}{{{name}}}"));
        }
        styled
    }
}
