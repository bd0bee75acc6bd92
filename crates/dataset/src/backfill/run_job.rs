//! Runs a job: from its plan to its summary.
//!
//! The way of a record from its response to a data file:
//!
//! | step | file | what it does |
//! |---|---|---|
//! | `Run::fetch` | `fetch.rs` | requests the pages of the planned ranges, several ranges at a time |
//! | `JobTables::buffer_page` | `buffered_pages.rs` | converts the records of a page to rows, in the memory of their table |
//! | `Table::write_journal` | `../table_journal.rs` | writes these rows to a new file of the journal |
//! | `Table::merge_journal` | `../merge_journal.rs` | merges the journal into the data files, writes the state and deletes the journal |
//! | `Table::write_data_file` | `../merge_journal.rs` | writes the data file of a period |
//! | `FileRewrite` | `../file_rewrite.rs` | copies what does not change of the existing file, and merges the other series |
//! | `MergedRows` | `../merge_rows.rs` | merges the existing with the fetched rows of a series, interval by interval |
//! | `ParquetFile` | `../parquet_file.rs` | encodes the rows |

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use runtime::Timestamp;
use runtime::history::Report;

use super::event::{BackfillEvent, SeriesReport, Summary, has_ignored_range};
use super::job::Backfill;
use super::job_tables::JobTables;
use super::plan::{self, BackfillPlan};
use super::run::Run;
use crate::error::Error;
use crate::field_marks::FieldReports;
use crate::lost_rows;
use crate::missing_fields::MissingField;
use crate::response_monitor::attempted;
use crate::series_state::{SavedAccount, SeriesState};
use crate::time_ranges::TimeRanges;
use crate::unsent_fields::UnsentField;

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
        self.run_only(&(0..self.series.len()).collect(), watch, cancel).await
    }

    /// Runs the job for the series with these indices. Nothing is requested for the others, and their states stay.
    pub(super) async fn run_only(
        &self,
        series: &BTreeSet<usize>,
        watch: impl FnMut(&BackfillEvent),
        cancel: impl Future<Output = ()>,
    ) -> Result<Summary, Error> {
        let job_tables = JobTables::open(self, true).await?;
        let mut plan = plan::plan(self, &job_tables)?;
        plan.leave_out_all_but(series);
        let mut run = Run::new(self, job_tables, watch, &plan);
        run.report_repairs();
        if plan.requests() > 0 {
            run.note_planned(&plan).await?;
        }
        // An outage that began during an earlier run does not count.
        self.response_monitor.note(Ok(200), Duration::ZERO);
        run.fetch(pin!(cancel)).await?;
        run.note_unsupported();
        run.note_accounts();
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
        run.note_first_seen();
        run.note_without_time(&plan);
        run.forget_empty_between();
        if !run.summary.is_cancelled {
            let merged = run.merge_journals().await;
            run.report_repairs();
            merged?;
        }
        run.finish();
        if run.summary.is_complete {
            run.note_reported().await?;
        }
        Ok(run.summary)
    }

    /// Adds the records in the journal to the files. Sends no request. Damaged files are moved aside, and their readable
    /// rows are written again. Returns the messages of [`Summary::repairs`].
    pub async fn compact(&self) -> Result<Vec<String>, Error> {
        let mut job_tables = JobTables::open(self, true).await?;
        for table in job_tables.tables.values_mut() {
            table.merge_journal(&BTreeSet::new()).await?;
        }
        Ok(job_tables.repairs())
    }
}

impl<W: FnMut(&BackfillEvent)> Run<'_, W> {
    /// Reports the files that were moved aside since the last call, because a run that fails has no summary.
    fn report_repairs(&mut self) {
        let mut new = self.job_tables.repairs();
        new.retain(|repair| !self.summary.repairs.contains(repair));
        if new.is_empty() {
            return;
        }
        self.summary.repairs.extend(new.iter().cloned());
        (self.watch)(&BackfillEvent::Repaired { repairs: new });
    }

    /// Adds the ranges that are about to be requested to the state of each series. A file does not show which records
    /// before its first record are missing, so a state with such ranges is written before the first request. The states
    /// of a named job are written at the same time, because the time of the job shows which series it has left out.
    async fn note_planned(&mut self, plan: &BackfillPlan) -> Result<(), Error> {
        let job = self.job.name.clone().map(|name| (name, self.started));
        // A named job without an end may begin later in each run, and then no longer needs what is before its start.
        // What a run of another job has planned is still needed.
        for (index, plan) in plan.series.iter().enumerate() {
            if plan.is_left_out {
                continue;
            }
            let Some(series) = self.job.series.get(index) else { continue };
            let is_open = self.job.range_of(series).end > self.started;
            let planned: TimeRanges = plan.unsettled.iter().cloned().collect();
            let Some(series) = self.state(index) else { continue };
            let is_same_job = match (&job, &series.job) {
                (Some((name, _)), Some((last_name, _))) => name == last_name,
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

    /// Removes ranges in the future of the service, which were planned by a clock of this machine that is ahead, or fetched
    /// while the clock of the service was ahead. When their time has come, they are requested again.
    fn note_present(&mut self) {
        for (index, series) in self.job.series.iter().enumerate() {
            let present = series.closed(series.request().service_time());
            if let Some(state) = self.state(index) {
                state.unfetched = state.unfetched.until(present);
                if series.request().is_service_time_confirmed() {
                    state.settled = state.settled.until(present);
                }
            }
        }
    }

    /// Keeps the values that the endpoint of each series does not support, if the run has received records of it.
    fn note_unsupported(&mut self) {
        for index in 0..self.job.series.len() {
            let Some(report) = self.summary.series.get(index) else { continue };
            let unsupported = report.unsupported.clone();
            if report.account.received() > 0
                && let Some(state) = self.state(index)
            {
                state.unsupported = unsupported;
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
                state.ignores_range |= has_ignored_range(&account);
            }
        }
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
        if summary.is_unreachable {
            // The error of a response is not the reason.
            summary.page_error.take_if(|error| attempted(error).is_ok());
        }
        if summary.is_unreachable
            && let Some((series, page)) = last_lost.take()
        {
            summary.page_error = Some(page.error.clone());
            let mut report = Report::default();
            report.failed_pages.push(page);
            watch(&BackfillEvent::Report { series, report });
        }
        for (report, state) in summary.series.iter_mut().zip(job_tables.states_with_journal()) {
            report.set_state(&state);
            report.has_no_value = !summary.is_cancelled && state.has_no_value;
            summary.records += report.added + report.filled;
        }
        let mut missing_fields = FieldReports::default();
        let mut unsent_fields = FieldReports::default();
        for table in job_tables.tables.values() {
            missing_fields.add(&table.state.marks.missing, &table.noticed_missing);
            unsent_fields.add(&table.state.marks.unsent, &table.noticed_unsent);
            summary.lost_rows.extend(lost_rows::unacknowledged(&table.state));
        }
        summary.missing_fields = MissingField::all(missing_fields);
        summary.unsent_fields = UnsentField::all(unsent_fields);
        let is_empty = |report: &SeriesReport| report.is_empty() || report.lacks_values();
        let has_empty = !job.allow_empty && summary.series.iter().any(is_empty);
        let is_stopped = summary.is_cancelled || summary.is_unreachable || summary.is_paused;
        let is_ended = !is_stopped && summary.failed_pages == 0;
        let is_answered = summary.series.iter().all(SeriesReport::is_answered);
        summary.is_complete = is_ended && summary.failed.is_empty() && !has_empty && is_answered;
        summary.elapsed = begun.elapsed();
    }
}
