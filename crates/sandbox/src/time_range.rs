//! Divides the time range of a request into intervals, one for each record.
//!
//! A record exists once its interval has ended, so records never change. If the time of a record is the end of its
//! interval, the record exists at its time. A response has the latest intervals that begin in the range, or the first
//! ones if no param sets the end of the range. The ends of the range are included.

use runtime::registry::{
    BodyInfo, EndpointInfo, FieldSource, HistoryInfo, ParamInfo, ServiceInfo, Step, TimeUnit, ValueType,
};
use runtime::{Interval as Steps, Timestamp};

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

const HOUR: Step = Step::seconds(3_600);
const DAY: Step = Step::seconds(86_400);

/// The params that select records. The history of the endpoint names them; without a history, they are found by their
/// types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeParams {
    from: Option<&'static ParamInfo>,
    to: Option<&'static ParamInfo>,
    limit: Option<&'static ParamInfo>,
    step: Option<&'static ParamInfo>,
    /// The step between records, if there is no `step`.
    every: Option<Step>,
    /// The step if the request has none.
    usual: Step,
    /// A time at which an interval begins, in Unix seconds.
    anchor: Option<i64>,
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
            every: history.every,
            usual: usual_step(endpoint, endpoint.param(history.from)),
            anchor: history.anchor,
            time_is_end: history.time_is_end,
            is_paged: endpoint.pages.is_some(),
            sort,
        }
    }

    fn by_type(endpoint: &EndpointInfo) -> Self {
        let mut times = endpoint.params().filter(|param| matches!(param.ty, ValueType::Timestamp(_)));
        let mut counts = endpoint.params().filter(|param| matches!(param.ty, ValueType::Count));
        let from = times.next();
        Self {
            from,
            to: times.next(),
            limit: counts.find(|param| param.list_setter.is_none()),
            step: endpoint.params().find(|param| has_lengths(param)),
            every: None,
            usual: usual_step(endpoint, from),
            anchor: None,
            time_is_end: false,
            is_paged: endpoint.pages.is_some(),
            sort: None,
        }
    }

    /// `true` if a param only selects records, without changing their values.
    pub(crate) fn contains(&self, param: &ParamInfo) -> bool {
        let sort = self.sort.map(|sort| sort.param);
        for selecting in [self.from, self.to, self.limit, sort].into_iter().flatten() {
            if selecting.wire_name == param.wire_name {
                return true;
            }
        }
        false
    }

    /// The intervals for a request, in the requested order. `now` is the current time in Unix seconds.
    pub(crate) fn intervals(&self, query: &Query, now: i64) -> Vec<Interval> {
        let steps = self.steps(query);
        let requested_from = self.requested_from(query);
        let from = requested_from.unwrap_or(DATA_START).max(DATA_START);
        let to = self.requested_to(query).unwrap_or(now).min(now);
        // A request may contain any times. If its range starts after it ends, the range is empty.
        if from > to {
            return Vec::new();
        }
        let mut latest = steps.start_of(Timestamp::from_unix_seconds(to));
        if !self.time_is_end && steps.end_of(latest) > Timestamp::from_unix_seconds(now) {
            latest = steps.shifted(latest, -1);
        }
        let before = Timestamp::from_unix_seconds(from - 1);
        let count = steps.count(&(steps.end_of(before)..steps.end_of(latest)));
        let limit = self.max_records(query, requested_from.is_some());
        let all = i64::try_from(count).unwrap_or(i64::MAX);
        let count = all.clamp(0, limit);
        // Without a param for the end, each response continues from its start.
        let has_only_start = self.to.is_none() && requested_from.is_some();
        let newest = if has_only_start { all - count } else { 0 };
        let mut intervals = Vec::new();
        for steps_before_latest in (newest..newest + count).rev() {
            let start = steps.shifted(latest, -steps_before_latest);
            intervals.push(Interval { start: start.unix_seconds(), end: steps.end_of(start).unix_seconds() });
        }
        if self.is_newest_first(query) {
            intervals.reverse();
        }
        intervals
    }

    /// The requested start, in Unix seconds.
    pub(crate) fn requested_from(&self, query: &Query) -> Option<i64> {
        query.time(self.from?)
    }

    fn requested_to(&self, query: &Query) -> Option<i64> {
        query.last_time(self.to?)
    }

    /// The number of records on all pages, or in the only response.
    fn max_records(&self, query: &Query, has_start: bool) -> i64 {
        if self.is_paged {
            return if has_start { MAX_RECORDS } else { PAGED_RECORDS };
        }
        let Some(limit) = self.limit else { return DEFAULT_RECORDS };
        query.number(limit).unwrap_or(DEFAULT_RECORDS).min(MAX_RECORDS)
    }

    /// The steps that a request selects, or the usual ones if it has none.
    fn steps(&self, query: &Query) -> Steps {
        let step = match self.step {
            Some(param) => requested_step(query, param),
            None => self.every,
        };
        let steps = Steps::new(step.unwrap_or(self.usual));
        match self.anchor {
            Some(anchor) => steps.anchored(Timestamp::from_unix_seconds(anchor)),
            None => steps,
        }
    }

    fn is_newest_first(&self, query: &Query) -> bool {
        let Some(sort) = self.sort else { return false };
        let Some(order) = query.one(sort.param) else { return false };
        order != sort.oldest_first
    }
}

/// The step between records if neither the request nor the catalogue has one: an hour, or the shortest period that the
/// time of a record can be. `from` is the param for the start of the range.
fn usual_step(endpoint: &EndpointInfo, from: Option<&ParamInfo>) -> Step {
    let BodyInfo::Series { record: Some(record), time: Some(time), .. } = endpoint.body else { return HOUR };
    let Some(field) = record.fields.iter().find(|field| field.wire_name == time) else { return HOUR };
    if matches!(field.source, FieldSource::Period(..)) {
        return Step::Months(1);
    }
    let mut unit = unit_of(field.ty);
    if unit == Some(TimeUnit::Period) {
        // The requested periods are those that the service has.
        unit = from.and_then(|param| unit_of(param.ty)).or(unit);
    }
    match unit {
        Some(TimeUnit::Year) => Step::Months(12),
        Some(TimeUnit::Quarter) => Step::Months(3),
        Some(TimeUnit::Month) => Step::Months(1),
        Some(TimeUnit::Date | TimeUnit::CompactDate | TimeUnit::Period) => DAY,
        _ => HOUR,
    }
}

fn unit_of(ty: ValueType) -> Option<TimeUnit> {
    if let ValueType::Timestamp(unit) = ty { Some(unit) } else { None }
}

/// The last multiple of a length that is not after a time.
pub(crate) const fn floor(time: i64, length: i64) -> i64 {
    time - time.rem_euclid(length)
}

/// `true` if values of a param are lengths of intervals.
fn has_lengths(param: &ParamInfo) -> bool {
    match param.ty {
        ValueType::Named(named) => named.values.iter().any(|value| value.step.is_some()),
        _ => false,
    }
}

/// The step in a request; a value without a known step stands for a month.
fn requested_step(query: &Query, param: &ParamInfo) -> Option<Step> {
    let ValueType::Named(named) = param.ty else { return None };
    if !has_lengths(param) {
        return None;
    }
    let step = query.one(param)?;
    let value = named.values.iter().find(|value| value.value == step)?;
    Some(value.step.unwrap_or(Step::Months(1)))
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, FieldInfo, RecordInfo};

    use super::*;
    use crate::query::Strictness;

    static SERVICE: ServiceInfo = ServiceInfo::new("A service");
    static ENDPOINT: EndpointInfo = EndpointInfo::new("market", "payments", "Payments");

    /// The dates on which the intervals of a request without params begin, at the time `now`.
    fn dates(every: Step, anchor: Option<i64>, time_is_end: bool, now: &str) -> Vec<String> {
        let range = RangeParams {
            from: None,
            to: None,
            limit: None,
            step: None,
            every: Some(every),
            usual: HOUR,
            anchor,
            time_is_end,
            is_paged: false,
            sort: None,
        };
        let now: Timestamp = now.parse().unwrap();
        let mut dates = Vec::new();
        let query = Query::read(&SERVICE, &ENDPOINT, &[], "", Strictness::default()).unwrap();
        for interval in range.intervals(&query, now.unix_seconds()) {
            dates.push(Timestamp::from_unix_seconds(interval.start).to_string()[..10].to_owned());
        }
        dates
    }

    #[test]
    fn months_and_weeks_begin_with_the_calendar() {
        let months = dates(Step::Months(1), None, false, "2024-03-31T12:00:00Z");
        assert_eq!((months.len(), &months[48..]), (50, &["2024-01-01".to_owned(), "2024-02-01".to_owned()][..]));
        assert_eq!(dates(Step::Months(1), None, true, "2024-03-31").last().unwrap(), "2024-03-01");
        assert_eq!(dates(Step::Months(3), None, false, "2024-04-01").last().unwrap(), "2024-01-01");
        let sunday = Some(3 * 86_400);
        assert_eq!(dates(Step::seconds(604_800), None, false, "2024-03-12").last().unwrap(), "2024-03-04");
        assert_eq!(dates(Step::seconds(604_800), sunday, false, "2024-03-12").last().unwrap(), "2024-03-03");
        assert_eq!(dates(Step::BusinessDays, None, false, "2024-03-05").last().unwrap(), "2024-03-04");
    }

    /// Records whose times are years are a year apart, because a range of hours would have thousands of each year.
    #[test]
    fn records_without_a_step_have_different_times() {
        static TIMES: [FieldInfo; 2] = [
            FieldInfo::new("date", "date", ValueType::Timestamp(TimeUnit::Period), Evidence::Documented),
            FieldInfo::new("at", "at", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
        ];
        static RECORD: RecordInfo = RecordInfo::new("Record", &TIMES);
        static YEAR: ParamInfo =
            ParamInfo::new("from", "from", ValueType::Timestamp(TimeUnit::Year), Evidence::Documented);
        let endpoint = |time| EndpointInfo {
            body: BodyInfo::Series { record: Some(&RECORD), time: Some(time), evidence: Evidence::Documented },
            ..EndpointInfo::new("market", "payments", "Payments")
        };
        assert_eq!(usual_step(&endpoint("date"), Some(&YEAR)), Step::Months(12));
        assert_eq!(usual_step(&endpoint("date"), None), DAY);
        assert_eq!(usual_step(&endpoint("at"), Some(&YEAR)), HOUR);
    }

    #[test]
    fn a_response_begins_at_the_start_if_no_param_sets_the_end() {
        const FROM: ParamInfo =
            ParamInfo::new("from", "from", ValueType::Timestamp(TimeUnit::Date), Evidence::Documented);
        static EVENTS: EndpointInfo =
            EndpointInfo { param_lists: Some(&[&[FROM]]), ..EndpointInfo::new("market", "events", "Events") };
        let query = Query::read(&SERVICE, &EVENTS, &[], "from=2024-01-01", Strictness::default()).unwrap();
        let now: Timestamp = "2024-03-31".parse().unwrap();
        let intervals = RangeParams::by_type(&EVENTS).intervals(&query, now.unix_seconds());
        let first: Timestamp = "2024-01-01".parse().unwrap();
        assert_eq!((intervals.len(), intervals[0].start), (50, first.unix_seconds()));
    }
}
