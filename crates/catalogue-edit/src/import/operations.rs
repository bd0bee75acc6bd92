//! Converts operations to endpoints.

use catalogue::spec::Known;
use catalogue::url_path;
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::{OPERATION, PATH, Weight};
use super::server_address::PathOnServer;
use super::tree::{entries, is_true, items, text};
use crate::draft::summary_unless_repeated;

/// An operation, and the parts of the description that belong to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DescribedOperation<'d> {
    /// The path as it is written.
    pub(super) path: &'d str,
    pub(super) path_item: &'d Value,
    /// `null` if the reference of the operation cannot be resolved. Only its path is known then.
    pub(super) operation: &'d Value,
}

impl<'d> DescribedOperation<'d> {
    /// The params of the path, then those of the operation.
    pub(super) fn params(&self) -> Vec<&'d Value> {
        let mut params = Vec::from_iter(items(self.path_item, "parameters"));
        params.extend(items(self.operation, "parameters"));
        params
    }

    /// `true` if the params of the endpoint are unknown. In OpenAPI, a missing `parameters` means an empty list, so our own
    /// export marks unknown params.
    fn has_unknown_params(&self) -> bool {
        self.operation.is_null() || text(self.operation, "x-params") == Some("unknown")
    }
}

impl<'d> DescriptionReader<'d> {
    /// Reads all operations under `paths`. Those on the host of the service are first, so that they keep the names of
    /// groups.
    pub(super) fn operations(&mut self) {
        let mut on_other_hosts = Vec::new();
        for (path, item) in entries(&self.document.root, "paths") {
            if path.starts_with("x-") {
                continue;
            }
            let pointer = format!("`{path}`");
            let Some(resolved) = self.resolve(item, &pointer) else { continue };
            let path_item = resolved.value;
            self.omissions.unread(path_item, PATH, &pointer);
            let Some(operation) = path_item.get("get") else { continue };
            let operation = match self.resolve(operation, &pointer) {
                Some(resolved) => resolved.value,
                None => &Value::Null,
            };
            let described = DescribedOperation { path, path_item, operation };
            if self.other_server(&self.address(&described)).is_some() {
                on_other_hosts.push(described);
            } else {
                self.operation(described, &pointer);
            }
        }
        for described in on_other_hosts {
            self.operation(described, &format!("`{}`", described.path));
        }
    }

    fn operation(&mut self, described: DescribedOperation<'d>, pointer: &str) {
        let Some(PathOnServer { path: own_path, base_url }) = self.endpoint_path(&described, pointer) else { return };
        let path = self.distinct_path(&own_path, base_url.as_ref());
        if !self.path_templates.insert(url_path::template(&path)) {
            let why = format!("{pointer}, which differs from another path only in the names of its params");
            self.omissions.add(Weight::Missing, why, pointer);
            return;
        }
        let host = base_url.as_ref().map(|base_url| base_url.name.to_string());
        self.path_hosts.insert(url_path::template(&path), host);
        let operation = described.operation;
        self.omissions.unread(operation, OPERATION, pointer);
        let path_below_server = own_path.strip_prefix(self.server_path.as_str()).unwrap_or(&own_path);
        let group = self.group(operation, path_below_server, base_url.as_ref());
        let name = self.endpoint_name(operation, &group, path_below_server);
        let params = self.params(&path, &described.params(), described.has_unknown_params(), pointer);
        let body = self.body(operation, &name, pointer);
        self.note_members(&path, operation);
        let mut endpoint = self.exported_endpoint(operation, pointer).unwrap_or_default();
        endpoint.summary = summary_unless_repeated(self.summary(operation, &["description", "summary"]), &name);
        endpoint.name = name.into();
        endpoint.path = Known::Known(path.into());
        endpoint.evidence = self.stated_evidence(operation).unwrap_or(self.options.evidence);
        endpoint.params = known_or_unknown(params);
        endpoint.body = known_or_unknown(body);
        endpoint.deprecated = None;
        if is_true(operation, "deprecated") {
            endpoint.deprecated = Some("The reason is not documented.".to_owned());
        }
        self.draft.content.groups.entry(group).or_default().endpoints.push(endpoint);
    }
}

fn known_or_unknown<T>(value: Option<T>) -> Known<T> {
    match value {
        Some(value) => Known::Known(value),
        None => Known::Unknown,
    }
}
