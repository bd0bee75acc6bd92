//! Groups and endpoints with their params.
//!
//! Unknown facts about an endpoint, such as its path, its params or its body, are omitted and never guessed.
//!
//! A service declares the params that select a time range once. An endpoint has a history if it accepts them and
//! returns a time series.

use std::fmt;
use std::time::Duration;

use super::evidence::Evidence;
use super::pages::PagesInfo;
use super::step::Step;
use super::value::{Range, RecordInfo, ValueType};

/// A group of endpoints.
#[derive(Debug)]
pub struct GroupInfo {
    /// The name of the group's accessor on `Client` and of the group's module.
    pub ident: &'static str,
    /// Name of the group as shown to users, for example `Daily Values`.
    pub title: &'static str,
    /// A description of the group in one sentence.
    pub summary: &'static str,
    /// Alternative names used in documentation.
    pub aliases: &'static [&'static str],
    /// Further notes that apply to all endpoints of the group; may be empty.
    pub notes: &'static str,
    /// Every endpoint of the group, including endpoints of which only the name is known.
    pub endpoints: &'static [&'static EndpointInfo],
}

entry! {
    /// One endpoint, as the catalogue describes it.
    #[derive(Debug)]
    pub struct EndpointInfo {
        /// The `ident` of the endpoint's group.
        pub group: &'static str,
        /// The name of the method on the group's handle.
        pub ident: &'static str,
        /// The endpoint's title, such as `Volume Ratio`; `ident` is its name in code.
        pub name: &'static str,
        ..
        /// Alternative names used in documentation.
        pub aliases: &'static [&'static str] = &[],
        /// A description of the endpoint in one sentence.
        pub summary: &'static str = "",
        /// Path relative to the base URL; `None` if only the name is known.
        pub path: Option<&'static str> = None,
        /// Source of the path, or of the name if the path is unknown.
        pub evidence: Evidence = Evidence::Documented,
        /// The params that the endpoint accepts, in several lists, because endpoints share lists; `None` if the params
        /// are unknown. [`EndpointInfo::params`] returns the params of all lists.
        pub param_lists: Option<&'static [&'static [ParamInfo]]> = None,
        /// Body of a response.
        pub body: BodyInfo = BodyInfo::Unknown,
        /// Format of the text of a body. The body of a series in another format than JSON is the list of the records.
        pub format: BodyFormat = BodyFormat::Json,
        /// JSON path of the records of a series, if it differs from that of the envelope. One key can be `*`, for the only
        /// member whose value is a list; `.` means that the body is the list. If the records have labels, `*` stands for
        /// each item of a list, or each member of an object: each is a group of records.
        pub data: Option<&'static str> = None,
        /// `true` if the list of records can be missing or null in a response without records.
        pub data_optional: bool = false,
        /// Where the params of the endpoint's history are declared; [`EndpointInfo::history`] returns these params.
        pub history_source: HistorySource = HistorySource::Service,
        /// `true` if help uses this endpoint as its example.
        pub is_example: bool = false,
        /// The weight of one call of this endpoint: the service's rate limit counts the call as this number of requests.
        pub weight: u32 = 1,
        /// A param, and the weights of calls whose value of the param is at most a number, in ascending order; `None` if
        /// the weight of all calls is [`weight`](Self::weight).
        pub weight_by: Option<(&'static str, &'static [(u32, u32)])> = None,
        /// The fields that identify a record of a series in addition to its time, by their wire names; empty if there is
        /// at most one record for each time, or if it is unknown.
        pub key: &'static [&'static str] = &[],
        /// The way from each page of records to the next page; `None` if a response has all records, or if the way is
        /// unknown.
        pub pages: Option<PagesInfo> = None,
        /// Further notes; may be empty.
        pub notes: &'static str = "",
        /// Facts about the endpoint that are unknown, for example `the unit`.
        pub unknown: &'static [&'static str] = &[],
        /// The reason for a deprecation and the replacement; `None` if the endpoint is not deprecated.
        pub deprecated: Option<&'static str> = None,
    }
}

impl EndpointInfo {
    /// Creates an endpoint without a title, so that the call fits on one line of emitted code.
    #[doc(hidden)]
    pub const fn of(group: &'static str, ident: &'static str) -> Self {
        Self::new(group, ident, ident)
    }

    /// Sets the lists of params, without `Some`, so that the call fits on one line of emitted code.
    #[doc(hidden)]
    #[must_use]
    pub const fn accepts(mut self, params: &'static [&'static [ParamInfo]]) -> Self {
        self.param_lists = Some(params);
        self
    }

    /// Returns the params that the endpoint accepts; none if they are unknown.
    pub fn params(&self) -> impl Iterator<Item = &'static ParamInfo> + Clone + use<> {
        self.param_lists.unwrap_or_default().iter().copied().flatten()
    }

    /// Returns the param with this name on the wire, or with this earlier name.
    pub fn param(&self, wire_name: &str) -> Option<&'static ParamInfo> {
        self.params().nth(self.param_index(wire_name)?)
    }

    /// Returns the position of the param with this name on the wire, or with this earlier name.
    pub(crate) fn param_index(&self, wire_name: &str) -> Option<usize> {
        let named = self.params().position(|param| param.wire_name == wire_name);
        named.or_else(|| self.params().position(|param| param.also_named.contains(&wire_name)))
    }

    /// Returns the weight of a call, at least 1, given the values of its params by their names on the wire.
    pub fn weight_of<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> u32 {
        let by = self.weight_by.and_then(|(param, steps)| {
            let value: u32 = value(param).or_else(|| self.param(param)?.default)?.parse().ok()?;
            steps.iter().find(|(max, _)| value <= *max)
        });
        by.map_or(self.weight, |(_, weight)| *weight).max(1)
    }

    /// `true` if one of the names is the endpoint's group or path.
    pub(crate) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| *name == self.group || Some(*name) == self.path)
    }
}

/// Writes the group and the method, for example `market.ratio`.
impl fmt::Display for EndpointInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.group, self.ident)
    }
}

entry! {
    /// One param, as one endpoint accepts it.
    #[derive(Clone, Copy, Debug)]
    pub struct ParamInfo {
        /// The setter on the request.
        pub ident: &'static str,
        /// The name on the wire.
        pub wire_name: &'static str,
        /// Type of one value of the param.
        pub ty: ValueType,
        /// Source of the param.
        pub evidence: Evidence,
        ..
        /// Earlier names on the wire, the oldest first.
        pub also_named: &'static [&'static str] = &[],
        /// Location in the request.
        pub location: ParamLocation = ParamLocation::Query,
        /// The setter that accepts several values.
        pub list_setter: Option<&'static str> = None,
        /// Format of a list of values on the wire.
        pub list_as: ListFormat = ListFormat::Commas,
        /// The constant value that every request sends; such a param has no setter. `None` if the value is not constant.
        pub const_value: Option<&'static str> = None,
        /// Source of the fact that the param is required; `None` if this is not known.
        pub required: Option<Evidence> = None,
        /// The service's default if the param is omitted.
        pub default: Option<&'static str> = None,
        /// The only values that worked for public clients; empty if unknown. The client does not enforce them.
        pub allowed_values: &'static [&'static str] = &[],
        /// Values that are known to work on this endpoint; other values may work too.
        pub tested_values: &'static [&'static str] = &[],
        /// Values that this endpoint is known to reject. The client does not enforce this.
        pub rejected_values: &'static [&'static str] = &[],
        /// Example value.
        pub example: Option<&'static str> = None,
        /// `true` if the examples in docs and help set this optional param, because a request without it returns other
        /// data than users expect.
        pub in_examples: bool = false,
        /// Source of the fact that only one value is accepted, although [`list_setter`](Self::list_setter) exists; `None`
        /// if several values may be accepted.
        pub single_value: Option<Evidence> = None,
        /// Minimum and maximum of the value.
        pub range: Range = Range::ALL,
        /// The unit as text; empty if there is none.
        pub unit: &'static str = "",
        /// Meaning of the param.
        pub summary: &'static str = "",
        /// Further notes; may be empty.
        pub notes: &'static str = "",
        /// Facts about the param that are unknown, for example `the unit`.
        pub unknown: &'static [&'static str] = &[],
    }
}

impl ParamInfo {
    /// The character between two values; `None` if each value is a separate param. In a path, the values of a list
    /// are separated by commas, like the style `simple` of OpenAPI, or by colons or semicolons.
    #[doc(hidden)]
    pub fn separator(&self) -> Option<char> {
        match self.list_as {
            ListFormat::Colons => Some(':'),
            ListFormat::Semicolons => Some(';'),
            _ if self.location == ParamLocation::Path => Some(','),
            ListFormat::Commas | ListFormat::Json => Some(','),
            ListFormat::Repeated => None,
            ListFormat::Spaces => Some(' '),
            ListFormat::Pipes => Some('|'),
        }
    }

    /// The largest number that the service is known to accept, or else the default.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The cast saturates.
    pub(crate) fn largest(&self) -> Option<usize> {
        let served = self.allowed_values.iter().filter_map(|size| size.parse().ok()).max();
        let allowed = self.range.max.map(|max| max as usize);
        served.or(allowed).or_else(|| self.default?.parse().ok())
    }
}

/// Format of a list of values of a param.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListFormat {
    /// Separated by commas: `a=1,2`.
    Commas,
    /// Each value as a separate param: `a=1&a=2`.
    Repeated,
    /// As a JSON list: `a=["x","y"]`.
    Json,
    /// Separated by spaces: `a=1%202`.
    Spaces,
    /// Separated by vertical bars: `a=1|2`.
    Pipes,
    /// Separated by colons: `a=1:2`.
    Colons,
    /// Separated by semicolons: `a=1;2`.
    Semicolons,
}

/// Location of a param in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamLocation {
    /// In the query.
    Query,
    /// In the path.
    Path,
}

/// Format of the text of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyFormat {
    /// JSON.
    Json,
    /// Lines of values that are separated by commas (RFC 4180). The first line has the names of the fields, unless the
    /// records are positional.
    Csv,
    /// As `Csv`, but values are separated by semicolons.
    CsvSemicolons,
    /// As `Csv`, but values are separated by vertical bars.
    CsvPipes,
    /// As `Csv`, but values are separated by tabs.
    Tsv,
    /// A JSON value in each line.
    Ndjson,
    /// JSON or any other text. No catalogue declares it; it is for programs that learn the format of a body.
    Text,
}

impl BodyFormat {
    /// Returns the media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv => "text/csv",
            Self::CsvSemicolons => "text/csv; separator=semicolons",
            Self::CsvPipes => "text/csv; separator=pipes",
            Self::Tsv => "text/tab-separated-values",
            Self::Ndjson => "application/x-ndjson",
            Self::Text => "text/plain",
        }
    }

    /// The header `accept` of requests. Services label CSV and lines of JSON with many media types, and their errors are
    /// usually JSON, so any other type is accepted too.
    pub(crate) const fn accept(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv | Self::CsvSemicolons | Self::CsvPipes => "text/csv, */*;q=0.1",
            Self::Tsv => "text/tab-separated-values, */*;q=0.1",
            Self::Ndjson => "application/x-ndjson, */*;q=0.1",
            Self::Text => "application/json, */*;q=0.1",
        }
    }

    /// The character between two values of a row; `None` for a format without rows.
    #[doc(hidden)]
    pub const fn separator(self) -> Option<char> {
        match self {
            Self::Csv => Some(','),
            Self::CsvSemicolons => Some(';'),
            Self::CsvPipes => Some('|'),
            Self::Tsv => Some('\t'),
            Self::Json | Self::Ndjson | Self::Text => None,
        }
    }

    /// The name of the format for messages and docs.
    #[doc(hidden)]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Csv => "CSV",
            Self::CsvSemicolons => "CSV with semicolons",
            Self::CsvPipes => "CSV with vertical bars",
            Self::Tsv => "tab-separated values",
            Self::Ndjson => "lines of JSON",
            Self::Text => "text",
        }
    }
}

/// Type of a response body.
#[derive(Clone, Copy, Debug)]
pub enum BodyInfo {
    /// A list of records in the envelope.
    Series {
        /// The records; `None` if their fields are unknown.
        record: Option<&'static RecordInfo>,
        /// Field with the time of a record; `None` if the list is not a time series.
        time: Option<&'static str>,
        /// Source of the body's description.
        evidence: Evidence,
    },
    /// One object.
    Object {
        /// The fields of the object.
        record: &'static RecordInfo,
        /// Source of the body's description.
        evidence: Evidence,
    },
    /// Unknown.
    Unknown,
}

/// Params that select a time range, by their wire names. A name is empty if there is no such param; `from` or `to` is
/// not empty. If both are the same param, its value is a list of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryInfo {
    /// Param that sets the beginning of the range.
    pub from: &'static str,
    /// Param that sets the end of the range.
    pub to: &'static str,
    /// Param that sets the maximum number of records.
    pub limit: &'static str,
    /// Param that sets the interval between records; the type of the param declares the steps of the values. Empty if the
    /// step is always `every`, and for events, which have any times.
    pub step: &'static str,
    /// The step between records, if there is no `step`; `None` for events.
    pub every: Option<Step>,
    /// A time at which an interval begins, in Unix seconds. By default, weeks begin on Monday, and others in UTC.
    pub anchor: Option<i64>,
    /// The maximum age of records; `None` if it is unknown. A history starts no earlier.
    pub oldest: Option<Duration>,
    /// True if the time of a record is the end of its interval, so that the record is final at its time.
    pub time_is_end: bool,
    /// True if a response has the record at the start of the range, so that the start is sent as it is.
    pub includes_start: bool,
    /// Param that sets the order of records, and its value for ascending time; `None` if there is no such param.
    pub sort: Option<(&'static str, &'static str)>,
    /// Source of these params.
    pub evidence: Evidence,
}

impl HistoryInfo {
    /// Returns whether the records have an interval between them. Records without an interval are events.
    pub const fn has_interval(&self) -> bool {
        self.every.is_some() || !self.step.is_empty()
    }
}

/// Where the params of an endpoint's history are declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistorySource {
    /// The service declares the params. The endpoint has a history if it accepts them.
    #[default]
    Service,
    /// The endpoint declares the params.
    Endpoint(&'static HistoryInfo),
    /// The params are unknown. The endpoint has no history, even if it accepts the params that the service declares.
    Unknown,
}
