//! Divides the time range of a request into intervals, one for each record.
//!
//! A record exists once its interval has ended, so records never change. If the time of a record is the end of its
//! interval, the record exists at its time. A response has the latest intervals that begin in the range. The ends of
//! the range are included.

use std::time::Duration;

use runtime::registry::{EndpointInfo, HistoryInfo, ParamInfo, ServiceInfo, ValueType};

use crate::interval::Interval;
use crate::query::Query;

/// The start of the data: the year 2010.
pub(crate) const DATA_START: i64 = 1_262_304_000;

/// The maximum number of records in a response, even if the request has a higher limit.
const MAX_RECORDS: i64 = 10_000;

/// The number of records if the request has no limit.
const DEFAULT_RECORDS: i64 = 50;

/// The number of records on all pages if the request has no start.
const PAGED_RECORDS: i64 = 150;

const HOUR: i64 = 3_600;
/// The assumed length of a step without a fixed length, such as a month.
const MONTH: i64 = 30 * 24 * HOUR;

/// The params that select records. The history of the endpoint names them; without a history, they are found by their
/// types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeParams {
    pub(crate) from: Option<&'static ParamInfo>,
    pub(crate) to: Option<&'static ParamInfo>,
    limit: Option<&'static ParamInfo>,
    step: Option<&'static ParamInfo>,
    /// The interval between records in seconds, if there is no `step`.
    every: Option<i64>,
    time_is_end: bool,
    /// True if the response is divided into pages, so that the limit is the size of a page.
    is_paged: bool,
    sort: Option<SortParam>,
}

/// The param that sets the order of records.
#[derive(Clone, Copy, Debug)]
struct SortParam {
    param: &'static ParamInfo,
    /// Its value for ascending time.
    oldest_first: &'static str,
}

impl RangeParams {
    pub(crate) fn of(endpoint: &EndpointInfo, service: &'static ServiceInfo) -> Self {
        match endpoint.history(service) {
            Some(history) => Self::of_history(endpoint, history),
            None => Self::by_type(endpoint),
        }
    }

    fn of_history(endpoint: &EndpointInfo, history: &HistoryInfo) -> Self {
        let mut sort = None;
        if let Some((name, oldest_first)) = history.sort
            && let Some(param) = endpoint.param(name)
        {
            sort = Some(SortParam { param, oldest_first });
        }
        Self {
            from: endpoint.param(history.from),
            to: endpoint.param(history.to),
            limit: endpoint.param(history.limit),
            step: endpoint.param(history.step),
            every: history.every.and_then(whole_seconds),
            time_is_end: history.time_is_end,
            is_paged: endpoint.pages.is_some(),
            sort,
        }
    }

    fn by_type(endpoint: &EndpointInfo) -> Self {
        let mut times = endpoint.params().filter(|param| matches!(param.ty, ValueType::Timestamp(_)));
        let mut counts = endpoint.params().filter(|param| matches!(param.ty, ValueType::Count));
        Self {
            from: times.next(),
            to: times.next(),
            limit: counts.find(|param| param.list_setter.is_none()),
            step: endpoint.params().find(|param| has_lengths(param)),
            every: None,
            time_is_end: false,
            is_paged: endpoint.pages.is_some(),
            sort: None,
        }
    }

    /// `true` if a param only selects records, without changing their values.
    pub(crate) fn contains(&self, param: &ParamInfo) -> bool {
        let selecting = [self.from, self.to, self.limit, self.sort.map(|sort| sort.param)];
        selecting.into_iter().flatten().any(|known| known.wire_name == param.wire_name)
    }

    /// The intervals for a request, in the requested order. `now` is the current time in Unix seconds.
    pub(crate) fn intervals(&self, query: &Query, now: i64) -> Vec<Interval> {
        let length = match self.step {
            Some(step) => step_length(query, step),
            None => self.every.unwrap_or(HOUR),
        };
        let requested_from = self.from.and_then(|param| query.time(param));
        let requested_to = self.to.and_then(|param| query.time(param));
        let last_start = if self.time_is_end { now } else { now.saturating_sub(length) };
        let from = requested_from.unwrap_or(DATA_START).max(DATA_START);
        let to = requested_to.unwrap_or(now).min(last_start);
        // A request may contain any times. If its range starts after it ends, the range is empty.
        if from > to {
            return Vec::new();
        }
        let limit = match self.limit.and_then(|param| query.number(param)) {
            _ if self.is_paged && requested_from.is_some() => MAX_RECORDS,
            _ if self.is_paged => PAGED_RECORDS,
            limit => limit.unwrap_or(DEFAULT_RECORDS).min(MAX_RECORDS),
        };
        let earliest = floor(from + length - 1, length);
        let latest = floor(to, length);
        let count = ((latest - earliest) / length + 1).clamp(0, limit);
        let mut intervals = Vec::new();
        for steps_before_latest in (0..count).rev() {
            let start = latest - steps_before_latest * length;
            intervals.push(Interval { start, end: start + length });
        }
        if self.is_newest_first(query) {
            intervals.reverse();
        }
        intervals
    }

    fn is_newest_first(&self, query: &Query) -> bool {
        let Some(sort) = self.sort else { return false };
        query.one(sort.param).is_some_and(|order| order != sort.oldest_first)
    }
}

/// The last multiple of a length that is not after a time.
pub(crate) const fn floor(time: i64, length: i64) -> i64 {
    time - time.rem_euclid(length)
}

/// `true` if values of a param are lengths of intervals.
fn has_lengths(param: &ParamInfo) -> bool {
    match param.ty {
        ValueType::Named(named) => named.values.iter().any(|value| value.duration.is_some()),
        _ => false,
    }
}

/// The length of the step in a request, in seconds.
fn step_length(query: &Query, param: &ParamInfo) -> i64 {
    let (ValueType::Named(named), Some(step)) = (param.ty, query.one(param)) else { return HOUR };
    if !has_lengths(param) {
        return HOUR;
    }
    let Some(value) = named.values.iter().find(|value| value.value == step) else { return HOUR };
    match value.duration.and_then(whole_seconds) {
        Some(length) if length > 0 => length,
        _ => MONTH,
    }
}

fn whole_seconds(duration: Duration) -> Option<i64> {
    i64::try_from(duration.as_secs()).ok()
}
