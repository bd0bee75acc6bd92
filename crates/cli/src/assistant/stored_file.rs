//! The content of a file for an assistant: its series, columns, figures and rows.

use std::collections::{BTreeMap, BTreeSet};

use dataset::{FieldQuality, SeriesQuality, SeriesStatus};
use runtime::registry::{EndpointInfo, FieldInfo, ValueType};
use serde_json::json;

use super::answer::compact_csv;
use super::arguments::Arguments;
use super::excerpt::Excerpt;
use crate::failure::{Failure, Result};
use crate::find_endpoint::find;
use crate::log::Log;
use crate::quality_report::{steps, table_of, totals_line};
use crate::record_columns::fields;
use crate::selected_series::Selection;
use crate::series_label::label_of;
use crate::stored_target::StoredTarget;
use crate::table::{Cell, Table};
use crate::time_arg;

/// The maximum number of series that an answer describes.
const MAX_SERIES: usize = 8;

/// The number of rows at each end of a series in a description.
const ROWS_AT_END: usize = 2;

/// The maximum number of gaps of a series in a description.
const MAX_GAPS: usize = 5;

/// The maximum number of rows in an answer.
pub(crate) const MAX_ROWS: usize = 50;

/// Describes these series of a file: rows, gaps, columns with units and sources, figures, first and last rows.
pub(crate) async fn described(path: &str, paths: &BTreeSet<String>, log: Log) -> Result<String> {
    let target = StoredTarget::open(path, log).await?;
    let quality = target.quality().await?;
    let mut series = quality.series.clone();
    series.retain(|one| paths.contains(&one.status.path));
    let rows: u64 = series.iter().map(|one| one.rows).sum();
    let mut text = format!("file {path}\nrows {rows}\n");
    let more = series.len().saturating_sub(MAX_SERIES);
    series.truncate(MAX_SERIES);
    text.push_str(&section("series", &series_table(&series))?);
    if more > 0 {
        text.push_str(&format!("… {more} more series; `report` lists them\n"));
    }
    text.push_str(&section("columns", &columns_table(&series))?);
    text.push_str(&section("figures of all rows in the file", &figures_table(&series))?);
    text.push_str(&format!(
        "\nfirst and last {ROWS_AT_END} rows of each series\n{}",
        ends_csv(&target, &series).await?
    ));
    target.check_left_out(&quality.left_out, "the answer", log)?;
    Ok(text)
}

fn section(title: &str, table: &Table) -> Result<String> {
    Ok(format!("\n{title}\n{}", compact_csv(table.csv(true)?.as_bytes())?))
}

fn series_table(series: &[SeriesQuality]) -> Table {
    let columns =
        ["series", "rows", "first", "last", "missing", "never_requested", "never_fetched", "gaps", "rejected"];
    let mut rows = Vec::new();
    for SeriesQuality { status, .. } in series {
        rows.push(vec![
            Cell::text(label_of(status)),
            Cell::count(status.rows),
            Cell::time(status.first),
            Cell::time(status.last),
            Cell::count(status.missing),
            Cell::count(steps(status, &status.unrequested)),
            Cell::count(steps(status, &status.unfetched)),
            Cell::text(gaps(status)),
            Cell::text(if status.rejected.is_some() { "yes" } else { "" }),
        ]);
    }
    Table { columns: columns.map(str::to_owned).into(), rows }
}

fn gaps(status: &SeriesStatus) -> String {
    if !status.interval.has_steps() {
        return "not judged, because the records have no regular step".to_owned();
    }
    if status.gaps.is_empty() {
        return "none".to_owned();
    }
    let mut texts = Vec::new();
    for gap in status.gaps.iter().take(MAX_GAPS) {
        texts.push(time_arg::span(gap));
    }
    if status.gaps.len() > MAX_GAPS {
        texts.push(format!("and {} more", status.gaps.len() - MAX_GAPS));
    }
    texts.join("; ")
}

/// The fields of the endpoints, with the units and the sources that the catalogue has.
fn columns_table(series: &[SeriesQuality]) -> Table {
    let mut endpoints = BTreeSet::new();
    for one in series {
        endpoints.insert(one.status.endpoint().to_owned());
    }
    let mut rows = Vec::new();
    for endpoint in endpoints {
        // A later version of the catalogue may not have the endpoint.
        let Ok(endpoint) = find(&endpoint) else { continue };
        for field in fields(endpoint) {
            let row = vec![
                Cell::text(field.wire_name),
                Cell::text(unit(endpoint, field)),
                Cell::text(field.evidence.as_str()),
                Cell::text(field.summary.trim_end_matches('.')),
            ];
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    Table { columns: ["column", "unit", "source", "meaning"].map(str::to_owned).into(), rows }
}

/// The unit of a field; empty if the values have none. That the unit is undocumented may be a fact of all fields.
fn unit(endpoint: &EndpointInfo, field: &FieldInfo) -> &'static str {
    let is_unit = |fact: &&str| fact.contains("unit");
    let of_endpoint = is_number(field) && endpoint.unknown.iter().any(is_unit);
    let is_undocumented = of_endpoint || field.unknown.iter().any(is_unit);
    if field.unit.is_empty() && is_undocumented { "undocumented" } else { field.unit }
}

fn is_number(field: &FieldInfo) -> bool {
    matches!(field.ty, ValueType::Integer | ValueType::Count | ValueType::Number | ValueType::Decimal)
}

fn figures_table(series: &[SeriesQuality]) -> Table {
    let columns =
        ["series", "column", "values", "nulls", "min", "min_at", "max", "max_at", "mean", "out_of_range", "revised"];
    let mut rows = Vec::new();
    for one in series {
        for field in &one.fields {
            let FieldQuality { values, nulls, out_of_range, revisions, .. } = field;
            rows.push(vec![
                Cell::text(label_of(&one.status)),
                Cell::text(field.field.clone()),
                Cell::count(*values),
                Cell::count(*nulls),
                number(field.min),
                Cell::time(field.min_at),
                number(field.max),
                Cell::time(field.max_at),
                number(field.mean),
                Cell::count(*out_of_range),
                Cell::count(*revisions),
            ]);
        }
    }
    Table { columns: columns.map(str::to_owned).into(), rows }
}

/// A number with seven significant digits.
fn number(number: Option<f64>) -> Cell {
    let rounded = number.and_then(|number| format!("{number:.6e}").parse::<f64>().ok());
    Cell::Value(json!(rounded))
}

/// The first and the last rows of each series as CSV.
async fn ends_csv(target: &StoredTarget<'_>, series: &[SeriesQuality]) -> Result<String> {
    let mut excerpts: BTreeMap<&str, Excerpt> = BTreeMap::new();
    let mut endpoints = BTreeSet::new();
    for one in series {
        excerpts.insert(&one.status.path, Excerpt::new(ROWS_AT_END, ROWS_AT_END));
        endpoints.insert(one.status.endpoint().to_owned());
    }
    let selected: BTreeSet<String> = excerpts.keys().map(|path| (*path).to_owned()).collect();
    let stored = target.tables.rows(Some(&endpoints), None)?;
    let reading = stored.read(
        |path| selected.contains(path),
        |path, batch| {
            if let Some(excerpt) = excerpts.get_mut(path) {
                excerpt.add(batch);
            }
            Ok::<(), dataset::Error>(())
        },
    );
    reading.await?;
    let excerpts: Vec<Excerpt> = excerpts.into_values().collect();
    Excerpt::csv(&excerpts)
}

/// The arguments of [`read_rows`].
pub(crate) const ROWS_ARGUMENTS: [&str; 7] = ["file", "endpoint", "params", "from", "to", "count", "last"];

/// Rows of a file as CSV, after a line with the number of all rows that were selected.
pub(crate) async fn read_rows(path: &str, arguments: &Arguments, log: Log) -> Result<String> {
    let mut endpoints = Vec::new();
    let mut of = Vec::new();
    if let Some(written) = arguments.text("endpoint")? {
        of.push(find(written)?);
        endpoints.push(written.to_owned());
    }
    let selection = Selection::new(endpoints, arguments.params(&of)?);
    let from = arguments.parsed("from", time_arg::timestamp)?;
    let to = arguments.parsed("to", time_arg::end)?;
    let count = arguments.number("count")?.map_or(20, |count| usize::try_from(count).unwrap_or(MAX_ROWS));
    if !(1..=MAX_ROWS).contains(&count) {
        return Err(Failure::usage(format!("invalid `count` {count}: expected 1 to {MAX_ROWS}")));
    }
    let is_last = arguments.flag("last")?;
    let target = StoredTarget::open(path, log).await?;
    let mut selected = BTreeSet::new();
    let mut endpoints = BTreeSet::new();
    let series = target.selected(&selection, log)?;
    for one in &series {
        endpoints.insert(one.endpoint().to_owned());
        selected.insert(one.path.clone());
    }
    let range = from.unwrap_or(time_arg::ALWAYS)..to.unwrap_or(time_arg::OPEN);
    let mut excerpt = if is_last { Excerpt::new(0, count) } else { Excerpt::new(count, 0) };
    let stored = target.tables.rows(Some(&endpoints), None)?.within(range.clone());
    let reading = stored.read(
        |path| selected.contains(path),
        |_, batch| {
            excerpt.add(batch);
            Ok::<(), dataset::Error>(())
        },
    );
    let left_out = reading.await?;
    let all = excerpt.count;
    if all == 0 {
        target.check_fetched(&series, &range)?;
        target.check_left_out(&left_out, "the answer", log)?;
        target.note_missing(&series, &range, log);
        return Ok(no_rows(&series, from.is_some() || to.is_some()));
    }
    let which = if is_last { "last" } else { "first" };
    let text = format!("{which} {} of {all} rows\n{}", count.min(all), Excerpt::csv(&[excerpt])?);
    target.check_left_out(&left_out, "the answer", log)?;
    target.note_missing(&series, &range, log);
    Ok(text)
}

/// Says that no row was selected, and of which times these series have rows.
fn no_rows(series: &[SeriesStatus], has_range: bool) -> String {
    let first = series.iter().filter_map(|one| one.first).min();
    let last = series.iter().filter_map(|one| one.last).max();
    match (first, last) {
        (Some(first), Some(last)) if has_range => {
            let (first, last) = (time_arg::shown(first), time_arg::shown(last));
            format!("no row in this range; the first row is of {first}, the last of {last}\n")
        }
        _ => "no row\n".to_owned(),
    }
}

/// The figures of a file.
pub(crate) async fn report(path: &str, log: Log) -> Result<String> {
    let target = StoredTarget::open(path, log).await?;
    let quality = target.quality().await?;
    let table = table_of(&quality.series).csv(true)?;
    let text = format!("{}\n\n{}", totals_line(path, &quality), compact_csv(table.as_bytes())?);
    target.check_left_out(&quality.left_out, "the report", log)?;
    Ok(text)
}
