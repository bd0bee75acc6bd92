//! `status`: shows the state of a file or a data set that a backfill has written.
//!
//! The output has a row for each series, or is one JSON object. No request is sent.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use clap::Args;
use dataset::{SeriesStatus, Target, quoted};
use indicatif::HumanCount;
use runtime::Timestamp;
use serde_json::{Value, json};

use crate::failure::{ExitKind, Failure, Result, brief_text};
use crate::future_records::check_clock;
use crate::log::Log;
use crate::marks;
use crate::program::program;
use crate::progress::{age, counted, listed, print_first};
use crate::range_ends::{SeriesEnds, cap, sentences};
use crate::record_spacing::SpacingCheck;
use crate::series_label::label_of;
use crate::stored_target::require_series;
use crate::table::{Cell, Table, readable};
use crate::{stdout, time_arg};

/// The age from which records that are not in the files yet are a problem. Twice the interval at which `poll` adds
/// them.
const MAX_PENDING: Duration = Duration::from_secs(600);

/// Show the records, gaps, damage and age of a file or data set
#[derive(Args, Debug)]
#[command(after_help = "\
    Exit code 6 if a file is damaged, if the service no longer sends a field or rows were lost and nobody has \
    acknowledged that, if a part of a series was never fetched and no run is writing the series, if \
    records are not in the file ten minutes later, if the service has rejected a series, or, with --max-age, if the \
    last record of a series is older or in the future.")]
pub(crate) struct Status {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Fail if the last record of a series is older than this, for example 36h, and a newer interval has ended
    #[arg(long, value_name = "AGE", value_parser = time_arg::duration)]
    max_age: Option<Duration>,
    /// Read every row and compare all files with their checksums
    #[arg(long)]
    verify: bool,
    /// Show only the series for which the command fails
    #[arg(long)]
    failed: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = Target::parse(&self.path)?;
        let now = Timestamp::now();
        let status = if self.verify { dataset::verify(&target).await? } else { dataset::status(&target).await? };
        if let Some(by) = &status.running {
            let path = quoted(&self.path);
            log.warning(&format!("{path}: a run is in progress ({by}); its records are not in the files yet"));
        }
        if status.damaged.is_empty() && status.running.is_none() {
            require_series(&status, &self.path)?;
        }
        if self.json {
            let series: Vec<_> = self.shown(&status, now).map(|series| object(series, now)).collect();
            let since = status.pending_since.map(|time| time.to_string());
            let running = status.running.as_ref().map(|run| {
                let since = run.since.map(|time| time.floor(Duration::from_secs(1)).to_string());
                json!({ "process": run.process, "host": run.host, "since": since })
            });
            let all = json!({
                "path": self.path, "series": series, "damaged": status.damaged, "pending": status.pending,
                "without_state": status.without_state,
                "missing_fields": marks::missing_fields_json(&status.missing_fields),
                "unsent_fields": marks::unsent_fields_json(&status.unsent_fields),
                "lost_rows": marks::lost_rows_json(&status.lost_rows),
                "pending_since": since, "running": running,
            });
            stdout::print(format!("{all}\n"))?;
        } else if !status.series.is_empty() {
            if status.series.len() > LARGE || self.failed {
                log.remark(&self.totals(&status, now));
            }
            let shown: Vec<_> = self.shown(&status, now).collect();
            if !shown.is_empty() {
                table_of(&shown, now).print()?;
            }
        }
        status.damaged.iter().for_each(|damage| log.warning(damage));
        marks::warn(log, &marks::of_status(&status));
        if let Some(hole) = unrequested(&status) {
            log.warning(&format!("{}: {hole}", quoted(&self.path)));
        }
        let mut spacing = SpacingCheck::default();
        for series in &status.series {
            spacing.add_spacing(series.endpoint(), series.interval, series.spacing);
        }
        for warning in spacing.warnings() {
            log.warning(&warning);
        }
        let stopped = stopped(&status);
        print_first(stopped.into_iter(), "like this", |line| log.remark(line));
        let ends = ends(&status);
        print_first(sentences(&ends).into_iter(), "like this", |line| log.remark(line));
        if let Some(line) = cap(&ends) {
            log.remark(&line);
        }
        if status.pending > 0 && !is_late(&status, now) && status.running.is_none() && status.damaged.is_empty() {
            let records = counted(status.pending, "fetched record");
            log.remark(&format!("the next run, or `poll`, adds {records} to the files"));
        }
        check_clock(status.series.iter().map(|series| (series.last, series.end)), log);
        let problems = self.problems(&status, now);
        if problems.is_empty() {
            return Ok(());
        }
        Err(Failure::new(ExitKind::Incomplete, format!("{}: {}", quoted(&self.path), problems.join("; "))))
    }

    /// Returns the problems for which the command fails, each with the number or names of the affected items.
    fn problems(&self, status: &dataset::Status, now: Timestamp) -> Vec<String> {
        let is_old = |series: &&SeriesStatus| self.is_old(series, now);
        let is_future = |series: &&SeriesStatus| self.is_future(series, now);
        let names = |is_affected: &dyn Fn(&&SeriesStatus) -> bool| {
            let labels: Vec<_> = status.series.iter().filter(is_affected).map(label_of).collect();
            (!labels.is_empty()).then(|| listed(&labels))
        };
        let damaged = status.damaged.len() as u64;
        let unfetched = part_of(status, "fetched", |series| &series.unfetched, is_unfetched);
        let is_rejected = |series: &&SeriesStatus| is_rejected(series);
        let rejected = names(&is_rejected);
        let reason = status.series.iter().find(is_rejected).and_then(|series| series.rejected.as_deref());
        let unfinished = if damaged > 0 {
            "not in the file yet; the next run adds those of intact files"
        } else {
            "not in the file yet, because a run is still active or was killed; the next run adds them"
        };
        let problems = [
            (damaged > 0).then(|| counted(damaged, "damaged file")),
            self.without_state(status),
            self.unacknowledged(status),
            is_late(status, now).then(|| format!("{} {unfinished}", counted(status.pending, "record"))),
            unfetched,
            rejected.zip(reason).map(|(names, why)| {
                format!(
                    "the service rejected {names}: {}; `retire` keeps their rows and requests them no more",
                    brief_text(why)
                )
            }),
            names(&is_old).map(|names| format!("last record too old: {names}")),
            names(&is_future).map(|names| format!("last record in the future: {names}")),
        ];
        problems.into_iter().flatten().collect()
    }
}

impl Status {
    /// Names the tables whose state is missing.
    fn without_state(&self, status: &dataset::Status) -> Option<String> {
        if status.without_state.is_empty() {
            return None;
        }
        let names: Vec<_> = status.without_state.iter().map(|name| quoted(format!("{name}*.parquet"))).collect();
        let command = format!("`{} adopt {}`", program().name, quoted(&self.path));
        Some(format!("the state of {} is missing; {command} rebuilds it from the files", listed(&names)))
    }

    /// Returns whether the last record of a series is too old.
    fn is_old(&self, series: &SeriesStatus, now: Timestamp) -> bool {
        let Some(max_age) = self.max_age.filter(|_| !series.is_retired) else { return false };
        // A series without any record, such as one that does not exist yet, has no age. Nothing is newer than the last
        // record until the next interval has ended.
        let can_be_newer = series.behind(now) != Some(0);
        series.end.map_or(!series.unfetched.is_empty(), |end| can_be_newer && end + max_age < now)
    }

    /// Returns whether a series whose age is judged ends in the future.
    fn is_future(&self, series: &SeriesStatus, now: Timestamp) -> bool {
        self.max_age.is_some() && !series.is_retired && series.last > Some(now)
    }

    /// Returns whether the command fails because of a series.
    fn fails(&self, status: &dataset::Status, series: &SeriesStatus, now: Timestamp) -> bool {
        let has_lost_rows = status.lost_rows.iter().flat_map(|lost| &lost.series).any(|lost| lost.path == series.path);
        let lacks_field = status.missing_fields.iter().any(|missing| missing.endpoint == series.endpoint());
        let is_judged = self.is_old(series, now) || self.is_future(series, now);
        is_unfetched(series) || is_rejected(series) || has_lost_rows || lacks_field || is_judged
    }

    /// Returns the series of the output.
    fn shown<'s>(&self, status: &'s dataset::Status, now: Timestamp) -> impl Iterator<Item = &'s SeriesStatus> {
        status.series.iter().filter(move |series| !self.failed || self.fails(status, series, now))
    }

    /// Returns one line with the totals of all series.
    fn totals(&self, status: &dataset::Status, now: Timestamp) -> String {
        let mut rows = 0;
        let mut missing = 0;
        let mut failed = 0;
        for series in &status.series {
            rows += series.rows;
            missing += series.missing;
            failed += u64::from(self.fails(status, series, now));
        }
        let series = HumanCount(status.series.len() as u64);
        let failed = HumanCount(failed);
        format!("{series} series, {}, {} missing; {failed} failed", counted(rows, "record"), HumanCount(missing))
    }

    /// Returns the number of marks that no user has acknowledged.
    fn unacknowledged(&self, status: &dataset::Status) -> Option<String> {
        let fields = status.missing_fields.len() as u64;
        let files = status.lost_rows.len() as u64;
        let mut marks = Vec::new();
        if fields > 0 {
            marks.push(format!("{} no longer sent", counted(fields, "field")));
        }
        if files > 0 {
            marks.push(format!("lost rows of {}", counted(files, "file")));
        }
        let command = format!("`{} acknowledge {}`", program().name, quoted(&self.path));
        (!marks.is_empty()).then(|| format!("{}, until {command}", marks.join(" and ")))
    }
}

/// The number of series above which the totals are shown first.
const LARGE: usize = 20;

/// Returns whether a part of a series was never fetched. The next request of a rejected series would be rejected too, and
/// a run that is in progress may fetch the rest.
fn is_unfetched(series: &SeriesStatus) -> bool {
    let is_waiting = series.rejected.is_some() || series.is_running || series.is_retired;
    !series.unfetched.is_empty() && !is_waiting
}

fn is_rejected(series: &SeriesStatus) -> bool {
    series.rejected.is_some() && !series.is_retired
}

/// Names the series with such ranges, and the option with which a run fetches them.
fn part_of(
    status: &dataset::Status,
    what: &str,
    ranges: fn(&SeriesStatus) -> &Vec<Range<Timestamp>>,
    is_affected: impl Fn(&SeriesStatus) -> bool,
) -> Option<String> {
    let is_listed = |series: &&SeriesStatus| !ranges(series).is_empty() && is_affected(series);
    let affected: Vec<_> = status.series.iter().filter(is_listed).collect();
    let labels: Vec<_> = affected.iter().map(|series| label_of(series)).collect();
    let what = format!("a part of {} was never {what}", listed(&labels));
    time_arg::absent(&what, affected.iter().flat_map(|series| ranges(series)), time_arg::OPEN)
}

/// Returns a line for each series with labels that have stopped, such as contracts that have expired.
fn stopped(status: &dataset::Status) -> Vec<String> {
    let mut lines = Vec::new();
    for series in status.series.iter().filter(|series| !series.last_seen.is_empty()) {
        let mut labels = Vec::new();
        for (label, last) in &series.last_seen {
            labels.push(readable(&format!("{label} {}", time_arg::shown(*last))));
        }
        lines.push(format!("{}: last seen: {}", label_of(series), listed(&labels)));
    }
    lines
}

/// Returns the ends of all series that have records, except those that are not requested any more.
fn ends(status: &dataset::Status) -> Vec<SeriesEnds<'_>> {
    let mut all = Vec::new();
    for series in status.series.iter().filter(|series| !series.is_retired) {
        if let (Some(asked), Some(first), Some(end)) = (series.asked.clone(), series.first, series.end) {
            let SeriesStatus { interval, first_age, first_moves, .. } = *series;
            all.push(SeriesEnds { label: &series.path, asked, first, end, interval, first_age, first_moves });
        }
    }
    all
}

/// Names the series with ranges that no run has requested, except those that no run can fetch any more.
fn unrequested(status: &dataset::Status) -> Option<String> {
    let is_continued = |series: &SeriesStatus| series.rejected.is_none() && !series.is_retired;
    part_of(status, "requested", |series| &series.unrequested, is_continued)
}

/// Returns `true` if a run would have added the fetched records to the files by now.
fn is_late(status: &dataset::Status, now: Timestamp) -> bool {
    status.pending_since.is_some_and(|since| since + MAX_PENDING < now)
}

/// Returns the state of a series as text: `retired`, `rejected`, `in the future`, `incomplete`, `up to date`, the age of
/// the last record, or `empty`.
fn state(series: &SeriesStatus, now: Timestamp) -> String {
    match (series.behind(now), series.last) {
        _ if series.is_retired => "retired".to_owned(),
        _ if series.rejected.is_some() => "rejected".to_owned(),
        (_, Some(last)) if last > now => "in the future".to_owned(),
        (Some(0), _) if !series.unfetched.is_empty() => "incomplete".to_owned(),
        (Some(0), _) => "up to date".to_owned(),
        _ if series.end.is_some() => format!("{} old", age(series.end.unwrap_or(now), now)),
        _ => "empty".to_owned(),
    }
}

fn table_of(all: &[&SeriesStatus], now: Timestamp) -> Table {
    let names =
        ["series", "state", "missing", "last", "records", "first", "never requested", "revised in last run", "invalid"];
    let time = |time: Option<Timestamp>| time.map_or(Cell::EMPTY, Cell::Time);
    let number = |count: u64| Cell::Value(count.into());
    let row = |series: &&SeriesStatus| {
        let SeriesStatus { rows, first, last, missing, revised, invalid, .. } = series;
        let unrequested = time_arg::steps(&series.unrequested, series.interval);
        let first_cells = [Cell::text(label_of(series)), Cell::text(state(series, now))];
        let middle = [number(*missing), time(*last), number(*rows), time(*first)];
        let rest = [number(unrequested), number(*revised), number(*invalid)];
        first_cells.into_iter().chain(middle).chain(rest).collect()
    };
    let mut table = Table { columns: names.map(str::to_owned).into(), rows: all.iter().map(row).collect() };
    // A terminal omits the last columns, but has to show what no run has requested.
    if stdout::is_terminal() && all.iter().any(|series| !series.unrequested.is_empty()) {
        let shown = 3..=6;
        table.columns[shown.clone()].rotate_right(1);
        table.rows.iter_mut().for_each(|row| row[shown.clone()].rotate_right(1));
    }
    table
}

fn object(series: &SeriesStatus, now: Timestamp) -> Value {
    let time = |time: Timestamp| time.to_string();
    let params: BTreeMap<_, _> = series.params().collect();
    let last_seen: BTreeMap<_, _> = series.last_seen.iter().map(|(label, last)| (label, time(*last))).collect();
    let is_up_to_date = series.behind(now) == Some(0) && series.last <= Some(now) && series.unfetched.is_empty();
    json!({
        "path": series.path, "endpoint": series.endpoint(), "params": params, "files": series.files,
        "records": series.rows, "first": series.first.map(time), "last": series.last.map(time),
        "is_up_to_date": is_up_to_date, "intervals_behind": series.behind(now), "missing": series.missing,
        "gaps": time_arg::pairs(&series.gaps), "unfetched": time_arg::pairs(&series.unfetched),
        "unrequested": time_arg::pairs(&series.unrequested), "is_retired": series.is_retired,
        "is_rejected": series.rejected.is_some(), "rejected": series.rejected, "revised": series.revised,
        "invalid": series.invalid, "out_of_range": series.out_of_range,
        "account": series.account,
        "asked": series.asked.as_ref().map(|asked| [asked.start.to_string(), asked.end.to_string()]),
        "empty": time_arg::pairs(&series.empty), "last_seen": last_seen, "first_age": series.first_age, "first_moves": series.first_moves,
        "spacing": series.spacing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_that_ends_in_the_future_is_not_up_to_date() {
        let mut series = SeriesStatus::default();
        let time = |seconds: i64| Some(Timestamp::from_unix_seconds(seconds));
        (series.interval, series.last, series.end) = (Duration::from_secs(3600).into(), time(7200), time(7200 + 3600));
        let options = Status {
            path: "a.csv".to_owned(),
            max_age: Some(Duration::from_secs(3600)),
            verify: false,
            failed: false,
            json: false,
        };
        let mut status = dataset::Status::default();
        status.series = vec![series.clone()];
        for (now, expected) in [(7199, "in the future"), (7200, "up to date"), (7200 + 3 * 3600, "2 hours old")] {
            let (now, is_current) = (Timestamp::from_unix_seconds(now), expected == "up to date");
            assert_eq!(state(&series, now), expected);
            assert_eq!(object(&series, now)["is_up_to_date"], is_current);
            let problem = match expected {
                "up to date" => None,
                "in the future" => Some("last record in the future: "),
                _ => Some("last record too old: "),
            };
            assert_eq!(options.problems(&status, now), Vec::from_iter(problem));
        }
        let (start, now) = (Timestamp::from_unix_seconds(0), Timestamp::from_unix_seconds(7200));
        series.unfetched = vec![start..start + Duration::from_secs(3600)];
        assert_eq!(
            (state(&series, now).as_str(), &object(&series, now)["is_up_to_date"]),
            ("incomplete", &false.into())
        );
    }

    #[test]
    fn a_series_is_not_too_old_while_no_newer_interval_has_ended() {
        let (mut status, mut series) = (dataset::Status::default(), SeriesStatus::default());
        (series.interval, series.end) = (Duration::from_secs(4 * 3600).into(), Some(Timestamp::from_unix_seconds(0)));
        status.series = vec![series];
        let max_age = Some(Duration::from_secs(2 * 3600));
        let options = Status { path: "a.csv".to_owned(), max_age, verify: false, failed: false, json: false };
        for (hours, is_old) in [(1, false), (3, false), (4, true)] {
            let problems = options.problems(&status, Timestamp::from_unix_seconds(hours * 3600));
            assert_eq!(!problems.is_empty(), is_old, "{problems:?}");
        }
    }

    #[test]
    fn a_retired_or_rejected_series_has_no_advice_to_request_more() {
        let mut status = dataset::Status::default();
        let mut series = SeriesStatus::default();
        series.unrequested = vec![Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(7200)];
        status.series = vec![series];
        assert!(unrequested(&status).is_some_and(|hole| hole.contains("never requested")));
        status.series[0].is_retired = true;
        assert_eq!(unrequested(&status), None);
        (status.series[0].is_retired, status.series[0].rejected) = (false, Some("status 404".to_owned()));
        assert_eq!(unrequested(&status), None);
    }

    #[test]
    fn a_run_of_other_series_does_not_hide_what_was_never_fetched() {
        let now = Timestamp::from_unix_seconds(7200);
        let options = Status { path: "data/".to_owned(), max_age: None, verify: false, failed: false, json: false };
        let mut series = SeriesStatus::default();
        series.unfetched = vec![Timestamp::from_unix_seconds(0)..now];
        let mut status = dataset::Status::default();
        (status.running, status.series) = (Some(dataset::RunOwner::default()), vec![series]);
        assert!(options.problems(&status, now)[0].contains("never fetched"));
        status.series[0].is_running = true;
        assert!(options.problems(&status, now).is_empty());
    }
}
