//! What a user should know until the user acknowledges it: fields that the service no longer sends or has never sent, and
//! rows that were lost.

use std::time::Duration;

use dataset::{LostRows, LostSeries, MissingField, Status, Summary, UnsentField, quoted};
use runtime::Timestamp;
use serde_json::{Value, json};

use crate::log::Log;
use crate::program::program;
use crate::progress::{listed, quotations};
use crate::time_arg;

/// What a user should know until the user acknowledges it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark<'m> {
    Missing(&'m MissingField),
    Unsent(&'m UnsentField),
    Rows(&'m LostRows),
}

/// All marks of a target after a run.
pub(crate) fn of_summary(summary: &Summary) -> Vec<Mark<'_>> {
    all(&summary.missing_fields, &summary.unsent_fields, &summary.lost_rows)
}

/// Whether a run has found that something known is lost, or will be.
pub(crate) fn has_new_loss(summary: &Summary) -> bool {
    of_summary(summary).iter().any(|mark| mark.is_loss() && mark.is_new())
}

/// All marks of a target.
pub(crate) fn of_status(status: &Status) -> Vec<Mark<'_>> {
    all(&status.missing_fields, &status.unsent_fields, &status.lost_rows)
}

/// The number of fields that the service no longer sends, and of those that it sends again.
pub(crate) fn missing_fields(all: &[MissingField]) -> [u64; 2] {
    let again = all.iter().filter(|missing| is_sent_again(missing)).count();
    [(all.len() - again) as u64, again as u64]
}

/// The marks of rows that were lost.
pub(crate) fn of_lost_rows(lost: &[LostRows]) -> Vec<Mark<'_>> {
    all(&[], &[], lost)
}

fn all<'m>(missing: &'m [MissingField], unsent: &'m [UnsentField], lost: &'m [LostRows]) -> Vec<Mark<'m>> {
    let mut marks = Vec::new();
    marks.extend(missing.iter().map(Mark::Missing));
    marks.extend(unsent.iter().map(Mark::Unsent));
    marks.extend(lost.iter().map(Mark::Rows));
    marks
}

/// Prints a warning for each mark.
pub(crate) fn warn(log: Log, marks: &[Mark<'_>]) {
    for mark in marks {
        log.warning(&mark.text());
    }
}

impl Mark<'_> {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Missing(missing) => missing_field(missing),
            Self::Unsent(unsent) => unsent_field(unsent),
            Self::Rows(lost) => lost_rows(lost),
        }
    }

    /// The advice; `path` is the target.
    pub(crate) fn help(&self, path: &str) -> String {
        match self {
            Self::Missing(missing) => field_help(path, &missing.field),
            Self::Unsent(unsent) => field_help(path, &unsent.field),
            Self::Rows(lost) => lost_rows_help(path, std::slice::from_ref(*lost)),
        }
    }

    /// Whether no complete run has reported the mark.
    pub(crate) fn is_new(&self) -> bool {
        match self {
            Self::Missing(missing) => missing.is_new,
            Self::Unsent(unsent) => unsent.is_new,
            Self::Rows(lost) => lost.is_new,
        }
    }

    /// `true` if the mark is about something that was known and is lost, or will be.
    pub(crate) fn is_loss(&self) -> bool {
        !matches!(self, Self::Unsent(_))
    }
}

/// Whether all series have the field again. Its mark stays until a user acknowledges it.
fn is_sent_again(missing: &MissingField) -> bool {
    missing.series == 0
}

/// Describes a field that the service no longer sends.
fn missing_field(missing: &MissingField) -> String {
    let MissingField { endpoint, field, new_fields, since, .. } = missing;
    let since = since.map(|since| day(&time_arg::shown(since)).to_owned());
    if is_sent_again(missing) {
        let since = since.map(|day| format!(" in the run of {day}")).unwrap_or_default();
        return format!(
            "{endpoint}: the service sends `{field}` again, which was missing{since}; the earlier values stay"
        );
    }
    let mut text = format!("{endpoint}: the service no longer sends `{field}`");
    if !new_fields.is_empty() {
        text += &format!("; new fields: {}", listed(&quotations(new_fields)));
    }
    match since {
        Some(day) => text + &format!("; noticed on {day}; the earlier values stay"),
        // In a stream, nothing was stored.
        None => text,
    }
}

/// Describes a field that no record has ever had.
fn unsent_field(unsent: &UnsentField) -> String {
    let UnsentField { endpoint, field, unknown_fields, .. } = unsent;
    format!(
        "{endpoint}: no record has had `{field}`, but records had fields that are not in the catalogue: {}; these are in \
         the column `unknown_fields`",
        listed(&quotations(unknown_fields))
    )
}

/// The advice about a field that the service does not send.
fn field_help(path: &str, field: &str) -> String {
    let name = program().name;
    let path = quoted(path);
    format!(
        "an update of {name} may know the new field; `{name} acknowledge {path} --field {field}` ends this message; \
         maintainers of the catalogue: `cargo xtask learn` adds the field"
    )
}

/// Describes rows that were lost, with the series and their times.
fn lost_rows(lost: &LostRows) -> String {
    let LostRows { file, kept_as, series, .. } = lost;
    let kept = match kept_as {
        Some(name) => format!(" (the damaged file is {})", quoted(name)),
        None => String::new(),
    };
    if series.is_empty() {
        let what = if lost.has_earlier_values { "earlier values" } else { "rows" };
        return format!("{}: it is unknown which {what} were lost{kept}", quoted(file));
    }
    let mut names = Vec::new();
    for one in series {
        match (one.ranges.first(), one.ranges.last()) {
            (Some(start), Some(end)) => {
                let span = time_arg::span(&(start.start..end.end));
                names.push(format!("{} {span}", one.path));
            }
            _ => names.push(one.path.clone()),
        }
    }
    format!("{}: no run has fetched these rows again: {}{kept}", quoted(file), listed(&names))
}

/// The advice about lost rows. Only rows that are known end their mark when a run fetches them again.
pub(crate) fn lost_rows_help(path: &str, all: &[LostRows]) -> String {
    let name = program().name;
    let path = quoted(path);
    let mut help = Vec::new();
    if series_of(all).any(|series| series.is_retired) {
        help.push(format!(
            "`{name} retire {path} --undo` with the params of a retired series lets runs request it again"
        ));
    }
    let is_known = all.iter().all(|lost| !lost.series.is_empty());
    if all.iter().all(|lost| lost.has_earlier_values) {
        help.push("no run can fetch earlier values again".to_owned());
    } else if is_known {
        help.push("a backfill of the range fetches the rows again, if the service still has them".to_owned());
    } else {
        help.push("a backfill of the whole range fetches the rows again, if the service still has them".to_owned());
    }
    help.push("a copy of the file can be put back".to_owned());
    let otherwise = if is_known { "otherwise, " } else { "then " };
    help.push(format!("{otherwise}`{name} acknowledge {path}` ends this message"));
    help.join("; ")
}

fn series_of(all: &[LostRows]) -> impl Iterator<Item = &LostSeries> {
    all.iter().flat_map(|lost| &lost.series)
}

/// The times of the lost rows of a series.
pub(crate) fn lost_times(path: &str, all: &[LostRows]) -> Vec<[String; 2]> {
    let mut times = Vec::new();
    for series in series_of(all) {
        if series.path == path {
            times.extend(time_arg::pairs(&series.ranges));
        }
    }
    times
}

pub(crate) fn missing_fields_json(all: &[MissingField]) -> Vec<Value> {
    let mut objects = Vec::new();
    for one in all {
        objects.push(json!({
            "endpoint": one.endpoint, "field": one.field, "new_fields": one.new_fields, "series": one.series,
            "since": whole_seconds(one.since),
        }));
    }
    objects
}

pub(crate) fn unsent_fields_json(all: &[UnsentField]) -> Vec<Value> {
    let mut objects = Vec::new();
    for one in all {
        objects.push(json!({
            "endpoint": one.endpoint, "field": one.field, "unknown_fields": one.unknown_fields,
            "since": whole_seconds(one.since),
        }));
    }
    objects
}

pub(crate) fn lost_rows_json(all: &[LostRows]) -> Vec<Value> {
    let mut objects = Vec::new();
    for one in all {
        let mut series = Vec::new();
        for rows in &one.series {
            series.push(json!({ "path": rows.path, "ranges": time_arg::pairs(&rows.ranges) }));
        }
        let since = whole_seconds(one.since);
        objects.push(json!({ "file": one.file, "kept_as": one.kept_as, "series": series, "since": since }));
    }
    objects
}

fn whole_seconds(time: Option<Timestamp>) -> Option<String> {
    let time = time?.floor(Duration::from_secs(1));
    Some(time.to_string())
}

/// The date of a time.
fn day(time: &str) -> &str {
    match time.split_once(' ') {
        Some((date, _)) => date,
        None => time,
    }
}
