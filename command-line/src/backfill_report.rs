//! Shows the plan, the progress, the problems and the outcome of a backfill, and chooses the exit code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::HumanCount;
use runtime::history::Progress;
use runtime::{ErrorKind, Timestamp, history};
use serde_json::{Value, json};
use tables::{BackfillEvent, BackfillPlan, SeriesReport, Summary, Target, quoted};

use crate::catalogue_json;
use crate::endpoint_names::{self, full_name};
use crate::fact_sentences::enumerated;
use crate::failure::{ExitKind, Failure, Result, brief};
use crate::job_file::JobFile;
use crate::log::Log;
use crate::program::program;
use crate::progress::{Bar, MAX_LISTED, age, counted, duration, line_of, listed};
use crate::requested_series::Series;
use crate::table::{self, Table, readable};
use crate::time_arg;

/// Maximum length of a warning about one page.
const MAX_LINE: usize = 110;

/// If a range ends at most this long before the start of the run, the range counts as ending now.
const NOW: Duration = Duration::from_secs(60);

/// Prints a line with the changes of a run and the age of the last records, and warnings about invalid records.
pub(crate) fn outcome(log: Log, out: &str, summary: &Summary, labels: &[String], now: Option<Timestamp>) {
    let sum = |count: fn(&SeriesReport) -> u64| summary.series.iter().map(count).sum::<u64>();
    let mut parts = vec![counted(sum(|report| report.added), "new record")];
    for (count, what) in [(sum(|report| report.filled), "filled in"), (sum(|report| report.revised), "revised")] {
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
    let folder = match Target::parse(out) {
        Ok(Target::Folder(_)) => Some(PathBuf::from(out)),
        // Windows would join a path without `/` at its end by a backslash.
        Ok(Target::Bucket { .. }) => Some(PathBuf::from(format!("{}/", out.trim_end_matches('/')))),
        _ => None,
    };
    let path =
        |report: &SeriesReport| Some(quoted(folder.as_ref()?.join(report.path.split('/').next().unwrap_or_default())));
    let folders: BTreeSet<_> =
        summary.series.iter().filter(|report| !report.files.is_empty()).filter_map(path).collect();
    if !folders.is_empty() {
        log.remark(&readable(&format!("read {}", listed(&folders.into_iter().collect::<Vec<_>>()))));
    }
    note_invalid(log, summary, "with an invalid value; the file has the earlier value, or null");
    if summary.is_restored {
        let (file, rows) = (quoted(out), quoted(format!("{out}.parts")));
        log.warning(&format!("{file} was missing or had been changed; it was written again from {rows}"));
    }
}

/// Warns about records that do not fit the catalogue.
fn note_invalid(log: Log, summary: &Summary, invalid: &str) {
    let sum = |count: fn(&SeriesReport) -> u64| summary.series.iter().map(count).sum::<u64>();
    let dropped = (sum(|report| report.dropped), "dropped (invalid time or format)");
    for (count, what) in [(sum(|report| report.invalid), invalid), dropped].into_iter().filter(|(count, _)| *count > 0)
    {
        log.warning(&format!("{} {what}", counted(count, "record")));
    }
}

/// Returns ranges as pairs of times.
pub(crate) fn ranges(all: &[Range<Timestamp>]) -> Vec<[String; 2]> {
    all.iter().map(|range| [range.start.to_string(), range.end.to_string()]).collect()
}

/// Returns notes about each endpoint whose series differ in their interval or in the params that are set, and about the
/// endpoints in one file, which a program that reads them may not expect.
pub(crate) fn mixed(out: &str, status: &tables::Status) -> BTreeMap<String, Vec<String>> {
    let is_file = matches!(Target::parse(out), Ok(Target::File { .. }));
    let (out, mut notes) = (quoted(out), BTreeMap::<String, Vec<String>>::new());
    let endpoints: BTreeSet<_> = status.series.iter().map(tables::SeriesStatus::endpoint).collect();
    let endpoints: Vec<_> = endpoints.into_iter().collect();
    for of_endpoint in status.series.chunk_by(|one, other| one.endpoint() == other.endpoint()) {
        let notes = notes.entry(of_endpoint[0].endpoint().to_owned()).or_default();
        // The files of a data set have one endpoint each.
        if is_file && endpoints.len() > 1 {
            let all = enumerated(&endpoints, "and");
            notes.push(format!("{out} now has the endpoints {all}; filter by the column `endpoint`"));
        }
        let params: Vec<BTreeMap<_, _>> = of_endpoint.iter().map(|series| series.params().collect()).collect();
        for name in params.iter().flat_map(BTreeMap::keys).collect::<BTreeSet<_>>() {
            if params.iter().any(|params| !params.contains_key(name)) {
                notes.push(format!("{out} has series with and without `{name}`; filter by the column `{name}`"));
            }
        }
        let step = endpoint_names::find(of_endpoint[0].endpoint()).ok().and_then(endpoint_names::history);
        let step = step.map_or("", |info| info.step);
        let values = of_endpoint.iter().zip(&params);
        let values: BTreeMap<u64, &String> =
            values.filter_map(|(one, params)| Some((one.step, params.get(step)?))).collect();
        if values.len() > 1 {
            let all = enumerated(&values.into_values().collect::<Vec<_>>(), "and");
            notes.push(format!("{out} now has the {step}s {all}; filter by the column `{step}`"));
        }
    }
    notes
}

/// Describes ranges, with the options with which a run that otherwise ends at a time fetches them; `None` if there are
/// none.
pub(crate) fn absent<'r>(
    what: &str,
    ranges: impl Iterator<Item = &'r Range<Timestamp>> + Clone,
    run_end: Timestamp,
) -> Option<String> {
    let start = ranges.clone().map(|range| range.start).min()?;
    let end = ranges.map(|range| range.end).max()?;
    let from = time_arg::argument(start);
    let to = if end > run_end { format!(" --to {}", time_arg::argument(end)) } else { String::new() };
    Some(format!("{what}, {}; run the backfill with `--from {from}{to}`", span(&(start..end))))
}

/// Returns hints about the ranges of a series that only a run with another start, or another end, fetches.
fn hints(label: &str, report: &SeriesReport, file: &JobFile) -> Vec<String> {
    let ranges = [("never fetched", &report.unfetched_ranges), ("never requested", &report.unrequested)];
    let hint = |(what, ranges): (&str, &Vec<Range<Timestamp>>)| {
        let count = counted(steps(ranges, report.step), "record");
        absent(&readable(&format!("{label}: {count} {what}")), ranges.iter(), file.to)
    };
    ranges.into_iter().filter_map(hint).collect()
}

/// Creates the failure for series without a record.
fn no_record(labels: &[String], file: &JobFile) -> Failure {
    let (names, range) = (readable(&listed(labels)), span(&(file.from.time..file.to)));
    Failure::new(ExitKind::Incomplete, format!("no record of {names} {range}"))
        .help("check the range and the values of the params; `--allow-empty` accepts series without records")
}

/// Shows the events of a run.
pub(crate) struct Reporter {
    log: Log,
    bar: Bar,
    labels: Vec<String>,
    failures: Vec<(usize, history::FailedPage)>,
    /// The notes about each endpoint.
    notes: BTreeMap<String, Vec<String>>,
    /// The start of the first search for the first record of a series.
    searched: BTreeMap<usize, Timestamp>,
}

impl Reporter {
    pub(crate) fn new(log: Log, bar: Bar, labels: Vec<String>) -> Self {
        let (failures, notes, searched) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Self { log, bar, labels, failures, notes, searched }
    }

    /// Prints the notes about each endpoint, and keeps them for the JSON objects.
    pub(crate) fn note(&mut self, notes: BTreeMap<String, Vec<String>>) {
        // Two endpoints of a folder may have the same note.
        for note in notes.values().flatten().collect::<BTreeSet<_>>() {
            self.log.warning(note);
        }
        self.notes = notes;
    }

    /// Returns a JSON object for each series: what a run has changed, and the gaps that remain.
    pub(crate) fn json_lines(&self, file: &JobFile, summary: &Summary) -> String {
        let line = |(index, (series, report)): (usize, (&Series, &SeriesReport))| {
            let of_series =
                summary.failed.iter().find(|(failed, _)| *failed == index).map(|(_, error)| error.to_string());
            let of_page =
                || self.failures.iter().find(|(failed, _)| *failed == index).map(|(_, page)| brief(&page.error));
            let error = of_series.or_else(of_page);
            let SeriesReport { added, filled, revised, invalid, dropped, missing, unfetched, .. } = report;
            let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
            let notes = self.notes.get(&full_name(series.endpoint)).into_iter().flatten().cloned();
            let hints = hints(&self.labels[index], report, file).into_iter().filter(|_| summary.is_complete);
            let facts = json!({
                "from": file.from.of(report.step).to_string(), "to": file.to.min(time_arg::now()).to_string(),
                "added": added, "filled": filled, "revised": revised, "invalid": invalid, "dropped": dropped,
                "missing": missing, "unfetched": unfetched, "first": time(report.first), "last": time(report.last),
                "gaps": ranges(&report.gaps), "unrequested": ranges(&report.unrequested), "files": report.files,
                "error": error, "notes": notes.chain(hints).collect::<Vec<_>>(),
            });
            let mut object = catalogue_json::series(series);
            object.extend(facts.as_object().cloned().unwrap_or_default());
            format!("{}\n", Value::Object(object))
        };
        file.series.iter().zip(&summary.series).enumerate().map(line).collect()
    }

    /// Prints the outcome, and chooses the exit code.
    pub(crate) fn end(&self, file: &JobFile, ended: Result<Summary, tables::Error>, signal: ExitKind) -> Result<()> {
        self.bar.clear();
        self.list(self.failures.iter().map(|(series, failure)| failed_request(&self.labels[*series], failure)));
        let (out, summary) = (&file.out, ended?);
        if summary.is_cancelled || summary.is_unreachable {
            let unreachable = (ExitKind::Service, "stopped because the service does not respond");
            let (ending, cause) = if summary.is_cancelled { (signal, "stopped") } else { unreachable };
            let kept = counted(self.bar.total.records, "record");
            let failure = Failure::new(ending, format!("{cause}; kept the {kept} fetched so far"));
            return Err(failure.help("run the same command to continue"));
        }
        // The age of the last record is not printed if the range ends in the past.
        let now = Some(Timestamp::now()).filter(|now| file.to + summary.elapsed + NOW > *now);
        // If no request was needed, the plan has already reported that.
        if summary.requests > 0 || !summary.files.is_empty() {
            outcome(self.log, out, &summary, &self.labels, now);
        }
        let is_stream = out == "-";
        if is_stream {
            note_invalid(self.log, &summary, "with an invalid value, which is null");
        }
        let begin = |(series, start): (&usize, &Timestamp)| {
            let first = summary.series.get(*series)?.first.filter(|first| first > start)?;
            Some(format!("{} {}", self.labels[*series], time_arg::shown(first)))
        };
        let begins: Vec<_> = self.searched.iter().filter_map(begin).collect();
        if !begins.is_empty() {
            self.log.remark(&readable(&format!("the data begins: {}", listed(&begins))));
        }
        let mut warnings = Vec::new();
        for (report, label) in summary.series.iter().zip(&self.labels) {
            let mut missing = report.missing;
            // The failed requests of an incomplete run are already listed, so their records are not counted again.
            if summary.is_complete {
                let unfetched = steps(&report.unfetched_ranges, report.step);
                missing = (missing + report.unfetched).saturating_sub(unfetched);
                warnings.extend(hints(label, report, file));
            }
            if missing > 0 {
                let missing = counted(missing, "record");
                let text = format!("{label}: {missing} missing between its first and last record");
                warnings.push(line_of(&text, MAX_LINE));
            }
        }
        // With `--json`, the objects of a stream list what is missing; no file has a status.
        if !warnings.is_empty() && !is_stream {
            self.list(warnings.into_iter());
            let (name, path) = (program().name, quoted(out));
            self.log.remark(&format!("`{name} status --json {path}` lists the missing times"));
        }
        if summary.is_complete {
            return Ok(());
        }
        let empty = summary.series.iter().zip(&self.labels).filter(|(report, _)| report.is_empty());
        let empty: Vec<_> = empty.map(|(_, label)| label.clone()).collect();
        let reason = self.first_failure(&summary);
        let names: Vec<_> = summary.failed.iter().map(|(index, _)| self.labels[*index].clone()).collect();
        let failed: Vec<_> = summary.failed.into_iter().map(|(index, error)| self.failed(index, error)).collect();
        if failed.is_empty() && summary.failed_pages == 0 {
            return Err(no_record(&empty, file));
        }
        let pages = self.failures.iter().map(|(_, failure)| Failure::from(failure.error.clone()).exit_kind);
        let failure = incomplete(summary.pages, pages.collect(), failed, &names, self.labels.len());
        if is_stream {
            // Nothing was kept, so a further run would not continue this one.
            return Err(reason.into_iter().fold(failure, Failure::because));
        }
        // The service would reject the same request again.
        let is_final = failure.exit_kind == ExitKind::Rejected && summary.failed_pages == 0;
        let help = (!is_final).then(|| "run the same command to fetch the missing records".to_owned());
        Err(failure.help_if(help))
    }

    /// Returns the failure of the first series that has failed, completely or on some pages.
    fn first_failure(&self, summary: &Summary) -> Option<Failure> {
        let of_series = summary.failed.iter().filter_map(|(series, error)| match error {
            tables::Error::Request(error) => Some((*series, error)),
            _ => None,
        });
        let of_pages = self.failures.iter().map(|(series, page)| (*series, &page.error));
        let first = of_pages.chain(of_series).min_by_key(|(series, _)| *series);
        first.map(|(_, error)| error.clone().into())
    }

    /// Prints the error of a series in one line, and returns the exit code of the error.
    fn failed(&self, series: usize, error: tables::Error) -> ExitKind {
        let reason = if let tables::Error::Request(error) = &error { brief(error) } else { error.to_string() };
        self.log.warning(&line_of(&format!("{}: {reason}", self.labels[series]), MAX_LINE));
        Failure::from(error).exit_kind
    }

    /// Shows the progress of a series whose records are printed.
    pub(crate) fn progress(&mut self, series: usize, progress: &Progress, log: Log) {
        self.bar.progress(progress, &format!("{}: ", self.labels[series]), log);
    }

    /// Keeps the failed pages of a series for the end of the run.
    pub(crate) fn report(&mut self, series: usize, report: &history::Report) {
        self.failures.extend(report.failed_pages.iter().map(|failure| (series, failure.clone())));
        if let Some(search) = report.searches.first() {
            self.searched.entry(series).or_insert(search.range.start);
        }
    }

    pub(crate) fn event(&mut self, event: &BackfillEvent) {
        match event {
            BackfillEvent::Progress { progress, .. } => self.bar.progress(progress, "", self.log),
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

    /// Prints the first warnings of a list, and the number of further warnings.
    fn list(&self, warnings: impl ExactSizeIterator<Item = String>) {
        let more = warnings.len().saturating_sub(MAX_LISTED);
        warnings.take(MAX_LISTED).for_each(|warning| self.log.warning(&warning));
        if more > 0 {
            self.log.warning(&format!("and {more} more like this"));
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

/// Creates the failure of a run, from the number of fetched pages, the reasons why pages and complete series failed,
/// and the names of these series.
fn incomplete(fetched: u64, pages: Vec<ExitKind>, series: Vec<ExitKind>, names: &[String], all: usize) -> Failure {
    let (requests, failed) = (pages.len() as u64, series.len());
    let names = if failed < all { format!(": {}", readable(&listed(names))) } else { String::new() };
    let is_rejected = pages.into_iter().chain(series).all(|reason| reason == ExitKind::Rejected);
    if is_rejected && requests == 0 {
        return Failure::new(ExitKind::Rejected, format!("the service rejected {failed} of {all} series{names}"));
    }
    let kind = match fetched {
        0 if is_rejected => ExitKind::Rejected,
        0 => ExitKind::Service,
        _ => ExitKind::Incomplete,
    };
    let incomplete = || format!("{failed} of {all} series are incomplete{names}");
    Failure::new(kind, if requests == 0 { incomplete() } else { format!("{} failed", counted(requests, "request")) })
}

/// Describes a failed page in one line.
fn failed_request(label: &str, history::FailedPage { range, error, .. }: &history::FailedPage) -> String {
    line_of(&format!("{label}: request {} failed: {}", span(range), brief(error)), MAX_LINE)
}

/// Returns the number of intervals of this length in all ranges; each range is rounded up.
pub(crate) fn steps<'r>(ranges: impl IntoIterator<Item = &'r Range<Timestamp>>, step: Duration) -> u64 {
    let lengths = ranges.into_iter().filter(|range| !range.is_empty()).map(|range| range.end - range.start);
    lengths.map(|length| u64::try_from(length.as_nanos().div_ceil(step.as_nanos().max(1))).unwrap_or(u64::MAX)).sum()
}

/// Formats the bounds of a range.
pub(crate) fn span(range: &Range<Timestamp>) -> String {
    format!("from {} to {}", time_arg::shown(range.start), time_arg::shown(range.end))
}

/// Returns one line with the dates and the size of a plan.
pub(crate) fn announced(plan: &BackfillPlan) -> String {
    let ranges = || plan.series.iter().map(|series| &series.range);
    let bounds = ranges().map(|range| range.start).min().zip(ranges().map(|range| range.end).max());
    let dates = bounds.map_or(String::new(), |(start, end)| format!(" {} UTC", span(&(start..end))));
    let count = plan.series.len();
    let series = if count == 1 { "1 series".to_owned() } else { format!("{count} series") };
    if plan.requests() == 0 {
        return format!("{series}{dates}: no request needed");
    }
    let (records, requests) = (counted(plan.records(), "record"), counted(plan.requests(), "request"));
    let min = plan.min_duration.filter(|time| *time >= Duration::from_secs(1));
    let min = min.map_or(String::new(), |time| format!(", at least {}", duration(time)));
    format!("{series}{dates}: up to {records} in {requests}{min}")
}

/// Returns the ranges to fetch, one per row.
pub(crate) fn planned(plan: &BackfillPlan, labels: &[String]) -> Table {
    let columns = ["series", "from", "to", "reason"].map(str::to_owned).into();
    let mut rows = Vec::new();
    for (series, label) in plan.series.iter().zip(labels) {
        let unsettled = series.unsettled.iter().map(|range| (range, "new or recent"));
        let gaps = series.gaps.iter().map(|range| (range, "gap"));
        for (range, reason) in unsettled.chain(gaps) {
            let [from, to] = [range.start, range.end].map(table::Cell::Time);
            rows.push(vec![table::Cell::text(label.as_str()), from, to, table::Cell::text(reason)]);
        }
    }
    Table { columns, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_about_a_range_after_the_end_of_the_run_names_its_end() {
        let day = |day: i64| Timestamp::from_unix_seconds(day * 86_400);
        for (run_end, expected) in [(9, "--from 1970-01-03"), (4, "--from 1970-01-03 --to 1970-01-06")] {
            let hint = absent("a part", [day(2)..day(3), day(4)..day(5)].iter(), day(run_end)).unwrap();
            assert!(hint.ends_with(&format!("; run the backfill with `{expected}`")), "{hint}");
        }
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
