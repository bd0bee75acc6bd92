//! Infers the columns of records whose fields are unknown from the first of them.
//!
//! Columns contain timestamps, numbers, text, Booleans, or JSON for everything else. A value without a matching column
//! is kept with its name among the unknown fields, so that nothing is lost.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::record::AnyRecord;
use runtime::{Timestamp, Value};

use super::types::{time_array, time_type};
use super::{meaning, unknown_fields};
use crate::series::TimeColumn;

/// Columns inferred from records.
#[derive(Clone, Debug)]
pub(super) struct Inferred {
    time: Option<TimeColumn>,
    /// Names and kinds of values; the column of unknown fields is not included and is the last one.
    columns: Vec<(String, Kind)>,
}

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Number,
    Boolean,
    Text,
    Json,
}

/// The largest integer up to which every integer has an exact `f64`.
const EXACT: u64 = 1 << 53;

impl Inferred {
    /// The columns of records: the time, then the others in the order of their first appearance.
    pub(super) fn of(time: Option<TimeColumn>, records: &[AnyRecord]) -> Self {
        let mut columns: Vec<(String, Option<Kind>)> = Vec::new();
        for (name, value) in records.iter().filter_map(|record| record.as_any()?.as_object()).flatten() {
            let kind = if time.is_some_and(|time| time.name == name) { Some(Kind::Time) } else { Kind::of(value) };
            match columns.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = merged(*known, kind),
                None => columns.push((name.clone(), kind)),
            }
        }
        // The type of a field that is null in all records is unknown.
        let mut columns: Vec<_> = columns.into_iter().filter_map(|(name, kind)| Some((name, kind?))).collect();
        columns.sort_by_key(|(_, kind)| *kind != Kind::Time);
        Self { time, columns }
    }

    /// The inferred columns of an existing file, without those that can only belong to other series.
    pub(super) fn stored(time: Option<TimeColumn>, schema: &Schema) -> Self {
        let kind = |field: &Field| match field.data_type() {
            DataType::Timestamp(..) => time.filter(|time| time.name == field.name()).map(|_| Kind::Time),
            DataType::Float64 => Some(Kind::Number),
            DataType::Boolean => Some(Kind::Boolean),
            DataType::Utf8 if meaning::is_json(field) => Some(Kind::Json),
            DataType::Utf8 => Some(Kind::Text),
            _ => None,
        };
        // The column of unknown fields is the last one.
        let fields = schema.fields().split_last().map_or(&[][..], |(_, fields)| fields);
        Self { time, columns: fields.iter().filter_map(|field| Some((field.name().clone(), kind(field)?))).collect() }
    }

    pub(super) fn schema(&self) -> SchemaRef {
        let field = |(name, kind): &(String, Kind)| {
            let data_type = match kind {
                Kind::Time => self.time.map_or(DataType::Utf8, |time| time_type(time.unit)),
                Kind::Number => DataType::Float64,
                Kind::Boolean => DataType::Boolean,
                Kind::Text | Kind::Json => DataType::Utf8,
            };
            Field::new(name, data_type, true).with_metadata(meaning::of("", "", None, *kind == Kind::Json))
        };
        let mut fields: Vec<Field> = self.columns.iter().map(field).collect();
        fields.push(unknown_fields(&fields));
        Arc::new(Schema::new(fields))
    }

    /// Converts records to these columns.
    pub(super) fn columns(&self, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Vec<ArrayRef> {
        let records: Vec<&Value> = records.iter().map(|record| record.as_any().unwrap_or(&Value::Null)).collect();
        let column = |(name, kind): &(String, Kind)| {
            let values = records.iter().map(|record| record.get(name).filter(|value| kind.fits(value)));
            match (kind, self.time) {
                (Kind::Time, Some(time)) => time_array(time.unit, times.iter().copied()),
                _ => kind.array(values),
            }
        };
        let mut columns: Vec<ArrayRef> = self.columns.iter().map(column).collect();
        let unknown: StringArray = records.iter().map(|record| self.rest(record)).collect();
        columns.push(Arc::new(unknown));
        columns
    }

    /// The fields of a record that no column contains.
    fn rest(&self, record: &Value) -> Option<String> {
        let Value::Object(object) = record else { return Some(record.to_string()) };
        let is_held = |name: &str, value: &Value| {
            value.is_null() || self.columns.iter().any(|(known, kind)| known == name && kind.fits(value))
        };
        let rest = object.iter().filter(|(name, value)| !is_held(name, value));
        let rest: serde_json::Map<_, _> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
        (!rest.is_empty()).then(|| Value::Object(rest).to_string())
    }
}

/// The kind that fits the values of both; `None` is a null, which fits any kind.
fn merged(one: Option<Kind>, other: Option<Kind>) -> Option<Kind> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(Kind::Json),
        (one, other) => one.or(other),
    }
}

impl Kind {
    /// The kind of a value; `None` for null.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Bool(_) => Some(Self::Boolean),
            Value::Number(_) => Some(Self::Number),
            Value::String(_) => Some(Self::Text),
            Value::Array(_) | Value::Object(_) => Some(Self::Json),
        }
    }

    /// Returns `true` if the column can store the value unchanged.
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Number => number(value).is_some(),
            Self::Boolean => value.is_boolean(),
            Self::Text => value.is_string(),
            Self::Json => true,
            // The service may write times as numbers or text; the history has already rejected invalid text.
            Self::Time => value.is_number() || value.is_string(),
        }
    }

    fn array<'v>(self, values: impl Iterator<Item = Option<&'v Value>>) -> ArrayRef {
        match self {
            Self::Number => {
                let mut numbers = Float64Builder::new();
                values.for_each(|value| numbers.append_option(value.and_then(number)));
                Arc::new(numbers.finish())
            }
            Self::Boolean => {
                let mut booleans = BooleanBuilder::new();
                values.for_each(|value| booleans.append_option(value.and_then(Value::as_bool)));
                Arc::new(booleans.finish())
            }
            Self::Text | Self::Time => {
                let mut texts = StringBuilder::new();
                values.for_each(|value| texts.append_option(value.and_then(Value::as_str)));
                Arc::new(texts.finish())
            }
            Self::Json => {
                let mut texts = StringBuilder::new();
                let json = |value: &Value| (!value.is_null()).then(|| value.to_string());
                values.for_each(|value| texts.append_option(value.and_then(json)));
                Arc::new(texts.finish())
            }
        }
    }
}

/// The number, unless it would be rounded.
fn number(value: &Value) -> Option<f64> {
    let is_exact = value.as_u64().is_none_or(|number| number <= EXACT)
        && value.as_i64().is_none_or(|number| number.unsigned_abs() <= EXACT);
    value.as_f64().filter(|_| is_exact)
}
