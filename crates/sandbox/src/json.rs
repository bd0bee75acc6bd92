//! Texts and paths of JSON values.

use runtime::Value;
use serde_json::Map;

/// Inserts a value at a path of keys separated by dots. A key that is an index is the position in a list; the items before
/// it are empty objects until they get a value.
pub(crate) fn put(body: &mut Value, path: &str, value: Value) {
    let (key, rest) = match path.split_once('.') {
        Some((key, rest)) => (key, Some(rest)),
        None => (path, None),
    };
    let Some(member) = member(body, key) else { return };
    match rest {
        Some(rest) => put(member, rest, value),
        None => *member = value,
    }
}

/// The member of an object or a list with this key, which is added if it does not exist. `body` becomes an object or a
/// list, if it is null or an empty object.
fn member<'v>(body: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    let is_empty = body.is_null() || body.as_object().is_some_and(Map::is_empty);
    // A larger number is not the position in a list.
    let index = key.parse::<u8>().ok().map(usize::from);
    if is_empty && index.is_some() {
        *body = Value::Array(Vec::new());
    } else if is_empty {
        *body = Value::Object(Map::new());
    }
    match body {
        Value::Object(members) => Some(members.entry(key).or_insert(Value::Null)),
        Value::Array(items) => {
            let index = index?;
            if items.len() <= index {
                items.resize(index + 1, Value::Object(Map::new()));
            }
            items.get_mut(index)
        }
        _ => None,
    }
}

/// The text of a string without its quotes, or the JSON text of another value.
pub(crate) fn text_of(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_is_an_index_is_a_position_in_a_list() {
        let body = |paths: &[&str]| {
            let mut body = Value::Null;
            for path in paths {
                put(&mut body, path, json!({"1700000000": 1}));
            }
            body
        };
        let value = json!({"1700000000": 1});
        assert_eq!(body(&["1", "0.page"]), json!([{"page": value}, value]));
        assert_eq!(body(&["data.0", "status"]), json!({"data": [value], "status": value}));
        assert_eq!(body(&["results.1.error"]), json!({"results": [{}, {"error": value}]}));
        assert_eq!(body(&["1700000000.data"]), json!({"1700000000": {"data": value}}));
    }
}
