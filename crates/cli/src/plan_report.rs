//! Shows the plan of a backfill: its size, and the ranges to fetch.

use std::collections::BTreeSet;
use std::time::Duration;

use dataset::{BackfillPlan, SeriesRequest};
use indicatif::HumanCount;

use crate::failure::Result;
use crate::progress::{counted, duration};
use crate::requested_series::plan;
use crate::table::{Cell, Table};
use crate::time_arg;
use wording::enumerated;

/// Returns one line with the dates and the size of a plan.
pub(crate) fn announced(plan: &BackfillPlan) -> String {
    let ranges = || plan.series.iter().map(|series| &series.range);
    let bounds = ranges().map(|range| range.start).min().zip(ranges().map(|range| range.end).max());
    let dates = bounds.map_or(String::new(), |(start, end)| format!(" {} UTC", time_arg::span(&(start..end))));
    let series = format!("{} series", plan.series.len());
    if plan.requests() == 0 {
        return format!("{series}{dates}: no request needed");
    }
    let (records, requests) = (counted(plan.records(), "record"), counted(plan.requests(), "request"));
    let min = plan.min_duration.filter(|time| *time >= Duration::from_secs(1));
    let min = min.map_or(String::new(), |time| format!(", at least {}", duration(time)));
    format!("{series}{dates}: up to {records} in {requests}{min}")
}

/// Returns one line about the size of a page, which determines the number of requests; `None` if it is unknown.
pub(crate) fn page_size<'r>(series: impl Iterator<Item = &'r SeriesRequest>) -> Result<Option<String>> {
    let sizes = series.map(|one| Ok(plan(one.request())?.page_size)).collect::<Result<BTreeSet<_>>>()?;
    let known = sizes.into_iter().filter(|size| *size < usize::MAX);
    let known: Vec<_> = known.map(|size| HumanCount(size as u64).to_string()).collect();
    let (sizes, why) = (enumerated(&known, "or"), "the last one may begin earlier to be full");
    Ok((!known.is_empty()).then(|| format!("at most {sizes} records in a request; {why}")))
}

/// Returns the ranges to fetch, one per row.
pub(crate) fn planned(plan: &BackfillPlan, labels: &[String]) -> Table {
    let columns = ["series", "from", "to", "reason"].map(str::to_owned).into();
    let mut rows = Vec::new();
    for (series, label) in plan.series.iter().zip(labels) {
        let unsettled = series.unsettled.iter().map(|range| (range, "new or recent"));
        let gaps = series.gaps.iter().map(|range| (range, "gap"));
        let probes = series.probes.iter().map(|range| (range, "was empty"));
        for (range, reason) in unsettled.chain(gaps).chain(probes) {
            let [from, to] = [range.start, range.end].map(Cell::Time);
            rows.push(vec![Cell::text(label.as_str()), from, to, Cell::text(reason)]);
        }
    }
    Table { columns, rows }
}
