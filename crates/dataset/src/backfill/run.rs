//! A run fetches the ranges of its plan into the journal, several ranges at a time, and merges the journal into the
//! files.
//!
//! The input is a plan, and the output is files and events. The client's history decides which pages are requested.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use runtime::Timestamp;
use runtime::history::{FailedPage, Progress, Report};
use tokio::time::Instant;

use super::Backfill;
use super::buffer::ROWS;
use super::ends::FirstPage;
use super::event::{BackfillEvent, SeriesReport, Summary};
use super::fetch::Active;
use super::items::{Item, Items};
use super::job_tables::JobTables;
use super::plan::{self, BackfillPlan};
use crate::compact::Written;
use crate::error::Error;
use crate::field_marks::FieldReports;
use crate::lost_rows;
use crate::missing_fields::MissingField;
use crate::partition::Partition;
use crate::section::Section;
use crate::series_state::{SavedAccount, SeriesState};
use crate::table::WritingRun;
use crate::time_ranges::TimeRanges;
use crate::unsent_fields::UnsentField;

/// Number of files in the journal after which it is merged into the data files. Each of these files is open.
pub(super) const MAX_JOURNAL: usize = 100;

/// Returns the partition by which the ranges of a run are divided: the shortest, if the journal cannot contain all rows.
fn divided_by(job: &Backfill, job_tables: &JobTables, plan: &BackfillPlan) -> Option<Partition> {
    let capacity = (ROWS * job.journal_files) as u64;
    if plan.records().is_some_and(|records| records <= capacity) {
        return None;
    }
    job_tables.tables.values().filter_map(|table| table.state.partition).min()
}

/// The state of a run.
pub(super) struct Run<'j, W> {
    begun: Instant,
    /// The time at which the run began, which identifies it in the journal.
    pub(super) started: Timestamp,
    pub(super) job: &'j Backfill,
    pub(super) job_tables: JobTables,
    pub(super) watch: W,
    /// The ranges that are not being fetched yet.
    pub(super) items: Items,
    /// The pages of empty ranges that are requested again.
    pub(super) probes: Vec<Item>,
    pub(super) active: Vec<Active>,
    /// The earliest page with records of each series.
    pub(super) first_pages: BTreeMap<usize, FirstPage>,
    /// The progress of the ranges that were fetched.
    pub(super) done: Progress,
    /// Number of ranges that were begun.
    pub(super) begun_items: usize,
    /// Number of pages without a response, which are requested again.
    pub(super) lost: u64,
    /// The last page without a response. Its error is reported if the service stays unreachable.
    pub(super) last_lost: Option<(usize, FailedPage)>,
    /// The start of the current outage, if it was reported; otherwise `None`.
    pub(super) trouble: Option<Instant>,
    pub(super) has_response: bool,
    /// The error with which all further requests would fail.
    pub(super) rejected: Option<Error>,
    pub(super) summary: Summary,
}

impl Backfill {
    /// Fetches and writes the missing records, and reports every event to `watch`.
    ///
    /// After `cancel` completes, no more requests are sent, and all fetched records are kept in the journal of the
    /// target, so that the next run continues from them and adds them to the files. If another run is writing a file of
    /// the same endpoint and interval, no request is sent, and [`Error::InUse`] names that run. In a bucket, this error
    /// occurs when the second of two runs writes its files; its records remain in the journal.
    ///
    /// A damaged file is moved aside, and its readable rows are written again. The run requests the other rows or, if it
    /// finds the damage only when it merges the journal, the next run does. [`Summary::repairs`] has a message for each
    /// of these files, and [`Summary::lost_rows`] the rows that no run has fetched again.
    pub async fn run(
        &self,
        watch: impl FnMut(&BackfillEvent),
        cancel: impl Future<Output = ()>,
    ) -> Result<Summary, Error> {
        let job_tables = JobTables::open(self, true).await?;
        let plan = plan::plan(self, &job_tables)?;
        let mut run = Run::new(self, job_tables, watch, &plan);
        if plan.requests() > 0 {
            run.note_planned(&plan).await?;
        }
        // An outage that began during an earlier run does not count.
        self.response_monitor.note(Ok(200), Duration::ZERO);
        run.fetch(pin!(cancel)).await?;
        if run.rejected.is_some() || run.summary.is_cancelled {
            // The journal has everything that was fetched.
            for table in run.job_tables.tables.values_mut() {
                table.save().await?;
            }
        }
        if let Some(error) = run.rejected {
            return Err(error);
        }
        run.note_present();
        run.note_accounts();
        run.note_first_seen();
        run.note_without_time(&plan);
        run.forget_empty_between();
        if !run.summary.is_cancelled {
            run.merge().await?;
        }
        run.finish();
        if run.summary.is_complete {
            run.note_reported().await?;
        }
        Ok(run.summary)
    }
}

impl<'j, W: FnMut(&BackfillEvent)> Run<'j, W> {
    fn new(job: &'j Backfill, job_tables: JobTables, watch: W, plan: &BackfillPlan) -> Self {
        let mut summary = Summary::default();
        for series in &plan.series {
            summary.series.push(SeriesReport { path: series.path.clone(), ..SeriesReport::default() });
        }
        let mut asked_ends = Vec::with_capacity(job.series.len());
        for series in &job.series {
            asked_ends.push(job.seconds(series).end);
        }
        Self {
            begun: Instant::now(),
            started: Timestamp::now(),
            job,
            items: Items::new(plan, divided_by(job, &job_tables, plan), asked_ends),
            job_tables,
            watch,
            probes: probes(plan),
            active: Vec::new(),
            first_pages: BTreeMap::new(),
            done: Progress::default(),
            begun_items: 0,
            lost: 0,
            last_lost: None,
            trouble: None,
            has_response: false,
            rejected: None,
            summary,
        }
    }

    /// Returns the state of a series without the rows of the journal.
    pub(super) fn state(&mut self, index: usize) -> Option<&mut SeriesState> {
        self.job_tables.table(index).map(|(table, series)| table.series_state(series))
    }

    /// Adds the ranges that are about to be requested to the state of each series. A file does not show which records
    /// before its first record are missing, so a state with such ranges is written before the first request. The states
    /// of a named job are written at the same time, because the time of the job shows which series it has left out.
    async fn note_planned(&mut self, plan: &BackfillPlan) -> Result<(), Error> {
        let job = self.job.name.clone().map(|name| (name, self.started));
        // A named job without an end may begin later in each run, and then no longer needs what is before its start.
        // What a run of another job has planned is still needed.
        for (index, plan) in plan.series.iter().enumerate() {
            let is_open = self.job.series.get(index).is_some_and(|one| self.job.seconds(one).end > self.started);
            let planned: TimeRanges = plan.unsettled.iter().cloned().collect();
            let Some(series) = self.state(index) else { continue };
            let is_same_job = match (&job, &series.job) {
                (Some((own, _)), Some((name, _))) => own == name,
                _ => false,
            };
            if is_open && is_same_job {
                series.unfetched = series.unfetched.within(&(plan.range.start..Backfill::OPEN_END));
            }
            // What an earlier run has fetched stays known, such as that there is no record before the first one.
            let fetched = series.requested.without(&series.unfetched);
            series.unfetched.extend(&planned.without(&fetched));
            series.requested.extend(&planned);
            if job.is_some() {
                series.job.clone_from(&job);
            }
            series.rejected = None;
            series.revised = 0;
            series.revised_times = TimeRanges::default();
        }
        for table in self.job_tables.tables.values_mut() {
            let is_named = job.is_some() && !table.place.is_single;
            if is_named || table.state.series.values().any(SeriesState::lacks_first) {
                table.save().await?;
            }
        }
        Ok(())
    }

    /// Removes ranges in the future of the service, which were planned by a clock of this machine that is ahead.
    fn note_present(&mut self) {
        for (index, series) in self.job.series.iter().enumerate() {
            let present = series.closed(series.request().service_time());
            if let Some(state) = self.state(index) {
                state.unfetched = state.unfetched.until(present);
            }
        }
    }

    /// Keeps the account of each series that was requested.
    fn note_accounts(&mut self) {
        for index in 0..self.job.series.len() {
            let Some(report) = self.summary.series.get(index) else { continue };
            let account = report.account;
            if account.received() + account.steps() > 0
                && let Some(state) = self.state(index)
            {
                state.account = SavedAccount::new(&account);
            }
        }
    }

    /// Writes the fetched rows to the journal.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        let reached = self.job.reached(self.started);
        self.job_tables.write(&WritingRun { started: self.started, refetch: self.job.refetch, reached }).await
    }

    /// Merges the journal into the files.
    pub(super) async fn merge(&mut self) -> Result<(), Error> {
        let latency = self.job.response_monitor.latency();
        let mut reports = BTreeMap::new();
        for report in &mut self.summary.series {
            reports.insert(report.path.clone(), report);
        }
        for table in self.job_tables.tables.values_mut() {
            table.state.latency = latency.or(table.state.latency);
            let (written, is_restored) = table.commit(&BTreeSet::new()).await?;
            self.summary.is_restored |= is_restored;
            for Written { file, sections } in written {
                for Section { path, changes, .. } in sections {
                    let (Some(report), Some(changes)) = (reports.get_mut(&path), changes) else { continue };
                    report.count(&changes);
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
        all.pages_left = self.items.requests;
        for active in &self.active {
            add(&mut all, &active.pages.progress());
        }
        // A history counts a page without a response as finished, but the run requests that page again.
        all.pages = all.pages.saturating_sub(self.lost);
        (self.watch)(&BackfillEvent::Progress { progress: all });
    }

    /// Notes that this run reports all marks of lost rows.
    async fn note_reported(&mut self) -> Result<(), Error> {
        let now = Timestamp::now();
        for table in self.job_tables.tables.values_mut() {
            if table.state.marks.note_reported(now) {
                table.save().await?;
            }
        }
        Ok(())
    }

    /// Completes the summary.
    fn finish(&mut self) {
        let Self { begun, job, job_tables, summary, has_response, done, last_lost, watch, .. } = self;
        summary.requests = done.requests;
        let has_failed = !summary.failed.is_empty() || summary.failed_pages > 0;
        // If the run got no response at all, the service counts as unreachable too, even if the run took less than two
        // minutes.
        summary.is_unreachable |= has_failed && !*has_response;
        if let Some((series, page)) = last_lost.take().filter(|_| summary.is_unreachable) {
            let mut report = Report::default();
            report.failed_pages.push(page);
            watch(&BackfillEvent::Report { series, report });
        }
        for (report, state) in summary.series.iter_mut().zip(job_tables.states()) {
            report.note(&state);
            summary.records += report.added + report.filled;
        }
        let mut missing_fields = FieldReports::default();
        let mut unsent_fields = FieldReports::default();
        for table in job_tables.tables.values() {
            missing_fields.add(&table.state.marks.fields, &table.noticed);
            unsent_fields.add(&table.state.marks.unsent, &table.noticed_unsent);
            summary.lost_rows.extend(lost_rows::unacknowledged(&table.state));
            summary.repairs.extend(table.repairs.iter().cloned());
        }
        summary.missing_fields = MissingField::all(missing_fields);
        summary.unsent_fields = UnsentField::all(unsent_fields);
        let has_empty = !job.allow_empty && summary.series.iter().any(SeriesReport::is_empty);
        let is_ended = !summary.is_cancelled && !summary.is_unreachable && summary.failed_pages == 0;
        summary.is_complete = is_ended && summary.failed.is_empty() && !has_empty;
        summary.elapsed = begun.elapsed();
    }
}

/// Returns the pages of empty ranges that a plan requests again.
fn probes(plan: &BackfillPlan) -> Vec<Item> {
    let mut probes = Vec::new();
    for (index, series) in plan.series.iter().enumerate() {
        for probe in &series.probes {
            probes.push(Item::new(index, probe.clone()));
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
pub(super) fn add(all: &mut Progress, one: &Progress) {
    all.records += one.records;
    all.pages += one.pages;
    all.pages_left += one.pages_left;
    all.requests += one.requests;
    all.waited += one.waited;
}
