//! The locations in a recording: that of the service, and those of its groups on other hosts.

use catalogue::spec::GroupBaseUrl;

use super::assigned_hosts::{AssignedHosts, Hosts};
use super::endpoint_path::EndpointPath;
use super::entry::Entry;
use super::service_location::ServiceLocation;
use crate::content::Content;
use crate::refusal::Refusal;

/// All locations of a service in a recording.
#[derive(Debug)]
pub(super) struct Locations {
    /// `None` if no host of the recording is that of the service.
    service: Option<ServiceLocation>,
    of_groups: Vec<ServiceLocation>,
}

/// The endpoint of an entry.
#[derive(Debug)]
pub(super) struct LocatedEndpoint<'l> {
    pub(super) path: &'l EndpointPath,
    pub(super) location: &'l ServiceLocation,
}

impl Locations {
    /// Finds the locations. A base URL without a host of its own is found among the entries that have no endpoint yet.
    /// Without a base URL of groups, the service is on the host with the most entries of known endpoints.
    pub(super) fn choose(
        content: &Content,
        paths: &[EndpointPath],
        entries: &[Entry],
        host: Option<&str>,
    ) -> Result<Self, Refusal> {
        let base_urls = base_urls(content);
        if base_urls.is_empty() {
            let service = ServiceLocation::choose(content, paths, entries, host);
            return Ok(Self { service: Some(service), of_groups: Vec::new() });
        }
        let hosts = Hosts::new(&base_urls, entries, host);
        let suffix = content.service.base_url_suffix();
        let assigned = AssignedHosts::of(&hosts, suffix, paths)?;
        let mut locations = Self { service: assigned.service, of_groups: assigned.of_groups };
        if locations.service.is_none() {
            let mut others = locations.without_endpoint(paths, entries);
            others.retain(|entry| hosts.can_be_of_service(&entry.host));
            let found = ServiceLocation::best(paths, &others, None, suffix);
            locations.service = found.map(|found| found.location);
        }
        for base_url in assigned.without_host {
            let mut others = locations.without_endpoint(paths, entries);
            others.retain(|entry| hosts.can_be_of(base_url, &entry.host));
            locations.of_groups.extend(ServiceLocation::of_groups(base_url, paths, &others));
        }
        Ok(locations)
    }

    /// The entries without an endpoint at these locations.
    fn without_endpoint<'e>(&self, paths: &[EndpointPath], entries: &'e [Entry]) -> Vec<&'e Entry> {
        let mut others = Vec::new();
        for entry in entries {
            if self.endpoint(paths, entry).is_err() {
                others.push(entry);
            }
        }
        others
    }

    /// The endpoint of an entry, or the reason why there is none.
    pub(super) fn endpoint<'l>(
        &'l self,
        paths: &'l [EndpointPath],
        entry: &Entry,
    ) -> Result<LocatedEndpoint<'l>, String> {
        let mut found = match &self.service {
            Some(service) => located(service, paths, entry),
            None => Err(format!("the host is not that of the service; `--host {}` chooses it", entry.host)),
        };
        for location in &self.of_groups {
            if found.is_err() && location.has_host_of(entry) {
                found = located(location, paths, entry);
            }
        }
        found
    }

    /// `true` if an entry is of one of the hosts.
    pub(super) fn has_host_of(&self, entry: &Entry) -> bool {
        let is_of_service = self.service.as_ref().is_some_and(|service| service.has_host_of(entry));
        is_of_service || self.of_groups.iter().any(|location| location.has_host_of(entry))
    }
}

fn located<'l>(
    location: &'l ServiceLocation,
    paths: &'l [EndpointPath],
    entry: &Entry,
) -> Result<LocatedEndpoint<'l>, String> {
    let path = location.endpoint(paths, entry)?;
    Ok(LocatedEndpoint { path, location })
}

/// The base URLs of the groups on other hosts, each once.
pub(super) fn base_urls(content: &Content) -> Vec<&GroupBaseUrl> {
    let mut found: Vec<&GroupBaseUrl> = Vec::new();
    for base_url in content.groups.values().filter_map(|group| group.base_url.as_ref()) {
        if found.iter().all(|known| known.name != base_url.name) {
            found.push(base_url);
        }
    }
    found
}
