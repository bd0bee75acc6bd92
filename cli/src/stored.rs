//! Series that a backfill has written, read back for a picture.
//!
//! A Parquet file or the folder of a data set comes in; the numbers over time of each series go out, with what tells it
//! from the others: the columns before the time, and the names of folders.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use generated_client::Timestamp;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use percent_encoding::percent_decode_str;

use crate::failure::{Ending, Failure, Result};
use crate::numbers::{Field, Numbers};

/// The label of the endpoint: a column of a file, or a folder of a data set.
const ENDPOINT: &str = "endpoint";

/// The folders of days, which tell no series from another.
const DATE: &str = "date";

type Labels = Vec<(String, String)>;

/// Whether a text names a file or folder that can be read here, rather than an endpoint.
pub(crate) fn is_place(text: &str) -> bool {
    let path = Path::new(text);
    path.extension().is_some_and(|ending| ["parquet", "csv", "jsonl"].iter().any(|known| ending == *known))
        || crate::endpoints::find(text).is_err() && path.exists()
}

/// The series in a file or a data set.
pub(crate) fn read(path: &Path) -> Result<Vec<Numbers>> {
    let mut files = Vec::new();
    collect(path, &mut files)?;
    if files.is_empty() {
        return Err(Failure::usage(format!("no Parquet file in `{}`", path.display())));
    }
    let mut series: BTreeMap<Labels, Numbers> = BTreeMap::new();
    for file in &files {
        let of_folders = folders(file.strip_prefix(path).unwrap_or(Path::new("")));
        let unreadable = |error: &dyn std::error::Error| {
            Failure::new(Ending::Machine, format!("cannot read `{}`: {error}", file.display()))
        };
        let input = File::open(file).map_err(|error| Failure::file("read", file, &error))?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(input).and_then(ParquetRecordBatchReaderBuilder::build);
        for batch in reader.map_err(|error| unreadable(&error))? {
            add(&mut series, &of_folders, &batch.map_err(|error| unreadable(&error))?);
        }
    }
    let mut all: Vec<Numbers> = series.into_values().collect();
    for field in all.iter_mut().flat_map(|one| &mut one.fields) {
        // Files of a data set lie in any order.
        field.points.sort_by_key(|(time, _)| *time);
    }
    Ok(all)
}

/// The Parquet files of a place, at any depth.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        if path.extension().is_some_and(|ending| ending == "parquet") {
            files.push(path.to_owned());
            return Ok(());
        }
        let failure = Failure::usage(format!("`{}` is not a Parquet file", path.display()));
        return Err(failure.tip("`plot` reads .parquet files and data sets"));
    }
    let unreadable = |error: std::io::Error| Failure::file("read", path, &error);
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?.path();
        if entry.is_dir() || entry.extension().is_some_and(|ending| ending == "parquet") {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

/// The endpoint and the params in the names of folders.
fn folders(path: &Path) -> Labels {
    let names = path.parent().into_iter().flat_map(Path::iter).filter_map(|name| name.to_str());
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let label = |name: &str| match name.split_once('=') {
        Some((name, value)) => (decoded(name), decoded(value)),
        None => (ENDPOINT.to_owned(), name.to_owned()),
    };
    names.map(label).filter(|(name, _)| name != DATE).collect()
}

/// Adds the rows of a batch to their series.
fn add(series: &mut BTreeMap<Labels, Numbers>, of_folders: &Labels, batch: &RecordBatch) {
    let schema = batch.schema();
    let is_time = |column: &usize| matches!(schema.field(*column).data_type(), DataType::Timestamp(..));
    let Some(time) = (0..batch.num_columns()).find(is_time) else { return };
    for row in 0..batch.num_rows() {
        let Some(moment) = moment(batch.column(time), row) else { continue };
        let label = |column: usize| {
            let text = batch.column(column).as_string_opt::<i32>()?;
            (!text.is_null(row)).then(|| (schema.field(column).name().clone(), text.value(row).to_owned()))
        };
        let labels: Labels = of_folders.iter().cloned().chain((0..time).filter_map(label)).collect();
        let stored = series.entry(labels).or_insert_with_key(named);
        for column in time + 1..batch.num_columns() {
            let field = schema.field(column);
            let Some(value) = number(batch.column(column), row) else { continue };
            let known = stored.fields.iter().position(|known| known.name == *field.name());
            let index = known.unwrap_or_else(|| {
                let unit = field.metadata().get("unit").cloned().unwrap_or_default();
                stored.fields.push(Field { name: field.name().clone(), unit, points: Vec::new() });
                stored.fields.len() - 1
            });
            stored.fields[index].points.push((moment, value));
        }
    }
}

fn named(labels: &Labels) -> Numbers {
    let (endpoint, labels): (Labels, Labels) = labels.iter().cloned().partition(|(name, _)| name == ENDPOINT);
    let endpoint = endpoint.into_iter().next().map(|(_, value)| value).unwrap_or_default();
    Numbers { endpoint, labels, fields: Vec::new() }
}

fn moment(column: &dyn Array, row: usize) -> Option<Timestamp> {
    let (count, per_second) = match column.data_type() {
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            (column.as_primitive::<TimestampMillisecondType>().value(row), 1_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            (column.as_primitive::<TimestampMicrosecondType>().value(row), 1_000_000)
        }
        _ => return None,
    };
    Some(Timestamp::from_unix_seconds(count.div_euclid(per_second)))
}

fn number(column: &dyn Array, row: usize) -> Option<f64> {
    if column.is_null(row) {
        return None;
    }
    // As wherever a whole number is taken for any number.
    #[allow(clippy::cast_precision_loss)]
    match column.data_type() {
        DataType::Float64 => Some(column.as_primitive::<Float64Type>().value(row)),
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().value(row) as f64),
        _ => None,
    }
}
