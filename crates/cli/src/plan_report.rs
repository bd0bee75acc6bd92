//! Shows the plan of a backfill: its size, and the ranges to fetch.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use dataset::{BackfillPlan, SeriesRequest};
use indicatif::HumanCount;
use runtime::Timestamp;

use crate::failure::Result;
use crate::progress::{counted, duration};
use crate::requested_series::plan;
use crate::table::{Cell, Table};
use crate::time_arg;
use wording::enumerated;

/// One line with the dates and the size of a plan.
pub(crate) fn announced(plan: &BackfillPlan) -> String {
    let mut text = format!("{} series", plan.series.len());
    let start = plan.series.iter().map(|series| series.range.start).min();
    let end = plan.series.iter().map(|series| series.range.end).max();
    if let (Some(start), Some(end)) = (start, end) {
        text.push_str(&format!(" {} UTC", time_arg::span(&(start..end))));
    }
    let retired = plan.series.iter().filter(|series| series.is_retired).count();
    if retired > 0 {
        text.push_str(&format!(", of which {retired} retired and not requested (`retire … --undo` ends that)"));
    }
    if plan.requests() == 0 {
        return text + ": no request needed";
    }
    let requests = counted(plan.requests(), "request");
    match plan.records() {
        Some(records) if plan.has_unknown_pages() => {
            text.push_str(&format!(": up to {} in at least {requests}", counted(records, "record")));
        }
        Some(records) => text.push_str(&format!(": up to {} in {requests}", counted(records, "record"))),
        None => text.push_str(&format!(": at least {requests}, because the records have no regular step")),
    }
    if let Some(time) = plan.min_duration
        && time >= Duration::from_secs(1)
    {
        text.push_str(&format!(", at least {}", duration(time)));
    }
    text
}

/// One line about the size of a page, which determines the number of requests; `None` if it is unknown. The number of
/// records without a regular step is unknown, and so is that of their requests.
pub(crate) fn page_size<'r>(series: impl Iterator<Item = &'r SeriesRequest>) -> Result<Option<String>> {
    let mut sizes = BTreeSet::new();
    for one in series {
        let plan = plan(one.request())?;
        // A page without a known size has this one.
        if plan.page_size < usize::MAX && plan.interval.has_steps() {
            sizes.insert(plan.page_size);
        }
    }
    if sizes.is_empty() {
        return Ok(None);
    }
    let sizes: Vec<_> = sizes.iter().map(|size| HumanCount(*size as u64).to_string()).collect();
    let sizes = enumerated(&sizes, "or");
    Ok(Some(format!("at most {sizes} records in a request; the last one may begin earlier to be full")))
}

/// The ranges to fetch, one per row.
pub(crate) fn planned(plan: &BackfillPlan, labels: &[String]) -> Table {
    let columns = ["series", "from", "to", "reason"].map(str::to_owned).into();
    let mut rows = Vec::new();
    for (series, label) in plan.series.iter().zip(labels) {
        add_ranges(&mut rows, label, &series.unsettled, "new or recent");
        add_ranges(&mut rows, label, &series.gaps, "gap");
        add_ranges(&mut rows, label, &series.probes, "was empty");
    }
    Table { columns, rows }
}

fn add_ranges(rows: &mut Vec<Vec<Cell>>, label: &str, ranges: &[Range<Timestamp>], reason: &str) {
    for range in ranges {
        rows.push(vec![Cell::text(label), Cell::Time(range.start), Cell::Time(range.end), Cell::text(reason)]);
    }
}
