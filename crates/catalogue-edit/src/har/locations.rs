//! The locations in a recording: that of the service, and those of its groups on other hosts.

use catalogue::spec::GroupBaseUrl;

use super::endpoint_path::EndpointPath;
use super::entry::Entry;
use super::service_location::ServiceLocation;
use crate::content::Content;

/// All locations of a service in a recording.
#[derive(Debug)]
pub(super) struct Locations {
    service: ServiceLocation,
    of_groups: Vec<ServiceLocation>,
}

/// The endpoint of an entry.
#[derive(Debug)]
pub(super) struct LocatedEndpoint<'l> {
    pub(super) path: &'l EndpointPath,
    pub(super) location: &'l ServiceLocation,
}

impl Locations {
    /// Finds the locations. Groups on another host are found among the entries that the service does not have.
    pub(super) fn choose(content: &Content, paths: &[EndpointPath], entries: &[Entry], host: Option<&str>) -> Self {
        let service = ServiceLocation::choose(content, paths, entries, host);
        let mut locations = Self { service, of_groups: Vec::new() };
        for base_url in base_urls(content) {
            let mut others = Vec::new();
            for entry in entries {
                if locations.endpoint(paths, entry).is_err() {
                    others.push(entry);
                }
            }
            locations.of_groups.extend(ServiceLocation::of_groups(base_url, paths, &others));
        }
        locations
    }

    /// The endpoint of an entry, or the reason why there is none.
    pub(super) fn endpoint<'l>(
        &'l self,
        paths: &'l [EndpointPath],
        entry: &Entry,
    ) -> Result<LocatedEndpoint<'l>, String> {
        let mut found = located(&self.service, paths, entry);
        for location in &self.of_groups {
            if found.is_err() && location.has_host_of(entry) {
                found = located(location, paths, entry);
            }
        }
        found
    }

    /// `true` if an entry is of one of the hosts.
    pub(super) fn has_host_of(&self, entry: &Entry) -> bool {
        self.service.has_host_of(entry) || self.of_groups.iter().any(|location| location.has_host_of(entry))
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
