//! A run fetches the ranges of its plan, several at a time, and merges their rows with the existing rows.
//!
//! The input is a plan, and the output is files and events. The client's history decides which pages are requested.

use std::collections::BTreeSet;
use std::future::Future;
use std::ops::Range;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::Timestamp;
use runtime::history::{FailedPage, Progress, Report};
use tokio::time::Instant;

use super::Backfill;
use super::event::{BackfillEvent, SeriesReport, Summary};
use super::plan::{self, SeriesPlan};
use crate::error::Error;
use crate::existing_content::{ExistingContent, Inventory};
use crate::merge_file;
use crate::merge_rows::Changes;
use crate::saved_state::{Known, SeriesState};
use crate::series::SeriesRequest;
use crate::time_ranges::TimeRanges;

/// Maximum number of ranges that are fetched concurrently. Each range keeps pages and a partition in memory.
const MAX_CONCURRENT: usize = 16;

/// A range of a series.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) series: usize,
    pub(super) range: Range<Timestamp>,
    progress: Arc<Mutex<Progress>>,
}

/// The state of a run.
pub(super) struct Run<'j, W> {
    begun: Instant,
    pub(super) job: &'j Backfill,
    pub(super) content: &'j ExistingContent,
    pub(super) watch: W,
    pub(super) series: Vec<SeriesRun>,
    /// All ranges of the run, in the order in which they are fetched.
    pub(super) items: Vec<Item>,
    /// Number of pages without a response, which are requested again.
    pub(super) lost: u64,
    /// The last page without a response. Its error is reported if the service stays unreachable.
    pub(super) last_lost: Option<(usize, FailedPage)>,
    /// `true` after this run has written the hidden file of the target.
    pub(super) has_begun: bool,
    /// The start of the current outage, if it was reported; otherwise `None`.
    pub(super) trouble: Option<Instant>,
    pub(super) has_response: bool,
    pub(super) summary: Summary,
}

/// The state of a series in a run.
pub(super) struct SeriesRun {
    pub(super) state: SeriesState,
    /// The state that is stored in the target.
    pub(super) stored: SeriesState,
    pub(super) known: Known,
    /// Ranges whose rows this run has written.
    pub(super) written: TimeRanges,
    /// Checksums of dropped records that no run has reported.
    pub(super) dropped: BTreeSet<u32>,
    pub(super) report: SeriesReport,
}

pub(super) async fn run(
    job: &Backfill,
    content: &ExistingContent,
    watch: impl FnMut(&BackfillEvent),
    cancel: impl Future<Output = ()>,
) -> Result<Summary, Error> {
    let planned = plan::planned(job, content).await?;
    let mut run = Run::new(job, content, watch, &planned)?;
    run.widen(&planned).await?;
    run.note_planned(&planned).await?;
    // An outage that began during an earlier run does not count.
    job.response_monitor.note(Ok(200), Duration::ZERO);
    let (mut cancel, mut next) = (pin!(cancel), 0);
    // The number of items can grow, because pages without a response are added as new items.
    let mut fetched = Ok(());
    while fetched.is_ok() && !run.is_stopped() && next < run.items.len() {
        let chunk: Vec<_> = run.items.iter().skip(next).take(MAX_CONCURRENT).cloned().collect();
        next += chunk.len();
        fetched = run.fetch(&chunk, cancel.as_mut()).await;
    }
    // The states of all series are stored, including those with ranges that the run did not reach.
    for index in 0..planned.len() {
        run.put_state(index).await?;
    }
    fetched?;
    run.finish().await
}

/// Returns the planned ranges of all series.
fn items(job: &Backfill, planned: &[(SeriesPlan, Inventory)]) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    for (index, (request, (plan, _))) in job.series.iter().zip(planned).enumerate() {
        for range in plan.unsettled.iter().chain(&plan.gaps) {
            let requests = job.history(request, range.clone()).plan()?.requests;
            items.push(Item::new(index, range.clone(), requests));
        }
    }
    Ok(items)
}

impl Item {
    pub(super) fn new(series: usize, range: Range<Timestamp>, requests: u64) -> Self {
        let mut progress = Progress::default();
        progress.pages_left = requests;
        Self { series, range, progress: Arc::new(Mutex::new(progress)) }
    }

    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'j, W: FnMut(&BackfillEvent)> Run<'j, W> {
    fn new(
        job: &'j Backfill,
        content: &'j ExistingContent,
        watch: W,
        planned: &[(SeriesPlan, Inventory)],
    ) -> Result<Self, Error> {
        let series = planned.iter().map(|(plan, found)| SeriesRun {
            known: found.state.known(),
            state: found.state.clone(),
            stored: found.state.clone(),
            written: TimeRanges::default(),
            dropped: BTreeSet::new(),
            report: SeriesReport { path: plan.path.clone(), ..SeriesReport::default() },
        });
        Ok(Self {
            begun: Instant::now(),
            job,
            content,
            watch,
            series: series.collect(),
            items: items(job, planned)?,
            lost: 0,
            last_lost: None,
            has_begun: false,
            trouble: None,
            has_response: false,
            summary: Summary::default(),
        })
    }

    pub(super) fn series(&mut self, index: usize) -> Option<(&'j SeriesRequest, &mut SeriesRun)> {
        self.job.series.get(index).zip(self.series.get_mut(index))
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.summary.is_cancelled || self.summary.is_unreachable
    }

    /// Reports the progress, summed over all ranges.
    pub(super) fn report_progress(&mut self) {
        let mut all = Progress::default();
        all.elapsed = self.begun.elapsed();
        for item in &self.items {
            let one = item.progress();
            all.records += one.records;
            all.pages += one.pages;
            all.pages_left += one.pages_left;
            all.requests += one.requests;
            all.waited += one.waited;
        }
        // A history counts a page without a response as finished, but the run requests that page again.
        all.pages = all.pages.saturating_sub(self.lost);
        (self.watch)(&BackfillEvent::Progress { progress: all });
    }

    /// Merges the rows into the file if the target is a single file, and returns the summary.
    async fn finish(self) -> Result<Summary, Error> {
        let Self { begun, job, content, mut series, mut summary, has_response, items, last_lost, mut watch, .. } = self;
        // After a cancelled run, the rows remain next to the file, and a later run merges them.
        if let Some(single) = content.single.as_ref().filter(|_| !summary.is_cancelled) {
            let mut merged = |state: &SeriesState, changes: Changes| {
                if let Some(one) = series.iter_mut().find(|one| one.report.path == state.path) {
                    one.state = state.clone();
                    one.report.count(changes);
                }
            };
            merge_file::merge(job, content, single, &mut summary, &mut merged).await?;
        }
        summary.requests = items.iter().map(|item| item.progress().requests).sum();
        let has_failed = !summary.failed.is_empty() || summary.failed_pages > 0;
        // If the run got no response at all, the service counts as unreachable too, even if the run took less than two
        // minutes.
        summary.is_unreachable |= has_failed && !has_response;
        if let Some((series, page)) = last_lost.filter(|_| summary.is_unreachable) {
            let mut report = Report::default();
            report.failed_pages.push(page);
            watch(&BackfillEvent::Report { series, report });
        }
        for one in series {
            let mut report = one.report;
            report.note(&one.state);
            summary.records += report.added + report.filled;
            summary.series.push(report);
        }
        let has_empty = !job.allow_empty && summary.series.iter().any(SeriesReport::is_empty);
        summary.is_complete = !summary.is_cancelled && !summary.is_unreachable && !has_failed && !has_empty;
        summary.elapsed = begun.elapsed();
        Ok(summary)
    }
}
