//! The servers of a description, of its paths and of its operations. Only the endpoints of one host are imported.

use std::collections::BTreeSet;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::operations::DescribedOperation;
use super::server_address::ServerAddress;
use super::tree::{entries, items};

/// The segments that two paths have in common at their start.
fn shared_start(one: &str, other: &str) -> String {
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
        return "an endpoint on the server of the description, which names no host; import it without `--host` into a \
                catalogue of its own"
            .to_owned();
    };
    let server = format!("{host}{}", address.path);
    format!("an endpoint on another server, `{server}`; import it with `--host {host}` into a catalogue of its own")
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
        let chosen = self.options.host.as_ref().map(|host| host.to_ascii_lowercase());
        if let Some(host) = &chosen
            && addresses.iter().all(|address| address.host.as_ref() != Some(host))
        {
            return Err(no_server(host, &addresses));
        }
        let Some(first) = addresses.first() else { return Ok(None) };
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
    fn addresses(&self) -> Vec<ServerAddress> {
        let mut of_operations = Vec::new();
        let mut is_description_used = !items(&self.document.root, "servers").is_empty();
        for (path, item) in entries(&self.document.root, "paths") {
            let Some(item) = self.document.follow(item) else { continue };
            let path_item = item.value;
            let Some(operation) = self.document.child(path_item, "get") else { continue };
            match self.stated_address(&DescribedOperation { path, path_item, operation }) {
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

    /// The path of an operation relative to the server whose endpoints are imported; `None` if the operation is on another
    /// server.
    pub(super) fn path_on_server(&mut self, described: &DescribedOperation<'d>) -> Option<String> {
        let path = described.path;
        let address = self.stated_address(described).unwrap_or_else(|| self.description_address());
        let Some(server) = &self.server else { return Some(path.to_owned()) };
        if address.host == server.host {
            let prefix = address.path.strip_prefix(&server.path).unwrap_or_default();
            return Some(format!("{prefix}{path}"));
        }
        self.omissions.add(Weight::Missing, on_other_server(address), &format!("`{path}`"));
        None
    }
}
