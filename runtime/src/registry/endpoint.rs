//! Groups and endpoints with their params.
//!
//! What is not known of an endpoint is left out and never guessed: its path, its params, its body.

use std::fmt;

use super::{Evidence, HistorySource, Range, RecordInfo, TimeUnit, ValueType};

/// One metric group.
#[derive(Debug)]
#[non_exhaustive]
pub struct GroupInfo {
    /// The accessor on `Client` and the name of the module.
    pub ident: &'static str,
    /// Name of the group in market terms.
    pub title: &'static str,
    /// One sentence on what the group measures.
    pub summary: &'static str,
    /// Other names in print.
    pub aliases: &'static [&'static str],
    /// What else is known of all its endpoints; empty if nothing is.
    pub notes: &'static str,
    /// Every endpoint of the group, also those known by name only.
    pub endpoints: &'static [&'static EndpointInfo],
}

/// One endpoint, as the catalogue describes it.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndpointInfo {
    /// The group's ident.
    pub group: &'static str,
    /// The method on the group's handle.
    pub ident: &'static str,
    /// The endpoint's name.
    pub name: &'static str,
    /// Other names in print.
    pub aliases: &'static [&'static str],
    /// One sentence on what it measures.
    pub summary: &'static str,
    /// Path from the base URL on; `None` if only the name is known.
    pub path: Option<&'static str>,
    /// How the path is known, or the name where the path is not.
    pub evidence: Evidence,
    /// The params it takes; `None` if unknown.
    pub params: Option<ParamList>,
    /// Body of a response.
    pub body: BodyInfo,
    /// Params of its history; [`EndpointInfo::history`] returns whether it has one.
    pub history: HistorySource,
    /// How many requests the service counts a request as, where it limits them.
    pub weight: u32,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// Why it is deprecated and what to use instead, if it is.
    pub deprecated: Option<&'static str>,
}

impl EndpointInfo {
    /// The param with this name on the wire.
    pub fn param(&self, wire_name: &str) -> Option<&'static ParamInfo> {
        self.params.unwrap_or_default().iter().find(|param| param.wire_name == wire_name)
    }

    /// Whether it is named, by its group or by its path.
    pub(crate) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| *name == self.group || Some(*name) == self.path)
    }
}

/// `market.ratio`: the group and the method.
impl fmt::Display for EndpointInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.group, self.ident)
    }
}

/// The params of an endpoint: those of a set that it shares with others, then its own.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct ParamList {
    /// The params of the set.
    pub set: &'static [ParamInfo],
    /// Params of the set about which this endpoint has other facts.
    pub changed: &'static [ParamInfo],
    /// Its own params.
    pub own: &'static [ParamInfo],
}

impl ParamList {
    /// All of them, as this endpoint accepts them.
    pub fn iter(self) -> impl Iterator<Item = &'static ParamInfo> {
        let changed = move |param: &'static ParamInfo| {
            self.changed.iter().find(|changed| changed.wire_name == param.wire_name).unwrap_or(param)
        };
        self.set.iter().map(changed).chain(self.own)
    }

    /// How many there are.
    pub const fn len(self) -> usize {
        self.set.len() + self.own.len()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for ParamList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// One param, as one endpoint takes it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParamInfo {
    /// The setter on the request.
    pub ident: &'static str,
    /// The name on the wire.
    pub wire_name: &'static str,
    /// Where it is sent.
    pub location: ParamLocation,
    /// What one value is.
    pub ty: ValueType,
    /// The setter that takes several values.
    pub list_setter: Option<&'static str>,
    /// How several values are written.
    pub list_as: ListFormat,
    /// Value that every request sends; such a param has no setter.
    pub const_value: Option<&'static str>,
    /// How it is known to be required; `None` if it is not known to be.
    pub required: Option<Evidence>,
    /// What the service takes where it is left out.
    pub default: Option<&'static str>,
    /// The only values that public clients were served; empty if nothing is known. Never enforced.
    pub allowed_values: &'static [&'static str],
    /// Values that are known to work on this endpoint, which others may too.
    pub tested_values: &'static [&'static str],
    /// Values that this endpoint is known to reject. Never enforced.
    pub rejected_values: &'static [&'static str],
    /// Example of a value.
    pub example: Option<&'static str>,
    /// Source of the fact that only one value is accepted, although [`list_setter`](Self::list_setter) exists; `None` if it is not
    /// known.
    pub single_value: Option<Evidence>,
    /// The smallest and the largest value.
    pub range: Range,
    /// The unit, in words; empty if it has none.
    pub unit: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}

/// How several values of a param are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListFormat {
    /// With commas between them: `a=1,2`.
    Commas,
    /// Each value as a separate param: `a=1&a=2`.
    Repeated,
    /// As a list in JSON: `a=["x","y"]`.
    Json,
}

/// Where a param is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParamLocation {
    /// In the query.
    Query,
    /// In the path.
    Path,
}

/// What a body is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BodyInfo {
    /// The envelope with a list of records.
    #[non_exhaustive]
    Series {
        /// The records; `None` if their fields are unknown.
        record: Option<&'static RecordInfo>,
        /// Field with the time of a record; `None` if the list is not a time series.
        time: Option<&'static str>,
        /// The unit of that field where the fields are unknown, if it is another than the service's.
        time_unit: Option<TimeUnit>,
        /// How the body is known.
        evidence: Evidence,
    },
    /// One object.
    #[non_exhaustive]
    Object {
        /// Its fields.
        record: &'static RecordInfo,
        /// How the body is known.
        evidence: Evidence,
    },
    /// Nothing is known of it.
    Unknown,
}
