//! The ranges that a backfill will request: ranges that were never fetched, ranges whose records may have changed, and
//! gaps.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use runtime::{Interval, Timestamp};

use super::job::{Backfill, REFETCH};
use super::job_tables::JobTables;
use crate::error::Error;
use crate::series::SeriesRequest;
use crate::series_state::SeriesState;
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
    /// no limit. The limit of requests in flight counts if an earlier run has measured how long a request takes.
    pub min_duration: Option<Duration>,
    /// Tables whose files are expected to become too large, each with a message about how to rebuild it.
    pub outgrown: Vec<String>,
    /// The damage of files, which a run repairs before it requests anything. Each message names the file, the damage and
    /// the repair.
    pub damaged: Vec<String>,
    /// Parquet files among the data files that are not part of the data set, each with a message. They are not read or
    /// changed.
    pub strays: Vec<String>,
}

/// The requests for one series.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SeriesPlan {
    /// The path that identifies the series.
    pub path: String,
    /// `true` if a user has [retired](crate::retire()) the series, so that no run requests it.
    pub is_retired: bool,
    /// The range of the job, up to the end of the last closed interval.
    pub range: Range<Timestamp>,
    /// The time of the newest record in the target.
    pub last: Option<Timestamp>,
    /// The end of the interval of that record.
    pub end: Option<Timestamp>,
    /// Ranges that have never been fetched, or that were fetched only while their records could still change. The last
    /// range may start earlier than necessary, so that its pages are full.
    pub unsettled: Vec<Range<Timestamp>>,
    /// Ranges with missing records, which are requested again.
    pub gaps: Vec<Range<Timestamp>>,
    /// Pages of ranges that had no record, each requested once more.
    pub probes: Vec<Range<Timestamp>>,
    /// The maximum number of records in the requested ranges, one per interval; `None` without a regular step, because
    /// their number is unknown.
    pub records: Option<u64>,
    /// Number of requests, if no page has to be split or retried. Without a regular step, or if the size of a page is
    /// unknown, the least number: each page begins where another page ended, so that only the first page of each range can
    /// be planned.
    pub requests: u64,
    /// The pages in which each range is requested; `None` if each page begins where another page ended.
    pub(super) pages: Option<PageGrid>,
    /// `true` if the run is one of other series of the job.
    pub(super) is_left_out: bool,
}

impl SeriesPlan {
    /// Removes all requests.
    fn clear(&mut self) {
        self.unsettled = Vec::new();
        self.gaps = Vec::new();
        self.probes = Vec::new();
        self.records = Some(0);
        self.requests = 0;
    }
}

/// The pages of a range. The first page begins with the interval that contains the start of the range.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageGrid {
    pub(super) interval: Interval,
    /// The number of intervals of a page; `usize::MAX` if it is unknown.
    pub(super) steps: usize,
}

impl PageGrid {
    /// The start of the first page at or after a time, for the pages of a range that begins at `start`.
    pub(super) fn page_at(self, start: Timestamp, time: Timestamp) -> Timestamp {
        let first = self.interval.start_of(start);
        let pages = self.interval.count(&(first..time)).div_ceil(self.steps.max(1) as u64);
        self.after(first, pages)
    }

    /// The end of this many pages that begin at a time.
    fn after(self, time: Timestamp, pages: u64) -> Timestamp {
        self.interval.shifted(time, self.intervals(pages))
    }

    /// The start of the pages that cover a range and end with it. Pages of an unknown size begin with the interval at the
    /// start of the range, because some services count the times of their records from the requested start.
    fn before(self, range: &Range<Timestamp>) -> Timestamp {
        if !self.has_size() {
            return self.interval.start_of(range.start);
        }
        let pages = self.interval.count(range).div_ceil(self.steps.max(1) as u64);
        self.interval.shifted(range.end, -self.intervals(pages))
    }

    fn has_size(self) -> bool {
        self.steps < usize::MAX
    }

    fn intervals(self, pages: u64) -> i64 {
        i64::try_from(pages.saturating_mul(self.steps as u64)).unwrap_or(i64::MAX)
    }

    /// A time that every full page covers. Without a regular step, the first page of any range is requested with
    /// the range itself.
    fn shortest(self) -> Duration {
        if !self.interval.has_steps() {
            return Duration::MAX;
        }
        self.interval.shortest().saturating_mul(u32::try_from(self.steps).unwrap_or(u32::MAX))
    }
}

impl BackfillPlan {
    /// Returns the maximum number of records of all series; `None` if that of a series is unknown.
    pub fn records(&self) -> Option<u64> {
        self.series.iter().map(|series| series.records).sum()
    }

    /// Returns the number of requests of all series, if no page has to be split or retried. It is the least number if
    /// [`has_unknown_pages`](Self::has_unknown_pages).
    pub fn requests(&self) -> u64 {
        self.series.iter().map(|series| series.requests).sum()
    }

    /// Returns whether a series is requested whose pages begin where other pages ended, so that their number is unknown.
    pub fn has_unknown_pages(&self) -> bool {
        self.series.iter().any(|series| series.requests > 0 && series.pages.is_none())
    }

    /// Plans no request for a series whose index is not in the set.
    pub(super) fn leave_out_all_but(&mut self, series: &BTreeSet<usize>) {
        for (index, plan) in self.series.iter_mut().enumerate() {
            if !series.contains(&index) {
                plan.clear();
                plan.is_left_out = true;
            }
        }
    }
}

impl Backfill {
    /// Returns the requests that a run would make, given the current content of the target. Sends no request.
    pub async fn plan(&self) -> Result<BackfillPlan, Error> {
        plan(self, &JobTables::open(self, false).await?)
    }
}

pub(super) fn plan(job: &Backfill, job_tables: &JobTables) -> Result<BackfillPlan, Error> {
    let now = job.reached(Timestamp::now());
    let mut series = Vec::with_capacity(job.series.len());
    for (one, state) in job.series.iter().zip(job_tables.states_with_journal()) {
        series.push(series_plan(job, one, &state, now)?);
    }
    let mut outgrown = Vec::new();
    let mut damaged = Vec::new();
    let mut strays = Vec::new();
    for table in job_tables.tables.values() {
        outgrown.extend(table.outgrown());
        for damage in &table.damaged {
            damaged.push(damage.error().to_string());
        }
        table.add_stray_messages(&mut strays);
    }
    Ok(BackfillPlan { min_duration: min_duration(job, job_tables, &series), outgrown, damaged, strays, series })
}

/// The minimum time that all requests take under the rate limit of the client, if it is known.
fn min_duration(job: &Backfill, job_tables: &JobTables, plans: &[SeriesPlan]) -> Option<Duration> {
    let limit = job.series.first()?.request().rate_limit()?;
    let mut requests = Vec::with_capacity(plans.len());
    for (series, plan) in job.series.iter().zip(plans) {
        requests.push((plan.requests, series.endpoint()));
    }
    let mut latency = Duration::ZERO;
    for table in job_tables.tables.values() {
        latency = latency.max(table.state.latency.unwrap_or_default());
    }
    Some(limit.min_duration(&requests, latency))
}

/// `now` is the time that the service has reached.
fn series_plan(
    job: &Backfill,
    series: &SeriesRequest,
    state: &SeriesState,
    now: Timestamp,
) -> Result<SeriesPlan, Error> {
    let asked = job.range_of(series);
    let plan = job.history(series, asked.clone()).plan()?;
    let interval = plan.interval;
    let range = planned_range(&plan.range, &asked, state, interval);
    let grid = PageGrid { interval, steps: page_steps(plan.page_size) };
    let mut unsettled = Vec::new();
    let mut gaps = Vec::new();
    let mut probes = Vec::new();
    if state.retired.is_none() {
        (unsettled, gaps) = unsettled_and_gaps(job, state, &range, now, grid);
        probes = probes_of_empty(job, state, &range, now, &unsettled, grid.shortest());
        probes.extend(page_of_moved(state, &range, now, &unsettled, grid));
    }
    let size = PlanSize::of(job, series, [&unsettled, &gaps, &probes])?;
    Ok(SeriesPlan {
        path: series.path().to_owned(),
        is_retired: state.retired.is_some(),
        range,
        last: state.row_facts.last,
        end: state.row_facts.end(),
        unsettled,
        gaps,
        probes,
        records: size.records,
        requests: size.requests,
        pages: plan.page_steps.map(|steps| PageGrid { interval, steps }),
        is_left_out: false,
    })
}

/// The number of intervals that a page covers. A response may contain two records outside the requested window.
fn page_steps(page_size: usize) -> usize {
    if page_size == usize::MAX { usize::MAX } else { page_size.saturating_sub(2).max(1) }
}

/// The range of a series that a run requests, in whole seconds. `available` is the range without open intervals.
fn planned_range(
    available: &Range<Timestamp>,
    asked: &Range<Timestamp>,
    state: &SeriesState,
    interval: Interval,
) -> Range<Timestamp> {
    let second = Duration::from_secs(1);
    let mut end = available.end;
    // The newest record is not in the future, even if the clock of this machine is behind. The service may then have more, so
    // the interval after that record is planned, too, and the run ends at the present of the service.
    if let Some(last) = state.row_facts.last {
        let known = interval.moved(last, 1).max(last + second);
        if end < known {
            let next = interval.moved(known, 1).max(known + second);
            end = next.min(asked.end).max(end);
        }
    }
    available.start..end.floor(second).max(available.start)
}

/// What is planned for a series.
struct PlanSize {
    records: Option<u64>,
    requests: u64,
}

impl PlanSize {
    fn of(job: &Backfill, series: &SeriesRequest, ranges: [&Ranges; 3]) -> Result<Self, Error> {
        let has_steps = series.interval().has_steps();
        let mut size = Self { records: Some(0), requests: 0 };
        for range in ranges.into_iter().flatten() {
            let plan = job.history(series, range.clone()).plan()?;
            size.requests += plan.requests;
            size.records = if has_steps { size.records.map(|records| records + plan.records) } else { None };
        }
        Ok(size)
    }
}

type Ranges = Vec<Range<Timestamp>>;

/// The unsettled ranges and the gaps of a series.
fn unsettled_and_gaps(
    job: &Backfill,
    state: &SeriesState,
    range: &Range<Timestamp>,
    now: Timestamp,
    grid: PageGrid,
) -> (Ranges, Ranges) {
    let settled = settled_ranges(job, state, now);
    let mut unsettled: Vec<_> = settled.uncovered(range.clone()).ranges().collect();
    // Without a regular step, no gap is known, and no page is known to be full.
    if !grid.interval.has_steps() {
        return (unsettled, Vec::new());
    }
    let mut recent = range.end;
    if let Some(tail) = unsettled.last_mut()
        && tail.end == range.end
    {
        recent = tail.start;
        tail.start = tail.start.min(grid.before(tail)).max(range.start);
    }
    let missing = without_valid_record(job, state, range, recent, grid);
    let missing = missing.without(&unsettled.iter().cloned().collect());
    let mut gaps = pages_of(&missing, grid, range.end);
    if !job.refetch_gaps {
        limit_pages(&mut gaps, state.row_facts.last.unwrap_or(range.start));
    }
    (unsettled, gaps)
}

/// The ranges that are not requested again, because they were fetched before the refetch time, which may be longer
/// than in the last run.
fn settled_ranges(job: &Backfill, state: &SeriesState, now: Timestamp) -> TimeRanges {
    let Some(last) = state.row_facts.last else { return TimeRanges::default() };
    // What was older than the default time when it was fetched is fetched again only if the user sets a longer time.
    let newest = if job.refetch > REFETCH { last } else { last.max(now) };
    // Nothing after the time that the service has reached is settled, so records after that time are of a wrong clock.
    let reached = state.settled.bounds().map_or(now, |settled| settled.end.max(now));
    state.settled.until(newest.min(reached) - job.refetch)
}

/// The intervals before a time without a valid record; by default, only those of the last days.
fn without_valid_record(
    job: &Backfill,
    state: &SeriesState,
    range: &Range<Timestamp>,
    before: Timestamp,
    grid: PageGrid,
) -> TimeRanges {
    let interval = grid.interval;
    let row_facts = &state.row_facts;
    let from = match (row_facts.first, row_facts.last) {
        _ if job.refetch_gaps => range.start,
        (Some(first), Some(last)) => first.max(last - RECENT).max(range.start),
        _ => return TimeRanges::default(),
    };
    let is_start = interval.start_of(from) == from;
    let first = if is_start { from } else { interval.end_of(from) };
    let valid = row_facts.present.without(&row_facts.invalid).without(&row_facts.partial);
    valid.uncovered(first..interval.start_of(before))
}

/// The pages of empty ranges that are requested once more, without those that are requested anyway.
fn probes_of_empty(
    job: &Backfill,
    state: &SeriesState,
    range: &Range<Timestamp>,
    now: Timestamp,
    unsettled: &Ranges,
    page: Duration,
) -> Ranges {
    let is_recent = now < range.end + job.refetch;
    let requested: TimeRanges = unsettled.iter().cloned().collect();
    let mut probes = state.empty.probes(page, now, state.row_facts.extent().as_ref(), is_recent);
    probes.retain(|probe| range.start <= probe.start && probe.end <= range.end);
    probes.retain(|probe| requested.within(probe).is_empty());
    probes
}

/// The page around the time to which the first record has moved by now, if it moves with the clock; `None` if that
/// need not be checked, or if the page is requested anyway. All of its records were requested before.
fn page_of_moved(
    state: &SeriesState,
    range: &Range<Timestamp>,
    now: Timestamp,
    unsettled: &Ranges,
    grid: PageGrid,
) -> Option<Range<Timestamp>> {
    let interval = grid.interval;
    let expected = state.first_seen.expected(interval, now)?;
    let half = i64::try_from(grid.steps / 2).unwrap_or(i64::MAX);
    let from = interval.shifted(expected, -half).max(state.row_facts.first?).max(range.start);
    let until = if grid.has_size() { grid.after(from, 1) } else { interval.moved(expected, 1) };
    let mut to = until.min(range.end);
    if unsettled.iter().any(|range| range.contains(&from)) {
        return None;
    }
    if let Some(next) = unsettled.iter().find(|range| range.start > from) {
        to = to.min(next.start);
    }
    if interval.moved(expected, 1) <= to { Some(from..to) } else { None }
}

/// Pages that together cover all gaps. No page begins outside a gap, and pages of an unknown size end with it.
fn pages_of(gaps: &TimeRanges, grid: PageGrid, end: Timestamp) -> Ranges {
    let mut pages: Ranges = Vec::new();
    for mut gap in gaps.ranges() {
        if let Some(last) = pages.last() {
            gap.start = gap.start.max(last.end);
        }
        while gap.start < gap.end {
            let until = if grid.has_size() { grid.after(gap.start, 1).min(end) } else { gap.end };
            pages.push(gap.start..until);
            gap.start = until;
        }
    }
    pages
}

/// Keeps only as many pages as one run may request. The selection changes daily, so that permanent gaps do not prevent
/// other gaps from being requested.
fn limit_pages(pages: &mut Ranges, last: Timestamp) {
    let day = usize::try_from(last.unix_seconds() / 86_400).unwrap_or_default();
    if !pages.is_empty() {
        let turn = (day * GAP_REQUESTS) % pages.len();
        pages.rotate_left(turn);
        pages.truncate(GAP_REQUESTS);
        pages.sort_by_key(|page| page.start);
    }
}
