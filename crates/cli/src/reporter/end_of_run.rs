//! Prints the outcome of a run, and chooses the exit code.

use std::time::Duration;

use dataset::{Summary, quoted};
use runtime::Timestamp;
use runtime::history::FailedPage;

use super::Reporter;
use crate::cause_of_stop::cause_of_stop;
use crate::empty_series::no_record;
use crate::endpoint_names::full_name;
use crate::failure::{ExitKind, Failure, Result, brief};
use crate::ignored_range;
use crate::incomplete_run::{IncompleteRun, Reason};
use crate::job_settings::JobSettings;
use crate::marks;
use crate::notation::{command, flag, is_assistant, option, python_text};
use crate::program::program;
use crate::progress::{counted, line_of, print_first};
use crate::range_ends::{cap, remedy, sentences};
use crate::record_spacing::SpacingCheck;
use crate::run_outcome;
use crate::series_outcome::SeriesOutcome;
use crate::table::readable;
use crate::time_arg;
use crate::unsupported_values;

/// If a range ends at most this long before the start of the run, the range counts as ending now.
const NOW: Duration = Duration::from_secs(60);

impl Reporter {
    /// Prints the outcome, and chooses the exit code.
    pub(crate) fn end(
        &self,
        settings: &JobSettings,
        ended: Result<Summary, dataset::Error>,
        signal: ExitKind,
    ) -> Result<()> {
        self.bar.clear();
        self.warn_of_failed_requests();
        let summary = ended?;
        let is_stream = settings.is_stream();
        let outcomes = self.outcomes(settings, &summary.series);
        let marked = self.marks(settings, &summary);
        let never_fetched = self.never_fetched(&settings.out, &outcomes, summary.is_complete, marked.is_some());
        if let Some(failure) = self.stopped(&summary, signal) {
            return Err(failure);
        }
        self.print_outcome(settings, &summary);
        if is_stream {
            run_outcome::warn_of_invalid(self.log, &summary, "with an invalid value, which is null");
        }
        self.note_ends(&outcomes, is_stream);
        let others: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::responses_without_records).collect();
        self.warn_of_values(&others);
        let not_sent_again: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::not_sent_again).collect();
        self.warn_of_values(&not_sent_again);
        self.note_spacing(&outcomes);
        self.warn_of_missing(settings, &outcomes, summary.is_complete);
        if summary.is_complete {
            return match marked.or(never_fetched) {
                Some(failure) => Err(failure),
                None => Ok(()),
            };
        }
        let is_failed = summary.failed_pages > 0 || !summary.failed.is_empty();
        let ignored = self.ignored_range(&outcomes, is_failed, is_stream);
        let failure = self.unsupported_or_empty(&outcomes, is_failed || ignored.is_some(), is_stream);
        Err(ignored.or(failure).unwrap_or_else(|| self.failed_run(summary, settings)))
    }

    /// The failure of a run without a record or without any value of some series, or with values that an endpoint does not
    /// support. Warns about the series that the failure does not name.
    fn unsupported_or_empty(
        &self,
        outcomes: &[SeriesOutcome<'_>],
        is_failed: bool,
        is_stream: bool,
    ) -> Option<Failure> {
        let mut unsupported: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::unsupported).collect();
        let mut empty = Vec::new();
        if !is_failed && !self.accepts_empty {
            empty.extend(outcomes.iter().filter_map(SeriesOutcome::empty));
        }
        let mut without_value: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::without_value).collect();
        let mut without_time: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::without_time).collect();
        if is_failed {
            let lines: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::without_record).collect();
            self.warn_of_values(&lines);
        }
        let mut failure = None;
        if !empty.is_empty() {
            failure = Some(no_record(&empty));
        } else if !is_failed && !without_time.is_empty() {
            failure = Some(Failure::new(ExitKind::Incomplete, without_time.remove(0)));
        } else if !is_failed && !unsupported.is_empty() {
            failure = Some(unsupported_values::failure(unsupported.remove(0)));
        } else if !is_failed && !self.accepts_empty && !without_value.is_empty() {
            let refetch = format!("if the service has values now, `{}` requests the records again", option("refetch"));
            let help = if is_stream { None } else { Some(refetch) };
            failure = Some(Failure::new(ExitKind::Incomplete, without_value.remove(0)).help_if(help));
        }
        self.warn_of_values(&without_time);
        self.warn_of_values(&unsupported);
        self.warn_of_values(&without_value);
        failure
    }

    /// The failure of a run of which the service ignores the range. Warns about it if the run has another failure.
    fn ignored_range(&self, outcomes: &[SeriesOutcome<'_>], is_failed: bool, is_stream: bool) -> Option<Failure> {
        let mut sentences: Vec<_> = outcomes.iter().filter_map(SeriesOutcome::ignored_range).collect();
        let first = if is_failed || sentences.is_empty() { None } else { Some(sentences.remove(0)) };
        print_first(&sentences, "like this", |line| self.log.warning(&readable(line)));
        first.map(|sentence| ignored_range::failure(sentence, is_stream))
    }

    fn warn_of_values(&self, sentences: &[String]) {
        print_first(sentences, "like this", |line| self.log.warning(&readable(line)));
    }

    /// The failure of a run in which requests, or complete series, have failed.
    fn failed_run(&self, summary: Summary, settings: &JobSettings) -> Failure {
        let mut have_rows = false;
        for (series, _) in &summary.failed {
            have_rows |= summary.series.get(*series).is_some_and(|report| report.first.is_some());
        }
        let mut of_pages = Vec::new();
        for failed in &self.failed_requests {
            of_pages.push(Reason { series: failed.series, failure: failed.page.error.clone().into() });
        }
        let mut of_series = Vec::new();
        let mut pause = None;
        for (series, error) in summary.failed {
            if let dataset::Error::Request(error) = &error {
                pause = pause.max(error.long_pause());
            }
            of_series.push(Reason { series, failure: self.failed(series, error) });
        }
        let run = IncompleteRun {
            labels: &self.labels,
            pages: summary.pages,
            failed_pages: summary.failed_pages,
            of_pages,
            of_series,
            pause,
        };
        if settings.is_stream() {
            return run.failure_of_stream();
        }
        let failure = run.failure_of_files();
        if failure.exit_kind == ExitKind::Rejected && have_rows {
            let retire = format!("`{} retire {}`", program().name, quoted(&settings.out));
            return failure
                .help(format!("{retire} with the params of a delisted series keeps its rows and requests it no more"));
        }
        failure
    }

    fn warn_of_failed_requests(&self) {
        let mut lines = Vec::new();
        for failed in &self.failed_requests {
            lines.push(failed_request(&self.labels[failed.series], &failed.page));
        }
        print_first(&lines, "like this", |line| self.log.warning(line));
    }

    /// The failure of a run that has ended before all requests were sent.
    fn stopped(&self, summary: &Summary, signal: ExitKind) -> Option<Failure> {
        let cause = cause_of_stop(summary)?;
        let kept = counted(self.bar.total.records, "record");
        let message = format!("{cause}; kept the {kept} fetched so far");
        let failure = match &summary.page_error {
            _ if summary.is_cancelled => Failure::new(signal, message),
            Some(error) => Failure::of(error, message),
            None => Failure::new(ExitKind::Service, message),
        };
        // The failure has the advice to continue after the pause.
        let advice = (!summary.is_paused).then(|| "run the same command to continue".to_owned());
        Some(failure.help_if(advice))
    }

    /// Prints the changes of a run. If no request was needed, the plan has already reported that.
    fn print_outcome(&self, settings: &JobSettings, summary: &Summary) {
        if summary.requests == 0 && summary.files.is_empty() {
            return;
        }
        let now = Timestamp::now();
        // The age of the last record is not printed if all ranges end in the past.
        let ends_now = settings.latest_end() + summary.elapsed + NOW > now;
        let now = if ends_now { Some(now) } else { None };
        run_outcome::print(self.log, &settings.out, summary, &self.labels, now);
    }

    /// Warns about records that are missing, and says how they are listed.
    fn warn_of_missing(&self, settings: &JobSettings, outcomes: &[SeriesOutcome<'_>], is_complete: bool) {
        let mut warnings = Vec::new();
        for outcome in outcomes {
            // The failed requests of an incomplete run are already listed, so their records are not counted again.
            if is_complete {
                warnings.extend(outcome.never_requested());
                warnings.extend(outcome.missing_and_unfetched());
            } else {
                warnings.extend(outcome.missing());
            }
        }
        if warnings.is_empty() {
            return;
        }
        print_first(&warnings, "like this", |line| self.log.warning(line));
        // A stream has no status, and the answer to an assistant has the times.
        if !settings.is_stream() && !is_assistant() {
            self.note_list(&list_of_missing(&settings.out));
        }
    }

    /// Says what lists the missing times, and how older ones are requested again.
    fn note_list(&self, status: &str) {
        let mut text = format!("`{status}` lists the missing times");
        if !self.refetches_gaps {
            let option = flag("refetch-gaps");
            text.push_str(&format!("; `{option}` requests also those of more than 14 days ago again"));
        }
        self.log.remark(&text);
    }

    /// Prints the marks that nobody has acknowledged. Returns a failure if a complete run has made a mark.
    fn marks(&self, settings: &JobSettings, summary: &Summary) -> Option<Failure> {
        let mut marks = marks::of_summary(summary);
        let mut failure = None;
        if summary.is_complete
            && let Some(index) = marks.iter().position(|mark| mark.is_loss() && mark.is_new())
        {
            let mark = marks.remove(index);
            let help = if settings.is_stream() { None } else { Some(mark.help(&settings.out)) };
            failure = Some(Failure::new(ExitKind::Incomplete, mark.text()).help_if(help));
        }
        for mark in marks {
            self.log.warning(&mark.text());
            if mark.is_new() && !mark.is_loss() && !settings.is_stream() {
                self.log.remark(&mark.help(&settings.out));
            }
        }
        failure
    }

    /// A failure if a part of a series was planned by an earlier run, and no run has fetched it. `status` fails
    /// for the same reason. If the run `has_failed`, only warns.
    fn never_fetched(
        &self,
        out: &str,
        outcomes: &[SeriesOutcome<'_>],
        is_complete: bool,
        has_failed: bool,
    ) -> Option<Failure> {
        if !is_complete {
            return None;
        }
        let mut failure = None;
        let mut warnings = Vec::new();
        for outcome in outcomes {
            let Some(hint) = outcome.never_fetched() else { continue };
            if failure.is_none() && !has_failed {
                let help = if is_assistant() { None } else { Some(not_needed(out)) };
                failure = Some(Failure::new(ExitKind::Incomplete, hint).help_if(help));
            } else {
                warnings.push(hint);
            }
        }
        print_first(&warnings, "like this", |line| self.log.warning(line));
        failure
    }

    /// Warns about endpoints whose records have another spacing than the requested interval.
    fn note_spacing(&self, outcomes: &[SeriesOutcome<'_>]) {
        let mut check = SpacingCheck::default();
        for SeriesOutcome { series, report, .. } in outcomes {
            let endpoint = full_name(series.endpoint);
            let account = &report.account;
            if series.endpoint.key.is_empty() {
                check.add_received(&endpoint, account.delivered + account.invalid, account.covered);
            }
            // A run without records of the series does not repeat what the first run has found.
            if account.covered > 0 {
                check.add_spacing(&endpoint, report.interval, report.spacing);
            }
        }
        for warning in check.warnings() {
            self.log.warning(&warning);
        }
    }

    /// Prints where the records of a series begin and end, if they do not cover the range. An early end is a warning: the
    /// service may be late, or the series delisted, but a first record at any time is usual. For files, later runs confirm
    /// where the records begin; a stream is not confirmed.
    fn note_ends(&self, outcomes: &[SeriesOutcome<'_>], is_stream: bool) {
        let now = time_arg::now();
        let mut ends = Vec::new();
        for outcome in outcomes {
            ends.extend(outcome.ends(now));
        }
        let (uncertain, others): (Vec<_>, Vec<_>) =
            ends.iter().partition(|one| one.ends_early() || is_stream && one.is_unconfirmed());
        print_first(&sentences(uncertain), "like this", |line| self.log.warning(&readable(line)));
        print_first(&sentences(others), "like this", |line| self.log.remark(&readable(line)));
        if let Some(remedy) = remedy(&ends) {
            self.log.remark(&remedy);
        }
        if let Some(line) = cap(&ends) {
            self.log.remark(&line);
        }
    }

    /// Prints the error of a series in one line, and returns it.
    fn failed(&self, series: usize, error: dataset::Error) -> Failure {
        let reason = if let dataset::Error::Request(error) = &error { brief(error) } else { error.to_string() };
        self.log.warning(&line_of(&format!("{}: {reason}", self.labels[series])));
        error.into()
    }
}

/// The command, or the function in Python, that lists missing times.
fn list_of_missing(out: &str) -> String {
    let python = format!("status({})", python_text(out));
    command(&format!("status --json {}", quoted(out)), &python, "report")
}

/// The help about ranges that an earlier run has planned.
fn not_needed(out: &str) -> String {
    let name = program().name;
    format!("if they are not needed any more, `{name} acknowledge {} --unfetched` ends this message", quoted(out))
}

/// Describes a failed page in one line.
fn failed_request(label: &str, page: &FailedPage) -> String {
    line_of(&format!("{label}: request {} failed: {}", time_arg::span(&page.range), brief(&page.error)))
}

#[cfg(test)]
mod tests {
    use runtime::{Error, ErrorKind};

    use super::*;
    use crate::log::Log;
    use crate::progress::Bar;

    #[test]
    fn a_run_without_responses_ends_with_the_cause_and_code_4() {
        let settings = JobSettings {
            series: Vec::new(),
            from: time_arg::start("1970-01-01").unwrap(),
            to: Timestamp::from_unix_seconds(1),
            out: "a.csv".to_owned(),
            refetch: None,
        };
        let message = |page_error: Option<Error>| {
            let mut summary = Summary::default();
            (summary.is_unreachable, summary.failed_pages, summary.page_error) = (true, 1, page_error);
            let reporter = Reporter::new(Log::Nothing, Bar::new(Log::Nothing, 1), vec!["a".to_owned()]);
            let failure = reporter.end(&settings, Ok(summary), ExitKind::Interrupted).unwrap_err();
            assert_eq!(failure.exit_kind, ExitKind::Service);
            failure.to_string()
        };
        for (error, cause) in [
            (None, "the service does not respond"),
            (
                Some(Error::retryable(ErrorKind::Connect, "connection to `a.test:443` refused")),
                "the service does not respond: connection to `a.test:443` refused",
            ),
            (
                Some(Error::retryable(ErrorKind::Queue, "cannot reach the server of the shared rate limit")),
                "requests cannot be sent: cannot reach the server of the shared rate limit",
            ),
        ] {
            let expected = format!(
                "stopped because {cause}; kept the 0 records fetched so far\n  help: run the same command to continue"
            );
            assert_eq!(message(error), expected);
        }
    }
}
