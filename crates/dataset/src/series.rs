//! A series to write: a request that has a history, and its path in a data set.
//!
//! The path contains all params of the request except those that a history sets.

use std::ops::Range;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use runtime::history::History;
use runtime::registry::{BodyInfo, EndpointInfo};
use runtime::{Dynamic, Interval, Request, Timestamp};

use crate::column_names::{ENDPOINT, FETCHED_AT, UNKNOWN_FIELDS};
use crate::error::Error;

/// Columns that each table has.
const COLUMNS: [&str; 3] = [ENDPOINT, UNKNOWN_FIELDS, FETCHED_AT];

/// The beginning of the name in tables of a param that has the name of such a column.
const PARAM_PREFIX: &str = "param_";

/// A time series of records: an endpoint with its params.
///
/// ```
/// # fn demo(request: runtime::Request<runtime::Dynamic>) -> Result<(), generated_client_dataset::Error> {
/// let series = generated_client_dataset::SeriesRequest::new(request)?;
/// println!("{}", series.path()); // weather.levels/site=dover/interval=1h
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SeriesRequest {
    request: Request<Dynamic>,
    /// The params that can distinguish series of the endpoint, with the values that are set.
    pub(crate) params: Vec<(String, Option<String>)>,
    path: String,
    interval: Interval,
    time: &'static str,
    /// Whether the time of a record is the end of its interval; otherwise, it is the start.
    pub(crate) time_is_end: bool,
    range: Option<Range<Timestamp>>,
}

impl SeriesRequest {
    /// Creates the series of a request. Returns an error if its endpoint has no history, or if a param is missing or
    /// invalid.
    pub fn new(request: impl Into<Request<Dynamic>>) -> Result<Self, Error> {
        let request = request.into();
        let endpoint = request.endpoint();
        let start = Timestamp::from_unix_seconds(0);
        let interval = History::new(request.clone(), start..start).plan()?.interval;
        let BodyInfo::Series { time: Some(time), .. } = endpoint.body else {
            return Err(Error::invalid_input(format!("{endpoint}: the records of this endpoint have no time field")));
        };
        let history = endpoint.history(request.service());
        let mut params = params(&request);
        if params.iter().any(|(name, value)| name == time && value.is_some()) {
            return Err(Error::invalid_input(format!(
                "{endpoint}: the param `{time}` has the name of the time field of a record; omit it"
            )));
        }
        params.retain(|(name, _)| name != time);
        let mut path = endpoint.to_string();
        for (name, value) in &params {
            if let Some(value) = value {
                path.push('/');
                path.push_str(&encoded_param(name, value));
            }
        }
        let time_is_end = history.is_some_and(|info| info.time_is_end);
        Ok(Self { request, params, path, interval, time, time_is_end, range: None })
    }

    /// Returns the request without a range.
    pub fn request(&self) -> &Request<Dynamic> {
        &self.request
    }

    /// Sets the time range of this series, with an exclusive end. By default, it is that of the [job](crate::Backfill).
    /// A series whose range ends before [`Backfill::OPEN_END`](crate::Backfill::OPEN_END) is fetched by runs and not
    /// [followed](crate::Backfill::follow).
    #[must_use]
    pub fn within(self, range: Range<impl Into<Timestamp>>) -> Self {
        Self { range: Some(range.start.into()..range.end.into()), ..self }
    }

    /// Returns the time range of this series; `None` if it is that of the job.
    pub fn range(&self) -> Option<&Range<Timestamp>> {
        self.range.as_ref()
    }

    /// Returns the endpoint's description in the catalogue.
    pub fn endpoint(&self) -> &'static EndpointInfo {
        self.request.endpoint()
    }

    /// Returns the path that identifies this series: the endpoint and the params that are set.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the intervals of the records; [`Interval::EVENTS`] if they have no regular step.
    pub fn interval(&self) -> Interval {
        self.interval
    }

    /// The end of the times of records whose intervals have ended at a time.
    pub(crate) fn closed(&self, time: Timestamp) -> Timestamp {
        self.interval.start_of(time) + Duration::from_nanos(self.time_is_end.into())
    }

    /// The fields that identify a record in addition to its time; none if the catalogue declares none.
    pub(crate) fn key(&self) -> Vec<String> {
        self.endpoint().key.iter().map(|name| (*name).to_owned()).collect()
    }

    /// The time field of a record.
    pub(crate) fn time(&self) -> &'static str {
        self.time
    }
}

/// The endpoint in the path of a series.
pub(crate) fn endpoint_of(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// `true` if the series with these paths are of several endpoints.
pub(crate) fn have_several_endpoints<'p>(paths: impl Iterator<Item = &'p str>) -> bool {
    let mut endpoints = paths.map(endpoint_of);
    let Some(first) = endpoints.next() else { return false };
    endpoints.any(|endpoint| endpoint != first)
}

/// The params that can distinguish series of an endpoint, with the values that are set. An empty value counts
/// as not set. Params that are not in the catalogue are first, then the optional params, the required params, and the
/// interval.
fn params(request: &Request<Dynamic>) -> Vec<(String, Option<String>)> {
    let endpoint = request.endpoint();
    let history = endpoint.history(request.service());
    let mut known: Vec<_> = endpoint.params().collect();
    if let Some(info) = history {
        let sort = info.sort.map_or("", |(param, _)| param);
        known.retain(|param| ![info.from, info.to, info.limit, sort].contains(&param.wire_name));
        known.sort_by_key(|param| (param.wire_name == info.step, param.required.is_some()));
    } else {
        known.sort_by_key(|param| param.required.is_some());
    }
    let mut names = Vec::new();
    for (name, _) in request.params() {
        if endpoint.param(name).is_none() {
            names.push(name);
        }
    }
    for param in known {
        names.push(param.wire_name);
    }
    let mut all: Vec<(String, Option<String>)> = Vec::new();
    for name in names {
        let stored = stored_name(endpoint, name);
        if all.iter().all(|(known, _)| *known != stored) {
            all.push((stored, value_of(request, name)));
        }
    }
    all
}

/// The values of a param that are set, separated by commas; `None` if there are none.
fn value_of(request: &Request<Dynamic>, name: &str) -> Option<String> {
    let mut values = Vec::new();
    for (other, value) in request.params() {
        if other == name && !value.is_empty() {
            values.push(value);
        }
    }
    if values.is_empty() { None } else { Some(values.join(",")) }
}

/// The name of a param in tables: the oldest one, so that a rename by the service continues the stored series. A
/// param with the name of a column that each table has gets a prefix. A param whose own name is such a name with prefixes
/// gets a further one, so that no two params have the same name.
pub fn stored_name(endpoint: &EndpointInfo, name: &str) -> String {
    let mut stored = name;
    if let Some(param) = endpoint.param(name)
        && let Some(oldest) = param.also_named.first()
    {
        stored = oldest;
    }
    let without_prefixes = stored.trim_start_matches(PARAM_PREFIX);
    if COLUMNS.contains(&without_prefixes) {
        return format!("{PARAM_PREFIX}{stored}");
    }
    stored.to_owned()
}

/// Characters that are encoded in paths: all but ASCII letters, digits and `-_.,`, because other characters may have a
/// meaning in paths.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b',');

/// The part of a path for a param and its value, for example `site=dover`.
fn encoded_param(name: &str, value: &str) -> String {
    format!("{}={}", utf8_percent_encode(name, SPECIAL), utf8_percent_encode(value, SPECIAL))
}

/// The decoded name and value of a part such as `site=dover`; `None` for other parts.
pub(crate) fn read_param(part: &str) -> Option<(String, String)> {
    let (name, value) = part.split_once('=')?;
    Some((decoded(name)?, decoded(value)?))
}

fn decoded(text: &str) -> Option<String> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, ParamInfo, ValueType};

    use super::*;

    #[test]
    fn renamed_param_keeps_its_oldest_name() {
        const SYMBOL: ParamInfo =
            ParamInfo::new("coin", "symbol", ValueType::String, Evidence::Documented).also_named(&["coin", "currency"]);
        static ENDPOINT: EndpointInfo = EndpointInfo::of("market", "rates").accepts(&[&[SYMBOL]]);
        for (name, stored) in [
            ("symbol", "coin"),
            ("currency", "coin"),
            ("coin", "coin"),
            ("venue", "venue"),
            ("endpoint", "param_endpoint"),
            ("param_endpoint", "param_param_endpoint"),
            ("param_param_endpoint", "param_param_param_endpoint"),
            ("param_fetched_at", "param_param_fetched_at"),
            ("param_site", "param_site"),
        ] {
            assert_eq!(stored_name(&ENDPOINT, name), stored);
        }
    }

    #[test]
    fn param_round_trips() {
        for (name, value, expected) in [
            ("site", "dover", "site=dover"),
            ("list", "a_b,c-d.e", "list=a_b,c-d.e"),
            ("site", "a/b=c %\n", "site=a%2Fb%3Dc%20%25%0A"),
            ("site", "ü", "site=%C3%BC"),
            ("site", "..", "site=.."),
            ("site", "", "site="),
        ] {
            assert_eq!(encoded_param(name, value), expected);
            assert_eq!(read_param(expected), Some((name.to_owned(), value.to_owned())));
        }
    }
}
