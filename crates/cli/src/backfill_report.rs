//! Shows the progress, the problems and the outcome of a backfill, and chooses the exit code.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use dataset::{BackfillEvent, SeriesReport, Summary, Target, quoted};
use indicatif::HumanCount;
use runtime::history::Progress;
use runtime::{ErrorKind, Timestamp, history};
use serde_json::{Map, Value, json};

use crate::catalogue_json;
use crate::endpoint_names::full_name;
use crate::failure::{ExitKind, Failure, Result, brief};
use crate::file_notes::Note;
use crate::job_file::JobFile;
use crate::log::Log;
use crate::marks::{self, Mark};
use crate::program::program;
use crate::progress::{Bar, age, counted, duration, line_of, listed, print_first};
use crate::range_ends::{SeriesEnds, cap, sentences};
use crate::record_spacing::SpacingCheck;
use crate::requested_series::Series;
use crate::table::readable;
use crate::time_arg;

/// If a range ends at most this long before the start of the run, the range counts as ending now.
const NOW: Duration = Duration::from_secs(60);

/// Prints a line with the changes of a run and the age of the last records, and warnings about invalid records.
pub(crate) fn outcome(log: Log, out: &str, summary: &Summary, labels: &[String], now: Option<Timestamp>) {
    let sum = |count: fn(&SeriesReport) -> u64| summary.series.iter().map(count).sum::<u64>();
    let mut parts = vec![counted(sum(|report| report.added), "new record")];
    let counts = [
        (sum(|report| report.filled), "filled in"),
        (sum(|report| report.revised), "revised"),
        (sum(|report| report.no_longer_sent), "values no longer sent, which stay"),
    ];
    for (count, what) in counts {
        parts.extend((count > 0).then(|| format!("{} {what}", HumanCount(count))));
    }
    let lasts = || summary.series.iter().zip(labels).filter_map(|(report, label)| Some((report.end?, label)));
    // By a clock that is behind, the newest record has no age.
    let newest = lasts().max().filter(|(newest, _)| now.is_some_and(|now| *newest <= now));
    if let (Some(now), Some((newest, _)), Some((oldest, label))) = (now, newest, lasts().min()) {
        parts.push(format!("last record {} ago", age(newest, now)));
        if age(newest, now) != age(oldest, now) {
            parts.push(format!("last record of {label} {} ago", age(oldest, now)));
        }
    }
    let (requests, elapsed) = (counted(summary.requests, "request"), duration(summary.elapsed));
    log.remark(&format!("{}: {} ({requests}, {elapsed})", quoted(out), parts.join(", ")));
    let is_set = matches!(Target::parse(out), Ok(Target::Folder(_) | Target::Bucket { .. }));
    let of_endpoint = |report: &SeriesReport| {
        let endpoint = report.path.split('/').next().unwrap_or_default();
        readable(&quoted(format!("{}/{endpoint}", out.trim_end_matches('/'))))
    };
    let written = summary.series.iter().filter(|report| is_set && !report.files.is_empty());
    let folders: BTreeSet<_> = written.map(of_endpoint).collect();
    print_first(folders.iter().map(|folder| format!("read {folder}")), "folders", |line| log.remark(line));
    note_invalid(log, summary, "with an invalid value; the file has the earlier value, or null");
    if summary.is_restored {
        let (file, rows) = (quoted(out), quoted(format!("{out}.parts")));
        log.warning(&format!("{file} was missing or had been changed; it was written again from {rows}"));
    }
}

/// Warns about records that do not fit the catalogue.
fn note_invalid(log: Log, summary: &Summary, invalid: &str) {
    let sum = |count: fn(&SeriesReport) -> u64| summary.series.iter().map(count).sum::<u64>();
    let counts = [
        (sum(|report| report.invalid), invalid),
        (sum(|report| report.out_of_range), "with a value outside of the documented range"),
        (sum(|report| report.unreadable), "without a readable time; not in the file"),
        (
            sum(|report| report.account.distant),
            "far from the requested range; the service ignores it, or the unit of the times differs",
        ),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        log.warning(&format!("{} {what}", counted(count, "record")));
    }
}

/// Returns a hint about the ranges of a series that an earlier run has planned, and that no run has fetched. `to` is the
/// end of the range of the series.
fn never_fetched(label: &str, report: &SeriesReport, to: Timestamp) -> Option<String> {
    hint(label, "never fetched", &report.unfetched_ranges, report, to)
}

/// Returns a hint about the ranges of a series between its records that no run has requested.
fn never_requested(label: &str, report: &SeriesReport, to: Timestamp) -> Option<String> {
    hint(label, "never requested", &report.unrequested, report, to)
}

/// Describes ranges that only a run with another start, or another end, fetches.
fn hint(label: &str, what: &str, ranges: &[Range<Timestamp>], report: &SeriesReport, to: Timestamp) -> Option<String> {
    if report.is_retired {
        return None;
    }
    let count = counted(time_arg::steps(ranges, report.interval), "record");
    time_arg::absent(&readable(&format!("{label}: {count} {what}")), ranges.iter(), to)
}

/// A series without a record.
struct Empty {
    label: String,
    range: Range<Timestamp>,
    /// The number of records that the service has sent, with a time outside of the range or without a readable time.
    received: u64,
}

/// Creates the failure for series without a record.
fn no_record(empty: &[Empty]) -> Failure {
    let labels: Vec<String> = empty.iter().map(|one| one.label.clone()).collect();
    let names = readable(&listed(&labels));
    let start = empty.iter().map(|one| one.range.start).min().unwrap_or(time_arg::OPEN);
    let end = empty.iter().map(|one| one.range.end).max().unwrap_or(time_arg::OPEN);
    let whole = start..end;
    let range = if empty.iter().all(|one| one.range == whole) {
        time_arg::span(&whole)
    } else {
        format!("in their ranges between {} and {}", time_arg::shown(start), time_arg::shown(end))
    };
    let failure = Failure::new(ExitKind::Incomplete, format!("no record of {names} {range}"));
    let received: u64 = empty.iter().map(|one| one.received).sum();
    if received > 0 {
        let received = counted(received, "record");
        return failure
            .help(format!("the service has sent {received}, none of them with a readable time in the range"));
    }
    failure.help("check the range and the values of the params; `--allow-empty` accepts series without records")
}

/// Shows the events of a run.
pub(crate) struct Reporter {
    log: Log,
    pub(crate) bar: Bar,
    labels: Vec<String>,
    failures: Vec<(usize, history::FailedPage)>,
    /// The notes about the files of the run.
    pub(crate) notes: BTreeSet<Note>,
    /// `true` if the run requests all missing records again.
    pub(crate) refetches_gaps: bool,
    /// Whether the JSON objects of the series, which list what is missing, are on standard error.
    pub(crate) has_objects_on_stderr: bool,
    /// Whether the progress is printed if no bar is drawn.
    pub(crate) progress_log: Log,
}

impl Reporter {
    pub(crate) fn new(log: Log, bar: Bar, labels: Vec<String>) -> Self {
        Self {
            log,
            bar,
            labels,
            failures: Vec::new(),
            notes: BTreeSet::new(),
            refetches_gaps: false,
            has_objects_on_stderr: false,
            progress_log: log,
        }
    }

    /// Returns a JSON object for each series: what a run has changed, the gaps that remain, and an error, by default that
    /// of the entire run.
    pub(crate) fn json_lines(&self, file: &JobFile, summary: &Summary, of_run: Option<&dataset::Error>) -> String {
        let line = |(index, (series, report)): (usize, (&Series, &SeriesReport))| {
            let of_series =
                summary.failed.iter().find(|(failed, _)| *failed == index).map(|(_, error)| error.to_string());
            let of_page =
                || self.failures.iter().find(|(failed, _)| *failed == index).map(|(_, page)| brief(&page.error));
            let error = of_series.or_else(of_page).or_else(|| of_run.map(ToString::to_string));
            let SeriesReport { added, filled, revised, invalid, missing, unfetched, account, .. } = report;
            let account: Map<_, _> =
                account.figures().into_iter().map(|(name, figure)| (name.to_owned(), figure.into())).collect();
            let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
            let endpoint = full_name(series.endpoint);
            let range = file.range(series, report.interval);
            let notes = self.notes.iter().filter(|note| note.is_about(&endpoint)).map(|note| note.text.clone());
            let label = &self.labels[index];
            let hints = [never_fetched(label, report, range.end), never_requested(label, report, range.end)];
            let hints = hints.into_iter().flatten().filter(|_| summary.is_complete);
            let facts = json!({
                "from": range.start.to_string(), "to": range.end.min(time_arg::now()).to_string(),
                "added": added, "filled": filled, "revised": revised, "invalid": invalid, "account": account,
                "missing": missing, "unfetched": unfetched, "first": time(report.first), "last": time(report.last),
                "revised_times": time_arg::pairs(&report.revised_times), "no_longer_sent": report.no_longer_sent,
                "out_of_range": report.out_of_range, "lost_rows": marks::lost_times(&report.path, &summary.lost_rows),
                "gaps": time_arg::pairs(&report.gaps), "unrequested": time_arg::pairs(&report.unrequested), "files": report.files,
                "spacing": report.spacing,
                "error": error, "notes": notes.chain(hints).collect::<Vec<_>>(),
            });
            let mut object = catalogue_json::series(series);
            object.extend(facts.as_object().cloned().unwrap_or_default());
            format!("{}\n", Value::Object(object))
        };
        file.series.iter().zip(&summary.series).enumerate().map(line).collect()
    }

    /// Prints the outcome, and chooses the exit code.
    pub(crate) fn end(&self, file: &JobFile, ended: Result<Summary, dataset::Error>, signal: ExitKind) -> Result<()> {
        self.bar.clear();
        let warn = |line: &str| self.log.warning(line);
        let failed = self.failures.iter().map(|(series, failure)| failed_request(&self.labels[*series], failure));
        print_first(failed, "like this", warn);
        let (out, summary) = (&file.out, ended?);
        let marked = self.marks(out, &summary);
        let never_fetched = self.never_fetched(file, &summary, marked.is_some());
        let failure = marked.or(never_fetched);
        if summary.is_cancelled || summary.is_unreachable {
            let unreachable = (ExitKind::Service, "stopped because the service does not respond");
            let (ending, cause) = if summary.is_cancelled { (signal, "stopped") } else { unreachable };
            let kept = counted(self.bar.total.records, "record");
            let failure = Failure::new(ending, format!("{cause}; kept the {kept} fetched so far"));
            return Err(failure.help("run the same command to continue"));
        }
        // The age of the last record is not printed if all ranges end in the past.
        let now = Some(Timestamp::now()).filter(|now| file.latest_end() + summary.elapsed + NOW > *now);
        // If no request was needed, the plan has already reported that.
        if summary.requests > 0 || !summary.files.is_empty() {
            outcome(self.log, out, &summary, &self.labels, now);
        }
        let is_stream = out == "-";
        if is_stream {
            note_invalid(self.log, &summary, "with an invalid value, which is null");
        }
        self.note_ends(file, &summary);
        self.note_spacing(file, &summary);
        let mut warnings = Vec::new();
        for ((report, label), one) in summary.series.iter().zip(&self.labels).zip(&file.series) {
            let mut missing = report.missing;
            // The failed requests of an incomplete run are already listed, so their records are not counted again.
            if summary.is_complete {
                let unfetched = time_arg::steps(&report.unfetched_ranges, report.interval);
                missing = (missing + report.unfetched).saturating_sub(unfetched);
                warnings.extend(never_requested(label, report, file.range(one, report.interval).end));
            }
            if missing > 0 {
                let missing = counted(missing, "record");
                let unreadable = report.account.without_time > 0;
                let what =
                    if unreadable { ", some with an unreadable time" } else { " between its first and last record" };
                let text = format!("{label}: {missing} missing{what}");
                warnings.push(line_of(&text));
            }
        }
        let has_missing = !warnings.is_empty() && !self.has_objects_on_stderr;
        if has_missing {
            print_first(warnings.into_iter(), "like this", warn);
        }
        // A stream has no status.
        if has_missing && !is_stream {
            let (name, path) = (program().name, quoted(out));
            let lists = format!("`{name} status --json {path}` lists the missing times");
            let older = "; `--refetch-gaps` requests also those of more than 14 days ago again";
            self.log.remark(&format!("{lists}{}", if self.refetches_gaps { "" } else { older }));
        }
        if summary.is_complete {
            return failure.map_or(Ok(()), Err);
        }
        let is_failed = summary.failed_pages > 0 || !summary.failed.is_empty();
        let pages = self.failures.iter().map(|(series, page)| (*series, Failure::from(page.error.clone())));
        let series = summary.failed.into_iter().map(|(series, error)| (series, self.failed(series, error)));
        let reasons: Vec<_> = pages.chain(series).collect();
        if !is_failed {
            return Err(no_record(&self.empty(file, &summary.series)));
        }
        let failure = self.incomplete(summary.pages, &reasons);
        if is_stream {
            // Nothing was kept, so a further run would not continue this one.
            let first = reasons.into_iter().min_by_key(|(series, _)| *series);
            return Err(first.into_iter().fold(failure, |failure, (_, reason)| failure.because(reason)));
        }
        // The service would reject the same request again.
        let is_final = failure.exit_kind == ExitKind::Rejected && summary.failed_pages == 0;
        Err(if is_final { failure } else { failure.help("run the same command to fetch the missing records") })
    }

    /// Returns the series without a record.
    fn empty(&self, file: &JobFile, reports: &[SeriesReport]) -> Vec<Empty> {
        let mut empty = Vec::new();
        for ((report, label), one) in reports.iter().zip(&self.labels).zip(&file.series) {
            if report.is_empty() {
                let range = file.range(one, report.interval);
                empty.push(Empty { label: label.clone(), range, received: report.account.received() });
            }
        }
        empty
    }

    /// Prints the repairs of a run, and the marks that nobody has acknowledged. Returns a failure if a complete run has
    /// made a mark.
    fn marks(&self, out: &str, summary: &Summary) -> Option<Failure> {
        for repair in &summary.repairs {
            self.log.warning(repair);
        }
        let mut marks = marks::of_summary(summary);
        let is_new_loss = |mark: &Mark<'_>| mark.is_loss() && mark.is_new();
        let new = marks.iter().position(is_new_loss).filter(|_| summary.is_complete);
        let failed = new.map(|index| marks.remove(index));
        for mark in marks {
            self.log.warning(&mark.text());
            if mark.is_new() && !mark.is_loss() {
                self.log.remark(&mark.help(out));
            }
        }
        failed.map(|mark| Failure::new(ExitKind::Incomplete, mark.text()).help(mark.help(out)))
    }

    /// Returns a failure if a part of a series was planned by an earlier run, and no run has fetched it. `status` fails
    /// for the same reason. If the run `has_failed`, only warns.
    fn never_fetched(&self, file: &JobFile, summary: &Summary, has_failed: bool) -> Option<Failure> {
        let mut hints = Vec::new();
        for (index, (one, report)) in file.series.iter().zip(&summary.series).enumerate() {
            let to = file.range(one, report.interval).end;
            hints.extend(never_fetched(&self.labels[index], report, to).filter(|_| summary.is_complete));
        }
        let warnings = hints.split_off(if has_failed { 0 } else { hints.len().min(1) });
        print_first(warnings.into_iter(), "like this", |line| self.log.warning(line));
        hints.pop().map(|hint| Failure::new(ExitKind::Incomplete, hint))
    }

    /// Warns about endpoints whose records have another spacing than the requested interval.
    fn note_spacing(&self, file: &JobFile, summary: &Summary) {
        let mut check = SpacingCheck::default();
        for (series, report) in file.series.iter().zip(&summary.series) {
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

    /// Prints where the records of a series begin and end, if they do not cover the range.
    fn note_ends(&self, file: &JobFile, summary: &Summary) {
        let now = time_arg::now();
        let mut ends = Vec::new();
        for ((report, label), one) in summary.series.iter().zip(&self.labels).zip(&file.series) {
            // A later run of the same range does not repeat what the first run has found.
            let has_empty = report.account.empty + report.account.never_requested > 0;
            if let (Some(first), Some(end), true) = (report.first, report.end, has_empty) {
                let range = file.range(one, report.interval);
                let asked = range.start..range.end.min(now);
                ends.push(SeriesEnds {
                    label,
                    asked,
                    first,
                    end,
                    interval: report.interval,
                    first_age: report.first_age,
                    first_moves: report.first_moves,
                });
            }
        }
        print_first(sentences(&ends).into_iter(), "like this", |line| self.log.remark(&readable(line)));
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

    /// Creates the failure of a run, from the number of fetched pages, and the reasons why pages failed and then those
    /// why complete series failed.
    fn incomplete(&self, fetched: u64, reasons: &[(usize, Failure)]) -> Failure {
        let (pages, all) = (self.failures.len(), self.labels.len());
        let names: Vec<_> = reasons[pages..].iter().map(|(series, _)| self.labels[*series].clone()).collect();
        let failed = names.len();
        let names = if failed < all { format!(": {}", readable(&listed(&names))) } else { String::new() };
        let is_rejected = reasons.iter().all(|(_, reason)| reason.exit_kind == ExitKind::Rejected);
        let message = match pages {
            0 if is_rejected => format!("the service rejected {failed} of {all} series{names}"),
            0 => format!("{failed} of {all} series are incomplete{names}"),
            _ => format!("{} failed", counted(pages as u64, "request")),
        };
        let kind = match fetched {
            _ if is_rejected && (fetched == 0 || pages == 0) => ExitKind::Rejected,
            0 if reasons.iter().all(|(_, reason)| reason.exit_kind != ExitKind::Incomplete) => ExitKind::Service,
            _ => ExitKind::Incomplete,
        };
        Failure::new(kind, message)
    }

    /// Shows the progress of a series whose records are printed.
    pub(crate) fn progress(&mut self, series: usize, progress: &Progress, log: Log) {
        self.bar.progress(progress, &format!("{}: ", self.labels[series]), log);
    }

    /// Keeps the failed pages of a series for the end of the run.
    pub(crate) fn report(&mut self, series: usize, report: &history::Report) {
        self.failures.extend(report.failed_pages.iter().map(|failure| (series, failure.clone())));
    }

    pub(crate) fn event(&mut self, event: &BackfillEvent) {
        match event {
            BackfillEvent::Progress { progress, .. } => self.bar.progress(progress, "", self.progress_log),
            BackfillEvent::Report { series, report, .. } => self.report(*series, report),
            BackfillEvent::Trouble { elapsed: time, status, kind, .. } => {
                let no_response = || format!("no response from the service{}", kind.map_or("", cause));
                let what =
                    status.map_or_else(no_response, |status| format!("the service has responded with status {status}"));
                self.bar.warning(self.log, &format!("{what} for {}; retrying", duration(*time)));
            }
            BackfillEvent::Recovered { elapsed, .. } => {
                self.bar.warning(self.log, &format!("the service accepts requests again after {}", duration(*elapsed)));
            }
            _ => {}
        }
    }
}

/// Describes the phase in which an attempt without a response failed.
fn cause(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Connect => " (no connection)",
        ErrorKind::Send => " (the request could not be sent)",
        ErrorKind::Headers => " (connected, but no status received)",
        ErrorKind::Queue => " (the rate limiter failed)",
        _ => "",
    }
}

/// Describes a failed page in one line.
fn failed_request(label: &str, history::FailedPage { range, error, .. }: &history::FailedPage) -> String {
    line_of(&format!("{label}: request {} failed: {}", time_arg::span(range), brief(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_without_a_record_are_named_with_their_ranges() {
        let empty = |label: &str, from: &str, to: &str| {
            let [start, end] = [from, to].map(|text| time_arg::timestamp(text).unwrap());
            Empty { label: label.to_owned(), range: start..end, received: 0 }
        };
        let hours = empty("hours", "2025-01-01", "2025-01-02");
        let message = |all: &[Empty]| no_record(all).to_string().lines().next().unwrap().to_owned();
        let one = message(std::slice::from_ref(&hours));
        assert_eq!(one, "no record of hours from 2025-01-01 00:00 to 2025-01-02 00:00");
        let same = message(&[hours, empty("days", "2025-01-01", "2025-01-02")]);
        assert_eq!(same, "no record of hours, days from 2025-01-01 00:00 to 2025-01-02 00:00");
        let several = [empty("hours", "2025-01-01", "2025-01-02"), empty("days", "2024-03-01", "2024-05-01")];
        let expected = "no record of hours, days in their ranges between 2024-03-01 00:00 and 2025-01-02 00:00";
        assert_eq!(message(&several), expected);
    }

    #[test]
    fn records_that_nobody_can_use_are_named_if_a_series_is_empty() {
        let [start, end] = ["2025-01-01", "2025-01-02"].map(|text| time_arg::timestamp(text).unwrap());
        let help =
            |received| no_record(&[Empty { label: "hours".to_owned(), range: start..end, received }]).to_string();
        assert!(help(0).contains("check the range"), "{}", help(0));
        let expected = "the service has sent 1,000 records, none of them with a readable time in the range";
        assert!(help(1000).contains(expected), "{}", help(1000));
    }

    #[test]
    fn a_service_that_does_not_respond_ends_with_code_4() {
        let file = JobFile {
            series: Vec::new(),
            from: time_arg::start("1970-01-01").unwrap(),
            to: Timestamp::from_unix_seconds(1),
            out: "a.csv".to_owned(),
            refetch: None,
        };
        let mut summary = Summary::default();
        (summary.is_unreachable, summary.failed_pages) = (true, 1);
        let reporter = Reporter::new(Log::Nothing, Bar::new(Log::Nothing, 1), vec!["a".to_owned()]);
        let failure = reporter.end(&file, Ok(summary), ExitKind::Interrupted).unwrap_err();
        let expected = "stopped because the service does not respond; kept the 0 records fetched so far\n  \
            help: run the same command to continue";
        assert_eq!((failure.exit_kind as u8, failure.to_string().as_str()), (4, expected));
    }
}
