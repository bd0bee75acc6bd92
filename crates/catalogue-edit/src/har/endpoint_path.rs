//! The paths of the endpoints in a catalogue, with which the paths of recorded requests are compared.

use catalogue::url_path;

use super::entry::Entry;
use crate::content::{Content, label};
use crate::observed_query::QueryParam;

/// An endpoint with a path.
#[derive(Debug)]
pub(super) struct EndpointPath {
    /// The name of the endpoint for messages and for `learn`.
    pub(super) label: String,
    /// The name of the base URL, if the endpoint is on another host than those of the service.
    base_url: Option<String>,
    segments: Vec<Segment>,
    has_slash: bool,
    /// The params that every request sends.
    pub(super) constants: Vec<Constant>,
}

/// A param that every request sends with the same value.
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) name: String,
    value: String,
}

/// A segment of a path in the catalogue.
#[derive(Debug)]
enum Segment {
    Literal(String),
    /// A segment that contains a param: the texts before and after it.
    Param {
        name: String,
        before: String,
        after: String,
    },
}

/// How well an endpoint fits an entry; a larger value fits better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// The number of segments without a param.
    pub(super) literals: usize,
    constants: usize,
    /// `true` if both paths end in `/`, or neither does.
    is_end_equal: bool,
}

impl EndpointPath {
    /// The endpoints of a catalogue that have a path.
    pub(super) fn all(content: &Content) -> Vec<Self> {
        let mut all = Vec::new();
        for (at, endpoint) in content.endpoints() {
            let Some(path) = endpoint.path.known() else { continue };
            let path = url_path::without_fragment(path);
            let mut segments = Vec::new();
            for segment in path.trim_end_matches('/').split('/').skip(1) {
                segments.push(Segment::parse(segment));
            }
            let mut constants = Vec::new();
            for param in content.params_of(endpoint).unwrap_or_default() {
                if let Some(value) = param.const_value {
                    constants.push(Constant { name: param.name.to_string(), value: value.to_string() });
                }
            }
            let has_slash = path.len() > 1 && path.ends_with('/');
            let base_url = content.groups[&at.module].base_url.as_ref().map(|base_url| base_url.name.to_string());
            all.push(Self { label: label(&at, endpoint), base_url, segments, has_slash, constants });
        }
        all
    }

    /// `true` if the endpoint is below the base URL with this name, or that of the service.
    pub(super) fn is_below(&self, base_url: Option<&str>) -> bool {
        self.base_url.as_deref() == base_url
    }

    /// `true` if the path of the endpoint is equal to these segments.
    pub(super) fn has_segments(&self, segments: &[String]) -> bool {
        if self.segments.len() != segments.len() {
            return false;
        }
        self.segments.iter().zip(segments).all(|(expected, segment)| expected.fits(segment))
    }

    /// The params of the path with their values in these segments.
    pub(super) fn params(&self, segments: &[String]) -> Vec<QueryParam> {
        let mut params = Vec::new();
        for (expected, segment) in self.segments.iter().zip(segments) {
            if let Segment::Param { name, .. } = expected
                && let Some(value) = expected.value_in(segment)
            {
                params.push(QueryParam { name: name.clone(), value: value.to_owned() });
            }
        }
        params
    }

    pub(super) fn fit(&self, entry: &Entry) -> Fit {
        let mut literals = 0;
        for segment in &self.segments {
            if matches!(segment, Segment::Literal(_)) {
                literals += 1;
            }
        }
        Fit { literals, constants: self.constants.len(), is_end_equal: self.has_slash == entry.has_slash }
    }

    pub(super) fn are_constants_sent(&self, entry: &Entry) -> bool {
        self.constants.iter().all(|constant| entry.sends(&constant.name, &constant.value))
    }
}

impl Segment {
    fn parse(segment: &str) -> Self {
        let Some((before, rest)) = segment.split_once('{') else { return Self::Literal(segment.to_owned()) };
        let Some((name, after)) = rest.rsplit_once('}') else { return Self::Literal(segment.to_owned()) };
        Self::Param { name: name.to_owned(), before: before.to_owned(), after: after.to_owned() }
    }

    fn fits(&self, segment: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == segment,
            Self::Param { .. } => self.value_in(segment).is_some(),
        }
    }

    /// The value of the param in a segment of a request.
    fn value_in<'s>(&self, segment: &'s str) -> Option<&'s str> {
        let Self::Param { before, after, .. } = self else { return None };
        let value = segment.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
        if value.is_empty() { None } else { Some(value) }
    }
}
