//! The state of a run, and what all of its parts do: writing the journal, merging it, and reporting the progress.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use runtime::history::{FailedPage, Pages, Progress};
use runtime::record::AnyRecord;
use runtime::{Error as RequestError, Timestamp};
use tokio::time::Instant;

use super::buffered_pages::{ROWS, RangeId};
use super::event::{BackfillEvent, SeriesReport, Summary};
use super::job::Backfill;
use super::job_tables::JobTables;
use super::pending_ranges::{PendingRanges, SeriesRange};
use super::plan::BackfillPlan;
use crate::error::Error;
use crate::first_seen::Sighting;
use crate::merge_journal::WrittenFile;
use crate::partition::Partition;
use crate::section::Section;
use crate::series_state::SeriesState;
use crate::table_journal::WritingRun;

/// The partition by which the ranges of a run are divided: the shortest, if the journal cannot contain all rows.
fn divided_by(job: &Backfill, job_tables: &JobTables, plan: &BackfillPlan) -> Option<Partition> {
    let capacity = (ROWS * job.journal_files) as u64;
    if plan.records().is_some_and(|records| records <= capacity) {
        return None;
    }
    job_tables.tables.values().filter_map(|table| table.state.partition).min()
}

/// The earliest page of a series with records.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstPage {
    /// The start of the range of the page.
    pub(super) from: Timestamp,
    pub(super) sighting: Sighting,
}

/// A range that is being fetched.
pub(super) struct ActiveRange {
    pub(super) id: RangeId,
    /// The steps of the range that the account counts as failed, until its first page.
    pub(super) failed_steps: u64,
    /// The part of the range after its last page.
    pub(super) rest: Range<Timestamp>,
    /// `true` if a page has failed.
    pub(super) has_failed: bool,
    pub(super) pages: Pages<AnyRecord>,
}

/// The state of a run.
pub(super) struct Run<'j, W> {
    pub(super) begun: Instant,
    /// The time at which the run began, which identifies it in the journal.
    pub(super) started: Timestamp,
    pub(super) job: &'j Backfill,
    pub(super) job_tables: JobTables,
    pub(super) watch: W,
    /// The ranges that are not being fetched yet.
    pub(super) pending: PendingRanges,
    /// The pages of empty ranges that are requested again.
    pub(super) probes: Vec<SeriesRange>,
    pub(super) active: Vec<ActiveRange>,
    /// The earliest page with records of each series.
    pub(super) first_pages: BTreeMap<usize, FirstPage>,
    /// The progress of the ranges that were fetched.
    pub(super) done: Progress,
    /// Number of ranges that were begun.
    pub(super) begun_ranges: usize,
    /// Number of pages without a response, which are requested again.
    pub(super) lost: u64,
    /// The last page without a response. Its error is reported if the service stays unreachable.
    pub(super) last_lost: Option<(usize, FailedPage)>,
    /// The start of the current outage, if it was reported; otherwise `None`.
    pub(super) trouble: Option<Instant>,
    pub(super) has_response: bool,
    /// The errors with which the service has requested a long pause of an endpoint.
    pub(super) paused: Vec<RequestError>,
    /// The error with which all further requests would fail.
    pub(super) rejected: Option<Error>,
    pub(super) summary: Summary,
}

impl<'j, W: FnMut(&BackfillEvent)> Run<'j, W> {
    pub(super) fn new(job: &'j Backfill, job_tables: JobTables, watch: W, plan: &BackfillPlan) -> Self {
        let mut summary = Summary::default();
        for series in &plan.series {
            summary.series.push(SeriesReport { path: series.path.clone(), ..SeriesReport::default() });
        }
        let mut asked_ends = Vec::with_capacity(job.series.len());
        for series in &job.series {
            asked_ends.push(job.range_of(series).end);
        }
        Self {
            begun: Instant::now(),
            started: Timestamp::now(),
            job,
            pending: PendingRanges::new(plan, divided_by(job, &job_tables, plan), asked_ends),
            job_tables,
            watch,
            probes: probes(plan),
            active: Vec::new(),
            first_pages: BTreeMap::new(),
            done: Progress::default(),
            begun_ranges: 0,
            lost: 0,
            last_lost: None,
            trouble: None,
            has_response: false,
            paused: Vec::new(),
            rejected: None,
            summary,
        }
    }

    /// The state of a series without the rows of the journal.
    pub(super) fn state(&mut self, index: usize) -> Option<&mut SeriesState> {
        self.job_tables.table(index).map(|(table, series)| table.series_state(series))
    }

    /// Writes the fetched rows to the journal.
    pub(super) async fn write_journals(&mut self) -> Result<(), Error> {
        let reached = self.job.reached(self.started);
        self.job_tables.write_journals(&WritingRun { started: self.started, refetch: self.job.refetch, reached }).await
    }

    /// Merges the journal into the files.
    pub(super) async fn merge_journals(&mut self) -> Result<(), Error> {
        let latency = self.job.response_monitor.latency();
        let mut reports = BTreeMap::new();
        for report in &mut self.summary.series {
            reports.insert(report.path.clone(), report);
        }
        for table in self.job_tables.tables.values_mut() {
            table.state.latency = latency.or(table.state.latency);
            let merged = table.merge_journal(&BTreeSet::new()).await?;
            self.summary.is_restored |= merged.is_text_restored;
            for WrittenFile { file, sections } in merged.files {
                for Section { path, changes, .. } in sections {
                    let (Some(report), Some(changes)) = (reports.get_mut(&path), changes) else { continue };
                    report.add_changes(&changes);
                    push_new(&mut report.files, &file);
                }
                push_new(&mut self.summary.files, &file);
            }
        }
        Ok(())
    }

    /// Reports the progress, summed over all ranges.
    pub(super) fn report_progress(&mut self) {
        let mut all = self.done.clone();
        all.elapsed = self.begun.elapsed();
        all.pages_left = self.pending.requests;
        for active in &self.active {
            add_progress(&mut all, &active.pages.progress());
        }
        // A history counts a page without a response as finished, but the run requests that page again.
        all.pages = all.pages.saturating_sub(self.lost);
        (self.watch)(&BackfillEvent::Progress { progress: all });
    }

    /// The number of requests for a range.
    pub(super) fn requests(&self, pending: &SeriesRange) -> u64 {
        let Some(series) = self.job.series.get(pending.series) else { return 1 };
        match self.job.history(series, pending.range.clone()).plan() {
            Ok(plan) => plan.requests,
            Err(_) => 1,
        }
    }
}

/// The pages of empty ranges that a plan requests again.
fn probes(plan: &BackfillPlan) -> Vec<SeriesRange> {
    let mut probes = Vec::new();
    for (index, series) in plan.series.iter().enumerate() {
        for probe in &series.probes {
            probes.push(SeriesRange::new(index, probe.clone()));
        }
    }
    probes
}

/// Adds a file that is not in the list.
fn push_new(files: &mut Vec<String>, file: &String) {
    if !files.contains(file) {
        files.push(file.clone());
    }
}

/// Adds the progress of a range.
pub(super) fn add_progress(all: &mut Progress, one: &Progress) {
    all.records += one.records;
    all.pages += one.pages;
    all.pages_left += one.pages_left;
    all.requests += one.requests;
    all.waited += one.waited;
}
