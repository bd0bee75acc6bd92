//! Mock responses of a service that respects the requested range, including records at the start and at the end of the
//! range.

use std::collections::BTreeMap;

use runtime::Timestamp;
use runtime::transport::HttpRequest;
use test_service::scripted::{MockResponse, reply};

pub(crate) const HOUR: i64 = 3600;

/// 2023-11-14T22:00:00Z.
pub(crate) const START: i64 = 1_699_999_200;

/// Returns the time that is this many seconds after 1970.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(seconds)
}

/// Returns the query of a request, as names and values.
pub(crate) fn query(request: &HttpRequest) -> BTreeMap<String, String> {
    let query = request.url.split_once('?').map_or("", |(_, query)| query);
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

pub(crate) fn number(request: &HttpRequest, name: &str) -> i64 {
    query(request)[name].parse().unwrap()
}

/// Returns a response with one record for each hour of the requested range for which `has` is true.
pub(crate) fn answer(request: &HttpRequest, has: impl Fn(i64) -> bool) -> MockResponse {
    answer_every(request, HOUR, has)
}

/// Returns the same response as `answer`, but with another step.
pub(crate) fn answer_every(request: &HttpRequest, step: i64, has: impl Fn(i64) -> bool) -> MockResponse {
    let [start, end, limit] = ["startTime", "endTime", "limit"].map(|name| number(request, name));
    let first = (start + step - 1).div_euclid(step) * step;
    let times = (first..=end).step_by(step.try_into().unwrap()).filter(|time| has(*time));
    reply(200, &[], &body(times.take(limit.try_into().unwrap())))
}

pub(crate) fn body(times: impl Iterator<Item = i64>) -> String {
    let records: Vec<_> = times.map(|time| format!(r#"{{"openDate": {time}, "ratio": 0.5}}"#)).collect();
    format!(r#"{{"data": [{}]}}"#, records.join(","))
}
