//! Divides the time range of a request into intervals, one for each record.
//!
//! A record exists once its interval has ended, so records never change. If the time of a record is the end of its
//! interval, the record exists at its time. A response has the latest intervals that begin
//! in the range. The ends of the range are included.

use runtime::registry::{EndpointInfo, ParamInfo, ServiceInfo, ValueType};

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
    /// The param that sets the order of records, and its value for ascending time.
    sort: Option<(&'static ParamInfo, &'static str)>,
}

impl RangeParams {
    pub(crate) fn of(endpoint: &EndpointInfo, service: &'static ServiceInfo) -> Self {
        let is_paged = endpoint.pages.is_some();
        if let Some(history) = endpoint.history(service) {
            let [from, to, limit, step] =
                [history.from, history.to, history.limit, history.step].map(|name| endpoint.param(name));
            let sort = history.sort.and_then(|(name, oldest)| Some((endpoint.param(name)?, oldest)));
            let every = history.every.and_then(|every| i64::try_from(every.as_secs()).ok());
            return Self { from, to, limit, step, every, time_is_end: history.time_is_end, is_paged, sort };
        }
        let params = || endpoint.params();
        let mut times = params().filter(|param| matches!(param.ty, ValueType::Timestamp(_)));
        let (from, to) = (times.next(), times.next());
        let limit = params().find(|param| matches!(param.ty, ValueType::Count) && param.list_setter.is_none());
        let has_length = |param: &&ParamInfo| match param.ty {
            ValueType::Named(named) => named.values.iter().any(|value| value.duration.is_some()),
            _ => false,
        };
        Self { from, to, limit, step: params().find(has_length), every: None, time_is_end: false, is_paged, sort: None }
    }

    /// Returns `true` if a param only selects records, without changing their values.
    pub(crate) fn contains(&self, param: &ParamInfo) -> bool {
        let chooses = [self.from, self.to, self.limit, self.sort.map(|(param, _)| param)];
        chooses.into_iter().flatten().any(|known| known.wire_name == param.wire_name)
    }

    /// Returns the intervals for a request, in the requested order. `now` is the current time in Unix seconds.
    pub(crate) fn intervals(&self, query: &Query, now: i64) -> Vec<(i64, i64)> {
        let length = self.step.map_or(self.every.unwrap_or(HOUR), |param| length(query, param));
        let time = |param: Option<&'static ParamInfo>| query.time(param?);
        let from = time(self.from).unwrap_or(DATA_START).max(DATA_START);
        let to = time(self.to).unwrap_or(now).min(if self.time_is_end { now } else { now.saturating_sub(length) });
        // A request may contain any times. If its range starts after it ends, the range is empty.
        if from > to {
            return Vec::new();
        }
        let limit = match self.limit.and_then(|param| query.number(param)) {
            _ if self.is_paged && time(self.from).is_some() => MAX_RECORDS,
            _ if self.is_paged => PAGED_RECORDS,
            limit => limit.unwrap_or(DEFAULT_RECORDS).min(MAX_RECORDS),
        };
        let (earliest, latest) = (floor(from + length - 1, length), floor(to, length));
        let count = ((latest - earliest) / length + 1).clamp(0, limit);
        let starts = (0..count).map(|index| latest - (count - 1 - index) * length);
        let mut intervals = starts.map(|start| (start, start + length)).collect::<Vec<_>>();
        if self.sort.is_some_and(|(param, oldest)| query.one(param).is_some_and(|order| order != oldest)) {
            intervals.reverse();
        }
        intervals
    }
}

/// Returns the last multiple of a length that is not after a time.
pub(crate) const fn floor(time: i64, length: i64) -> i64 {
    time - time.rem_euclid(length)
}

/// Returns the length of the step in a request, in seconds.
fn length(query: &Query, param: &ParamInfo) -> i64 {
    let (ValueType::Named(named), Some(step)) = (param.ty, query.one(param)) else { return HOUR };
    let has_lengths = named.values.iter().any(|value| value.duration.is_some());
    let Some(value) = named.values.iter().find(|value| has_lengths && value.value == step) else { return HOUR };
    value.duration.and_then(|length| i64::try_from(length.as_secs()).ok()).filter(|length| *length > 0).unwrap_or(MONTH)
}
