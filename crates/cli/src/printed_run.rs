//! A backfill to standard output: the records of each series are printed as they arrive, one series after the other.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use dataset::{MissingField, ReadableRecords, SeriesReport, SeriesRequest, StreamedFields, Summary, UnsentField};
use runtime::history::{History, Page};
use runtime::record::AnyRecord;
use runtime::{Dynamic, Error, ErrorKind, Interval, Timestamp};

use crate::backfill_run::unchanged;
use crate::endpoint_names::{is_same, time_is_end};
use crate::failure::{ExitKind, Result};
use crate::future_records::check_service_time;
use crate::job_settings::JobSettings;
use crate::log::{self, Log};
use crate::printer::Printer;
use crate::progress::Bar;
use crate::record_columns::SeriesRecords;
use crate::reporter::Reporter;
use crate::requested_series::labels;
use crate::stdout;
use crate::stream_progress::StreamProgress;
use crate::time_arg;

/// The options of a backfill that is printed.
#[derive(Clone, Copy)]
pub(crate) struct PrintedRunOptions {
    pub(crate) strict: bool,
    pub(crate) include_partial: bool,
    pub(crate) allow_empty: bool,
}

/// A backfill that prints the records of its series.
pub(crate) struct PrintedRun<'r> {
    settings: &'r JobSettings,
    requests: &'r [SeriesRequest],
    options: PrintedRunOptions,
    printer: Printer<'r>,
    /// Whether a JSON object for each series is printed on standard error.
    has_objects: bool,
    reporter: Reporter,
    log: Log,
    progress: StreamProgress,
    /// The end of the open ranges of each interval, and whether it is that of records whose time is the end of their interval.
    ends: Vec<(Interval, bool, Timestamp)>,
    progress_log: Log,
    summary: Summary,
    /// The errors with which the service has requested a long pause of an endpoint.
    paused: Vec<Error>,
    /// The error with which the requests of all other series would fail too.
    fatal: Option<dataset::Error>,
}

impl PrintedRunOptions {
    /// The history of a series that is printed.
    fn history(self, series: &SeriesRequest, range: Range<Timestamp>) -> History<Dynamic> {
        let request = series.request().clone();
        let request = if self.strict { request } else { request.skip_bad_records() };
        let history = History::new(request, range).skip_failed_pages();
        if self.include_partial { history.include_partial() } else { history }
    }

    /// The number of requests of each series.
    fn plan(self, settings: &JobSettings, requests: &[SeriesRequest]) -> VecDeque<u64> {
        let mut planned = VecDeque::new();
        for (series, request) in settings.series.iter().zip(requests) {
            let range = settings.range(series, request.interval());
            // A series that cannot be planned fails later, with its own error.
            let plan = self.history(request, range).plan();
            planned.push_back(plan.map_or(0, |plan| plan.requests));
        }
        planned
    }
}

impl<'r> PrintedRun<'r> {
    pub(crate) fn new(
        settings: &'r JobSettings,
        requests: &'r [SeriesRequest],
        options: PrintedRunOptions,
        printer: Printer<'r>,
        has_objects: bool,
        log: Log,
    ) -> Self {
        // No bar is drawn, because a terminal shows the records.
        let mut reporter = Reporter::new(log, Bar::new(Log::Quiet, 0), labels(&settings.series));
        reporter.accepts_empty = options.allow_empty;
        Self {
            settings,
            requests,
            options,
            printer,
            has_objects,
            reporter,
            progress: StreamProgress::new(options.plan(settings, requests)),
            ends: Vec::new(),
            log,
            progress_log: if stdout::is_terminal() { Log::Quiet } else { log },
            summary: unchanged(requests),
            paused: Vec::new(),
            fatal: None,
        }
    }

    /// Prints all records of the range, one series after the other.
    pub(crate) async fn run(mut self) -> Result<()> {
        for index in 0..self.requests.len() {
            match self.pause_of(index) {
                Some(error) => self.skip_series(index, error),
                None => self.print_series(index).await?,
            }
            if self.fatal.is_some() {
                break;
            }
        }
        self.end()
    }

    /// The error with which the service has requested a long pause of the endpoint of a series.
    fn pause_of(&self, index: usize) -> Option<Error> {
        let endpoint = self.requests[index].endpoint();
        let error =
            self.paused.iter().find(|error| error.endpoint().is_some_and(|paused| is_same(paused, endpoint)))?;
        Some(error.clone())
    }

    /// Notes that a series was not requested.
    fn skip_series(&mut self, index: usize, error: Error) {
        self.progress.begin_series();
        let range = self.range(index);
        let report = &mut self.summary.series[index];
        report.unfetched += time_arg::steps([&(range.start..range.end.min(time_arg::now()))], report.interval);
        self.summary.failed.push((index, error.into()));
    }

    async fn print_series(&mut self, index: usize) -> Result<()> {
        self.progress.begin_series();
        let request = &self.requests[index];
        let mut report = self.summary.series[index].clone();
        let range = self.range(index);
        let mut next = range.start;
        let mut is_complete = true;
        let mut fields = StreamedFields::new(request);
        let mut unreadable: BTreeSet<u32> = BTreeSet::new();
        let mut pages = self.options.history(request, range.clone()).pages();
        while let Some(page) = pages.next().await {
            match page {
                Ok(page) => {
                    next = page.range.end;
                    unreadable.extend(self.print_page(index, &page, &mut fields, &mut report)?);
                    self.reporter.progress(&self.progress.with(&pages.progress()), self.progress_log);
                }
                Err(error) => {
                    is_complete = false;
                    report.unfetched += time_arg::steps([&(next..range.end.min(time_arg::now()))], report.interval);
                    self.note_failed(index, error);
                    break;
                }
            }
        }
        self.progress.end_series(&pages.progress());
        // A page that is requested again has the same records.
        report.unreadable = unreadable.len() as u64;
        report.end_pages(request, &(range.start..next));
        if is_complete && range.start < next && next < range.end {
            self.ends.push((report.interval, time_is_end(self.settings.series[index].endpoint), next));
        }
        fields.end(&mut report);
        for unsent in fields.unsent() {
            self.note_unsent(unsent);
        }
        for missing in fields.missing() {
            self.note_missing(missing);
        }
        self.summary.series[index] = report;
        Ok(())
    }

    /// The range of a series. Open ranges of one interval end where the first of them has ended, however long the run
    /// takes. Before a response, the clock of this machine does not show that end, because it may be behind.
    fn range(&self, index: usize) -> Range<Timestamp> {
        let interval = self.requests[index].interval();
        let mut range = self.settings.range(&self.settings.series[index], interval);
        for (other, is_end, end) in &self.ends {
            if *other == interval && *is_end == time_is_end(self.settings.series[index].endpoint) {
                range.end = range.end.min(*end);
            }
        }
        range
    }

    /// Prints the records of a page, and adds the page to the report. Returns the checksums of the unreadable records.
    fn print_page(
        &mut self,
        index: usize,
        page: &Page<AnyRecord>,
        fields: &mut StreamedFields,
        report: &mut SeriesReport,
    ) -> Result<Vec<u32>> {
        let series = &self.settings.series[index];
        self.summary.pages += u64::from(page.report.failed_pages.is_empty());
        self.summary.failed_pages += page.report.failed_pages.len() as u64;
        self.reporter.report(index, &page.report);
        let readable = ReadableRecords::new(&self.requests[index], page, &page.range);
        for record in readable.records.iter() {
            fields.add(record);
        }
        report.add_page(page, &readable.times);
        self.printer.print(&[SeriesRecords::of_page(index, series, &readable.records, &readable.times)])?;
        Ok(readable.unreadable)
    }

    /// Notes a field that the records of a series do not have. Several series of one endpoint are one mark.
    fn note_unsent(&mut self, unsent: UnsentField) {
        for known in &self.summary.unsent_fields {
            if known.endpoint == unsent.endpoint && known.field == unsent.field {
                return;
            }
        }
        self.summary.unsent_fields.push(unsent);
    }

    /// Notes a field that the last records of a series no longer have.
    fn note_missing(&mut self, missing: MissingField) {
        for known in &mut self.summary.missing_fields {
            if known.endpoint == missing.endpoint && known.field == missing.field {
                known.series += 1;
                return;
            }
        }
        self.summary.missing_fields.push(missing);
    }

    fn note_failed(&mut self, index: usize, error: Error) {
        if fails_everywhere(&error) {
            self.fatal = Some(error.clone().into());
        } else if error.is_long_pause() {
            self.paused.push(error.clone());
        }
        self.summary.failed.push((index, error.into()));
    }

    /// Ends the output, and prints what became of each series.
    fn end(mut self) -> Result<()> {
        self.printer.end()?;
        let is_empty = |report: &SeriesReport| report.is_empty() || report.lacks_values();
        let is_filled = self.options.allow_empty || !self.summary.series.iter().any(is_empty);
        let is_fetched = self.summary.failed.is_empty() && self.summary.failed_pages == 0;
        let is_answered = self.summary.series.iter().all(SeriesReport::is_answered);
        self.summary.is_complete = is_filled && is_fetched && is_answered;
        if self.has_objects {
            // Standard output is for the records.
            log::write(self.reporter.json_lines(self.settings, &self.summary, self.fatal.as_ref()).trim_end());
        }
        if let Some(first) = self.requests.first() {
            check_service_time(first.request().service_time(), self.log);
        }
        let ended = match self.fatal {
            Some(error) => Err(error),
            None => Ok(self.summary),
        };
        self.reporter.end(self.settings, ended, ExitKind::Interrupted)
    }
}

/// `true` if the error is in the command or the credentials, so that the other series do not matter, or if the service
/// would reject their requests too.
fn fails_everywhere(error: &Error) -> bool {
    let is_of_command = error.is_auth() || error.is_token() || error.kind() == ErrorKind::Builder;
    is_of_command || error.is_long_pause_of_client()
}
