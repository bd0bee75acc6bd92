//! A series to request: an endpoint with a value for each param.
//!
//! Each series gets a label that distinguishes it from the others. Nothing is sent here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use runtime::history::{History, Plan};
use runtime::{AnyClient as Client, Dynamic, Request, Timestamp};

use crate::endpoint_names::{Endpoint, history, is_same, name};
use crate::failure::Result;
use crate::log::Log;
use crate::metrics_figures::SeriesLabels;
use crate::param_options::range_params;
use crate::param_values::ParamValue;
use crate::program::service;
use crate::time_arg::{self, Start};

/// One endpoint with one value for each param.
#[derive(Clone, Debug)]
pub(crate) struct RequestedSeries {
    pub(crate) endpoint: Endpoint,
    /// The name of each param in the API, and its value.
    pub(crate) values: Vec<(String, ParamValue)>,
    /// The start and the end of its range, if they are not those of all series.
    pub(crate) from: Option<Start>,
    pub(crate) to: Option<Timestamp>,
}

impl RequestedSeries {
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, values: Vec::new(), from: None, to: None }
    }

    pub(crate) fn value(&self, wire_name: &str) -> Option<&ParamValue> {
        self.values.iter().find(|(name, _)| name == wire_name).map(|(_, value)| value)
    }

    /// The labels of the series in metrics.
    pub(crate) fn metric_labels(&self) -> SeriesLabels {
        let mut params = Vec::new();
        for (name, value) in self.identity() {
            params.extend(value.map(|value| format!("{name}={value}")));
        }
        SeriesLabels { endpoint: self.endpoint.to_string(), params: params.join(" ") }
    }

    /// The params that distinguish the series from others, with their values as files have them. The params of
    /// a range and of a page do not.
    pub(crate) fn identity(&self) -> Vec<(String, Option<String>)> {
        let history = history(self.endpoint).or(service().history.as_ref());
        let range: Vec<_> = history.into_iter().flat_map(range_params).collect();
        let mut identity = Vec::new();
        for (name, value) in &self.values {
            if range.contains(&name.as_str()) {
                continue;
            }
            identity.push((name.clone(), Some(value.texts().join(","))));
        }
        identity
    }
}

impl PartialEq for RequestedSeries {
    fn eq(&self, other: &Self) -> bool {
        is_same(self.endpoint, other.endpoint) && self.values == other.values
    }
}

/// A short label for each series, with the values in which the series differ.
pub(crate) fn labels(series: &[RequestedSeries]) -> Vec<String> {
    let names = differing(series);
    let has_several_endpoints = series.iter().any(|one| !is_same(one.endpoint, series[0].endpoint));
    let mut labels = Vec::with_capacity(series.len());
    for one in series {
        let mut words = Vec::new();
        if has_several_endpoints || names.is_empty() {
            words.push(name(one.endpoint));
        }
        for name in &names {
            words.extend(one.value(name).map(ParamValue::shown));
        }
        labels.push(words.join(" "));
    }
    labels
}

/// The names of the params whose values differ among the series. The order is that of the values in a series.
pub(crate) fn differing(series: &[RequestedSeries]) -> Vec<String> {
    let mut first_values: BTreeMap<&str, &ParamValue> = BTreeMap::new();
    let mut differing = BTreeSet::new();
    for (name, value) in series.iter().flat_map(|one| &one.values) {
        let first = *first_values.entry(name).or_insert(value);
        if first != value {
            differing.insert(name);
        }
    }
    let mut names: Vec<String> = Vec::new();
    for (name, _) in series.iter().flat_map(|one| &one.values) {
        if differing.remove(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Notes the endpoints that have no records as old as the start of a range. A series without a start of its own has the
/// start `from`.
pub(crate) fn note_oldest(series: &[RequestedSeries], from: Timestamp, log: Log) {
    for EarliestStart { endpoint, start } in earliest_starts(series, from) {
        let Some(oldest) = history(endpoint).and_then(|info| info.oldest) else { continue };
        let begin = Timestamp::now() - oldest;
        if start < begin {
            let begin = time_arg::shown(begin.floor(Duration::from_secs(60)));
            log.remark(&format!("{}: the service has no records before {begin}", name(endpoint)));
        }
    }
}

/// The earliest start of the series of an endpoint.
struct EarliestStart {
    endpoint: Endpoint,
    start: Timestamp,
}

/// The earliest start of the series of each endpoint. A series without a start of its own has the start `from`.
fn earliest_starts(series: &[RequestedSeries], from: Timestamp) -> Vec<EarliestStart> {
    let mut all: Vec<EarliestStart> = Vec::new();
    for one in series {
        let start = one.from.map_or(from, |own| own.time);
        match all.iter_mut().find(|known| is_same(known.endpoint, one.endpoint)) {
            Some(known) => known.start = known.start.min(start),
            None => all.push(EarliestStart { endpoint: one.endpoint, start }),
        }
    }
    all
}

/// Builds the request of a series.
pub(crate) fn request(client: &Client, series: &RequestedSeries) -> Request<Dynamic> {
    let mut request = client.endpoint(series.endpoint);
    for (name, value) in &series.values {
        request = match value {
            ParamValue::Text(values) if values.len() == 1 => request.query(name, &values[0]),
            ParamValue::Text(values) => request.query_list(name, values),
            ParamValue::Times(times) if times.len() == 1 => request.query(name, times[0]),
            ParamValue::Times(times) => request.query_list(name, times),
        };
    }
    request
}

/// The plan of a history without a range, which has the interval between records and the size of a page.
pub(crate) fn plan(request: &Request<Dynamic>) -> Result<Plan> {
    let epoch = Timestamp::from_unix_seconds(0);
    Ok(History::new(request.clone(), epoch..epoch).plan()?)
}

/// Converts the series to the type of the crate `dataset`.
pub(crate) fn series_requests(client: &Client, series: &[RequestedSeries]) -> Result<Vec<dataset::SeriesRequest>> {
    let mut requests = Vec::with_capacity(series.len());
    for one in series {
        requests.push(dataset::SeriesRequest::new(request(client, one))?);
    }
    Ok(requests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_endpoints::object;

    #[test]
    fn the_earliest_start_is_one_that_a_series_has() {
        let of_job = time_arg::timestamp("2025-01-01").unwrap();
        let starts = ["2024-01-01", "2025-06-01"].map(|text| time_arg::start(text).unwrap());
        let [early, late] = starts.map(|from| RequestedSeries { from: Some(from), ..RequestedSeries::new(object()) });
        let without = RequestedSeries::new(object());
        for (series, expected) in [
            (vec![without.clone()], "2025-01-01 00:00"),
            (vec![early.clone()], "2024-01-01 00:00"),
            (vec![late.clone()], "2025-06-01 00:00"),
            (vec![late.clone(), without.clone()], "2025-01-01 00:00"),
            (vec![without, late, early], "2024-01-01 00:00"),
        ] {
            let starts = earliest_starts(&series, of_job);
            assert_eq!((starts.len(), time_arg::shown(starts[0].start).as_str()), (1, expected));
        }
    }
}
