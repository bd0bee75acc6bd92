//! Converts records that are lists to objects, by names that the body has in another list.

use serde_yaml::{Mapping, Value};

/// The records as objects. Without records, there need not be names.
pub(crate) fn to_objects(records: &Value, names: Option<&Value>) -> Option<Value> {
    let Some(lists) = records.as_sequence() else { return records.is_null().then(|| records.clone()) };
    let names = names.and_then(names_in).or(lists.is_empty().then(Vec::new))?;
    let mut objects = Vec::with_capacity(lists.len());
    for list in lists {
        let mut object = Mapping::new();
        for (index, value) in list.as_sequence()?.iter().enumerate() {
            let name = names.get(index).map_or_else(|| index.to_string(), ToString::to_string);
            object.insert(name.into(), value.clone());
        }
        objects.push(Value::Mapping(object));
    }
    Some(Value::Sequence(objects))
}

/// The names in a list of texts, or of objects with the text `name`.
pub(crate) fn names_in(list: &Value) -> Option<Vec<&str>> {
    let names = list.as_sequence()?.iter().map(|item| item.as_str().or_else(|| item.get("name")?.as_str()));
    names.collect()
}
