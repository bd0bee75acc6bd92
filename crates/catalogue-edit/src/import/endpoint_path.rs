//! The path of an endpoint in the catalogue: without the part that every base URL ends in, and with the texts that the
//! styles of its params require.

use catalogue::spec::GroupBaseUrl;
use catalogue::{is_line, url_path};

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::operations::DescribedOperation;
use super::schema_facts::type_of;
use super::server_address::PathOnServer;
use super::tree::{text, text_or_empty};

impl<'d> DescriptionReader<'d> {
    /// The path of an endpoint below its base URL; `None` if the endpoint is on another server, or the catalogue does not
    /// allow such a path.
    pub(super) fn endpoint_path(&mut self, described: &DescribedOperation<'d>, pointer: &str) -> Option<PathOnServer> {
        let PathOnServer { path, base_url } = self.path_on_server(described)?;
        let path = self.styled_path(&path, described);
        let path = match &base_url {
            Some(base_url) => self.below_base_url_of_group(&path, base_url, pointer)?,
            None => self.below_base_url(&path, pointer)?,
        };
        let why = match url_path::check(&path, true) {
            // The path of a server before it can hide that its slash is missing.
            _ if !described.path.starts_with('/') => "that does not begin with `/`",
            Ok(()) if is_line(&path) => return Some(PathOnServer { path, base_url }),
            Err(("path-start/slash", _)) => "that does not begin with `/`",
            Err(("path-param/twice", _)) => "with a duplicate path param",
            Err((rule, _)) if rule.starts_with("path-braces") && !path.contains('?') => {
                "with braces that do not enclose separate names"
            }
            _ => "of an unsupported form",
        };
        self.omissions.add(Weight::Missing, format!("{pointer}, a path {why}"), pointer);
        None
    }

    /// The path of an endpoint, with the host as a fragment if an endpoint on another host has this path.
    pub(super) fn distinct_path(&self, path: &str, base_url: Option<&GroupBaseUrl>) -> String {
        // Our own export has distinct paths, and states the base URLs of groups only.
        if self.document.is_own_export() {
            return path.to_owned();
        }
        let own = base_url.map(|base_url| base_url.name.to_string());
        let is_on_other_host = self.path_hosts.get(&url_path::template(path)).is_some_and(|known| *known != own);
        if !is_on_other_host {
            return path.to_owned();
        }
        let joint = if path.contains('#') { "." } else { "#" };
        format!("{path}{joint}{}", own.as_deref().unwrap_or("service"))
    }

    /// The part of a path after the suffix of the base URL of a group; `None` if the path is not below it.
    fn below_base_url_of_group(&mut self, path: &str, base_url: &GroupBaseUrl, pointer: &str) -> Option<String> {
        let suffix = base_url.suffix();
        if let Some(rest) = path.strip_prefix(suffix)
            && rest.starts_with('/')
        {
            return Some(rest.to_owned());
        }
        let why = format!("`{path}`, which is not below `{suffix}`, the suffix of the base URL `{}`", base_url.name);
        self.omissions.add(Weight::Missing, why, pointer);
        None
    }

    /// A path in which the params have the texts around them that their `style` requires, such as `;id=` before `{id}`.
    fn styled_path(&self, path: &str, described: &DescribedOperation<'d>) -> String {
        let mut styled = path.to_owned();
        for param in described.params() {
            let Some(resolved) = self.document.follow(param) else { continue };
            let param = resolved.value;
            let Some(schema) = self.document.child(param, "schema") else { continue };
            if text(param, "in") != Some("path") || matches!(type_of(schema), "array" | "object") {
                continue;
            }
            let name = text_or_empty(param, "name");
            let before = match text(param, "style") {
                Some("matrix") => format!(";{name}="),
                Some("label") => ".".to_owned(),
                _ => continue,
            };
            styled = styled.replace(&format!("{{{name}}}"), &format!("{before}{{{name}}}"));
        }
        styled
    }

    /// The part of a path after the suffix of the base URL; `None` if the path is not below it.
    fn below_base_url(&mut self, path: &str, pointer: &str) -> Option<String> {
        let server = self.server_path.as_str();
        // The path on the host begins with the server's path.
        let mut on_host = format!("{server}{path}");
        if is_below(path, server) {
            let what = format!("the server path `{server}`, already part of the path");
            self.omissions.add(Weight::Fact, what, pointer);
            path.clone_into(&mut on_host);
        }
        // The catalogue needs only the part after the suffix of the base URLs. If the server's path ends with this suffix,
        // the entire server's path is removed.
        let suffix = self.base_url_suffix.as_str();
        let base = if !suffix.is_empty() && server.ends_with(suffix) { server } else { suffix };
        if let Some(rest) = on_host.strip_prefix(base)
            && rest.starts_with('/')
        {
            return Some(rest.to_owned());
        }
        if path.starts_with('/') && (!server.is_empty() || on_host == base) {
            let why = format!("`{on_host}`, which is not below `{suffix}`, the suffix of base URLs");
            self.omissions.add(Weight::Missing, why, pointer);
            return None;
        }
        Some(path.to_owned())
    }
}

/// `true` if a path begins with the path of a server.
fn is_below(path: &str, server: &str) -> bool {
    match path.strip_prefix(server) {
        Some(rest) => !server.is_empty() && (rest.is_empty() || rest.starts_with('/')),
        None => false,
    }
}
