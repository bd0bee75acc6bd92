//! The ranges of values in the catalogue, as metadata of columns.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Field;
use runtime::registry::Range;

/// The metadata keys of the minimum and the maximum of a column.
pub(crate) const MINIMUM: &str = "minimum";
pub(crate) const MAXIMUM: &str = "maximum";

/// The range in the metadata of a column.
pub(crate) fn range_of(field: &Field) -> Range {
    Range { min: bound(field, MINIMUM), max: bound(field, MAXIMUM) }
}

fn bound(field: &Field, key: &str) -> Option<f64> {
    field.metadata().get(key)?.parse().ok()
}

/// The indices of the rows with a value outside of the range of its column.
pub(crate) fn out_of_range(rows: &RecordBatch) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (field, column) in rows.schema_ref().fields().iter().zip(rows.columns()) {
        let range = range_of(field);
        if range != Range::ALL {
            found.extend((0..rows.num_rows()).filter(|row| is_outside(column, *row, range)));
        }
    }
    found
}

/// `true` if the value of a row is outside of a range.
pub(crate) fn is_outside(column: &ArrayRef, row: usize, range: Range) -> bool {
    number(column, row).is_some_and(|value| !range.contains(value))
}

/// The value of a numeric column.
#[allow(clippy::cast_precision_loss)] // The bounds of a range are floats.
pub(crate) fn number(column: &ArrayRef, row: usize) -> Option<f64> {
    if column.is_null(row) {
        return None;
    }
    if let Some(floats) = column.as_primitive_opt::<Float64Type>() {
        return Some(floats.value(row));
    }
    column.as_primitive_opt::<Int64Type>().map(|integers| integers.value(row) as f64)
}
