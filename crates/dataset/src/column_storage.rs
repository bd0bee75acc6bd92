//! How the columns of a Parquet file are stored: their compression, encodings and statistics.
//!
//! A file of the journal is read once and then deleted, so it is written fast. A data file is small and is read fast; the
//! encoding of each column is chosen by its first rows.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use crate::fetched_at::is_fetched_at;

/// Maximum number of different values of a column that is stored with a dictionary. Their indices have 14 bits.
const DICTIONARY: f64 = 16_384.0;

/// Maximum number of decimals of such a column, unless its values repeat.
const DECIMALS: i32 = 4;

/// The level of `zstd` compression. Level 1 needs 3 % fewer instructions for a row and takes 15 % more space for ratios
/// with six decimals, and level 5 needs 13 % more instructions and takes 8 % less.
const COMPRESSION_LEVEL: i32 = 3;

/// The level of a file with more columns than [`MANY_COLUMNS`]. The compressor of each column stays in memory while a row
/// group is written: 0.2 MiB instead of 0.8.
const LEVEL_OF_MANY_COLUMNS: i32 = 1;
const MANY_COLUMNS: usize = 40;

/// Maximum number of bytes of a page, before compression. A query of one series decompresses the pages with its rows.
const PAGE: usize = 192 * 1024;

/// The same for times with a dictionary. The times of each series are the same bytes, which are compressed well if the
/// page has the rows of many series.
const PAGE_OF_SHARED_TIMES: usize = 1024 * 1024;

/// The purpose of a file.
#[derive(Clone, Copy)]
pub(crate) enum Purpose<'r> {
    /// A part of the journal.
    Journal,
    /// A data file, or a part of the journal whose row groups are copied to one.
    Data(DataStorage<'r>),
}

/// The storage of a data file.
#[derive(Clone, Copy, Default)]
pub(crate) struct DataStorage<'r> {
    /// The first rows, if there are any.
    pub(crate) first: Option<&'r RecordBatch>,
    /// Whether times are stored as differences. That takes 2.7 bytes less for each row, but `fastparquet`, Spark 3.2
    /// and DuckDB 0.7 read other times or fail.
    pub(crate) has_small_times: bool,
    /// Whether each row group has rows of several series, which usually have the same times. With a dictionary, these
    /// times take less space, and a query skips more of them.
    pub(crate) has_shared_times: bool,
}

/// The properties of a file with these columns.
pub(crate) fn properties(schema: &Schema, purpose: Purpose<'_>) -> WriterProperties {
    let builder = WriterProperties::builder().set_max_row_group_row_count(None).set_offset_index_disabled(true);
    match purpose {
        Purpose::Journal => of_journal(builder),
        Purpose::Data(storage) => of_data(builder, schema, storage),
    }
    .build()
}

/// A dictionary would make the file smaller, but finding the entry of each value takes longer than writing the value.
fn of_journal(builder: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    builder
        .set_compression(Compression::UNCOMPRESSED)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(false)
}

fn of_data(builder: WriterPropertiesBuilder, schema: &Schema, storage: DataStorage<'_>) -> WriterPropertiesBuilder {
    let level = if schema.fields().len() > MANY_COLUMNS { LEVEL_OF_MANY_COLUMNS } else { COMPRESSION_LEVEL };
    let level = ZstdLevel::try_new(level).unwrap_or_default();
    let mut builder = builder
        .set_compression(Compression::ZSTD(level))
        .set_data_page_row_count_limit(usize::MAX)
        .set_data_page_size_limit(PAGE)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for (index, field) in schema.fields().iter().enumerate() {
        let path = ColumnPath::from(field.name().as_str());
        builder = match field.data_type() {
            DataType::Float64 => {
                let first = storage.first.and_then(|rows| rows.columns().get(index));
                builder.set_column_dictionary_enabled(path, first.is_some_and(has_few_values))
            }
            // Many rows are fetched in the same second.
            DataType::Timestamp(..) if is_fetched_at(field) => builder.set_column_dictionary_enabled(path, true),
            DataType::Timestamp(..) => {
                let encoding = if storage.has_small_times { Encoding::DELTA_BINARY_PACKED } else { Encoding::PLAIN };
                let has_dictionary = storage.has_shared_times && !storage.has_small_times;
                let page = if has_dictionary { PAGE_OF_SHARED_TIMES } else { PAGE };
                builder
                    .set_column_dictionary_enabled(path.clone(), has_dictionary)
                    .set_column_data_page_size_limit(path.clone(), page)
                    .set_column_encoding(path, encoding)
            }
            _ => builder,
        };
    }
    builder
}

/// `true` if the times of a row group are stored as differences.
pub(crate) fn has_small_times(group: &RowGroupMetaData) -> bool {
    for column in group.columns() {
        for encoding in column.encodings() {
            if encoding == Encoding::DELTA_BINARY_PACKED {
                return true;
            }
        }
    }
    false
}

/// `true` if a column of floats probably has few different values: because they repeat, or because they have few
/// decimals and a small range, such as percentages. Prices, volumes and ratios have more.
fn has_few_values(column: &ArrayRef) -> bool {
    let Some(floats) = column.as_primitive_opt::<Float64Type>() else { return false };
    let values: Vec<f64> = floats.iter().flatten().collect();
    if values.is_empty() {
        return false;
    }
    let different: HashSet<u64> = values.iter().map(|value| value.to_bits()).collect();
    if different.len() * 16 <= values.len() {
        return true;
    }
    let mut least = f64::INFINITY;
    let mut greatest = f64::NEG_INFINITY;
    for value in &values {
        least = least.min(*value);
        greatest = greatest.max(*value);
    }
    is_scattered(&values, greatest - least) && has_few_steps(&values, greatest - least)
}

/// `true` if values that follow each other are far apart. If they are not, as for prices, later values may leave the
/// range of the first ones, and without a dictionary they are compressed well.
fn is_scattered(values: &[f64], range: f64) -> bool {
    let distance: f64 = values.windows(2).map(|pair| (pair[0] - pair[1]).abs()).sum();
    let pairs = u32::try_from(values.len().saturating_sub(1)).unwrap_or(u32::MAX);
    distance > f64::from(pairs) * range / 8.0
}

/// `true` if the range of the values has few multiples of their last decimal.
fn has_few_steps(values: &[f64], range: f64) -> bool {
    for decimals in 0..=DECIMALS {
        let unit = 10_f64.powi(decimals);
        if range * unit >= DICTIONARY {
            return false;
        }
        if values.iter().all(|value| ((value * unit).round() / unit).to_bits() == value.to_bits()) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Float64Array;

    use super::*;

    fn check(value: impl Fn(u32) -> f64) -> bool {
        let values: Float64Array = (0..1000).map(|row| Some(value(row * 7919 % 10_007))).collect();
        has_few_values(&(Arc::new(values) as ArrayRef))
    }

    #[test]
    fn columns_with_few_values_are_found() {
        assert!(check(|row| f64::from(row % 10_001) / 100.0));
        assert!(check(|row| f64::from(row % 3) * 0.123_456_789));
        assert!(check(f64::from));
        assert!(!check(|row| f64::from(row) * 123.45));
        assert!(!check(|row| f64::from(row).sqrt()));
        assert!(!check(|row| 60_000.0 + f64::from(row) * 0.37));
        // A price that moves slowly.
        let values: Float64Array = (0..1000).map(|row| Some(f64::from(5000 + row + row % 7) / 100.0)).collect();
        assert!(!has_few_values(&(Arc::new(values) as ArrayRef)));
        assert!(!has_few_values(&(Arc::new(Float64Array::new_null(9)) as ArrayRef)));
    }
}
