//! The fields of an object that the catalogue does not know.
//!
//! A server that grows loses no data through this crate: what is not in a record's table ends up here,
//! as it came. Eight bytes and no allocation as long as there is nothing to keep.

use std::fmt;

use crate::Value;

/// Fields by their names on the wire, in the order in which they came.
#[derive(Clone, Default, PartialEq)]
// Boxed, because it stands in every record: one word instead of three.
#[allow(clippy::box_collection)]
pub struct UnknownFields(Option<Box<Vec<Entry>>>);

type Entry = (Box<str>, Value);

impl UnknownFields {
    /// The value of a field, by its name on the wire.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries().iter().map(|(name, value)| (&**name, value))
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether the catalogue knows every field that came.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Keeps a field; of two with one name the later counts, as everywhere in JSON.
    pub(crate) fn insert(&mut self, name: &str, value: Value) {
        let entries = self.0.get_or_insert_default();
        match entries.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, old)) => *old = value,
            None => entries.push((name.into(), value)),
        }
    }

    fn entries(&self) -> &[Entry] {
        self.0.as_ref().map_or(&[], |entries| entries.as_slice())
    }
}

impl fmt::Debug for UnknownFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word() {
        assert_eq!(size_of::<UnknownFields>(), size_of::<usize>());
    }

    #[test]
    fn keeps_order_and_the_later_value() {
        let mut fields = UnknownFields::default();
        assert!(fields.is_empty());
        fields.insert("b", Value::from(1));
        fields.insert("a", Value::from(2));
        fields.insert("b", Value::from(3));
        assert_eq!(fields.len(), 2);
        assert_eq!(fields.get("b"), Some(&Value::from(3)));
        assert_eq!(fields.get("c"), None);
        assert_eq!(format!("{fields:?}"), r#"{"b": Number(3), "a": Number(2)}"#);
    }
}
