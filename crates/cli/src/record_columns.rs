//! Converts records to rows and columns.
//!
//! The columns of a table are the time, the params that distinguish the series, every field of the catalogue, each member
//! that the catalogue does not list by name if it declares the type of such members, and the unknown fields as JSON. As in
//! the files of a backfill, a param takes precedence over a field of its name, and a value that contradicts the param is
//! kept among the unknown fields.

use std::collections::{BTreeMap, BTreeSet};

use dataset::UNKNOWN_FIELDS;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{BodyInfo, EndpointInfo, FieldInfo, FieldSource, RecordInfo};
use runtime::{AnyBody, Timestamp, Value};
use serde_json::Map;

use crate::endpoint_names::{full_name, is_same, name};
use crate::find_endpoint::find;
use crate::progress::listed;
use crate::requested_series::{RequestedSeries, differing};
use crate::table::Cell;

/// Name of the column that contains the endpoint of each record.
const ENDPOINT: &str = "endpoint";

/// Name of the column with the members that the catalogue does not list by name and that have no column.
pub(crate) const OTHERS: &str = "others";

/// Records of one series.
#[derive(Debug)]
pub(crate) struct SeriesRecords<'r> {
    /// The index of the series among those that are printed.
    pub(crate) index: usize,
    pub(crate) series: &'r RequestedSeries,
    pub(crate) records: &'r [AnyRecord],
    pub(crate) times: Vec<Option<Timestamp>>,
}

impl<'r> SeriesRecords<'r> {
    /// Takes the first records of a page, with the times of all of its records.
    pub(crate) fn of_page(
        index: usize,
        series: &'r RequestedSeries,
        records: &'r [AnyRecord],
        times: &[Timestamp],
    ) -> Self {
        Self { index, series, records, times: times.iter().take(records.len()).copied().map(Some).collect() }
    }

    /// The records of a body, if it has any.
    pub(crate) fn of_body(index: usize, series: &'r RequestedSeries, body: &'r AnyBody) -> Option<Self> {
        let (records, times) = match body {
            AnyBody::Series(all) => (all.records.as_slice(), all.times()),
            AnyBody::Record(record) => (std::slice::from_ref(record), vec![None]),
            _ => return None,
        };
        Some(Self { index, series, records, times })
    }
}

/// The time field of the endpoint's records.
pub(crate) fn time_field(endpoint: &EndpointInfo) -> Option<&'static str> {
    match endpoint.body {
        BodyInfo::Series { time, .. } => time,
        _ => None,
    }
}

/// The fields of the endpoint's records; `None` if they are unknown.
pub(crate) fn record(endpoint: &EndpointInfo) -> Option<&'static RecordInfo> {
    match endpoint.body {
        BodyInfo::Series { record, .. } => record,
        BodyInfo::Object { record, .. } => Some(record),
        BodyInfo::Unknown => None,
    }
}

/// `true` if the catalogue lists no field of an endpoint.
pub(crate) fn is_without_fields(endpoint: &str) -> bool {
    find(endpoint).is_ok_and(|endpoint| record(endpoint).is_none())
}

/// Says of which endpoints the catalogue lists no field, so that no number is known; `None` if there is none.
pub(crate) fn without_fields<'n>(endpoints: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let mut names = Vec::new();
    for written in endpoints {
        let Ok(endpoint) = find(written) else { continue };
        let name = name(endpoint);
        if record(endpoint).is_none() && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return None;
    }
    Some(format!("the catalogue lists no fields of the records of {}, which are JSON", listed(&names)))
}

/// The known fields of the endpoint's records.
pub(crate) fn fields(endpoint: &EndpointInfo) -> impl Iterator<Item = &'static FieldInfo> {
    record(endpoint).into_iter().flat_map(|record| record.fields)
}

/// `true` if records of the endpoint have members that the catalogue does not list by name, but by type.
pub(crate) fn has_other_members(endpoint: &EndpointInfo) -> bool {
    fields(endpoint).any(|field| field.source == FieldSource::Others)
}

/// The members of a record that the catalogue does not list by name, but by type.
pub(crate) fn other_members(record: &AnyRecord) -> BTreeMap<&str, FieldValue<'_>> {
    let others =
        record.info().and_then(|info| info.fields.iter().position(|field| field.source == FieldSource::Others));
    match others.and_then(|field| record.nth_value(field)) {
        Some(FieldValue::Map(members)) => members.entries().into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

/// The columns of these series: the time, the endpoint and the params if they differ among the series, and the
/// fields in the catalogue. If the catalogue lists no fields, the keys of the records are used instead.
///
/// With `all_params`, every param that is set is a column, so that the columns do not depend on the number of series.
pub(crate) fn columns(series: &[RequestedSeries], parts: &[SeriesRecords<'_>], all_params: bool) -> Vec<String> {
    let mut columns = Vec::new();
    for one in series {
        if let Some(time) = time_field(one.endpoint) {
            columns.push(time.to_owned());
        }
    }
    if series.iter().any(|one| !is_same(one.endpoint, series[0].endpoint)) {
        columns.push(ENDPOINT.to_owned());
    }
    if all_params {
        for one in series {
            for (name, _) in one.identity() {
                columns.push(name);
            }
        }
    } else {
        columns.extend(differing(series));
    }
    for one in series {
        for field in fields(one.endpoint) {
            if field.source != FieldSource::Others {
                columns.push(field.wire_name.to_owned());
            }
        }
    }
    columns.extend(member_columns(parts));
    for part in parts {
        for record in part.records {
            if let Some(object) = untyped(record) {
                columns.extend(object.keys().cloned());
            }
        }
    }
    if parts.iter().any(has_unknown_fields) {
        columns.push(UNKNOWN_FIELDS.to_owned());
    }
    let mut seen = BTreeSet::new();
    columns.retain(|column| seen.insert(column.clone()));
    columns
}

/// The columns of the members that the catalogue does not list by name, in the order of their names, and one for those with
/// the name of another column.
fn member_columns(parts: &[SeriesRecords<'_>]) -> Vec<String> {
    let mut names = BTreeSet::new();
    let mut has_rest = false;
    for part in parts {
        let params = part.series.identity();
        for name in part.records.iter().flat_map(|record| other_members(record).into_keys()) {
            if is_taken(part.series.endpoint, &params, name) {
                has_rest = true;
            } else if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }
    let rest = has_rest.then(|| OTHERS.to_owned());
    names.into_iter().chain(rest).collect()
}

/// `true` if a member cannot have a column, because another column of the series has its name.
fn is_taken(endpoint: &EndpointInfo, params: &[Param], name: &str) -> bool {
    [ENDPOINT, OTHERS, UNKNOWN_FIELDS].contains(&name)
        || time_field(endpoint) == Some(name)
        || params.iter().any(|(param, _)| param == name)
        || fields(endpoint).any(|field| field.wire_name == name)
}

/// A record as a JSON object if the catalogue lists no fields.
fn untyped(record: &AnyRecord) -> Option<&Map<String, Value>> {
    record.as_any()?.as_object()
}

fn has_unknown_fields(part: &SeriesRecords<'_>) -> bool {
    let params = part.series.identity();
    part.records.iter().any(|record| dataset::unknown_fields(&params, record).is_some())
}

/// A row for each record.
pub(crate) fn rows(columns: &[String], part: &SeriesRecords<'_>) -> Vec<Vec<Cell>> {
    let params = part.series.identity();
    let mut rows = Vec::with_capacity(part.records.len());
    for (record, time) in part.records.iter().zip(&part.times) {
        let members = other_members(record);
        let mut row = Vec::with_capacity(columns.len());
        for column in columns {
            row.push(match column.as_str() {
                UNKNOWN_FIELDS => unknown_fields(columns, &params, record),
                OTHERS if has_other_members(part.series.endpoint) => {
                    members_without_column(columns, part.series.endpoint, &params, &members)
                }
                name => match cell(part.series, &params, record, *time, name) {
                    Some(cell) => cell,
                    None => members.get(name).map_or(Cell::EMPTY, |value| value_cell(*value)),
                },
            });
        }
        rows.push(row);
    }
    rows
}

/// The fields of a record that have no column, as an object.
fn unknown_fields(columns: &[String], params: &[Param], record: &AnyRecord) -> Cell {
    let unknown = dataset::unknown_fields(params, record);
    let mut without_column = Map::new();
    if let Some(object) = untyped(record) {
        for (key, value) in object {
            if !columns.contains(key) {
                without_column.insert(key.clone(), value.clone());
            }
        }
    }
    if without_column.is_empty() {
        return match unknown {
            // Numbers stay as the service wrote them. Removing line breaks changes no value, because line breaks in
            // JSON strings are escaped.
            Some(fields) => Cell::Json(fields.replace(['\n', '\r'], "")),
            None => Cell::EMPTY,
        };
    }
    let mut all: Map<String, Value> = match unknown {
        Some(fields) => serde_json::from_str(&fields).unwrap_or_default(),
        None => Map::new(),
    };
    all.append(&mut without_column);
    Cell::Value(Value::Object(all))
}

/// The members of a record that have no column, as an object.
fn members_without_column(
    columns: &[String],
    endpoint: &EndpointInfo,
    params: &[Param],
    members: &BTreeMap<&str, FieldValue<'_>>,
) -> Cell {
    let mut without_column = Map::new();
    for (name, value) in members {
        if is_taken(endpoint, params, name) || !columns.iter().any(|column| column == name) {
            without_column.insert((*name).to_owned(), serde_json::to_value(value).unwrap_or_default());
        }
    }
    if without_column.is_empty() { Cell::EMPTY } else { Cell::Value(Value::Object(without_column)) }
}

/// A param that identifies a series, with its value.
type Param = (String, Option<String>);

/// The value of a column; `None` if neither the series nor its records have such a param or field.
fn cell(
    series: &RequestedSeries,
    params: &[Param],
    record: &AnyRecord,
    time: Option<Timestamp>,
    name: &str,
) -> Option<Cell> {
    if time_field(series.endpoint) == Some(name) {
        return Some(Cell::time(time));
    }
    if let Some((_, Some(value))) = params.iter().find(|(param, _)| param == name) {
        return Some(Cell::text(value.as_str()));
    }
    match record.value(name) {
        Some(value) => Some(value_cell(value)),
        // The column contains the full name of the endpoint, as in the files of a backfill.
        None => (name == ENDPOINT).then(|| Cell::text(full_name(series.endpoint))),
    }
}

fn value_cell(value: FieldValue<'_>) -> Cell {
    match value {
        FieldValue::Timestamp(time) => Cell::Time(time),
        value => Cell::Value(serde_json::to_value(value).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, ValueType};

    use super::*;
    use crate::param_values::ParamValue;
    use crate::table::Table;
    use test_endpoints::metric;

    #[test]
    fn unknown_numbers_are_printed_as_written() {
        static LEVEL: RecordInfo =
            RecordInfo::new("Level", &[FieldInfo::new("price", "price", ValueType::Number, Evidence::Documented)]);
        let body = "{\"price\": 1, \"size\":12345678901234567890123,\r\n\"text\":\"\\n\"}";
        let record = AnyRecord::lenient(&LEVEL, body).unwrap();
        let columns = vec![UNKNOWN_FIELDS.to_owned()];
        let rows = vec![vec![unknown_fields(&columns, &[], &record)]];
        let line = "{\"unknown_fields\":{\"size\":12345678901234567890123,\"text\":\"\\n\"}}\n";
        let table = Table { columns, rows };
        assert_eq!(table.json_lines(), line);
        let cell = "\"{\"\"size\"\":12345678901234567890123,\"\"text\"\":\"\"\\n\"\"}\"\n";
        assert_eq!(table.csv(false).unwrap(), cell);
    }

    /// The same holds for the rows of a file, whatever the type of the field is.
    #[test]
    fn a_param_takes_precedence_over_a_field_of_its_name() {
        static LEVEL: RecordInfo =
            RecordInfo::new("Level", &[FieldInfo::new("site", "site", ValueType::Integer, Evidence::Documented)]);
        let records = [r#"{"site": 7}"#, r#"{"site": 8, "new": 1}"#, "{}"];
        let records = records.map(|body| AnyRecord::lenient(&LEVEL, body).unwrap());
        let value = ParamValue::Text(vec!["7".to_owned()]);
        let mut series = RequestedSeries::new(metric().endpoint);
        series.values.push(("site".to_owned(), value));
        let part = SeriesRecords { index: 0, series: &series, records: &records, times: vec![None; 3] };
        let columns_of_both = ["site", UNKNOWN_FIELDS].map(str::to_owned);
        let rows =
            rows(&columns_of_both, &part).into_iter().map(|row| row.iter().map(Cell::for_programs).collect::<Vec<_>>());
        assert_eq!(rows.collect::<Vec<_>>(), [["7", ""], ["7", r#"{"site":8,"new":1}"#], ["7", ""]]);
        assert!(columns(std::slice::from_ref(&series), &[part], false).contains(&UNKNOWN_FIELDS.to_owned()));
    }
}
