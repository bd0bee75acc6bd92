//! The data of a chart: numbers over time.
//!
//! A chart has one panel for each field of each endpoint, with a line for each series.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use runtime::Timestamp;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{EndpointInfo, RecordInfo, ValueType};

use crate::chart_drawing::{Panel, share_scales};
use crate::chart_line::{Line, check_lines, line_label};
use crate::endpoint_names::is_same;
use crate::failure::{Failure, Result};
use crate::record_columns::{other_members, record, time_field};
use crate::requested_series::{RequestedSeries, differing, labels};

/// Number of records that are drawn without `--from`.
pub(crate) const RECORDS: u32 = 100;

/// One series with its records.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) series: RequestedSeries,
    pub(crate) records: Vec<AnyRecord>,
    pub(crate) times: Vec<Timestamp>,
    /// The interval between the records.
    pub(crate) step: Duration,
}

/// A field that a chart can draw.
struct NumericField {
    name: String,
    /// Empty if it is unknown.
    unit: &'static str,
}

/// Creates a panel for each chosen field of each endpoint. A chosen field that is not a numeric field of any endpoint is
/// an error.
pub(crate) fn panels(all: &[Fetched], chosen: &[String]) -> Result<Vec<Panel>> {
    let mut known = Vec::new();
    let mut panels = Vec::new();
    for of_endpoint in all.chunk_by(|one, other| is_same(one.series.endpoint, other.series.endpoint)) {
        let fields = numeric_fields(of_endpoint);
        let mut of_fields = panels_of_endpoint(of_endpoint, &fields, chosen)?;
        share_scales(&mut of_fields);
        panels.extend(of_fields);
        known.extend(fields.into_iter().map(|field| field.name));
    }
    for name in chosen {
        if !known.contains(name) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(unknown_field(name, &known));
        }
    }
    Ok(panels)
}

/// The failure for a chosen field that no record has as a number.
pub(crate) fn unknown_field(name: &str, known: &[&str]) -> Failure {
    let help = match wording::did_you_mean(name, known.iter().copied()) {
        Some(suggestion) => suggestion,
        None => format!("numeric fields: {}", known.join(", ")),
    };
    Failure::usage(format!("no record has a numeric field `{name}`")).help(help)
}

fn panels_of_endpoint(all: &[Fetched], fields: &[NumericField], chosen: &[String]) -> Result<Vec<Panel>> {
    let mut series = Vec::with_capacity(all.len());
    for one in all {
        series.push(one.series.clone());
    }
    let labels = labels(&series);
    let mut panels = Vec::new();
    for field in drawn_fields(fields, chosen) {
        let mut lines = Vec::new();
        for (one, label) in all.iter().zip(&labels) {
            for (records, points) in points_by_label(one, &field.name) {
                lines.push(Line::new(line_label(label.clone(), &records), points, one.step));
            }
        }
        check_lines(lines.len())?;
        let shown_name = if fields.len() > 1 { Some(field.name.as_str()) } else { None };
        panels.push(Panel { title: title(&series, shown_name), unit: field.unit.to_owned(), lines, scale: None });
    }
    Ok(panels)
}

/// The fields that are drawn: those that the user has chosen, or one.
fn drawn_fields<'f>(fields: &'f [NumericField], chosen: &[String]) -> Vec<&'f NumericField> {
    if !chosen.is_empty() {
        return fields.iter().filter(|field| chosen.contains(&field.name)).collect();
    }
    let default = default_field(fields.iter().map(|field| field.name.as_str()));
    fields.get(default).into_iter().collect()
}

/// The endpoint, the field, and the params that are the same in all series.
fn title(series: &[RequestedSeries], field: Option<&str>) -> String {
    let mut title = series[0].endpoint.name.to_owned();
    if let Some(field) = field {
        title.push_str(": ");
        title.push_str(field);
    }
    let differing = differing(series);
    for (name, value) in &series[0].values {
        if !differing.contains(name) {
            title.push_str(", ");
            title.push_str(&value.shown());
        }
    }
    title
}

/// The index of the field that is drawn by default: of candles, the close, and otherwise the first field.
pub(crate) fn default_field<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let mut candle = BTreeSet::from(["open", "high", "low"]);
    let mut close = 0;
    for (index, name) in names.enumerate() {
        let name = name.to_ascii_lowercase();
        candle.remove(name.as_str());
        if name == "close" && close == 0 {
            close = index;
        }
    }
    if candle.is_empty() { close } else { 0 }
}

/// The numbers of a field with their times.
type Points = Vec<(Timestamp, f64)>;

/// The points of a series, by the values of the fields that distinguish records of one time.
fn points_by_label(one: &Fetched, name: &str) -> BTreeMap<String, Points> {
    let mut all: BTreeMap<String, Points> = BTreeMap::new();
    if one.series.endpoint.key.is_empty() {
        // A series without a number is a line without points.
        all.entry(String::new()).or_default();
    }
    for (time, record) in one.times.iter().zip(&one.records) {
        if let Some(number) = value(record, name).and_then(FieldValue::number) {
            all.entry(record_label(one.series.endpoint, record)).or_default().push((*time, number));
        }
    }
    all
}

/// The value of a field, or of a member that the catalogue does not list by name.
fn value<'r>(record: &'r AnyRecord, name: &str) -> Option<FieldValue<'r>> {
    record.value(name).or_else(|| other_members(record).remove(name))
}

/// The values of the fields that distinguish records of one time.
fn record_label(endpoint: &EndpointInfo, record: &AnyRecord) -> String {
    let mut values = Vec::new();
    for name in endpoint.key {
        match record.value(name) {
            Some(value) if value.is_null() => {}
            Some(value) => values.push(shown(value)),
            None => {}
        }
    }
    values.join(", ")
}

fn shown(value: FieldValue<'_>) -> String {
    match (value.text(), value.number()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => format!("{value:?}"),
    }
}

/// The names of the members that are numbers and that the catalogue does not list by name.
fn numeric_members(all: &[Fetched], table: &RecordInfo) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for record in all.iter().flat_map(|one| &one.records) {
        for (name, value) in other_members(record) {
            if value.number().is_some() && !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }
    names.retain(|name| table.fields.iter().all(|field| field.wire_name != name));
    names
}

/// The numeric fields of an endpoint. If the catalogue lists no fields, those of the first record are used.
fn numeric_fields(all: &[Fetched]) -> Vec<NumericField> {
    let endpoint = all[0].series.endpoint;
    let mut fields = Vec::new();
    if let Some(table) = record(endpoint) {
        for info in table.fields {
            if matches!(info.ty, ValueType::Number | ValueType::Integer | ValueType::Count | ValueType::Decimal) {
                fields.push(NumericField { name: info.wire_name.to_owned(), unit: info.unit });
            }
        }
        for name in numeric_members(all, table) {
            fields.push(NumericField { name, unit: "" });
        }
        return fields;
    }
    let time = time_field(endpoint);
    let Some(first) = all.iter().find_map(|one| one.records.first()?.as_any()?.as_object()) else { return fields };
    for (key, value) in first {
        if value.is_number() && time != Some(key.as_str()) {
            fields.push(NumericField { name: key.clone(), unit: "" });
        }
    }
    fields
}
