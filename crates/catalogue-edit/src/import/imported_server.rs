//! The servers of a description, of its paths and of its operations.
//!
//! With hosts in the options, only the endpoints of these hosts are imported, else those of every host. Endpoints on another
//! host than that of the service get groups with a base URL of their own.

use std::collections::BTreeSet;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::operations::DescribedOperation;
use super::server_address::{PathOnServer, ServerAddress};
use super::tree::{entries, items};

/// The segments that two paths have in common at their start.
pub(super) fn shared_start(one: &str, other: &str) -> String {
    let mut shared = String::new();
    for (segment, other_segment) in one.split('/').zip(other.split('/')).skip(1) {
        if segment != other_segment {
            break;
        }
        shared += &format!("/{segment}");
    }
    shared
}

/// The message that an endpoint is not on the server whose endpoints are imported.
fn on_other_server(address: ServerAddress) -> String {
    let Some(host) = address.host else {
        return "an endpoint on the server of the description, which names no host; without `--host`, it is imported too"
            .to_owned();
    };
    let server = format!("{host}{}", address.path);
    format!("an endpoint on another server, `{server}`; a further `--host {host}` imports it into a group of its own")
}

/// The message that no server has the host of the options.
fn no_server(host: &str, addresses: &[ServerAddress]) -> String {
    let mut known = BTreeSet::new();
    for address in addresses {
        known.extend(address.host.as_ref().map(|host| format!("`{host}`")));
    }
    if known.is_empty() {
        return format!("the description names no host, so `{host}` is not one of its servers; omit `--host`");
    }
    let known = Vec::from_iter(known).join(", ");
    format!("no server of the description has the host `{host}`; pass one of these: {known}")
}

impl<'d> DescriptionReader<'d> {
    /// The server whose endpoints are imported: the host of the options, or that of the description, and the part of the
    /// path that all servers on this host share. `None` if the description has neither servers nor operations; an error if
    /// no server has the host of the options.
    pub(super) fn imported_server(&self) -> Result<Option<ServerAddress>, String> {
        let addresses = self.addresses();
        for host in &self.options.hosts {
            let host = host.to_ascii_lowercase();
            if addresses.iter().all(|address| address.host.as_ref() != Some(&host)) {
                return Err(no_server(&host, &addresses));
            }
        }
        let Some(first) = addresses.first() else { return Ok(None) };
        let chosen = self.options.hosts.first().map(|host| host.to_ascii_lowercase());
        let host = chosen.or(first.host.clone());
        let mut path: Option<String> = None;
        for address in addresses {
            if address.host == host {
                path = Some(match path {
                    Some(path) => shared_start(&path, &address.path),
                    None => address.path,
                });
            }
        }
        Ok(Some(ServerAddress { host, path: path.unwrap_or_default() }))
    }

    /// The address of the description, if it lists servers or an operation has none of its own, then the addresses of all
    /// operations with servers of their own.
    pub(super) fn addresses(&self) -> Vec<ServerAddress> {
        let mut of_operations = Vec::new();
        let mut is_description_used = !items(&self.document.root, "servers").is_empty();
        for described in self.described_operations() {
            match self.stated_address(&described) {
                Some(address) => of_operations.push(address),
                None => is_description_used = true,
            }
        }
        let mut addresses = Vec::new();
        if is_description_used {
            addresses.push(self.description_address());
        }
        addresses.extend(of_operations);
        addresses
    }

    /// The address of the description, which is relative if it lists no server.
    fn description_address(&self) -> ServerAddress {
        ServerAddress::first_of(&self.document.root).unwrap_or_default()
    }

    /// The address of an operation or its path, if one of them has a server of its own. A URL without a host has that of
    /// the description.
    fn stated_address(&self, described: &DescribedOperation<'d>) -> Option<ServerAddress> {
        // The servers of paths in our own export are the base URLs of groups.
        if self.document.is_own_export() {
            return None;
        }
        let listed = items(described.operation, "servers").first();
        let server = listed.or(items(described.path_item, "servers").first())?;
        let mut address = ServerAddress::read(server)?;
        if address.host.is_none() {
            address.host = self.description_address().host;
        }
        Some(address)
    }

    /// The address of an operation.
    pub(super) fn address(&self, described: &DescribedOperation<'d>) -> ServerAddress {
        self.stated_address(described).unwrap_or_else(|| self.description_address())
    }

    /// All operations that can be imported.
    pub(super) fn described_operations(&self) -> Vec<DescribedOperation<'d>> {
        let mut all = Vec::new();
        for (path, item) in entries(&self.document.root, "paths") {
            let Some(item) = self.document.follow(item) else { continue };
            let path_item = item.value;
            if let Some(operation) = self.document.child(path_item, "get") {
                all.push(DescribedOperation { path, path_item, operation });
            }
        }
        all
    }

    /// The path of an operation below the base URL of its host; `None` if its host is not imported.
    pub(super) fn path_on_server(&mut self, described: &DescribedOperation<'d>) -> Option<PathOnServer> {
        let path = described.path;
        let Some(server) = &self.server else {
            return Some(PathOnServer { path: path.to_owned(), base_url: None });
        };
        let address = self.address(described);
        if address.host == server.host {
            let prefix = address.path.strip_prefix(&server.path).unwrap_or_default();
            return Some(PathOnServer { path: format!("{prefix}{path}"), base_url: None });
        }
        if let Some(other) = self.other_server(&address) {
            let path = format!("{}{path}", address.path);
            return Some(PathOnServer { path, base_url: Some(other.base_url.clone()) });
        }
        self.omissions.add(Weight::Missing, on_other_server(address), &format!("`{path}`"));
        None
    }
}
