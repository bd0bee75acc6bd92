//! The warnings of `get` about responses that have no records, or not all records of a range.

use std::collections::BTreeSet;

use runtime::{AnyBody, AnyClient as Client, Timestamp};

use crate::endpoint_names::{history, time_is_end};
use crate::log::Log;
use crate::notation::{command, flag};
use crate::param_options::is_set_by_history;
use crate::param_values::ParamValue;
use crate::program::program;
use crate::progress::{counted, listed, quotations};
use crate::record_columns::SeriesRecords;
use crate::requested_series::{RequestedSeries, series_requests};
use crate::table::readable;
use crate::time_arg;

/// Warns if a response has other members, such as an error, instead of records. Returns whether it has warned.
pub(crate) fn warn_of_others(body: &AnyBody, label: &str, log: Log) -> bool {
    let AnyBody::Series(series) = body else { return false };
    if !series.is_empty() || series.unknown_fields.is_empty() {
        return false;
    }
    let names: Vec<_> = series.unknown_fields.iter_raw().map(|(name, _)| name.into_owned()).collect();
    let get = format!("{} get --json", program().name);
    log.warning(&readable(&format!("{label}: no records but {}, which `{get}` shows", listed(&quotations(&names)))));
    true
}

/// The ends of the range that `get` has requested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestedRange {
    pub(crate) from: Option<Timestamp>,
    pub(crate) to: Option<Timestamp>,
}

impl RequestedRange {
    /// Warns if a response has no records, or if the range may have more.
    pub(crate) fn warn_of_missing_records(&self, client: &Client, part: &SeriesRecords<'_>, label: &str, log: Log) {
        if part.records.is_empty() {
            log.warning(&format!("{label}: no records"));
            return;
        }
        let count = counted(part.records.len() as u64, "record");
        if part.series.endpoint.pages.is_some() {
            log.warning(&format!(
                "{label}: one page with {count}; further pages may follow; `{}` fetches them",
                flag("all")
            ));
            return;
        }
        let what = match (page_size(part.series), self.expected_records(client, part.series)) {
            (Some(size), _) if part.records.len() >= size => format!("the page is full with {count}"),
            (None, Some(expected)) if distinct_times(part) < expected => {
                format!("one page with {count}, of {} in the range", counted(expected, "interval"))
            }
            _ => return,
        };
        let advice = if history(part.series.endpoint).is_some() {
            format!("`{}` fetches it completely", command("backfill", "history", "backfill"))
        } else {
            "request it in parts".to_owned()
        };
        log.warning(&format!("{label}: {what}; the range may have more; {advice}"));
    }

    /// The number of complete intervals in the range of a series that the service has reached; `None` without a start or
    /// without a regular step.
    fn expected_records(&self, client: &Client, series: &RequestedSeries) -> Option<u64> {
        let from = self.from?;
        let mut whole = series.clone();
        whole.values.retain(|(name, _)| !is_set_by_history(series.endpoint, name));
        let request = series_requests(client, &[whole]).ok()?.pop()?;
        let interval = request.interval();
        if !interval.has_steps() {
            return None;
        }
        let first = interval.start_of(from);
        let start = if first < from { interval.moved(first, 1) } else { first };
        let reached = request.request().service_time();
        let end = interval.start_of(self.to.unwrap_or(reached).min(reached));
        // The record of an interval that ends at the start is outside, if its time is its end and the service excludes it.
        let is_end = time_is_end(series.endpoint);
        Some(time_arg::steps([&(start..end)], interval).saturating_sub(u64::from(is_end)))
    }
}

/// The maximum number of records of a response; `None` if it is unknown, or if the series sets no range.
fn page_size(series: &RequestedSeries) -> Option<usize> {
    let info = history(series.endpoint)?;
    series.value(info.from).or(series.value(info.to))?;
    let default = series.endpoint.param(info.limit)?.default;
    let size = series.value(info.limit).map(ParamValue::shown).or(default.map(str::to_owned))?;
    size.parse().ok()
}

/// The number of times that have records.
fn distinct_times(part: &SeriesRecords<'_>) -> u64 {
    let times: BTreeSet<_> = part.times.iter().flatten().collect();
    times.len() as u64
}
