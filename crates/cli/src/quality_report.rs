//! Figures about the values of a file or a data set, as a line, a table and JSON.

use std::ops::Range;

use dataset::{FieldQuality, Quality, SeriesQuality, SeriesStatus, quoted};
use runtime::Timestamp;
use serde_json::{Value, json};

use crate::marks;
use crate::progress::counted;
use crate::selected_series::identity_of;
use crate::series_label::label_of;
use crate::table::{Cell, Table};
use crate::time_arg;

/// A line with the totals of a target.
pub(crate) fn totals_line(path: &str, quality: &Quality) -> String {
    format!("{}: {}", quoted(path), totals(quality).join(", "))
}

/// The totals of a target, each with its name.
pub(crate) fn totals(quality: &Quality) -> Vec<String> {
    let of_series = |count: fn(&SeriesQuality) -> u64| quality.series.iter().map(count).sum::<u64>();
    let of_fields = |count: fn(&FieldQuality) -> u64| {
        let fields = quality.series.iter().flat_map(|series| &series.fields);
        fields.map(count).sum::<u64>()
    };
    vec![
        format!("{} series", quality.series.len()),
        counted(of_series(|one| one.rows), "record"),
        format!("{} missing", of_series(|one| one.status.missing)),
        format!("{} never requested", of_series(|one| steps(&one.status, &one.status.unrequested))),
        format!("{} never fetched", of_series(|one| steps(&one.status, &one.status.unfetched))),
        counted(of_fields(|field| field.nulls), "null"),
        format!("{} out of range", of_fields(|field| field.out_of_range)),
        counted(of_series(|one| one.repeated_times), "repeated time"),
        counted(of_series(|one| one.revisions), "revised value"),
        format!("{} no longer sent", counted(quality.status.missing_fields.len() as u64, "field")),
    ]
}

/// All figures as JSON.
pub(crate) fn object(path: &str, quality: &Quality) -> Value {
    let mut series = Vec::new();
    for one in &quality.series {
        let mut fields = Vec::new();
        for field in &one.fields {
            fields.push(json!({
                "field": field.field, "values": field.values, "nulls": field.nulls,
                "min": field.min, "max": field.max, "mean": field.mean,
                "out_of_range": field.out_of_range, "longest_constant": field.longest_constant,
                "largest_step": field.largest_step,
                "largest_step_at": field.largest_step_at.map(|time| time.to_string()),
                "revisions": field.revisions, "is_missing": field.is_missing,
            }));
        }
        let mut object = identity_of(&one.status);
        object.insert("records".to_owned(), one.rows.into());
        object.insert("missing".to_owned(), one.status.missing.into());
        object.insert("gaps".to_owned(), json!(time_arg::pairs(&one.status.gaps)));
        object.insert("unrequested".to_owned(), json!(time_arg::pairs(&one.status.unrequested)));
        object.insert("unfetched".to_owned(), json!(time_arg::pairs(&one.status.unfetched)));
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

/// A table with a row for each field of each series.
pub(crate) fn table_of(all: &[SeriesQuality]) -> Table {
    let names = [
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
    let number = |count: u64| Cell::Value(count.into());
    let mut rows = Vec::new();
    for one in all {
        for field in &one.fields {
            // A tenth of a deviation is exact enough.
            let step = field.largest_step.map_or(Cell::EMPTY, |step| Cell::Value(json!((step * 10.0).round() / 10.0)));
            rows.push(vec![
                Cell::text(label_of(&one.status)),
                Cell::text(field.field.clone()),
                number(field.values),
                number(field.nulls),
                number(field.out_of_range),
                number(field.longest_constant),
                step,
                field.largest_step_at.map_or(Cell::EMPTY, Cell::Time),
                number(field.revisions),
                number(one.status.missing),
                number(steps(&one.status, &one.status.unrequested)),
                number(one.repeated_times),
                Cell::Value(field.min.into()),
                Cell::Value(field.max.into()),
                Cell::Value(field.mean.into()),
            ]);
        }
    }
    Table { columns: names.map(str::to_owned).into(), rows }
}
