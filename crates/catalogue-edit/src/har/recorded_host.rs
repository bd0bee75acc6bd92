//! A host of a service in a recording, from which new endpoints are added to a catalogue.

use catalogue::spec::{Evidence, GroupBaseUrl};
use catalogue::url_path;

use super::endpoint_path::EndpointPath;
use super::entry::Entry;
use super::locations::base_urls;
use super::service_location::ServiceLocation;
use crate::content::Content;
use crate::editor::Editor;
use crate::host_names::{base_url_name, can_have_name};
use crate::rust_names::{module_name, module_of_host};

/// A host, and its base URL in the catalogue.
#[derive(Debug)]
pub(super) struct RecordedHost {
    location: ServiceLocation,
    /// The base URL of groups, if the host is not that of the service.
    pub(super) base_url: Option<GroupBaseUrl>,
}

impl RecordedHost {
    /// The host of the service. `entries` are those of the host.
    pub(super) fn of_service(host: &str, content: &Content, paths: &[EndpointPath], entries: &[Entry]) -> Self {
        Self { location: ServiceLocation::choose(content, paths, entries, Some(host)), base_url: None }
    }

    /// Another host: that of known groups with one of the endpoints, or that of new groups. `earlier` are the hosts before
    /// it, of which the first is that of the service, and `entries` are those of the host.
    pub(super) fn of_groups(
        host: &str,
        earlier: &[Self],
        content: &Content,
        paths: &[EndpointPath],
        entries: &[Entry],
        evidence: Evidence,
    ) -> Self {
        let entries = Vec::from_iter(entries);
        let mut known = base_urls(content);
        if known.iter().any(|base_url| can_have_name(host, &base_url.name)) {
            known.retain(|base_url| can_have_name(host, &base_url.name));
        }
        for base_url in known {
            if !is_in_use(earlier, &base_url.name)
                && let Some(location) = ServiceLocation::of_groups(base_url, paths, &entries)
            {
                return Self { location, base_url: Some(base_url.clone()) };
            }
        }
        let service_host = earlier.first().map_or("", |service| service.location.host.as_str());
        let name = base_url_name(host, service_host, |name| {
            is_in_use(earlier, name) || base_urls(content).iter().any(|known| *known.name == *name)
        });
        let location = ServiceLocation::at_root_of(host);
        Self { location, base_url: Some(GroupBaseUrl { name: name.into(), suffix: None, evidence }) }
    }

    /// Tells which base URL the host belongs to.
    pub(super) fn note(&self, editor: &mut Editor) {
        let host = &self.location.host;
        editor.note(match &self.base_url {
            None => format!("the endpoints are those of `{host}`; set the base URL to it"),
            Some(base_url) => {
                let name = &base_url.name;
                let variable = base_url.variable(&editor.content.service.env_prefix);
                format!("groups on `{host}` have the base URL `{name}`; set `{variable}` to it")
            }
        });
    }

    /// The module of an endpoint whose group should have a name. A group on another host is not used.
    pub(super) fn module(&self, wanted: &str, known: &Content, drafted: &Content) -> String {
        let is_on_host = |module: &str| match drafted.groups.get(module).or(known.groups.get(module)) {
            Some(group) => self.has(group.base_url.as_ref()),
            None => true,
        };
        let own = module_name(wanted);
        if is_on_host(&own) {
            return own;
        }
        let named = module_name(&format!("{own} {}", self.name()));
        module_of_host(&own, self.name(), named, is_on_host)
    }

    /// A path, with the name of the host as a fragment if an endpoint on another host has this path.
    pub(super) fn distinct_path(&self, path: &str, known: &Content, drafted: &Content) -> String {
        let template = url_path::template(path);
        for group in known.groups.values().chain(drafted.groups.values()) {
            for endpoint in &group.endpoints {
                if !self.has(group.base_url.as_ref())
                    && endpoint.path.known().is_some_and(|path| url_path::template(path) == template)
                {
                    let joint = if path.contains('#') { "." } else { "#" };
                    return format!("{path}{joint}{}", self.name());
                }
            }
        }
        path.to_owned()
    }

    /// `true` if this is the base URL of the host.
    fn has(&self, base_url: Option<&GroupBaseUrl>) -> bool {
        let own = self.base_url.as_ref().map(|base_url| &base_url.name);
        own == base_url.map(|base_url| &base_url.name)
    }

    /// The name by which groups and paths of the host are distinguished from those of others.
    fn name(&self) -> &str {
        self.base_url.as_ref().map_or("service", |base_url| base_url.name.as_str())
    }

    /// The entries without an endpoint in the catalogue, with their paths below the base path of known endpoints.
    pub(super) fn new_entries(&self, paths: &[EndpointPath], entries: Vec<Entry>) -> Vec<Entry> {
        let mut new = Vec::new();
        for mut entry in entries {
            if self.location.endpoint(paths, &entry).is_err() {
                self.location.remove_base(&mut entry);
                new.push(entry);
            }
        }
        new
    }
}

fn is_in_use(hosts: &[RecordedHost], name: &str) -> bool {
    for host in hosts {
        if let Some(base_url) = &host.base_url
            && *base_url.name == *name
        {
            return true;
        }
    }
    false
}
