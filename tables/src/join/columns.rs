//! The columns of a file that several series share.
//!
//! The columns of each source come in; those of the file go out: what tells the series apart, if there is more than
//! one, then everything that any of them has. What a source lacks is null.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::error::Error;
use crate::layout;
use crate::table::UNKNOWN_FIELDS;

/// The columns of a file.
pub(super) struct Columns {
    schema: SchemaRef,
    /// How many of them say which series a row is of.
    names: usize,
}

/// The column of the endpoint.
const ENDPOINT: &str = "endpoint";

impl Columns {
    /// The columns for series with these paths, whose sources have these columns.
    pub(super) fn new(paths: &[&str], sources: &[SchemaRef]) -> Result<Self, Error> {
        let mut fields = merged(sources)?;
        let mut names: Vec<Field> = Vec::new();
        if paths.len() > 1 {
            for (name, _) in paths.iter().copied().flat_map(values) {
                // A record with a field of this name has it from the service.
                let is_there = |known: &Field| *known.name() == name;
                if !names.iter().any(is_there) && !fields.iter().any(is_there) {
                    let nullable = !paths.iter().all(|path| values(path).iter().any(|(other, _)| *other == name));
                    names.push(Field::new(name, DataType::Utf8, nullable));
                }
            }
            let endpoints: Vec<_> = paths.iter().map(|path| endpoint(path)).collect();
            if endpoints.iter().all(|endpoint| endpoints.first() == Some(endpoint)) {
                names.retain(|field| field.name() != ENDPOINT);
            }
        }
        let count = names.len();
        names.append(&mut fields);
        Ok(Self { schema: Arc::new(Schema::new(names)), names: count })
    }

    /// The names of the columns that say which series a row is of.
    pub(super) fn names(&self) -> Vec<&str> {
        self.schema.fields().iter().take(self.names).map(|field| field.name().as_str()).collect()
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The rows of a source of a series.
    pub(super) fn batch(&self, path: &str, rows: &RecordBatch) -> Result<RecordBatch, Error> {
        let values = values(path);
        let column = |(index, field): (usize, &Arc<Field>)| -> ArrayRef {
            if index < self.names {
                let value = values.iter().find(|(name, _)| name == field.name()).map(|(_, value)| value.as_str());
                return Arc::new(std::iter::repeat_n(value, rows.num_rows()).collect::<StringArray>());
            }
            match rows.column_by_name(field.name()) {
                Some(column) => column.clone(),
                None => new_null_array(field.data_type(), rows.num_rows()),
            }
        };
        let columns = self.schema.fields().iter().enumerate().map(column).collect();
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| Error::unfit(error.to_string()))
    }
}

/// The endpoint and the params of a path.
fn values(path: &str) -> Vec<(String, String)> {
    let params = path.split('/').skip(1).filter_map(layout::read_folder);
    std::iter::once((ENDPOINT.to_owned(), endpoint(path).to_owned())).chain(params).collect()
}

fn endpoint(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// Every column that a source has, each once; unknown fields stand last.
fn merged(sources: &[SchemaRef]) -> Result<Vec<Field>, Error> {
    let mut fields: Vec<Field> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        for field in source.fields() {
            match fields.iter_mut().find(|known| known.name() == field.name()) {
                None => fields.push(field.as_ref().clone().with_nullable(field.is_nullable() || index > 0)),
                Some(known) if known.data_type() == field.data_type() => {
                    let nullable = known.is_nullable() || field.is_nullable();
                    known.set_nullable(nullable);
                }
                Some(known) => {
                    return Err(Error::unfit(format!(
                        "`{}` is {} in one series and {} in another; write them to a folder, where each endpoint has \
                         files of its own",
                        field.name(),
                        known.data_type(),
                        field.data_type()
                    )));
                }
            }
        }
        for known in &mut fields {
            if source.field_with_name(known.name()).is_err() {
                known.set_nullable(true);
            }
        }
    }
    let is_unknown = |field: &Field| field.name() == UNKNOWN_FIELDS;
    fields.sort_by_key(is_unknown);
    Ok(fields)
}
