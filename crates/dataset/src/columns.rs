//! The columns of a file: first the columns that identify the series of a row, then the fields of its records.
//!
//! Batches with another schema are converted to the schema of the file. If the type of a column has changed from
//! integer to float, the values are cast. Any other change of type is an error that names both types.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::Timestamp;
use runtime::record::AnyRecord;

use crate::column_names::UNKNOWN_FIELDS;
use crate::error::Error;
use crate::fetched_at::{fetched_at_index, is_fetched_at};
use crate::series::{SeriesRequest, have_several_endpoints};
use crate::series_columns::identifies;
use crate::table_schema::{TableSchema, is_decimal};
use crate::text_writer::Cell;
use crate::value_ranges::range_of;

/// The columns of a table with several series: the endpoint, the params, and the fields of the records.
#[derive(Debug)]
pub struct SeriesTable {
    schema: SchemaRef,
    series: Vec<SeriesRequest>,
}

impl SeriesTable {
    /// Creates the columns. Two series with different types for one column are an error that names both types.
    pub fn new(series: &[SeriesRequest]) -> Result<Self, Error> {
        let schema = of_series(series).map_err(Error::invalid_input)?;
        Ok(Self { schema, series: series.to_vec() })
    }

    /// Returns the Arrow schema, whose metadata contains the facts of the catalogue.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Converts records of the series with this index. `times` contains the time of each record, or `None` if it is
    /// unreadable. An index that does not exist is an error.
    pub fn batch(
        &self,
        series: usize,
        records: &[AnyRecord],
        times: &[Option<Timestamp>],
    ) -> Result<RecordBatch, Error> {
        let Some(series) = self.series.get(series) else {
            return Err(Error::invalid_input("the table has no series with this index"));
        };
        converted(&TableSchema::of_series(series).batch(records, times)?, &self.schema)
    }
}

/// The facts of a column that several sources have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facts {
    /// Those of the last source, which has the newest catalogue.
    Newest,
    /// Those that all sources have in common, because fields of several endpoints may have different units.
    Common,
}

impl Facts {
    /// The facts of columns whose sources are the series with these paths.
    pub(crate) fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        if have_several_endpoints(paths) { Self::Common } else { Self::Newest }
    }
}

/// The columns of series.
pub(crate) fn of_series(series: &[SeriesRequest]) -> Result<SchemaRef, String> {
    let schemas = series.iter().map(|one| TableSchema::of_series(one).schema());
    joined(schemas, Facts::of(series.iter().map(SeriesRequest::path)))
}

/// The columns of all sources: the identifying columns and then the fields, without duplicates; the column of unknown
/// fields is last. Every column is nullable, because some sources may not have it.
pub(crate) fn joined(sources: impl IntoIterator<Item = SchemaRef>, facts: Facts) -> Result<SchemaRef, String> {
    let schemas = Vec::from_iter(sources);
    let mut fields = Vec::new();
    for schema in &schemas {
        fields.extend(schema.fields());
    }
    fields.retain(|field| !is_fetched_at(field));
    // The order of the others stays.
    fields.sort_by_key(|field| !identifies(field));
    let mut all: Vec<Field> = Vec::new();
    for field in fields {
        let new = field.as_ref().clone().with_nullable(true);
        let Some(known) = all.iter_mut().find(|known| known.name() == new.name()) else {
            all.push(new);
            continue;
        };
        // A field of the records with the name of a param has no column of its own.
        if identifies(known) {
            continue;
        }
        let Some(ty) = common_type(known.data_type(), new.data_type()) else {
            return Err(format!(
                "`{}` has the type {}, but the catalogue declares {}",
                known.name(),
                known.data_type(),
                new.data_type()
            ));
        };
        let mut kept = new.metadata().clone();
        if facts == Facts::Common {
            kept.retain(|name, fact| known.metadata().get(name) == Some(fact));
        }
        *known = new.with_data_type(ty).with_metadata(kept);
    }
    all.sort_by_key(|field| field.name() == UNKNOWN_FIELDS);
    Ok(Arc::new(Schema::new(all)))
}

/// `true` if two schemas have the same columns, except for their descriptions. A column of decimals differs from one of
/// an earlier version, which has quotes.
pub(crate) fn are_same(one: &Schema, other: &Schema) -> bool {
    if one.fields().len() != other.fields().len() {
        return false;
    }
    for (one, other) in one.fields().iter().zip(other.fields()) {
        let is_same_type = one.data_type() == other.data_type() && is_decimal(one) == is_decimal(other);
        if one.name() != other.name() || !is_same_type {
            return false;
        }
    }
    true
}

/// `true` if two schemas have the same columns, and rows have the same facts with both: the catalogue may have changed the
/// range of a field, or made it a param.
pub(crate) fn have_same_facts(one: &Schema, other: &Schema) -> bool {
    let mut fields = one.fields().iter().zip(other.fields());
    are_same(one, other)
        && fields.all(|(one, other)| range_of(one) == range_of(other) && identifies(one) == identifies(other))
}

/// Converts rows to the columns of a file. A column that the rows do not have is null.
pub(crate) fn converted(rows: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, Error> {
    let mut columns = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        let column = match source_of(field, rows.schema_ref()) {
            Some((index, source)) => cast(source, rows.column(index), field),
            None => Some(new_null_array(field.data_type(), rows.num_rows())),
        };
        let Some(column) = column else {
            return Err(Error::invalid_input("the columns of a file changed; run the job again"));
        };
        columns.push(column);
    }
    RecordBatch::try_new(schema.clone(), columns).map_err(Error::invalid_input)
}

/// The column of rows that has the values of a column of a file.
fn source_of<'s>(field: &Field, rows: &'s Schema) -> Option<(usize, &'s Field)> {
    if is_fetched_at(field) {
        let index = fetched_at_index(rows)?;
        return Some((index, rows.field(index)));
    }
    rows.column_with_name(field.name()).filter(|(_, source)| !is_fetched_at(source))
}

/// The type to which the values of both types can be cast.
fn common_type(one: &DataType, other: &DataType) -> Option<DataType> {
    match (one, other) {
        _ if one == other => Some(one.clone()),
        (DataType::Int64, DataType::Float64) | (DataType::Float64, DataType::Int64) => Some(DataType::Float64),
        _ => None,
    }
}

/// Casts values to the same or a wider type, or to a param; `None` for any other type.
#[allow(clippy::cast_precision_loss)] // The wider schema declares the column as floats.
fn cast(from: &Field, column: &ArrayRef, to: &Field) -> Option<ArrayRef> {
    if is_decimal(to) && !is_decimal(from) {
        let mut digits = Vec::with_capacity(column.len());
        for text in column.as_string_opt::<i32>()? {
            digits.push(text.map(unquoted));
        }
        return Some(Arc::new(StringArray::from(digits)));
    }
    if from.data_type() == to.data_type() {
        return Some(column.clone());
    }
    // Until an endpoint with this param was added to the file, the column was a field of the records.
    if identifies(to) {
        let mut texts = Vec::with_capacity(column.len());
        for row in 0..column.len() {
            texts.push(if column.is_valid(row) { Some(Cell::new(from, column, row).text()) } else { None });
        }
        return Some(Arc::new(StringArray::from_iter(texts)));
    }
    if *to.data_type() != DataType::Float64 {
        return None;
    }
    let integers = column.as_primitive_opt::<Int64Type>()?;
    Some(Arc::new(integers.unary::<_, Float64Type>(|number| number as f64)))
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let Some(rest) = text.strip_prefix('"') else { return text };
    rest.strip_suffix('"').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::series_columns::identifying;

    fn schema(fields: &[(&str, DataType)]) -> SchemaRef {
        Arc::new(Schema::new(fields.iter().map(|(name, ty)| Field::new(*name, ty.clone(), false)).collect::<Vec<_>>()))
    }

    #[test]
    fn wider_types_are_cast_and_others_named() {
        for (old, new, is_cast) in
            [(DataType::Int64, DataType::Float64, true), (DataType::Utf8, DataType::Float64, false)]
        {
            for (first, second) in [(&old, &new), (&new, &old)] {
                let sources = [schema(&[("x", first.clone())]), schema(&[("x", second.clone())])];
                match joined(sources, Facts::Newest) {
                    Ok(columns) => {
                        assert!(is_cast && *columns.field(0).data_type() == new);
                        let rows = RecordBatch::new_empty(schema(&[("x", old.clone())]));
                        assert_eq!(converted(&rows, &columns).unwrap().num_rows(), 0);
                    }
                    Err(message) => {
                        assert!(!is_cast);
                        assert_eq!(message, format!("`x` has the type {first}, but the catalogue declares {second}"));
                    }
                }
            }
        }
    }

    #[test]
    fn facts_that_differ_between_endpoints_are_left_out() {
        let with_facts = |facts: [(&str, &str); 2]| {
            let facts = facts.map(|(name, fact)| (name.to_owned(), fact.to_owned()));
            let field = Field::new("close", DataType::Float64, true).with_metadata(HashMap::from(facts));
            Arc::new(Schema::new(vec![field]))
        };
        let prices = with_facts([("unit", "USD"), ("evidence", "documented")]);
        let contracts = with_facts([("unit", "contracts"), ("evidence", "documented")]);
        for (facts, unit) in [(Facts::Newest, Some("contracts")), (Facts::Common, None)] {
            let all = joined([prices.clone(), contracts.clone()], facts).unwrap();
            let kept = all.field(0).metadata();
            assert_eq!(kept.get("unit").map(String::as_str), unit);
            assert_eq!(kept.get("evidence").map(String::as_str), Some("documented"));
        }
    }

    #[test]
    fn new_columns_are_null_and_fields_become_params() {
        let fields = [("at", DataType::Int64), ("new", DataType::Utf8)];
        let sources = [schema(&fields[..1]), schema(&fields), Arc::new(Schema::new(vec![identifying("site")]))];
        let at = Arc::new(arrow_array::Int64Array::from(vec![7]));
        let rows = RecordBatch::try_new(sources[0].clone(), vec![at]).unwrap();
        let rows = converted(&rows, &joined(sources, Facts::Newest).unwrap()).unwrap();
        let names = |schema: SchemaRef| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        assert_eq!(names(rows.schema()), ["site", "at", "new"]);
        assert!(rows.column(0).is_null(0) && rows.column(2).is_null(0) && rows.column(1).is_valid(0));
        // A field of the records becomes text if an endpoint with a param of the same name is added.
        let later = joined([rows.schema(), Arc::new(Schema::new(vec![identifying("at")]))], Facts::Newest).unwrap();
        assert_eq!(names(later.clone()), ["site", "at", "new"]);
        assert_eq!(converted(&rows, &later).unwrap().column(1).as_string::<i32>().value(0), "7");
    }
}
