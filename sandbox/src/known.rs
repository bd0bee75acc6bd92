//! Lookups in the registry that several files need.
//!
//! They search the emitted registry at run time, so that nothing is listed twice.

use std::sync::LazyLock;

use generated_client::GROUPS;
use generated_client::registry::{EndpointInfo, ParamInfo, TypeInfo, ValueInfo, ValueType};

/// Every endpoint that has a path.
pub(crate) fn endpoints() -> impl Iterator<Item = (&'static str, &'static EndpointInfo)> {
    let all = GROUPS.iter().flat_map(|group| group.endpoints);
    all.filter_map(|endpoint| Some((endpoint.path?, *endpoint)))
}

/// The endpoint with this path, as the catalogue writes it.
pub(crate) fn endpoint(path: &str) -> Option<&'static EndpointInfo> {
    endpoints().find(|(known, _)| *known == path).map(|(_, endpoint)| endpoint)
}

/// The type of the venues: identifiers with attributes.
pub(crate) fn venues() -> Option<&'static TypeInfo> {
    params().find_map(|param| named(param).filter(|_| is_venue(param)))
}

/// Whether a param names venues.
pub(crate) fn is_venue(param: &ParamInfo) -> bool {
    named(param).is_some_and(|named| !named.attributes.is_empty())
}

/// The kinds of venues by which a param can choose, as `spot` chooses venues that end in `_spot`.
pub(crate) fn kinds() -> &'static [&'static str] {
    static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let venues = venues().map_or(&[][..], |venues| venues.values);
        let is_named = |word: &&str| venues.iter().any(|venue| is_of_kind(venue.value, word));
        params().filter_map(closed).flatten().map(|value| value.value).filter(is_named).collect()
    });
    &KINDS
}

/// Whether a param chooses venues by their ending.
pub(crate) fn chooses_kinds(param: &ParamInfo) -> bool {
    closed(param).is_some_and(|values| values.iter().any(|value| kinds().contains(&value.value)))
}

/// Whether a word names how a venue ends.
pub(crate) fn is_of_kind(venue: &str, word: &str) -> bool {
    venue.split_once('_').is_some_and(|(_, kind)| kind.eq_ignore_ascii_case(word))
}

/// The values of a param that takes no other ones.
pub(crate) fn closed(param: &ParamInfo) -> Option<&'static [ValueInfo]> {
    named(param).filter(|named| !named.open).map(|named| named.values)
}

/// Whether the values of a param are lengths of time.
pub(crate) fn is_length(param: &ParamInfo) -> bool {
    named(param).is_some_and(|named| named.values.iter().any(|value| value.duration.is_some()))
}

/// Whether a param names the coin or the like: an identifier without attributes, or a required text.
pub(crate) fn is_traded(param: &ParamInfo) -> bool {
    let is_text = matches!(param.ty, ValueType::String) && param.required.is_some();
    is_text || named(param).is_some_and(|named| named.open && named.attributes.is_empty())
}

/// The type of what is traded, for endpoints without such a param.
pub(crate) fn traded() -> Option<&'static TypeInfo> {
    params().filter(|param| is_traded(param)).find_map(named)
}

/// The value that a form begins with: the param's first known value.
pub(crate) fn first_value(param: &ParamInfo) -> &'static str {
    let first = named(param).and_then(|named| named.values.first()).map(|value| value.value);
    param.example.or(first).unwrap_or("sandbox")
}

fn named(param: &ParamInfo) -> Option<&'static TypeInfo> {
    if let ValueType::Named(named) = param.ty { Some(named) } else { None }
}

fn params() -> impl Iterator<Item = &'static ParamInfo> {
    endpoints().flat_map(|(_, endpoint)| endpoint.params.unwrap_or_default())
}

/// The last segment of a path, which names the endpoint.
pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit('/').find(|segment| !segment.is_empty() && !segment.starts_with('{')).unwrap_or(path)
}
