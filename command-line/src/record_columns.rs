//! Converts records to rows and columns.
//!
//! The columns of a table are the time, the params that distinguish the series, every field of the catalogue, and the
//! unknown fields as JSON.

use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{BodyInfo, EndpointInfo, RecordInfo};
use runtime::{AnyBody, Timestamp, Value};
use tables::{SeriesRequest, UNKNOWN_FIELDS};

use crate::endpoint_names::Endpoint;
use crate::requested_series::{ParamValue, Series, differing};
use crate::table::{Cell, Table};

/// Name of the column that contains the endpoint of each record.
const ENDPOINT: &str = "endpoint";

/// Records of one series.
#[derive(Debug)]
pub(crate) struct Part<'r> {
    pub(crate) series: &'r Series,
    pub(crate) records: &'r [AnyRecord],
    pub(crate) times: Vec<Option<Timestamp>>,
}

/// The columns of a table that contains all series.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) columns: Vec<String>,
}

/// Returns the records of a body, if it has any.
pub(crate) fn part<'r>(series: &'r Series, body: &'r AnyBody) -> Option<Part<'r>> {
    match body {
        AnyBody::Series(all) => Some(Part { series, records: &all.records, times: all.times() }),
        AnyBody::Record(record) => Some(Part { series, records: std::slice::from_ref(record), times: vec![None] }),
        _ => None,
    }
}

/// Returns the time field of the endpoint's records.
pub(crate) fn time_field(endpoint: Endpoint) -> Option<&'static str> {
    match endpoint.body {
        BodyInfo::Series { time, .. } => time,
        _ => None,
    }
}

/// Returns the fields of the endpoint's records; `None` if they are unknown.
pub(crate) fn record(endpoint: &EndpointInfo) -> Option<&'static RecordInfo> {
    match endpoint.body {
        BodyInfo::Series { record, .. } => record,
        BodyInfo::Object { record, .. } => Some(record),
        BodyInfo::Unknown => None,
    }
}

/// Returns one table of all parts.
pub(crate) fn table(parts: &[Part<'_>]) -> Table {
    let series: Vec<Series> = parts.iter().map(|part| part.series.clone()).collect();
    let layout = Layout::new(&series, parts);
    let rows = parts.iter().flat_map(|part| layout.rows(part)).collect();
    Table { columns: layout.columns, rows }
}

impl Layout {
    /// Returns the columns of a file that a backfill writes: first the endpoint and the params, then the fields of the
    /// catalogue.
    pub(crate) fn of_file(series: &[Series], requests: &[SeriesRequest]) -> Self {
        let mut this = Self { columns: vec![ENDPOINT.to_owned()] };
        requests.iter().flat_map(SeriesRequest::params).for_each(|name| this.add(name.to_owned()));
        let fields = Self::new(series, &[]).with_unknown_fields();
        fields.columns.into_iter().for_each(|column| this.add(column));
        this
    }

    /// Returns the columns of these series: the time, the endpoint and the params if they differ among the series, and
    /// the fields in the catalogue. If the catalogue lists no fields, the keys of the records are used instead.
    pub(crate) fn new(series: &[Series], parts: &[Part<'_>]) -> Self {
        let mut this = Self { columns: Vec::new() };
        let endpoints = || series.iter().filter_map(|one| one.endpoint.known);
        for time in endpoints().filter_map(time_field) {
            this.add(time.to_owned());
        }
        if series.iter().any(|one| one.endpoint != series[0].endpoint) {
            this.add(ENDPOINT.to_owned());
        }
        for name in differing(series) {
            this.add(name);
        }
        for field in endpoints().filter_map(record).flat_map(|record| record.fields) {
            this.add(field.wire_name.to_owned());
        }
        for record in parts.iter().flat_map(|part| part.records) {
            // If the fields of a record are unknown, `as_any` returns the record as JSON, and the keys of the JSON
            // object become columns.
            let keys = record.as_any().and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys());
            keys.for_each(|key| this.add(key.clone()));
        }
        let has_unknown = |record: &AnyRecord| record.unknown_fields().is_some_and(|fields| !fields.is_empty());
        if parts.iter().flat_map(|part| part.records).any(has_unknown) {
            this.add(UNKNOWN_FIELDS.to_owned());
        }
        this
    }

    fn add(&mut self, column: String) {
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
    }

    /// Adds a column for unknown fields, which later records may have.
    pub(crate) fn with_unknown_fields(mut self) -> Self {
        self.add(UNKNOWN_FIELDS.to_owned());
        self
    }

    /// Returns a row for each record.
    pub(crate) fn rows(&self, part: &Part<'_>) -> Vec<Vec<Cell>> {
        let row = |(record, time): (&AnyRecord, &Option<Timestamp>)| {
            let cell = |column: &String| match column.as_str() {
                UNKNOWN_FIELDS => self.unknown_fields(record),
                name => cell(part.series, record, *time, name),
            };
            self.columns.iter().map(cell).collect()
        };
        part.records.iter().zip(&part.times).map(row).collect()
    }

    /// Returns the fields of a record that have no column, as an object.
    fn unknown_fields(&self, record: &AnyRecord) -> Cell {
        if let Some(fields) = record.unknown_fields().filter(|fields| !fields.is_empty()) {
            // Numbers stay as the service wrote them. Removing line breaks changes no value, because line breaks in
            // JSON strings are escaped.
            return Cell::Json(fields.as_json().replace(['\n', '\r'], ""));
        }
        let all = record.as_any().and_then(Value::as_object).into_iter().flatten();
        let without: Vec<_> = all.filter(|(key, _)| !self.columns.contains(key)).collect();
        if without.is_empty() {
            return Cell::EMPTY;
        }
        Cell::Value(without.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}

fn cell(series: &Series, record: &AnyRecord, time: Option<Timestamp>, name: &str) -> Cell {
    if series.endpoint.known.and_then(time_field) == Some(name) {
        return time.map_or(Cell::EMPTY, Cell::Time);
    }
    // The value of a field takes precedence over the value of a param with the same name.
    match record.value(name) {
        Some(FieldValue::Timestamp(time)) => return Cell::Time(time),
        Some(value) => return Cell::Value(serde_json::to_value(value).unwrap_or_default()),
        None => {}
    }
    match series.value(name) {
        Some(ParamValue::Time(time)) => Cell::Time(*time),
        Some(value) => Cell::text(value.shown()),
        // The column contains the full name of the endpoint, as in the files of a backfill.
        None if name == ENDPOINT => {
            Cell::text(series.endpoint.known.map_or_else(|| series.endpoint.name.clone(), ToString::to_string))
        }
        None => Cell::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, FieldInfo, ValueType};

    use super::*;

    #[test]
    fn unknown_numbers_are_printed_as_written() {
        static LEVEL: RecordInfo =
            RecordInfo::new("Level", &[FieldInfo::new("price", "price", ValueType::Number, Evidence::Documented)]);
        let body = "{\"price\": 1, \"size\":12345678901234567890123,\r\n\"text\":\"\\n\"}";
        let record = AnyRecord::lenient(&LEVEL, body).unwrap();
        let columns = vec![UNKNOWN_FIELDS.to_owned()];
        let rows = vec![vec![Layout { columns: columns.clone() }.unknown_fields(&record)]];
        let line = "{\"unknown_fields\":{\"size\":12345678901234567890123,\"text\":\"\\n\"}}\n";
        let table = Table { columns, rows };
        assert_eq!(table.json_lines(), line);
        let cell = "\"{\"\"size\"\":12345678901234567890123,\"\"text\"\":\"\"\\n\"\"}\"\n";
        assert_eq!(table.csv(false).unwrap(), cell);
    }
}
