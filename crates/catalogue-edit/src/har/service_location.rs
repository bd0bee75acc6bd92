//! Finds the service in a recording: the host and the base path below which the most entries have an endpoint.

use std::collections::BTreeMap;

use super::endpoint_path::{EndpointPath, Fit};
use super::entry::Entry;
use crate::content::Content;

/// The host and the base path of a service in a recording.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServiceLocation {
    host: String,
    /// The segments of the base path.
    base: Vec<String>,
}

/// How well a location explains the entries; a larger value explains them better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Matches {
    /// The number of entries that have an endpoint.
    entries: usize,
    /// The number of their segments that are no params.
    literals: usize,
}

impl ServiceLocation {
    /// The location for which the most entries have an endpoint. The base path ends in the suffix of the catalogue's base
    /// URLs. If several locations fit as well, the one with more literal segments is chosen, then the shortest.
    pub(super) fn choose(content: &Content, paths: &[EndpointPath], entries: &[Entry], host: Option<&str>) -> Self {
        let suffix: Vec<&str> = content.service.base_url_suffix().split('/').skip(1).collect();
        let host = host.map(str::to_ascii_lowercase);
        let mut matches = BTreeMap::new();
        for entry in entries {
            if host.as_ref().is_none_or(|host| *host == entry.host) {
                add_matches(&mut matches, entry, paths, &suffix);
            }
        }
        let mut best = Self { host: host.unwrap_or_default(), base: Vec::new() };
        let mut most = Matches::default();
        for (location, matches) in matches {
            let is_shorter = location.base.len() < best.base.len();
            if matches > most || matches == most && is_shorter {
                best = location;
                most = matches;
            }
        }
        best
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
            return Err(format!("it is not below the base path `/{}` of the other entries", self.base.join("/")));
        };
        let mut best: Option<&EndpointPath> = None;
        let mut unsent_constant = None;
        for path in paths {
            if !path.has_segments(segments) {
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
    paths: &[EndpointPath],
    suffix: &[&str],
) {
    for length in 0..=entry.segments.len() {
        let (base, segments) = entry.segments.split_at(length);
        if !ends_with(base, suffix) {
            continue;
        }
        let Some(fit) = best_fit(paths, segments, entry) else { continue };
        let location = ServiceLocation { host: entry.host.clone(), base: base.to_vec() };
        let matches = matches.entry(location).or_default();
        matches.entries += 1;
        matches.literals += fit.literals;
    }
}

fn ends_with(base: &[String], suffix: &[&str]) -> bool {
    base.len() >= suffix.len() && base[base.len() - suffix.len()..] == *suffix
}

fn best_fit(paths: &[EndpointPath], segments: &[String], entry: &Entry) -> Option<Fit> {
    let mut best = None;
    for path in paths {
        if path.has_segments(segments) {
            best = best.max(Some(path.fit(entry)));
        }
    }
    best
}
