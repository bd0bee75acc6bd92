//! The servers of a description that are on other hosts than the service. The groups of their endpoints get a base URL.

use catalogue::spec::GroupBaseUrl;
use catalogue::url_path;
use indexmap::IndexMap;

use super::description_reader::DescriptionReader;
use super::imported_server::shared_start;
use super::omissions::Weight;
use super::server_address::{OtherServer, ServerAddress};
use crate::editor::Editor;
use crate::host_names::base_url_name;

impl DescriptionReader<'_> {
    /// Sets the other servers: those of the options, if they name hosts. The catalogue is known then, because it may have
    /// base URLs for them.
    pub(super) fn set_other_servers(&mut self) {
        let own_host = self.server.as_ref().and_then(|server| server.host.clone());
        // The path that all servers on a host share.
        let mut paths: IndexMap<String, String> = IndexMap::new();
        for address in self.addresses() {
            let Some(host) = address.host else { continue };
            if Some(&host) == own_host.as_ref() || !self.is_imported(&host) {
                continue;
            }
            match paths.get_mut(&host) {
                Some(path) => *path = shared_start(path, &address.path),
                None => {
                    paths.insert(host, address.path);
                }
            }
        }
        for (host, path) in paths {
            let base_url = match self.known_base_url(&host) {
                Some(known) => known,
                None => self.new_base_url(&host, path, own_host.as_deref().unwrap_or_default()),
            };
            self.other_servers.push(OtherServer { host, base_url });
        }
    }

    /// `true` if the options name a host, or no host at all.
    fn is_imported(&self, host: &str) -> bool {
        let chosen = &self.options.hosts;
        chosen.is_empty() || chosen.iter().any(|chosen| chosen.eq_ignore_ascii_case(host))
    }

    /// The other server at an address.
    pub(super) fn other_server(&self, address: &ServerAddress) -> Option<&OtherServer> {
        self.other_servers.iter().find(|other| Some(&other.host) == address.host.as_ref())
    }

    /// The base URL of the catalogue's group that has an endpoint of a host.
    fn known_base_url(&self, host: &str) -> Option<GroupBaseUrl> {
        let mut templates = Vec::new();
        for described in self.described_operations() {
            let address = self.address(&described);
            if address.host.as_deref() == Some(host) {
                templates.push(url_path::template(&format!("{}{}", address.path, described.path)));
            }
        }
        for group in self.catalogue.groups.values() {
            let Some(base_url) = &group.base_url else { continue };
            for endpoint in &group.endpoints {
                let Some(path) = endpoint.path.known() else { continue };
                let path = format!("{}{}", base_url.suffix(), url_path::without_fragment(path));
                if templates.contains(&url_path::template(&path)) {
                    return Some(base_url.clone());
                }
            }
        }
        None
    }

    fn new_base_url(&mut self, host: &str, path: String, own_host: &str) -> GroupBaseUrl {
        let name = base_url_name(host, own_host, |name| self.has_base_url(name));
        let mut suffix = None;
        if url_path::check(&path, false).is_ok() {
            suffix = Some(path.into());
        } else if !path.is_empty() {
            let why = format!("the invalid path `{path}` of the server URL");
            self.omissions.add(Weight::Fact, why, &format!("`{host}`"));
        }
        GroupBaseUrl { name: name.into(), suffix, evidence: self.options.evidence }
    }

    /// `true` if the catalogue or another server has a base URL with this name.
    fn has_base_url(&self, name: &str) -> bool {
        for group in self.catalogue.groups.values() {
            if let Some(base_url) = &group.base_url
                && *base_url.name == *name
            {
                return true;
            }
        }
        self.other_servers.iter().any(|other| *other.base_url.name == *name)
    }
}

/// Notes the new groups on each other host, and the setting that they need.
pub(super) fn note_other_servers(editor: &mut Editor, servers: &[OtherServer], known_modules: &[String]) {
    for OtherServer { host, base_url } in servers {
        let name = &base_url.name;
        let mut groups = Vec::new();
        for (module, group) in &editor.content.groups {
            let is_on_host = group.base_url.as_ref().is_some_and(|base_url| base_url.name == *name);
            if is_on_host && !known_modules.contains(module) {
                groups.push(format!("`{module}`"));
            }
        }
        if !groups.is_empty() {
            let groups = groups.join(", ");
            let variable = base_url.variable(&editor.content.service.env_prefix);
            editor.note(format!("on `{host}`: {groups}, with the base URL `{name}` (`{variable}`)"));
        }
    }
}
