//! What a user should know until the user acknowledges it: fields that the service no longer sends, and rows that were
//! lost.

use std::time::Duration;

use dataset::{LostRows, MissingField, quoted};
use serde_json::{Value, json};

use crate::program::program;
use crate::progress::listed;
use crate::time_arg;

/// Describes a field that the service no longer sends.
pub(crate) fn missing_field(missing: &MissingField) -> String {
    let MissingField { endpoint, field, new_fields, since, .. } = missing;
    let since = since.map_or(String::new(), |since| format!(" since {}", day(time_arg::shown(since))));
    let new: Vec<_> = new_fields.iter().map(|name| format!("`{name}`")).collect();
    let renamed = if new.is_empty() { String::new() } else { format!("; new fields: {}", listed(&new)) };
    format!("{endpoint}: the service no longer sends `{field}`{since}{renamed}; the earlier values stay")
}

/// Returns the advice about fields that the service no longer sends.
pub(crate) fn missing_field_help(path: &str, field: &str) -> String {
    let name = program().name;
    let path = quoted(path);
    format!(
        "an update of {name} may know the new field; `{name} acknowledge {path} --field {field}` ends this message; \
         maintainers of the catalogue: `cargo xtask learn` adds the field"
    )
}

/// Describes rows that were lost, with the series and their times.
pub(crate) fn lost_rows(lost: &LostRows) -> String {
    let LostRows { file, kept_as, series, .. } = lost;
    let kept = kept_as.as_ref().map_or(String::new(), |name| format!(" (the damaged file is {})", quoted(name)));
    if series.is_empty() {
        return format!("{}: it is unknown which rows were lost{kept}", quoted(file));
    }
    let mut names = Vec::new();
    for one in series {
        let start = one.ranges.first().map(|range| range.start);
        let end = one.ranges.last().map(|range| range.end);
        let span = start.zip(end).map(|(start, end)| time_arg::span(&(start..end))).unwrap_or_default();
        names.push(format!("{} {span}", one.path));
    }
    format!("{}: no run has fetched these rows again: {}{kept}", quoted(file), listed(&names))
}

/// Returns the advice about lost rows.
pub(crate) fn lost_rows_help(path: &str) -> String {
    let name = program().name;
    let path = quoted(path);
    format!(
        "a backfill of the series and the range fetches the rows again, if the service still has them; a copy of the \
         file can be put back; `{name} acknowledge {path}` ends this message"
    )
}

pub(crate) fn missing_fields_json(all: &[MissingField]) -> Vec<Value> {
    let mut objects = Vec::new();
    for one in all {
        let since = one.since.map(|since| since.floor(Duration::from_secs(1)).to_string());
        objects.push(json!({
            "endpoint": one.endpoint, "field": one.field, "new_fields": one.new_fields, "series": one.series,
            "since": since,
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
        let since = one.since.map(|since| since.floor(Duration::from_secs(1)).to_string());
        objects.push(json!({ "file": one.file, "kept_as": one.kept_as, "series": series, "since": since }));
    }
    objects
}

/// Returns the date of a time.
fn day(time: String) -> String {
    time.split(' ').next().map(str::to_owned).unwrap_or(time)
}
