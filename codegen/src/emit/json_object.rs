//! A JSON object for human-readable documents. Its keys stay in the order in which they were added.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_yaml::{Mapping, Value};

use catalogue::yaml_parser::{Kind, Node};

/// A JSON object with builder methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object(Mapping);

/// A large JSON object with the members that a function returns. Each of them is built, written and dropped before the next
/// one is built.
pub(super) struct LargeObject<B>(pub(super) B);

impl<B, M> Serialize for LargeObject<B>
where
    B: Fn() -> M,
    M: Iterator<Item = (String, Object)>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for (key, object) in (self.0)() {
            members.serialize_entry(&key, &object.0)?;
        }
        members.end()
    }
}

/// A schema of a type of JSON.
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
        if text.is_empty() { self } else { self.with(key, text) }
    }

    /// Adds a list; omits the key if the list is empty.
    pub(super) fn with_list<V: Into<Value>>(self, key: &str, items: impl IntoIterator<Item = V>) -> Self {
        let items: Vec<Value> = items.into_iter().map(Into::into).collect();
        if items.is_empty() { self } else { self.with(key, items) }
    }

    /// Adds all keys of another object.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The given keys of a map of the catalogue, separated by spaces. A key that the map does not have is omitted.
    pub(super) fn of_keys(map: &Node, keys: &str) -> Self {
        let mut object = Self::default();
        for key in keys.split(' ') {
            object = object.with_some(key, map.get(key).map(json));
        }
        object
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The value of a key, if it is an object.
    pub(super) fn object(&self, key: &str) -> Option<Self> {
        let object = self.0.get(key)?.as_mapping()?;
        Some(Self(object.clone()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All members, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.0.iter()
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Mapping(object.0)
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut object = Self::default();
        for (key, value) in pairs {
            object = object.with(&key.into(), value);
        }
        object
    }
}

/// Converts a tree of the catalogue to a JSON value.
pub(super) fn json(node: &Node) -> Value {
    match &node.kind {
        Kind::Null => Value::Null,
        Kind::Text(text) => text.as_str().into(),
        Kind::Flag(flag) => (*flag).into(),
        Kind::Number(written) => match written.parse() {
            Ok(parsed) => number(parsed),
            Err(_) => written.as_str().into(),
        },
        Kind::List(items) => items.iter().map(json).collect::<Vec<_>>().into(),
        Kind::Map(entries) => {
            let mut object = Object::default();
            for (key, value) in entries {
                object = object.with(key.text().unwrap_or_default(), json(value));
            }
            object.into()
        }
    }
}

/// Converts a number to a JSON value. An integer is written without a fraction, so `5.0` becomes `5`.
pub(super) fn number(number: f64) -> Value {
    match number.to_string().parse::<i64>() {
        Ok(whole) => whole.into(),
        Err(_) => number.into(),
    }
}

/// A JSON string, which is also a valid string of TOML and of Python.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
