//! Figures about the values of a file or a data set, as a line, a table and JSON.

use std::ops::Range;

use dataset::{Quality, SeriesQuality, SeriesStatus, quoted};
use runtime::Timestamp;
use serde_json::{Value, json};

use crate::marks;
use crate::progress::{counted, listed};
use crate::selected_series::identity_of;
use crate::series_label::label_of;
use crate::status_check::{has_unsupported, is_empty, is_rejected, is_unfetched};
use crate::table::{Cell, Table};
use crate::time_arg;

/// A line with the totals of a target.
pub(crate) fn totals_line(path: &str, quality: &Quality) -> String {
    format!("{}: {}", quoted(path), totals(quality).join(", "))
}

/// The totals of a target, each with its name.
pub(crate) fn totals(quality: &Quality) -> Vec<String> {
    let mut rows = 0;
    let mut missing = 0;
    let mut never_requested = 0;
    let mut never_fetched = 0;
    let mut unfetched = Vec::new();
    let mut rejected = Vec::new();
    let mut unsupported = Vec::new();
    let mut empty = Vec::new();
    let mut repeated_times = 0;
    let mut revisions = 0;
    let mut nulls = 0;
    let mut out_of_range = 0;
    for one in &quality.series {
        rows += one.rows;
        missing += one.status.missing;
        never_requested += steps(&one.status, &one.status.unrequested);
        never_fetched += steps(&one.status, &one.status.unfetched);
        if is_unfetched(&one.status) {
            unfetched.push(label_of(&one.status));
        }
        if is_rejected(&one.status) {
            rejected.push(label_of(&one.status));
        }
        if has_unsupported(&one.status) {
            unsupported.push(label_of(&one.status));
        }
        if is_empty(&one.status) {
            empty.push(label_of(&one.status));
        }
        repeated_times += one.repeated_times;
        revisions += one.revisions;
        for field in &one.fields {
            nulls += field.nulls;
            out_of_range += field.out_of_range;
        }
    }
    vec![
        format!("{} series", quality.series.len()),
        counted(rows, "record"),
        format!("{missing} missing"),
        format!("{never_requested} never requested"),
        with_names(format!("{never_fetched} never fetched"), &unfetched),
        with_names(format!("{} rejected", rejected.len()), &rejected),
        with_names(format!("{} with unsupported values", unsupported.len()), &unsupported),
        with_names(format!("{} without a record", empty.len()), &empty),
        counted(nulls, "null"),
        format!("{out_of_range} out of range"),
        counted(repeated_times, "repeated time"),
        counted(revisions, "revised value"),
        format!("{} no longer sent", counted(marks::missing_fields(&quality.status.missing_fields)[0], "field")),
    ]
}

/// A total, followed by the names of the series that it is about.
fn with_names(total: String, names: &[String]) -> String {
    if names.is_empty() { total } else { format!("{total} ({})", listed(names)) }
}

/// All figures as JSON.
pub(crate) fn object(path: &str, quality: &Quality) -> Value {
    let mut series = Vec::new();
    for one in &quality.series {
        let mut fields = Vec::new();
        for field in &one.fields {
            fields.push(json!({
                "field": field.field, "values": field.values, "nulls": field.nulls,
                "min": field.min, "min_at": time_arg::exact(field.min_at),
                "max": field.max, "max_at": time_arg::exact(field.max_at), "mean": field.mean,
                "out_of_range": field.out_of_range, "longest_constant": field.longest_constant,
                "largest_step": field.largest_step,
                "largest_step_at": time_arg::exact(field.largest_step_at),
                "revisions": field.revisions, "is_missing": field.is_missing,
            }));
        }
        let mut object = identity_of(&one.status);
        object.insert("records".to_owned(), one.rows.into());
        object.insert("missing".to_owned(), one.status.missing.into());
        object.insert("gaps".to_owned(), json!(time_arg::pairs(&one.status.gaps)));
        object.insert("unrequested".to_owned(), json!(time_arg::pairs(&one.status.unrequested)));
        object.insert("unfetched".to_owned(), json!(time_arg::pairs(&one.status.unfetched)));
        object.insert("rejected".to_owned(), json!(one.status.rejected));
        object.insert("unsupported".to_owned(), json!(one.status.unsupported));
        object.insert("repeated_times".to_owned(), one.repeated_times.into());
        object.insert("revisions".to_owned(), one.revisions.into());
        object.insert("fields".to_owned(), fields.into());
        series.push(Value::Object(object));
    }
    json!({
        "path": path, "series": series,
        "missing_fields": marks::missing_fields_json(&quality.status.missing_fields),
        "lost_rows": marks::lost_rows_json(&quality.status.lost_rows),
    })
}

/// The number of intervals of ranges.
pub(crate) fn steps(series: &SeriesStatus, ranges: &[Range<Timestamp>]) -> u64 {
    time_arg::steps(ranges, series.interval)
}

/// The columns of the table.
const COLUMNS: [&str; 15] = [
    "series",
    "field",
    "values",
    "nulls",
    "out of range",
    "longest constant",
    "largest step",
    "at",
    "revised",
    "missing",
    "never requested",
    "repeated",
    "min",
    "max",
    "mean",
];

/// A table with a row for each field of each series.
pub(crate) fn table_of(all: &[SeriesQuality]) -> Table {
    let mut rows = Vec::new();
    for one in all {
        for field in &one.fields {
            // A tenth of a deviation is exact enough.
            let step = field.largest_step.map_or(Cell::EMPTY, |step| Cell::Value(json!((step * 10.0).round() / 10.0)));
            rows.push(vec![
                Cell::text(label_of(&one.status)),
                Cell::text(field.field.clone()),
                Cell::count(field.values),
                Cell::count(field.nulls),
                Cell::count(field.out_of_range),
                Cell::count(field.longest_constant),
                step,
                Cell::time(field.largest_step_at),
                Cell::count(field.revisions),
                Cell::count(one.status.missing),
                Cell::count(steps(&one.status, &one.status.unrequested)),
                Cell::count(one.repeated_times),
                Cell::Value(field.min.into()),
                Cell::Value(field.max.into()),
                Cell::Value(field.mean.into()),
            ]);
        }
    }
    Table { columns: COLUMNS.map(str::to_owned).into(), rows }
}
