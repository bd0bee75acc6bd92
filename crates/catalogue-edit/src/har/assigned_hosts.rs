//! Assigns the hosts of a recording to the service and to its groups on other hosts, so that equal paths on several hosts
//! are told apart.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use catalogue::spec::GroupBaseUrl;

use super::endpoint_path::EndpointPath;
use super::entry::Entry;
use super::service_location::{MatchedLocation, Matches, ServiceLocation};
use crate::host_names::{base_url_name, can_have_name};

/// The maximum number of hosts that are compared for one base URL. Websites call many hosts.
const MAX_CANDIDATES: usize = 4;

/// The base URL of the service or of groups, with the locations that it can have, the best first.
struct Role<'c> {
    /// `None` for the service.
    base_url: Option<&'c GroupBaseUrl>,
    candidates: Vec<MatchedLocation>,
}

/// The hosts of a recording.
pub(super) struct Hosts<'e> {
    /// The chosen host of the service.
    chosen: Option<String>,
    base_urls: &'e [&'e GroupBaseUrl],
    entries: BTreeMap<&'e str, Vec<&'e Entry>>,
}

/// The locations of the service and of groups, at most one for each host.
#[derive(Debug, Default)]
pub(super) struct AssignedHosts<'c> {
    pub(super) service: Option<ServiceLocation>,
    pub(super) of_groups: Vec<ServiceLocation>,
    /// The base URLs of groups that have no host of their own.
    pub(super) without_host: Vec<&'c GroupBaseUrl>,
}

impl<'c> AssignedHosts<'c> {
    /// The assignment for which the most entries have an endpoint. A host from which the name of a base URL is derived
    /// belongs to its groups. Several assignments that fit as well are refused.
    pub(super) fn of(hosts: &Hosts<'c>, suffix: &str, paths: &[EndpointPath]) -> Result<Self, String> {
        let mut roles = vec![hosts.service(suffix, paths)];
        for base_url in hosts.base_urls {
            roles.push(hosts.groups(base_url, paths));
        }
        let mut search = Search { roles: &roles, best: None, equal: None };
        search.compare_all(&Assignment::default());
        if let (Some(best), Some(equal)) = (&search.best, &search.equal) {
            return Err(refusal(&roles, best, equal));
        }
        let best = search.best.unwrap_or_default();
        let mut assigned = Self::default();
        for (role, choice) in roles.into_iter().zip(best.choices) {
            let found = choice.and_then(|index| role.candidates.into_iter().nth(index));
            match (found, role.base_url) {
                (Some(found), None) => assigned.service = Some(found.location),
                (Some(found), Some(_)) => assigned.of_groups.push(found.location),
                (None, None) => assigned.service = hosts.chosen.as_deref().map(ServiceLocation::at_root_of),
                (None, Some(base_url)) => assigned.without_host.push(base_url),
            }
        }
        Ok(assigned)
    }
}

impl<'e> Hosts<'e> {
    pub(super) fn new(base_urls: &'e [&'e GroupBaseUrl], entries: &'e [Entry], chosen: Option<&str>) -> Self {
        let mut hosts = Self { chosen: chosen.map(str::to_ascii_lowercase), base_urls, entries: BTreeMap::new() };
        for entry in entries {
            hosts.entries.entry(&entry.host).or_default().push(entry);
        }
        hosts
    }

    /// `true` if a host is the chosen one of the service, or without the name of a base URL.
    pub(super) fn can_be_of_service(&self, host: &str) -> bool {
        match &self.chosen {
            Some(chosen) => chosen == host,
            None => self.base_urls.iter().all(|base_url| !self.is_named(host, base_url)),
        }
    }

    /// `true` if a host has the name of a base URL, or no host has it, and this host has that of no other.
    pub(super) fn can_be_of(&self, base_url: &GroupBaseUrl, host: &str) -> bool {
        if self.is_named(host, base_url) {
            return true;
        }
        let has_named_host = self.entries.keys().any(|host| self.is_named(host, base_url));
        !has_named_host && self.base_urls.iter().all(|other| !self.is_named(host, other))
    }

    /// The role of the service, whose base URLs end in a suffix.
    fn service(&self, suffix: &str, paths: &[EndpointPath]) -> Role<'e> {
        let mut candidates = Vec::new();
        for (host, entries) in &self.entries {
            if self.can_be_of_service(host) {
                candidates.extend(ServiceLocation::best(paths, entries, None, suffix));
            }
        }
        Role::new(None, candidates)
    }

    fn groups(&self, base_url: &'e GroupBaseUrl, paths: &[EndpointPath]) -> Role<'e> {
        let mut candidates = Vec::new();
        for (host, entries) in &self.entries {
            if self.chosen.as_deref() != Some(*host) && self.can_be_of(base_url, host) {
                candidates.extend(ServiceLocation::best(paths, entries, Some(&base_url.name), base_url.suffix()));
            }
        }
        Role::new(Some(base_url), candidates)
    }

    /// `true` if the name of a base URL is derived from a host, and not from another host of the recording next to it.
    fn is_named(&self, host: &str, base_url: &GroupBaseUrl) -> bool {
        if !can_have_name(host, &base_url.name) {
            return false;
        }
        self.entries.keys().all(|other| base_url_name(other, host, |_| false) != *base_url.name)
    }
}

impl<'c> Role<'c> {
    fn new(base_url: Option<&'c GroupBaseUrl>, mut candidates: Vec<MatchedLocation>) -> Self {
        candidates.sort_by_key(|candidate| Reverse(candidate.matches));
        candidates.truncate(MAX_CANDIDATES);
        Self { base_url, candidates }
    }
}

/// The choice of a candidate for each role, or for the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Assignment {
    /// The index of the candidate; `None` for a role without a host.
    choices: Vec<Option<usize>>,
    /// All entries that have an endpoint.
    matches: Matches,
}

impl Assignment {
    /// How well the assignment fits. If the service and groups fit one host equally well, it is that of the service.
    fn rank(&self) -> (Matches, bool) {
        let has_service = self.choices.first().is_some_and(Option::is_some);
        (self.matches, has_service)
    }

    /// The host of each role.
    fn hosts<'r>(&self, roles: &'r [Role<'_>]) -> Vec<Option<&'r str>> {
        let mut hosts = Vec::new();
        for (role, choice) in roles.iter().zip(&self.choices) {
            hosts.push(choice.map(|index| role.candidates[index].location.host.as_str()));
        }
        hosts
    }
}

/// The search for the best assignment.
struct Search<'r, 'c> {
    roles: &'r [Role<'c>],
    best: Option<Assignment>,
    /// Another assignment that fits as well as the best one.
    equal: Option<Assignment>,
}

impl Search<'_, '_> {
    /// Compares all assignments that begin with the choices of one.
    fn compare_all(&mut self, begun: &Assignment) {
        let Some(role) = self.roles.get(begun.choices.len()) else { return self.compare(begun) };
        let used = begun.hosts(self.roles);
        for (index, candidate) in role.candidates.iter().enumerate() {
            if !used.contains(&Some(&candidate.location.host)) {
                let mut longer = begun.clone();
                longer.choices.push(Some(index));
                longer.matches = longer.matches.and(candidate.matches);
                self.compare_all(&longer);
            }
        }
        let mut longer = begun.clone();
        longer.choices.push(None);
        self.compare_all(&longer);
    }

    fn compare(&mut self, assignment: &Assignment) {
        let rank = assignment.rank();
        match self.best.as_ref().map(Assignment::rank) {
            Some(best) if rank < best => {}
            Some(best) if rank == best => self.equal = Some(assignment.clone()),
            _ => {
                self.best = Some(assignment.clone());
                self.equal = None;
            }
        }
    }
}

/// The reason why two assignments that fit equally well are refused.
fn refusal(roles: &[Role<'_>], best: &Assignment, equal: &Assignment) -> String {
    let mut hosts = Vec::new();
    for host in best.hosts(roles).into_iter().chain(equal.hosts(roles)).flatten() {
        let host = format!("`{host}`");
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    format!(
        "the recording does not tell which of its hosts belongs to the service, and which to groups with a base URL of \
         their own: {}; pass `--host` with the host of the service, or name each `base_url` after its host",
        hosts.join(", ")
    )
}
