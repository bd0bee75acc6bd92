//! The fields of an object that the catalogue does not know.
//!
//! A server that grows loses no data through this crate: what is not in a record's table ends up here, as
//! it came, and is only taken apart for whoever asks. No allocation as long as there is nothing to keep.

use std::borrow::Cow;
use std::fmt;

use crate::decode;
use crate::values::Value;

/// Fields by their names on the wire, in the order in which they came.
#[derive(Clone, Default)]
pub struct UnknownFields(Option<Box<str>>);

impl UnknownFields {
    /// The value of a field, by its name on the wire.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Names and values; of two with one name the later counts, as everywhere in JSON.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Cow<'_, str>, Value)> {
        decode::entries(self.as_json()).into_iter()
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.iter().len()
    }

    /// Whether the catalogue knows every field that came.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The fields as a JSON object, with every value as the service wrote it.
    pub fn as_json(&self) -> &str {
        self.0.as_deref().unwrap_or("{}")
    }
}

/// Whether names, values and their order are the same, however they are written.
impl PartialEq for UnknownFields {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.iter().eq(other.iter())
    }
}

impl fmt::Debug for UnknownFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

/// The unknown fields of the object that is being read, as an object that is still open.
///
/// It serves one object after the other, so each costs the one allocation that it keeps.
#[derive(Debug, Default)]
pub(crate) struct UnknownText(String);

impl UnknownText {
    /// Whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps a key and its value, as they stand in the body.
    pub(crate) fn push(&mut self, entry: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(entry);
    }

    /// Hands over what was kept, and begins again.
    #[inline]
    pub(crate) fn take(&mut self) -> UnknownFields {
        if self.0.is_empty() { UnknownFields::default() } else { self.close() }
    }

    /// Forgets what was kept.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn close(&mut self) -> UnknownFields {
        self.0.push('}');
        let fields = UnknownFields(Some(self.0.as_str().into()));
        self.0.clear();
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(object: &str) -> UnknownFields {
        UnknownFields(Some(object.into()))
    }

    #[test]
    fn keeps_order_and_the_later_value() {
        let fields = fields(r#"{"b": 1, "a": 2.50, "b": 2, "b": 3}"#);
        let entries: Vec<_> = fields.iter().collect();
        assert_eq!(entries, [("b".into(), Value::from(3)), ("a".into(), Value::from(2.5))]);
        assert_eq!((fields.len(), fields.is_empty()), (2, false));
        assert_eq!((fields.get("b"), fields.get("c")), (Some(Value::from(3)), None));
        assert_eq!(format!("{fields:?}"), r#"{"b": 1, "a": 2.50, "b": 2, "b": 3}"#);
    }

    #[test]
    fn many_are_no_trouble() {
        let entries: Vec<_> = (0..100_000).map(|number| format!("\"{number}\":{number}")).collect();
        let fields = fields(&format!("{{{}}}", entries.join(",")));
        assert_eq!((fields.len(), fields.get("99999")), (100_000, Some(Value::from(99_999))));
    }

    #[test]
    fn nothing_to_keep() {
        let fields = UnknownFields::default();
        assert_eq!((fields.len(), fields.is_empty(), fields.as_json()), (0, true, "{}"));
    }

    #[test]
    fn equal_however_written() {
        let plain = fields(r#"{"a":1}"#);
        assert_eq!(plain, fields(r#"{"\u0061" : 1}"#));
        assert_ne!(plain, fields(r#"{"a":2}"#));
        assert_ne!(plain, UnknownFields::default());
    }
}
