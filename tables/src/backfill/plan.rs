//! The ranges that a backfill will request: ranges that were never fetched, ranges whose records may have changed, and
//! gaps.

use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;

use super::Backfill;
use crate::columns::Columns;
use crate::error::Error;
use crate::existing_content::{ExistingContent, Inventory, steps};
use crate::series::SeriesRequest;
use crate::series_columns::SeriesColumns;
use crate::table_schema::TableSchema;
use crate::time_ranges::TimeRanges;

/// The span before the newest record in which every run requests the gaps again.
const RECENT: Duration = Duration::from_secs(14 * 86_400);

/// Maximum number of requests for recent gaps per series and run.
const GAP_REQUESTS: usize = 4;

/// The requests that a backfill will make.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BackfillPlan {
    /// The plans of all series, in their order.
    pub series: Vec<SeriesPlan>,
    /// The minimum time that all requests take under the client's rate limit; `None` if a custom rate limiter reports
    /// no limit.
    pub min_duration: Option<Duration>,
}

/// The requests for one series.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SeriesPlan {
    /// The path that identifies the series.
    pub path: String,
    /// The range of the job, up to the end of the last closed interval.
    pub range: Range<Timestamp>,
    /// The time of the newest record in the target.
    pub last: Option<Timestamp>,
    /// Ranges that have never been fetched, or that were fetched only while their records could still change. The last
    /// range may start earlier than necessary, so that its pages are full.
    pub unsettled: Vec<Range<Timestamp>>,
    /// Ranges with missing records, which are requested again.
    pub gaps: Vec<Range<Timestamp>>,
    /// The maximum number of records in the requested ranges, one per interval.
    pub records: u64,
    /// Number of requests, if no page has to be split or retried.
    pub requests: u64,
}

impl BackfillPlan {
    /// Returns the maximum number of records of all series.
    pub fn records(&self) -> u64 {
        self.series.iter().map(|series| series.records).sum()
    }

    /// Returns the number of requests of all series, if no page has to be split or retried.
    pub fn requests(&self) -> u64 {
        self.series.iter().map(|series| series.requests).sum()
    }
}

/// Returns the plan of a job.
pub(super) async fn plan(job: &Backfill, content: &ExistingContent) -> Result<BackfillPlan, Error> {
    let series: Vec<_> = planned(job, content).await?.into_iter().map(|(plan, _)| plan).collect();
    let limit = job.series.first().and_then(|series| series.request().rate_limit());
    let requests = job.series.iter().zip(&series).map(|(series, plan)| (plan.requests, series.endpoint()));
    let min_duration = limit.map(|limit| limit.min_duration(&requests.collect::<Vec<_>>()));
    Ok(BackfillPlan { series, min_duration })
}

/// Returns the plan of each series, with the inventory of its files.
pub(super) async fn planned(job: &Backfill, content: &ExistingContent) -> Result<Vec<(SeriesPlan, Inventory)>, Error> {
    job.check()?;
    let mut all = Vec::with_capacity(job.series.len());
    for series in &job.series {
        let mut found = content.inventory(series).await?;
        compare_columns(series, &found)?;
        // Ranges within the refetch time, which may be longer than in the last run, are fetched again.
        if let Some(last) = found.state.last {
            found.state.settled = found.state.settled.until(last - job.refetch);
        }
        all.push((series_plan(job, content, series, &found).await?, found));
    }
    if let Some(single) = &content.single {
        // The columns of endpoints that the file does not contain yet are checked too.
        let tables = job.series.iter().map(SeriesColumns::new);
        let base = single.base.iter().map(|base| base.schema.clone());
        let sources: Vec<_> = base.chain(tables.map(|table| table.schema())).collect();
        Columns::new(&[], &sources).map_err(|why| single.mismatch(&why))?;
    }
    Ok(all)
}

/// Fails if a column has another type in the catalogue than in the existing file.
fn compare_columns(series: &SeriesRequest, found: &Inventory) -> Result<(), Error> {
    let (Some(schema), Some(table)) = (&found.schema, TableSchema::for_endpoint(series.endpoint())) else {
        return Ok(());
    };
    let compared = Columns::new(&[], &[schema.clone(), table.schema()]);
    compared.map(drop).map_err(|why| Error::rebuild(&found.location, why))
}

async fn series_plan(
    job: &Backfill,
    content: &ExistingContent,
    series: &SeriesRequest,
    found: &Inventory,
) -> Result<SeriesPlan, Error> {
    let plan = job.history(series, job.seconds()).plan()?;
    let second = Duration::from_secs(1);
    let range = plan.range.start..plan.range.end.floor(second).max(plan.range.start);
    let state = &found.state;
    let mut unsettled = state.settled.uncovered(&range);
    // A response may contain two records outside the requested window, so a page covers `page_size - 2` intervals.
    let page = plan.step * u32::try_from(plan.page_size.saturating_sub(2).max(1)).unwrap_or(u32::MAX);
    let tail = unsettled.last_mut().filter(|tail| tail.end == range.end);
    let recent = tail.as_ref().map_or(range.end, |tail| tail.start);
    if let Some(tail) = tail {
        let pages = steps(tail, page);
        let full = page.saturating_mul(u32::try_from(pages).unwrap_or(u32::MAX));
        tail.start = tail.start.min((tail.end - full).floor(plan.step)).max(range.start);
    }
    let planned: TimeRanges = unsettled.iter().cloned().collect();
    let from = match (state.first, state.last) {
        _ if job.refetch_gaps => Some(range.start),
        (Some(first), Some(last)) => Some(first.max(last - RECENT).max(range.start)),
        _ => None,
    };
    let mut gaps = Vec::new();
    if let Some(from) = from {
        let first = (from + plan.step - Duration::from_nanos(1)).floor(plan.step);
        let scope = first..recent.floor(plan.step);
        let mut scanned = content.read(state, Some(from), true).await?;
        // Damage is an error here: the damaged files were skipped, so their rows would count as gaps.
        if let Some(damage) = scanned.damaged.pop() {
            return Err(damage);
        }
        let all = scanned.valid.uncovered(&scope).into_iter();
        gaps = pages(all.flat_map(|gap| planned.uncovered(&gap)), page, range.end);
        if !job.refetch_gaps {
            limit(&mut gaps, state.last.unwrap_or(range.start));
        }
    }
    let (mut records, mut requests) = (0, 0);
    for range in unsettled.iter().chain(&gaps) {
        let plan = job.history(series, range.clone()).plan()?;
        records += plan.records;
        requests += plan.requests;
    }
    let path = series.path().to_owned();
    Ok(SeriesPlan { path, range, last: state.last, unsettled, gaps, records, requests })
}

/// Returns pages that together cover all gaps. No page begins outside a gap.
fn pages(gaps: impl Iterator<Item = Range<Timestamp>>, page: Duration, end: Timestamp) -> Vec<Range<Timestamp>> {
    let mut pages: Vec<Range<Timestamp>> = Vec::new();
    for mut gap in gaps {
        if let Some(last) = pages.last() {
            gap.start = gap.start.max(last.end);
        }
        while gap.start < gap.end {
            let until = (gap.start + page).min(end);
            pages.push(gap.start..until);
            gap.start = until;
        }
    }
    pages
}

/// Keeps only as many pages as one run may request. The selection changes daily, so that permanent gaps do not prevent
/// other gaps from being requested.
fn limit(pages: &mut Vec<Range<Timestamp>>, last: Timestamp) {
    let day = usize::try_from(last.unix_seconds() / 86_400).unwrap_or_default();
    if !pages.is_empty() {
        let turn = (day * GAP_REQUESTS) % pages.len();
        pages.rotate_left(turn);
        pages.truncate(GAP_REQUESTS);
        pages.sort_by_key(|page| page.start);
    }
}
