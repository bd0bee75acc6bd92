//! A run fetches the ranges of its plan into the journal, several ranges at a time, and merges the journal into the
//! files.
//!
//! The input is a plan, and the output is files and events. The client's history decides which pages are requested.

use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::iter::Peekable;
use std::ops::Range;
use std::pin::pin;
use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use runtime::history::{FailedPage, Progress, Report};
use tokio::time::Instant;

use super::Backfill;
use super::buffer::{Buffer, ROWS};
use super::event::{BackfillEvent, SeriesReport, Summary};
use super::fetch::Active;
use super::plan::{self, BackfillPlan, SeriesPlan};
use crate::columns::Columns;
use crate::content::Content;
use crate::error::Error;
use crate::place::period;
use crate::saved_state::{Section, SeriesState};
use crate::series_columns::SeriesColumns;

/// Number of files in the journal after which it is merged into the data files. On the local disk, each of these files
/// is open; in object storage, each is in memory.
const MAX_JOURNAL: [usize; 2] = [100, 32];

/// A range of a series.
pub(super) type Item = (usize, Range<Timestamp>);

/// The state of a run.
pub(super) struct Run<'j, W> {
    begun: Instant,
    pub(super) job: &'j Backfill,
    pub(super) content: Content,
    pub(super) watch: W,
    pub(super) series: Vec<SeriesRun>,
    /// The ranges that are not being fetched yet.
    pub(super) items: Items,
    pub(super) active: Vec<Active>,
    /// The progress of the ranges that were fetched.
    pub(super) done: Progress,
    pub(super) buffer: Buffer,
    /// Number of ranges that were begun.
    pub(super) begun_items: usize,
    /// Number of pages without a response, which are requested again.
    pub(super) lost: u64,
    /// The last page without a response. Its error is reported if the service stays unreachable.
    pub(super) last_lost: Option<(usize, FailedPage)>,
    /// The start of the current outage, if it was reported; otherwise `None`.
    pub(super) trouble: Option<Instant>,
    pub(super) has_response: bool,
    pub(super) summary: Summary,
}

/// The state of a series in a run.
pub(super) struct SeriesRun {
    /// Checksums of dropped records that no run has reported.
    pub(super) dropped: BTreeSet<u32>,
    pub(super) report: SeriesReport,
}

pub(super) async fn run(
    job: &Backfill,
    content: Content,
    watch: impl FnMut(&BackfillEvent),
    cancel: impl Future<Output = ()>,
) -> Result<Summary, Error> {
    let plan = plan::plan(job, &content)?;
    let mut run = Run::new(job, content, watch, &plan);
    if !job.only_new {
        run.note_planned(&plan).await?;
    }
    // An outage that began during an earlier run does not count.
    job.response_monitor.note(Ok(200), Duration::ZERO);
    let mut cancel = pin!(cancel);
    let mut fetched = run.fetch(cancel.as_mut()).await;
    while fetched.is_ok() && !run.is_stopped() && run.items.has_next() {
        run.merge().await?;
        fetched = run.fetch(cancel.as_mut()).await;
    }
    if fetched.is_err() || run.summary.is_cancelled {
        // The journal has everything that was fetched.
        for table in &mut run.content.tables {
            let saved = table.save().await;
            fetched = fetched.and(saved);
        }
        fetched?;
    } else if !job.only_new {
        run.merge().await?;
    }
    Ok(run.finish())
}

/// The ranges of a run that are not being fetched yet.
pub(super) struct Items {
    all: Peekable<Box<dyn Iterator<Item = Item> + Send>>,
    /// Ranges that are fetched after all others.
    pub(super) last: VecDeque<Item>,
    /// The number of requests of these ranges.
    pub(super) requests: u64,
}

impl Items {
    /// Returns the planned ranges, the longest first. If the journal cannot contain all rows, the ranges are divided at
    /// the ends of periods and ordered by period, so that each file is written only once or twice.
    fn new(content: &Content, plan: &BackfillPlan) -> Self {
        let planned = |(index, series): (usize, &SeriesPlan)| {
            let ranges = series.unsettled.iter().chain(&series.gaps).cloned();
            ranges.map(move |range| (index, range)).collect::<Vec<_>>()
        };
        let mut items: Vec<Item> = plan.series.iter().enumerate().flat_map(planned).collect();
        items.sort_by_key(|(_, range)| std::cmp::Reverse(range.end - range.start));
        let start = items.iter().map(|(_, range)| range.start).min().unwrap_or_else(Timestamp::now);
        let end = items.iter().map(|(_, range)| range.end).max().unwrap_or(start);
        let partitions = content.tables.iter().filter_map(|table| table.base.partition);
        let shortest = partitions.min_by_key(|partition| period(Some(*partition), start).end);
        let partition = shortest.filter(|_| plan.records() > (ROWS * MAX_JOURNAL[0]) as u64);
        let periods = std::iter::successors(Some(period(partition, start)), move |last| {
            (last.end < end).then(|| period(partition, last.end))
        });
        let within = move |period: Range<Timestamp>| {
            let part = |(index, range): &Item| (*index, range.start.max(period.start)..range.end.min(period.end));
            items.iter().map(part).filter(|(_, range)| range.start < range.end).collect::<Vec<_>>()
        };
        let all: Box<dyn Iterator<Item = Item> + Send> = Box::new(periods.flat_map(within));
        Self { all: all.peekable(), last: VecDeque::new(), requests: plan.requests() }
    }

    pub(super) fn has_next(&mut self) -> bool {
        self.all.peek().is_some() || !self.last.is_empty()
    }

    pub(super) fn pop(&mut self) -> Option<Item> {
        self.all.next().or_else(|| self.last.pop_front())
    }
}

impl<'j, W: FnMut(&BackfillEvent)> Run<'j, W> {
    fn new(job: &'j Backfill, content: Content, watch: W, plan: &BackfillPlan) -> Self {
        let report = |path: &str| SeriesReport { path: path.to_owned(), ..SeriesReport::default() };
        let series = plan.series.iter();
        Self {
            begun: Instant::now(),
            job,
            items: Items::new(&content, plan),
            content,
            watch,
            series: series.map(|plan| SeriesRun { dropped: BTreeSet::new(), report: report(&plan.path) }).collect(),
            active: Vec::new(),
            done: Progress::default(),
            buffer: Buffer::new(),
            begun_items: 0,
            lost: 0,
            last_lost: None,
            trouble: None,
            has_response: false,
            summary: Summary::default(),
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.summary.is_cancelled || self.summary.is_unreachable
    }

    /// Returns `true` if the journal is merged before more ranges are fetched.
    pub(super) fn is_full(&self) -> bool {
        let is_bucket = matches!(self.job.target, crate::target::Target::Bucket { .. });
        let files = self.content.tables.iter().map(|table| table.journal.len()).sum::<usize>();
        files >= MAX_JOURNAL[usize::from(is_bucket)] && !self.job.only_new
    }

    /// Changes the state of a series.
    pub(super) fn edit(&mut self, index: usize, change: impl Fn(&mut SeriesState)) {
        let Some(series) = self.job.series.get(index) else { return };
        let table = self.content.of_series.get(index).and_then(|table| self.content.tables.get_mut(*table));
        if let Some(table) = table {
            table.edit(series.path(), &SeriesState::new(series), &change);
        }
    }

    /// Adds the ranges that are about to be requested to the state of each series, and marks series that are no longer
    /// part of the job as retired. A file does not show which records before its first record are missing, so a state
    /// with such ranges is written before the first request.
    async fn note_planned(&mut self, plan: &BackfillPlan) -> Result<(), Error> {
        let now = Timestamp::now();
        for index in 0..self.content.tables.len() {
            let of_table = self.content.of_series.iter().zip(&self.job.series).filter(|(table, _)| **table == index);
            let paths: BTreeSet<_> = of_table.map(|(_, series)| series.path()).collect();
            let Some(table) = self.content.tables.get_mut(index) else { continue };
            let requested = |path: &&str| table.base.series.get(*path)?.requested;
            let earlier: BTreeSet<_> = paths.iter().filter_map(requested).collect();
            let others = table.base.series.iter().filter(|(path, _)| !paths.contains(path.as_str()));
            // The last run with this series also had a series of this job, so it was a run of this job.
            let retired = others.filter(|(_, series)| series.requested.is_some_and(|run| earlier.contains(&run)));
            for path in retired.map(|(path, _)| path.clone()).collect::<Vec<_>>() {
                table.edit(&path, &SeriesState::default(), |series| series.is_retired = true);
            }
        }
        for (index, plan) in plan.series.iter().enumerate() {
            let planned = plan.unsettled.iter().cloned().collect();
            self.edit(index, |series| {
                series.unfetched.extend(&planned);
                (series.requested, series.is_retired) = (Some(now), false);
            });
        }
        for table in &mut self.content.tables {
            let is_early = |series: &SeriesState| {
                let first = series.rows.first;
                series.unfetched().ranges().iter().any(|range| first.is_none_or(|first| range.start < first))
            };
            if table.state.series.values().any(is_early) {
                table.save().await?;
            }
        }
        Ok(())
    }

    /// Writes the fetched rows to the journal.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        let mut sections: Vec<Vec<(usize, Section, Vec<RecordBatch>)>> = Vec::new();
        sections.resize_with(self.content.tables.len(), Vec::new);
        for section in self.buffer.take() {
            if let Some(table) = self.content.of_series.get(section.0).and_then(|table| sections.get_mut(*table)) {
                table.push(section);
            }
        }
        for (index, sections) in sections.into_iter().enumerate().filter(|(_, sections)| !sections.is_empty()) {
            let series: BTreeSet<_> = sections.iter().map(|(series, ..)| *series).collect();
            let series = series.into_iter().filter_map(|index| self.job.series.get(index));
            let schemas: Vec<_> = series.map(|series| SeriesColumns::new(series).schema()).collect();
            let columns = Columns::new(&schemas).map_err(Error::invalid_input)?;
            let mut converted = Vec::with_capacity(sections.len());
            for (series, mut section, batches) in sections {
                // The checksums of dropped records are stored, so that no later run reports them again. Dropped records
                // count as gaps, so later runs request them again.
                if let Some((one, fetched)) = self.series.get_mut(series).zip(section.fetched.as_mut()) {
                    fetched.dropped = std::mem::take(&mut one.dropped);
                    one.report.dropped += fetched.dropped.len() as u64;
                }
                let batches = batches.iter().map(|batch| columns.batch(batch)).collect::<Result<Vec<_>, _>>()?;
                converted.push((section, batches));
            }
            let Some(table) = self.content.tables.get_mut(index) else { continue };
            table.journal(&columns, converted).await?;
        }
        Ok(())
    }

    /// Merges the journal into the files.
    async fn merge(&mut self) -> Result<(), Error> {
        let latency = self.job.response_monitor.latency();
        for index in 0..self.content.tables.len() {
            let schema = plan::schema(self.job, &self.content, index).map_err(Error::invalid_input)?;
            let Some(table) = self.content.tables.get_mut(index) else { continue };
            if let Some(latency) = latency.and_then(|latency| u64::try_from(latency.as_millis()).ok()) {
                (table.base.latency, table.state.latency) = (Some(latency), Some(latency));
            }
            let (written, is_restored) = table.commit(Some(schema), &BTreeSet::new()).await?;
            self.summary.is_restored |= is_restored;
            for written in written {
                for (path, changes) in &written.changes {
                    let Some(one) = self.series.iter_mut().find(|one| one.report.path == *path) else { continue };
                    one.report.count(*changes);
                    one.report.files.push(written.file.clone());
                }
                if !self.summary.files.contains(&written.file) {
                    self.summary.files.push(written.file);
                }
            }
        }
        Ok(())
    }

    /// Reports the progress, summed over all ranges.
    pub(super) fn report_progress(&mut self) {
        let mut all = self.done.clone();
        (all.elapsed, all.pages_left) = (self.begun.elapsed(), self.items.requests);
        self.active.iter().for_each(|active| add(&mut all, &active.progress()));
        // A history counts a page without a response as finished, but the run requests that page again.
        all.pages = all.pages.saturating_sub(self.lost);
        (self.watch)(&BackfillEvent::Progress { progress: all });
    }

    /// Returns the summary.
    fn finish(self) -> Summary {
        let Self { begun, job, content, series, mut summary, has_response, done, last_lost, mut watch, .. } = self;
        summary.requests = done.requests;
        let has_failed = !summary.failed.is_empty() || summary.failed_pages > 0;
        // If the run got no response at all, the service counts as unreachable too, even if the run took less than two
        // minutes.
        summary.is_unreachable |= has_failed && !has_response;
        if let Some((series, page)) = last_lost.filter(|_| summary.is_unreachable) {
            let mut report = Report::default();
            report.failed_pages.push(page);
            watch(&BackfillEvent::Report { series, report });
        }
        for (index, (one, request)) in series.into_iter().zip(&job.series).enumerate() {
            let mut report = one.report;
            report.note(&content.state(index, request));
            summary.records += report.added + report.filled;
            summary.series.push(report);
        }
        let has_empty = !job.allow_empty && summary.series.iter().any(SeriesReport::is_empty);
        summary.is_complete = !summary.is_cancelled && !summary.is_unreachable && !has_failed && !has_empty;
        summary.elapsed = begun.elapsed();
        summary
    }
}

/// Adds the progress of a range.
pub(super) fn add(all: &mut Progress, one: &Progress) {
    all.records += one.records;
    all.pages += one.pages;
    all.pages_left += one.pages_left;
    all.requests += one.requests;
    all.waited += one.waited;
}
