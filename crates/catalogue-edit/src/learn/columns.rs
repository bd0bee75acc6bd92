//! Converts columns to records. Columns are an object with a list for each field, such as
//! `{"time": [1, 2], "price": [10, 11]}`.

use catalogue::spec::Field;
use serde_yaml::{Mapping, Value};

use super::guess_type::{Guess, guess};
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The maximum number of objects around columns.
const MAX_DEPTH: usize = 2;

/// Replaces columns in the bodies by lists of records, and removes the responses that have none. `declared` is the path
/// of the columns, with their fields, if the catalogue declares them; otherwise they are searched. Returns `false`, and
/// changes nothing, if there are no columns, or if a response has other data.
pub(super) fn to_records(responses: &mut Vec<SavedResponse>, declared: Option<(&str, &[Field])>) -> bool {
    let converted: Vec<_> = responses.iter().map(|response| converted(response.body.clone(), declared)).collect();
    let pairs = || responses.iter().zip(&converted);
    let filled = pairs().find(|(_, body)| body.is_some()).and_then(|(response, _)| response.body.as_mapping());
    let is_empty = |body: &Value| {
        let mut keys = body.as_mapping().into_iter().flat_map(Mapping::keys);
        !has_items(body) && keys.any(|key| filled.is_some_and(|filled| filled.contains_key(key)))
    };
    if !pairs().all(|(response, body)| body.is_some() || is_empty(&response.body)) {
        return false;
    }
    let mut converted = converted.into_iter();
    responses.retain_mut(|response| converted.next().flatten().map(|body| response.body = body).is_some());
    true
}

/// Returns the body with records instead of columns.
fn converted(mut body: Value, declared: Option<(&str, &[Field])>) -> Option<Value> {
    let (found, fields) = match declared {
        Some((path, fields)) => {
            let mut keys = path.split('.').filter(|key| !key.is_empty());
            (keys.try_fold(&mut body, member)?, fields)
        }
        None => (find(&mut body, 0)?, &[][..]),
    };
    *found = Value::Sequence(records(found, fields)?);
    Some(body)
}

/// Returns the member with this key. For `*`, it is the only member that is an object.
fn member<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    if key != "*" {
        return value.get_mut(key);
    }
    let mut objects = value.as_mapping_mut()?.values_mut().filter(|value| value.is_mapping());
    objects.next().filter(|_| objects.next().is_none())
}

/// Returns `true` if a value contains a list with items.
fn has_items(value: &Value) -> bool {
    value.as_sequence().is_some_and(|items| !items.is_empty())
        || value.as_mapping().is_some_and(|members| members.values().any(has_items))
}

/// Returns the object with columns, if its fields include a time, and nothing but scalars is next to it.
fn find(value: &mut Value, depth: usize) -> Option<&mut Value> {
    let is_time = |(name, seen): (&String, &Observed)| matches!(guess(name, seen), Guess::Time(_));
    if records(value, &[]).is_some_and(|records| Observed::of(&records).fields.iter().any(is_time)) {
        return Some(value);
    }
    let is_filled = |value: &&mut Value| value.is_mapping() || value.as_sequence().is_some_and(|list| !list.is_empty());
    let mut filled = value.as_mapping_mut().filter(|_| depth < MAX_DEPTH)?.values_mut().filter(is_filled);
    let only = filled.next().filter(|_| filled.next().is_none())?;
    find(only, depth + 1)
}

/// Returns the records of an object. The lists of `declared` fields must have the same length, as for the client. Other
/// lists of scalars with this length are columns too. If no fields are declared, all lists must be columns, at least two.
fn records(value: &Value, declared: &[Field]) -> Option<Vec<Value>> {
    let lists = value.as_mapping()?.iter().filter_map(|(key, value)| Some((key, value.as_sequence()?)));
    let mut columns: Vec<_> = lists.collect();
    let is_declared = |key: &Value| declared.iter().any(|field| Some(field.name.as_str()) == key.as_str());
    let is_required = |key: &Value| declared.is_empty() || is_declared(key);
    let length = columns.iter().find(|(key, _)| is_required(key))?.1.len();
    let is_scalar = |item: &Value| !item.is_mapping() && !item.is_sequence();
    let is_column = |(key, items): &(&Value, &Vec<Value>)| {
        items.len() == length && (is_declared(key) || items.iter().all(is_scalar))
    };
    columns.retain(|column| is_required(column.0) || is_column(column));
    let are_columns = columns.iter().all(is_column) && (columns.len() > 1 || !declared.is_empty());
    let record = |index: usize| {
        let values = columns.iter().map(|(key, items)| ((*key).clone(), items[index].clone()));
        Value::Mapping(values.collect::<Mapping>())
    };
    are_columns.then(|| (0..length).map(record).collect())
}
