//! The address of a server in a description, and what is below it.

use catalogue::spec::GroupBaseUrl;
use serde_yaml::Value;

use super::tree::{entries, items, text, text_of};

/// The host and the path of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerAddress {
    /// The host with the port; `None` if the URL is relative to the description.
    pub(super) host: Option<String>,
    /// The path without `/` at the end.
    pub(super) path: String,
}

/// A host with endpoints, other than that of the service.
#[derive(Clone, Debug)]
pub(super) struct OtherServer {
    pub(super) host: String,
    pub(super) base_url: GroupBaseUrl,
}

/// The path of an operation, with the base URL that it is below.
#[derive(Clone, Debug)]
pub(super) struct PathOnServer {
    /// The path after the part that all servers of the service share, or the entire path if `base_url` is set.
    pub(super) path: String,
    /// The base URL of a group, if the operation is on another host than the service.
    pub(super) base_url: Option<GroupBaseUrl>,
}

impl ServerAddress {
    /// Reads the URL of a server, with the defaults of its variables.
    pub(super) fn read(server: &Value) -> Option<Self> {
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            let default = variable.get("default").map(text_of).unwrap_or_default();
            url = url.replace(&format!("{{{name}}}"), &default);
        }
        let mut host = None;
        let mut path = url.as_str();
        if let Some(rest) = after_scheme(&url) {
            let end = rest.find('/').unwrap_or(rest.len());
            host = Some(rest[..end].to_ascii_lowercase());
            path = &rest[end..];
        }
        let path = path.split(['?', '#']).next().unwrap_or_default();
        Some(Self { host, path: path.trim_end_matches('/').to_owned() })
    }

    /// Reads the first server that a part of a description lists.
    pub(super) fn first_of(part: &Value) -> Option<Self> {
        Self::read(items(part, "servers").first()?)
    }
}

/// The host and the path of an absolute URL; `None` for a relative one.
pub(super) fn after_scheme(url: &str) -> Option<&str> {
    match url.split_once("://") {
        Some((_, rest)) => Some(rest),
        None => url.strip_prefix("//"),
    }
}
