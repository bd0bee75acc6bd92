//! What a backfill is going to ask for: of each series the ranges that are not there yet.

use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;

use super::Backfill;
use super::inventory::{Inventory, Place};
use crate::coverage::Coverage;
use crate::error::Error;
use crate::series::Series;

/// What a backfill is going to ask for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BackfillPlan {
    /// One for each series, in their order.
    pub series: Vec<SeriesPlan>,
    /// The least time that all requests take, as the client's rate limit has it; `None` where a gate of your own
    /// decides.
    pub least_time: Option<Duration>,
}

/// What is going to be asked for of one series.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SeriesPlan {
    /// The path that tells the series from others.
    pub path: String,
    /// The range, up to where records are closed by now.
    pub range: Range<Timestamp>,
    /// What of it is not there, in the part that is this shard's.
    pub missing: Vec<Range<Timestamp>>,
    /// Times that should have a record and have none, which are asked for again.
    pub repaired: Vec<Range<Timestamp>>,
    /// The interval that is still open, where it is asked for.
    pub open: Option<Range<Timestamp>>,
    /// The most records that there can be, one a step.
    pub records: u64,
    /// Requests, if the service answers as planned.
    pub windows: u64,
}

impl BackfillPlan {
    /// Requests for all series.
    pub fn windows(&self) -> u64 {
        self.series.iter().map(|series| series.windows).sum()
    }

    /// The most records of all series.
    pub fn records(&self) -> u64 {
        self.series.iter().map(|series| series.records).sum()
    }
}

pub(super) async fn plan(job: &Backfill, place: &Place) -> Result<BackfillPlan, Error> {
    let planned = planned(job, place).await?;
    let series: Vec<_> = planned.into_iter().map(|(plan, _)| plan).collect();
    let least_time = least_time(job, &series);
    Ok(BackfillPlan { series, least_time })
}

/// The least time that the requests of all series take together.
fn least_time(job: &Backfill, plans: &[SeriesPlan]) -> Option<Duration> {
    let limit = job.series.first()?.request().rate_limit()?;
    let requests = job.series.iter().zip(plans).map(|(series, plan)| (plan.windows, series.endpoint()));
    Some(limit.least_time(&requests.collect::<Vec<_>>()))
}

/// The plan of each series, with the inventory of its files.
pub(super) async fn planned(job: &Backfill, place: &Place) -> Result<Vec<(SeriesPlan, Inventory)>, Error> {
    job.check()?;
    let mut all = Vec::with_capacity(job.series.len());
    for series in &job.series {
        all.push(series_plan(job, place, series).await?);
    }
    Ok(all)
}

async fn series_plan(job: &Backfill, place: &Place, series: &Series) -> Result<(SeriesPlan, Inventory), Error> {
    let plan = series.plan(job.seconds())?;
    let second = Duration::from_secs(1);
    let range = plan.range.start..plan.range.end.floor(second).max(plan.range.start);
    let inventory = place.inventory(series).await?;
    let mine = job.shard.parts(series.path(), &range, plan.step, plan.page_size);
    let missing: Vec<_> = mine.iter().flat_map(|part| inventory.covered.missing(part)).collect();
    let mut repaired = Vec::new();
    if job.repair {
        let gaps: Coverage = place.gaps(series, &inventory).await?.into_iter().collect();
        // Only the gaps in the parts of this shard.
        for gap in gaps.ranges() {
            let overlap = |part: &Range<Timestamp>| gap.start.max(part.start)..gap.end.min(part.end);
            repaired.extend(mine.iter().map(overlap).filter(|range| range.start < range.end));
        }
    }
    let mut open = None;
    if job.with_open {
        let until = series.open_interval(job.seconds()).plan()?.range.end.floor(second);
        let shard = |open: &Range<Timestamp>| job.shard.parts(series.path(), open, plan.step, plan.page_size);
        open = Some(range.end..until).filter(|open| open.start < open.end && !shard(open).is_empty());
    }
    let (mut records, mut windows) = (0, 0);
    let closed = missing.iter().chain(&repaired).map(|range| series.history(range.clone()));
    for history in closed.chain(open.clone().map(|range| series.open_interval(range))) {
        let plan = history.plan()?;
        records += plan.records;
        windows += plan.windows;
    }
    let path = series.path().to_owned();
    Ok((SeriesPlan { path, range, missing, repaired, open, records, windows }, inventory))
}
