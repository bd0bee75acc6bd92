//! Finds the endpoint of an entry: by the host, the base path, the path after it, and the params with a constant value.

use std::collections::BTreeMap;

use catalogue::url_path;

use super::entry::Entry;
use crate::content::{Content, label};

/// An endpoint with a path.
#[derive(Debug)]
pub(super) struct Candidate {
    label: String,
    segments: Vec<Segment>,
    has_slash: bool,
    /// The names and values of the params that every request sends.
    constants: Vec<(String, String)>,
}

/// A segment of a path in the catalogue.
#[derive(Debug)]
enum Segment {
    Literal(String),
    /// A segment that contains a param: the texts before and after it.
    Param {
        before: String,
        after: String,
    },
}

/// How well an endpoint fits an entry; a larger value fits better.
type Fit = (usize, usize, bool);

impl Candidate {
    /// The endpoints of a catalogue that have a path.
    pub(super) fn all(content: &Content) -> Vec<Self> {
        let mut all = Vec::new();
        for (at, endpoint) in content.endpoints() {
            let Some(path) = endpoint.path.known() else { continue };
            let path = url_path::without_fragment(path);
            let params = content.params_of(endpoint).unwrap_or_default();
            let constants = params.iter().filter_map(|param| {
                let value = param.const_value.as_ref()?;
                Some((param.name.to_string(), value.to_string()))
            });
            all.push(Self {
                label: label(&at, endpoint),
                segments: path.trim_end_matches('/').split('/').skip(1).map(Segment::of).collect(),
                has_slash: path.len() > 1 && path.ends_with('/'),
                constants: constants.collect(),
            });
        }
        all
    }

    /// `true` if the path of the endpoint is equal to these segments.
    fn has_path(&self, segments: &[String]) -> bool {
        self.segments.len() == segments.len() && self.segments.iter().zip(segments).all(|(own, other)| own.fits(other))
    }

    fn fit(&self, entry: &Entry) -> Fit {
        let literals = self.segments.iter().filter(|segment| matches!(segment, Segment::Literal(_))).count();
        (literals, self.constants.len(), self.has_slash == entry.has_slash)
    }

    fn sends_constants(&self, entry: &Entry) -> bool {
        self.constants.iter().all(|(name, value)| entry.sends(name, value))
    }
}

impl Segment {
    fn of(segment: &str) -> Self {
        match (segment.split_once('{'), segment.rsplit_once('}')) {
            (Some((before, _)), Some((_, after))) => Self::Param { before: before.to_owned(), after: after.to_owned() },
            _ => Self::Literal(segment.to_owned()),
        }
    }

    fn fits(&self, segment: &str) -> bool {
        match self {
            Self::Literal(own) => own == segment,
            Self::Param { before, after } => segment
                .strip_prefix(before.as_str())
                .and_then(|rest| rest.strip_suffix(after.as_str()))
                .is_some_and(|value| !value.is_empty()),
        }
    }
}

/// The host and the base path of a service in the recording.
#[derive(Debug, Default)]
pub(super) struct Service {
    host: String,
    base: Vec<String>,
}

impl Service {
    /// The host and the base path for which the most entries have an endpoint. The base path ends in the suffix of the
    /// catalogue's base URLs. If several fit as well, the one with more literal segments is chosen, then the shortest.
    pub(super) fn choose(content: &Content, candidates: &[Candidate], entries: &[Entry], host: Option<&str>) -> Self {
        let suffix: Vec<&str> = content.service.base_url_suffix().split('/').skip(1).collect();
        let host = host.map(str::to_ascii_lowercase);
        let mut counts: BTreeMap<(&str, &[String]), (usize, usize)> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| host.as_ref().is_none_or(|host| *host == entry.host)) {
            for length in 0..=entry.segments.len() {
                let (base, rest) = entry.segments.split_at(length);
                let is_base = base.len() >= suffix.len() && base[base.len() - suffix.len()..] == suffix[..];
                let fits = candidates.iter().filter(|candidate| is_base && candidate.has_path(rest));
                let Some((literals, ..)) = fits.map(|candidate| candidate.fit(entry)).max() else { continue };
                let count = counts.entry((entry.host.as_str(), base)).or_default();
                count.0 += 1;
                count.1 += literals;
            }
        }
        let mut best = None;
        for ((host, base), count) in counts {
            let is_better = best.as_ref().is_none_or(|(known, _, length)| {
                (count.0, count.1) > *known || (count.0, count.1) == *known && base.len() < *length
            });
            if is_better {
                best = Some(((count.0, count.1), Self { host: host.to_owned(), base: base.to_vec() }, base.len()));
            }
        }
        best.map(|(_, service, _)| service).unwrap_or(Self { host: host.unwrap_or_default(), base: Vec::new() })
    }

    /// The label of the endpoint of an entry, or the reason why there is none.
    pub(super) fn endpoint<'c>(&self, candidates: &'c [Candidate], entry: &Entry) -> Result<&'c str, String> {
        if entry.host != self.host && !self.host.is_empty() {
            return Err(format!("another host than `{}`; `--host {}` chooses it", self.host, entry.host));
        }
        let Some(rest) = entry.segments.strip_prefix(self.base.as_slice()) else {
            return Err(format!("it is not below the base path `/{}` of the other entries", self.base.join("/")));
        };
        let on_path: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.has_path(rest)).collect();
        let fits = on_path.iter().filter(|candidate| candidate.sends_constants(entry));
        if let Some(best) = fits.max_by_key(|candidate| candidate.fit(entry)) {
            return Ok(&best.label);
        }
        let names: Vec<_> = on_path.iter().flat_map(|candidate| &candidate.constants).map(|(name, _)| name).collect();
        match names.first() {
            None => Err("no endpoint has this path".to_owned()),
            Some(name) => Err(format!("no endpoint on this path sends this value of `{name}`")),
        }
    }
}
