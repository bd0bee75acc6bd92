//! The state of the series of a file or a data set, as a table for users and as JSON for programs.

use std::collections::BTreeMap;
use std::time::Duration;

use dataset::{RunOwner, SeriesStatus, Status};
use runtime::Timestamp;
use serde_json::{Value, json};

use crate::progress::age;
use crate::series_label::label_of;
use crate::table::{Cell, Table};
use crate::{marks, stdout, time_arg};

/// The columns of the table.
const COLUMNS: [&str; 9] =
    ["series", "state", "missing", "last", "records", "first", "never requested", "revised in last run", "invalid"];

/// A table with a row for each series.
pub(crate) fn table(all: &[&SeriesStatus], now: Timestamp) -> Table {
    let mut rows = Vec::with_capacity(all.len());
    let mut has_unrequested = false;
    for series in all {
        rows.push(row(series, now));
        has_unrequested |= !series.unrequested.is_empty();
    }
    let mut columns = COLUMNS.map(str::to_owned).to_vec();
    // A terminal omits the last columns, but has to show what no run has requested.
    if stdout::is_terminal() && has_unrequested {
        let shown = 3..=6;
        columns[shown.clone()].rotate_right(1);
        for row in &mut rows {
            row[shown.clone()].rotate_right(1);
        }
    }
    Table { columns, rows }
}

/// The cells of a series, in the order of the columns.
fn row(series: &SeriesStatus, now: Timestamp) -> Vec<Cell> {
    let unrequested = time_arg::steps(&series.unrequested, series.interval);
    vec![
        Cell::text(label_of(series)),
        Cell::text(state(series, now)),
        Cell::count(series.missing),
        Cell::time(series.last),
        Cell::count(series.rows),
        Cell::time(series.first),
        Cell::count(unrequested),
        Cell::count(series.revised),
        Cell::count(series.invalid),
    ]
}

/// The state of a series as text: `retired`, `rejected`, `in the future`, `incomplete`, `up to date`, the age of the
/// last record, or `empty`. A series with unsupported values, or whose range is ignored, is never up to date.
fn state(series: &SeriesStatus, now: Timestamp) -> String {
    if series.is_retired {
        return "retired".to_owned();
    }
    if series.rejected.is_some() {
        return "rejected".to_owned();
    }
    if series.last > Some(now) {
        return "in the future".to_owned();
    }
    let is_current = series.behind(now) == Some(0);
    match series.end {
        _ if is_current && !is_whole(series) => "incomplete".to_owned(),
        _ if is_current => "up to date".to_owned(),
        Some(end) => format!("{} old", age(end, now)),
        None => "empty".to_owned(),
    }
}

/// Whether runs have fetched all that they have planned, with all values, from a service that follows the range.
fn is_whole(series: &SeriesStatus) -> bool {
    series.unfetched.is_empty() && series.unsupported.is_empty() && !series.ignores_range
}

/// The state of a target as one JSON object, with those of its series.
pub(crate) fn object(path: &str, status: &Status, series: &[&SeriesStatus], now: Timestamp) -> Value {
    let mut objects = Vec::with_capacity(series.len());
    for one in series {
        objects.push(series_object(one, now));
    }
    json!({
        "path": path, "series": objects, "damaged": status.damaged, "strays": status.strays, "pending": status.pending,
        "without_state": status.without_state,
        "missing_fields": marks::missing_fields_json(&status.missing_fields),
        "unsent_fields": marks::unsent_fields_json(&status.unsent_fields),
        "lost_rows": marks::lost_rows_json(&status.lost_rows),
        "pending_since": time_arg::exact(status.pending_since),
        "running": status.running.as_ref().map(running),
    })
}

/// The process of a run that is in progress.
fn running(run: &RunOwner) -> Value {
    let since = run.since.map(|time| time.floor(Duration::from_secs(1)));
    json!({ "process": run.process, "host": run.host, "since": time_arg::exact(since) })
}

fn series_object(series: &SeriesStatus, now: Timestamp) -> Value {
    let params: BTreeMap<_, _> = series.params().collect();
    let mut last_seen = BTreeMap::new();
    for (label, last) in &series.last_seen {
        last_seen.insert(label, last.to_string());
    }
    let is_complete = series.last <= Some(now) && is_whole(series);
    // Without a regular step, nobody knows whether a newer record exists.
    let is_up_to_date =
        if series.interval.has_steps() { Some(series.behind(now) == Some(0) && is_complete) } else { None };
    json!({
        "path": series.path, "endpoint": series.endpoint(), "params": params, "files": series.files,
        "state": state(series, now),
        "records": series.rows, "first": time_arg::exact(series.first), "last": time_arg::exact(series.last),
        "is_up_to_date": is_up_to_date, "intervals_behind": series.behind(now), "missing": series.missing,
        "gaps": time_arg::pairs(&series.gaps), "unfetched": time_arg::pairs(&series.unfetched),
        "unrequested": time_arg::pairs(&series.unrequested), "skipped": time_arg::pairs(&series.skipped),
        "is_retired": series.is_retired,
        "is_rejected": series.rejected.is_some(), "rejected": series.rejected, "unsupported": series.unsupported,
        "ignores_range": series.ignores_range, "has_no_value": series.has_no_value,
        "revised": series.revised,
        "invalid": series.invalid, "out_of_range": series.out_of_range,
        "account": series.account,
        "asked": series.asked.as_ref().map(|asked| [asked.start.to_string(), asked.end.to_string()]),
        "empty": time_arg::pairs(&series.empty), "last_seen": last_seen, "first_age": series.first_age,
        "first_moves": series.first_moves, "spacing": series.spacing, "has_step": series.interval.has_steps(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_that_ends_in_the_future_is_not_up_to_date() {
        let mut series = SeriesStatus::default();
        series.interval = Duration::from_secs(3600).into();
        series.last = Some(Timestamp::from_unix_seconds(7200));
        series.end = Some(Timestamp::from_unix_seconds(7200 + 3600));
        for (now, expected) in [(7199, "in the future"), (7200, "up to date"), (7200 + 3 * 3600, "2 hours old")] {
            let now = Timestamp::from_unix_seconds(now);
            assert_eq!(state(&series, now), expected);
            assert_eq!(series_object(&series, now)["is_up_to_date"], expected == "up to date");
        }
    }

    #[test]
    fn a_series_with_a_part_that_was_never_fetched_is_not_up_to_date() {
        let start = Timestamp::from_unix_seconds(0);
        let now = Timestamp::from_unix_seconds(7200);
        let mut series = SeriesStatus::default();
        series.interval = Duration::from_secs(3600).into();
        series.last = Some(now);
        series.end = Some(now + Duration::from_secs(3600));
        series.unfetched = vec![start..start + Duration::from_secs(3600)];
        assert_eq!(series_object(&series, now)["state"], "incomplete");
        assert_eq!(series_object(&series, now)["is_up_to_date"], false);
    }
}
