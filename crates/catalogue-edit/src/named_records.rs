//! Converts records that are lists to objects, by names that the body has in another list.

use serde_yaml::{Mapping, Value};

/// The records as objects. Without records, there need not be names.
pub(crate) fn to_objects(records: &Value, names: Option<&Value>) -> Option<Value> {
    if records.is_null() {
        return Some(Value::Null);
    }
    objects_of(records.as_sequence()?, names).map(Value::Sequence)
}

/// The lists as objects, as in `to_objects`.
pub(crate) fn objects_of(lists: &[Value], names: Option<&Value>) -> Option<Vec<Value>> {
    let names = match names.and_then(names_in) {
        Some(names) => names,
        None if lists.is_empty() => Vec::new(),
        None => return None,
    };
    let mut objects = Vec::with_capacity(lists.len());
    for list in lists {
        let mut object = Mapping::new();
        for (index, value) in list.as_sequence()?.iter().enumerate() {
            let name = match names.get(index) {
                Some(name) => (*name).to_owned(),
                None => index.to_string(),
            };
            object.insert(name.into(), value.clone());
        }
        objects.push(Value::Mapping(object));
    }
    Some(objects)
}

/// The names in a list of texts, or of objects with the text `name`.
pub(crate) fn names_in(list: &Value) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for item in list.as_sequence()? {
        let name = match item.as_str() {
            Some(name) => name,
            None => item.get("name")?.as_str()?,
        };
        names.push(name);
    }
    Some(names)
}
