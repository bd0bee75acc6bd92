//! A JSON object for human-readable documents. Its keys stay in the order in which they were added.

use serde_yaml::{Mapping, Value};

use catalogue::yaml_parser::{Kind, Node};

/// A JSON object with builder methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object(Mapping);

/// Returns a schema of a type of JSON.
pub(super) fn typed(ty: &str) -> Object {
    Object::default().with("type", ty)
}

impl Object {
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.into(), value.into());
        self
    }

    pub(super) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a text; omits the key if the text is empty.
    pub(super) fn with_text(self, key: &str, text: &str) -> Self {
        self.with_some(key, (!text.is_empty()).then_some(text))
    }

    /// Adds a list; omits the key if the list is empty.
    pub(super) fn with_list<V: Into<Value>>(self, key: &str, items: impl IntoIterator<Item = V>) -> Self {
        let items: Vec<Value> = items.into_iter().map(Into::into).collect();
        self.with_some(key, (!items.is_empty()).then_some(items))
    }

    /// Adds all keys of another object.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the given keys of a map of the catalogue, separated by spaces. A key that the map does not have is omitted.
    pub(super) fn of_keys(map: &Node, keys: &str) -> Self {
        keys.split(' ').filter_map(|key| Some((key, json(map.get(key)?)))).collect()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns the value of a key, if it is an object.
    pub(super) fn object(&self, key: &str) -> Option<Self> {
        self.0.get(key)?.as_mapping().cloned().map(Self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Mapping(object.0)
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        pairs.into_iter().fold(Self::default(), |object, (key, value)| object.with(&key.into(), value))
    }
}

/// Converts a tree of the catalogue to a JSON value.
pub(super) fn json(node: &Node) -> Value {
    let text = |key: &Node| key.text().unwrap_or_default().to_owned();
    match &node.kind {
        Kind::Null => Value::Null,
        Kind::Text(text) => text.as_str().into(),
        Kind::Flag(flag) => (*flag).into(),
        Kind::Number(written) => written.parse().map_or_else(|_| written.as_str().into(), number),
        Kind::List(items) => items.iter().map(json).collect::<Vec<_>>().into(),
        Kind::Map(entries) => entries.iter().map(|(key, value)| (text(key), json(value))).collect::<Object>().into(),
    }
}

/// Converts a number to a JSON value. An integer is written without a fraction, so `5.0` becomes `5`.
pub(super) fn number(number: f64) -> Value {
    number.to_string().parse::<i64>().map_or_else(|_| number.into(), Into::into)
}
