//! Finds a base URL in a recording: the host and the base path below which the most entries have an endpoint.

use std::collections::BTreeMap;

use catalogue::spec::GroupBaseUrl;

use super::endpoint_path::{EndpointPath, Fit};
use super::entry::Entry;
use crate::content::Content;
use crate::long_ids::shown_path;

/// The host and the base path of a service, or of groups on another host, in a recording.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServiceLocation {
    pub(super) host: String,
    /// The segments of the base path.
    base: Vec<String>,
    /// The name of the base URL of groups on another host.
    base_url: Option<String>,
}

/// How well a location explains the entries; a larger value explains them better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Matches {
    /// The number of entries that have an endpoint.
    entries: usize,
    /// The number of their segments that are no params.
    literals: usize,
}

/// A location with the entries that it explains.
#[derive(Debug)]
pub(super) struct MatchedLocation {
    pub(super) location: ServiceLocation,
    pub(super) matches: Matches,
}

impl Matches {
    pub(super) fn and(self, other: Self) -> Self {
        Self { entries: self.entries + other.entries, literals: self.literals + other.literals }
    }
}

impl ServiceLocation {
    /// The location of the service for which the most entries have an endpoint. The base path ends in the suffix of the
    /// catalogue's base URLs. If several locations fit as well, the one with more literal segments is chosen, then the
    /// shortest.
    pub(super) fn choose(content: &Content, paths: &[EndpointPath], entries: &[Entry], host: Option<&str>) -> Self {
        let host = host.map(str::to_ascii_lowercase);
        let mut of_host = Vec::new();
        for entry in entries {
            if host.as_ref().is_none_or(|host| *host == entry.host) {
                of_host.push(entry);
            }
        }
        match Self::best(paths, &of_host, None, content.service.base_url_suffix()) {
            Some(found) => found.location,
            None => Self::at_root_of(&host.unwrap_or_default()),
        }
    }

    /// The location of a host of which no endpoint is known.
    pub(super) fn at_root_of(host: &str) -> Self {
        Self { host: host.to_owned(), base: Vec::new(), base_url: None }
    }

    /// The location of groups on another host for which the most entries have an endpoint, among entries that have no
    /// other location; `None` if no entry has an endpoint of such a group.
    pub(super) fn of_groups(base_url: &GroupBaseUrl, paths: &[EndpointPath], entries: &[&Entry]) -> Option<Self> {
        let found = Self::best(paths, entries, Some(base_url.name.as_str()), base_url.suffix())?;
        Some(found.location)
    }

    /// The location for which the most entries have an endpoint of a base URL, or of the service.
    pub(super) fn best(
        paths: &[EndpointPath],
        entries: &[&Entry],
        base_url: Option<&str>,
        suffix: &str,
    ) -> Option<MatchedLocation> {
        let suffix: Vec<&str> = suffix.split('/').skip(1).collect();
        let mut paths_below = Vec::new();
        for path in paths {
            if path.is_below(base_url) {
                paths_below.push(path);
            }
        }
        let mut matches = BTreeMap::new();
        for entry in entries {
            add_matches(&mut matches, entry, &paths_below, &suffix);
        }
        let mut best: Option<MatchedLocation> = None;
        for (mut location, matches) in matches {
            let is_better = best.as_ref().is_none_or(|best| {
                let is_shorter = location.base.len() < best.location.base.len();
                matches > best.matches || matches == best.matches && is_shorter
            });
            if is_better {
                location.base_url = base_url.map(str::to_owned);
                best = Some(MatchedLocation { location, matches });
            }
        }
        best
    }

    /// Removes the base path from the path of an entry that is below it.
    pub(super) fn remove_base(&self, entry: &mut Entry) {
        if entry.segments.starts_with(&self.base) {
            entry.segments.drain(..self.base.len());
        }
    }

    /// `true` if an entry is of this host, or the host is unknown.
    pub(super) fn has_host_of(&self, entry: &Entry) -> bool {
        self.host.is_empty() || entry.host == self.host
    }

    /// The segments of an entry's path below the base path; none if the path is elsewhere.
    pub(super) fn segments_below<'e>(&self, entry: &'e Entry) -> &'e [String] {
        entry.segments.strip_prefix(self.base.as_slice()).unwrap_or_default()
    }

    /// The endpoint of an entry, or the reason why there is none.
    pub(super) fn endpoint<'p>(&self, paths: &'p [EndpointPath], entry: &Entry) -> Result<&'p EndpointPath, String> {
        if !self.has_host_of(entry) {
            return Err(format!("another host than `{}`; `--host {}` chooses it", self.host, entry.host));
        }
        let Some(segments) = entry.segments.strip_prefix(self.base.as_slice()) else {
            let base = shown_path(self.base.iter().map(String::as_str));
            return Err(format!("it is not below the base path `{base}` of the other entries"));
        };
        let mut best: Option<&EndpointPath> = None;
        let mut unsent_constant = None;
        for path in paths {
            if !path.is_below(self.base_url.as_deref()) || !path.has_segments(segments) {
                continue;
            }
            if !path.are_constants_sent(entry) {
                unsent_constant = unsent_constant.or(path.constants.first());
            } else if best.is_none_or(|best| path.fit(entry) >= best.fit(entry)) {
                best = Some(path);
            }
        }
        match (best, unsent_constant) {
            (Some(best), _) => Ok(best),
            (None, Some(constant)) => Err(format!("no endpoint on this path sends this value of `{}`", constant.name)),
            (None, None) => Err("no endpoint has this path".to_owned()),
        }
    }
}

/// Adds an entry to every location at which it has an endpoint.
fn add_matches(
    matches: &mut BTreeMap<ServiceLocation, Matches>,
    entry: &Entry,
    paths: &[&EndpointPath],
    suffix: &[&str],
) {
    for length in 0..=entry.segments.len() {
        let (base, segments) = entry.segments.split_at(length);
        if !ends_with(base, suffix) {
            continue;
        }
        let Some(fit) = best_fit(paths, segments, entry) else { continue };
        let location = ServiceLocation { host: entry.host.clone(), base: base.to_vec(), base_url: None };
        let matches = matches.entry(location).or_default();
        matches.entries += 1;
        matches.literals += fit.literals;
    }
}

fn ends_with(base: &[String], suffix: &[&str]) -> bool {
    base.len() >= suffix.len() && base[base.len() - suffix.len()..] == *suffix
}

fn best_fit(paths: &[&EndpointPath], segments: &[String], entry: &Entry) -> Option<Fit> {
    let mut best = None;
    for path in paths {
        if path.has_segments(segments) {
            best = best.max(Some(path.fit(entry)));
        }
    }
    best
}
