//! Converts columns to records. Columns are an object with a list for each field, such as
//! `{"time": [1, 2], "price": [10, 11]}`.

use serde_yaml::{Mapping, Value};

use super::guess_type::{Guess, guess};
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The maximum number of objects around columns.
const MAX_DEPTH: usize = 2;

/// Replaces columns in the bodies by lists of records. `path` is the path of the columns if the catalogue declares them;
/// otherwise they are searched. Returns `true` if all bodies have columns.
pub(super) fn to_records(responses: &mut [SavedResponse], path: Option<&str>) -> bool {
    let mut all = responses.iter_mut().map(|response| {
        let body = &mut response.body;
        let found = match path {
            Some(path) => path.split('.').filter(|key| !key.is_empty()).try_fold(body, Value::get_mut),
            None => find(body, 0),
        };
        let Some((found, records)) = found.and_then(|found| records(found).map(|records| (found, records))) else {
            return false;
        };
        *found = Value::Sequence(records);
        true
    });
    all.all(|is_replaced| is_replaced)
}

/// Returns the object with columns, if its fields include a time, and nothing but scalars is next to it.
fn find(value: &mut Value, depth: usize) -> Option<&mut Value> {
    let is_time = |(name, seen): (&String, &Observed)| matches!(guess(name, seen), Guess::Time(_));
    if records(value).is_some_and(|records| Observed::of(&records).fields.iter().any(is_time)) {
        return Some(value);
    }
    let is_filled = |value: &&mut Value| value.is_mapping() || value.as_sequence().is_some_and(|list| !list.is_empty());
    let mut filled = value.as_mapping_mut().filter(|_| depth < MAX_DEPTH)?.values_mut().filter(is_filled);
    let only = filled.next().filter(|_| filled.next().is_none())?;
    find(only, depth + 1)
}

/// Returns the records of an object whose lists, at least two, have scalars and the same length.
fn records(value: &Value) -> Option<Vec<Value>> {
    let lists = value.as_mapping()?.iter().filter_map(|(key, value)| Some((key, value.as_sequence()?)));
    let columns: Vec<_> = lists.collect();
    let length = columns.first()?.1.len();
    let is_scalar = |item: &Value| !item.is_mapping() && !item.is_sequence();
    let are_columns = columns.iter().all(|(_, items)| items.len() == length && items.iter().all(is_scalar));
    let record = |index: usize| {
        let values = columns.iter().map(|(key, items)| ((*key).clone(), items[index].clone()));
        Value::Mapping(values.collect::<Mapping>())
    };
    (columns.len() > 1 && are_columns).then(|| (0..length).map(record).collect())
}
