//! The fields of an object that are not in the catalogue.
//!
//! New fields of a service are not lost: a field that is not in a record's table is kept here as text of the body. The
//! first access locates the values; each access to a value parses it. An object without unknown fields allocates
//! nothing.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::OnceLock;

use crate::decode::{self, DecodeError};
use crate::registry::RecordInfo;
use crate::values::Value;

/// Fields by their wire names, in the order of the response.
///
/// A value that [`Value`] cannot represent, for example a number beyond every `f64`, is returned as its text.
#[derive(Default)]
pub struct UnknownFields {
    /// The fields as an object; empty if there are none.
    json: Box<str>,
    /// Boxed, because every record has it and few callers use it; behind a trait, so that its drop code is compiled
    /// here and not again for each kind of record.
    entries: OnceLock<Box<dyn LookedUp>>,
}

/// Positions of the values of an object in its text.
struct Entries {
    all: Vec<(String, Range<usize>)>,
    /// Position of each name. An object is used as the map, because `serde_json` has that compiled; another map would
    /// be compiled with the client.
    positions: Value,
}

trait LookedUp: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn entries(&self) -> &Entries;
}

impl LookedUp for Entries {
    fn entries(&self) -> &Entries {
        self
    }
}

impl UnknownFields {
    /// Returns the value of a field, by its name on the wire.
    pub fn get(&self, name: &str) -> Option<Value> {
        let Entries { all, positions } = self.entries()?;
        let position = usize::try_from(positions.get(name)?.as_u64()?).ok()?;
        all.get(position).map(|(_, range)| self.value(range))
    }

    /// Returns names and values; of two fields with the same name the later one is used, as usual in JSON.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Cow<'_, str>, Value)> {
        let all = self.entries().map(|entries| entries.all.as_slice()).unwrap_or_default();
        all.iter().map(|(name, range)| (Cow::Borrowed(name.as_str()), self.value(range)))
    }

    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.entries().map_or(0, |entries| entries.all.len())
    }

    /// Returns whether the catalogue lists every field of the response.
    pub fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Returns the fields as a JSON object, with every value as the service wrote it.
    pub fn as_json(&self) -> &str {
        if self.json.is_empty() { "{}" } else { &self.json }
    }

    /// Reads an object in which all fields are unknown.
    pub(super) fn read(json: &str) -> Result<Self, DecodeError> {
        static NOTHING: RecordInfo = RecordInfo::new("UnknownFields", &[]);
        decode::object(json, &NOTHING).map(|mut row| row.unknown_fields())
    }

    fn new(json: &str) -> Self {
        Self { json: json.into(), entries: OnceLock::new() }
    }

    /// Returns the positions of the values, if there are any.
    fn entries(&self) -> Option<&Entries> {
        let look_up = || self.entries.get_or_init(|| Box::new(Entries::of(&self.json)));
        (!self.json.is_empty()).then(|| look_up().entries())
    }

    /// Returns the value in that range, or its text if `Value` cannot represent it.
    fn value(&self, range: &Range<usize>) -> Value {
        let text = self.json.get(range.clone()).unwrap_or_default();
        decode::any(text).unwrap_or_else(|_| text.into())
    }
}

impl Entries {
    fn of(json: &str) -> Self {
        let (mut all, mut positions): (Vec<(String, Range<usize>)>, _) = (Vec::new(), Value::Null);
        decode::entries(json, |name, range| {
            let position = positions.get(&*name).and_then(|position| usize::try_from(position.as_u64()?).ok());
            if let Some((_, earlier)) = position.and_then(|position| all.get_mut(position)) {
                *earlier = range;
            } else {
                positions[&*name] = all.len().into();
                all.push((name.into_owned(), range));
            }
        });
        Self { all, positions }
    }
}

/// Creates the fields of a record that is not received, as in a test.
impl<K: Into<String>> FromIterator<(K, Value)> for UnknownFields {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(fields: I) -> Self {
        let mut object = Value::Null;
        for (name, value) in fields {
            object[&*name.into()] = value;
        }
        if object.is_null() { Self::default() } else { Self::new(&object.to_string()) }
    }
}

impl Clone for UnknownFields {
    fn clone(&self) -> Self {
        Self { json: self.json.clone(), entries: OnceLock::new() }
    }
}

/// Equal if names, values and their order are the same; white space and escapes do not matter.
impl PartialEq for UnknownFields {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json() || self.iter().eq(other.iter())
    }
}

impl fmt::Debug for UnknownFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

/// The unknown fields of the object that is being read, as JSON text without the closing brace.
///
/// It is reused for all objects, so each object costs only the allocation that it keeps.
#[derive(Debug, Default)]
pub(crate) struct UnknownText(String);

impl UnknownText {
    /// Returns whether no field is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a key and its value as text of the body.
    pub(crate) fn push(&mut self, entry: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(entry);
    }

    /// Adds the unknown fields of an inner object, if it has any, with its key and colon.
    pub(super) fn push_object(&mut self, key: &str, object: &Self) {
        if !object.is_empty() {
            self.push(&format!("{key}{}}}", object.0));
        }
    }

    /// Returns the kept fields, and leaves this empty.
    #[inline]
    pub(crate) fn take(&mut self) -> UnknownFields {
        if self.0.is_empty() { UnknownFields::default() } else { self.close() }
    }

    /// Drops the kept fields.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn close(&mut self) -> UnknownFields {
        self.0.push('}');
        let fields = UnknownFields::new(&self.0);
        self.0.clear();
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(object: &str) -> UnknownFields {
        UnknownFields::new(object)
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
    fn clone_has_the_unknown_fields() {
        let fields = fields(r#"{"b": 1, "a": 2.50}"#);
        assert_eq!((fields.clone().as_json(), fields.clone() == fields), (fields.as_json(), true));
    }

    #[test]
    fn many_unknown_fields_are_kept() {
        let entries: Vec<_> = (0..100_000).map(|number| format!("\"{number}\":{number}")).collect();
        let fields = fields(&format!("{{{}}}", entries.join(",")));
        assert_eq!((fields.len(), fields.get("99999")), (100_000, Some(Value::from(99_999))));
    }

    #[test]
    fn one_unknown_field_is_parsed_on_demand() {
        let long = format!("[{}]", vec!["1.25"; 100].join(","));
        let entries: Vec<_> = (0..400).map(|number| format!("\"n{number}\":{long}")).collect();
        let fields = fields(&format!("{{{}}}", entries.join(",")));
        let start = std::time::Instant::now();
        assert_eq!(fields.iter().filter(|(_, value)| value[99] == 1.25).count(), 400);
        let all = start.elapsed();
        for number in 0..400 {
            assert!(fields.get(&format!("n{number}")).is_some_and(|value| value[99] == 1.25));
        }
        // Reading everything again for each of them would take four hundred times as long.
        let one_by_one = start.elapsed().saturating_sub(all);
        assert!(one_by_one < 50 * all, "{one_by_one:?} and {all:?}");
    }

    #[test]
    fn number_beyond_a_value_is_kept_as_text() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let fields = fields(&format!(r#"{{"large": 1e999, "half": "\ud800", "deep": {deep}, "plain": 1}}"#));
        let entries: Vec<_> = fields.iter().collect();
        let expected = [("large", "1e999"), ("half", r#""\ud800""#), ("deep", &deep)];
        for ((name, value), (expected_name, expected)) in entries.iter().zip(expected) {
            assert_eq!((&**name, value), (expected_name, &Value::from(expected)));
        }
        assert_eq!(fields.get("plain"), Some(Value::from(1)));
    }

    #[test]
    fn unknown_fields_can_be_created() {
        let made: UnknownFields = [("b", Value::from(1)), ("c", Value::from("t"))].into_iter().collect();
        assert_eq!(made, fields(r#"{"b":1,"c":"t"}"#));
        assert_eq!(UnknownFields::from_iter(Vec::<(String, Value)>::new()), UnknownFields::default());
    }

    #[test]
    fn record_without_unknown_fields_is_empty() {
        let fields = UnknownFields::default();
        assert_eq!((fields.len(), fields.is_empty(), fields.as_json()), (0, true, "{}"));
    }

    #[test]
    fn unknown_fields_are_equal_regardless_of_format() {
        let plain = fields(r#"{"a":1}"#);
        assert_eq!(plain, fields(r#"{"\u0061" : 1}"#));
        assert_ne!(plain, fields(r#"{"a":2}"#));
        assert_ne!(plain, UnknownFields::default());
    }
}
