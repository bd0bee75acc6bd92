//! The fields of an object that are not in the catalogue.
//!
//! New fields of a service are not lost: a field that is not in a record's table is kept here, as the text that the
//! body contains. Each access parses that text again. An object without unknown fields allocates nothing, unless a
//! known field is absent or has a value that would be written in another form, such as `0.10`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::scanner::{any, read};
use crate::registry::FieldInfo;
use crate::values::Value;

/// The fields of an object that are not in the catalogue, by their wire names, in the order of the response.
///
/// A [`Value`] has the precision of an `f64`, while [`get_raw`](Self::get_raw) returns a number with every digit. A
/// value that `Value` cannot represent, for example a number that is too large for an `f64`, is returned as its text.
#[derive(Clone, Default)]
pub struct UnknownFields {
    /// The fields as the text of a JSON object, which is empty if there are no fields, and the [originals](push_original):
    /// the text of known fields that would be written in another form, and [`ABSENT`] for each absent field. Both are in
    /// one text, so that a record allocates once.
    text: Box<str>,
    /// The length of the JSON object.
    json_length: usize,
}

/// The text that stands for an absent field among the originals of known fields. No value has an empty text.
pub(super) const ABSENT: &str = "";

/// The number of bits of a number that one character of an original has, and the bit of a character that is not the
/// last. All characters are ASCII, so that each takes one byte.
const BITS: u32 = 6;
const MORE: usize = 1 << BITS;

impl UnknownFields {
    /// Fields without originals.
    fn of_json(object: &str) -> Self {
        Self { text: object.into(), json_length: object.len() }
    }

    /// Returns the value of a field, by its name on the wire.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.get_raw(name).map(value_of)
    }

    /// Returns the value of a field as the service wrote it, by its name on the wire.
    pub fn get_raw(&self, name: &str) -> Option<&str> {
        member(self.as_json(), name)
    }

    /// The fields without the values at these JSON paths. The others are as the service wrote them.
    pub(crate) fn without(&self, paths: &[&str]) -> Self {
        let mut others = UnknownText::default();
        for (name, text) in self.iter_raw() {
            if let Some(kept) = without_paths(&name, text, paths) {
                others.push(&entry(&name, &kept));
            }
        }
        others.take()
    }

    /// Returns names and values; of two fields with the same name the later one is used, as usual in JSON.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Cow<'_, str>, Value)> {
        self.iter_raw().map(|(name, text)| (name, value_of(text)))
    }

    /// Returns names and values as the service wrote them; of two fields with the same name the later one is used.
    pub fn iter_raw(&self) -> impl ExactSizeIterator<Item = (Cow<'_, str>, &str)> {
        members(self.as_json()).into_iter()
    }

    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.iter_raw().len()
    }

    /// Returns whether the object has no unknown fields.
    pub fn is_empty(&self) -> bool {
        self.json_length == 0
    }

    /// Returns the fields as a JSON object, with every value as the service wrote it.
    pub fn as_json(&self) -> &str {
        if self.is_empty() { "{}" } else { self.text.get(..self.json_length).unwrap_or_default() }
    }

    /// The names of the known fields that would be written in another form, and their text as the service wrote it.
    /// `fields` is the table of the record.
    pub(crate) fn originals(&self, fields: &'static [FieldInfo]) -> Vec<(&'static str, &str)> {
        let mut all = Vec::new();
        let mut rest = self.text.get(self.json_length..).unwrap_or_default();
        while let Some(original) = take_original(&mut rest) {
            all.extend(fields.get(original.field).map(|field| (field.wire_name, original.text)));
        }
        all
    }
}

/// The text of a known field as the service wrote it.
struct Original<'u> {
    /// The index of the field in the table of its record.
    field: usize,
    text: &'u str,
}

/// Appends an original: the index of the field, the length of the text, and the text. Unlike an entry of a JSON object, it
/// takes a few instructions only, because many services write every number in another form, such as `1.0`.
fn push_original(out: &mut String, original: &Original<'_>) {
    push_number(out, original.field);
    push_number(out, original.text.len());
    out.push_str(original.text);
}

/// Removes the first original of a text, and returns it.
fn take_original<'u>(rest: &mut &'u str) -> Option<Original<'u>> {
    let field = take_number(rest)?;
    let length = take_number(rest)?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(Original { field, text })
}

fn push_number(out: &mut String, mut number: usize) {
    while number >= MORE {
        out.push(ascii(number % MORE + MORE));
        number >>= BITS;
    }
    out.push(ascii(number));
}

fn take_number(rest: &mut &str) -> Option<usize> {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let next = usize::from(*rest.as_bytes().first()?);
        *rest = rest.get(1..)?;
        number |= (next % MORE) << shift;
        if next < MORE {
            return Some(number);
        }
        shift += BITS;
    }
}

/// The character with this code, which is below 128.
fn ascii(code: usize) -> char {
    char::from(u8::try_from(code).unwrap_or_default())
}

/// The name and the text of each member of an object; none for any other value. Of two members with the same
/// name the later one is used.
pub(super) fn members<'u>(json: &'u str) -> Vec<(Cow<'u, str>, &'u str)> {
    let mut all: Vec<(Cow<'u, str>, &'u str)> = Vec::new();
    let mut indexes = HashMap::new();
    each_member(json, |key, text| {
        let index = *indexes.entry(key.clone()).or_insert(all.len());
        match all.get_mut(index) {
            Some((_, earlier)) => *earlier = text,
            None => all.push((key, text)),
        }
    });
    all
}

/// The text of the last member with this name.
pub(super) fn member<'u>(json: &'u str, name: &str) -> Option<&'u str> {
    let mut found = None;
    each_member(json, |key, text| found = if key == name { Some(text) } else { found });
    found
}

/// Calls a function with the name and the text of each member of an object.
fn each_member<'u>(json: &'u str, mut visit: impl FnMut(Cow<'u, str>, &'u str)) {
    let read = read(json, |json, next| {
        if next != b'{' {
            return json.skip(next);
        }
        json.object(|json| {
            let (key, next) = json.any_key()?;
            let start = json.at;
            json.skip(next)?;
            visit(key, json.since(start));
            Ok(())
        })
    });
    debug_assert!(read.is_ok(), "{json}");
}

/// Reads a value, or returns its text if `Value` cannot represent it.
pub(super) fn value_of(text: &str) -> Value {
    any(text).unwrap_or_else(|_| on_one_line(text).into())
}

/// A JSON text without the white space between its tokens.
pub(super) fn on_one_line(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    let mut is_string = false;
    let mut is_escaped = false;
    for character in json.chars() {
        if character == '"' && !is_escaped {
            is_string = !is_string;
        }
        is_escaped = character == '\\' && !is_escaped;
        if is_string || !character.is_ascii_whitespace() {
            line.push(character);
        }
    }
    line
}

/// Creates the unknown fields of a record that was not received, for example in a test.
impl<K: Into<String>> FromIterator<(K, Value)> for UnknownFields {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(fields: I) -> Self {
        let mut object = Value::Null;
        for (name, value) in fields {
            object[&*name.into()] = value;
        }
        if object.is_null() { Self::default() } else { Self::of_json(&object.to_string()) }
    }
}

/// Two sets of unknown fields are equal if names, values and their order are the same; white space and escapes are not
/// compared.
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
/// The buffer is reused for all objects, so memory is allocated only for an object that has unknown fields.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct UnknownText {
    fields: String,
    /// The originals of known fields.
    originals: String,
}

impl UnknownText {
    /// `true` if the object has had no unknown field so far.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Adds an entry: the JSON text of a key, a colon and a value.
    pub(crate) fn push(&mut self, entry: &str) {
        add(&mut self.fields, entry);
    }

    /// Keeps the text of the known field with this index, which would be written in another form.
    #[inline]
    pub(super) fn keep(&mut self, field: usize, text: &str) {
        push_original(&mut self.originals, &Original { field, text });
    }

    /// Adds the unknown fields of an inner object, if there are any. `key` is the text of the inner object's key and
    /// colon.
    pub(super) fn push_object(&mut self, key: &str, object: &Self) {
        if !object.is_empty() {
            self.push(&format!("{key}{}}}", object.fields));
        }
    }

    /// Returns the kept fields, and empties the buffer.
    #[inline]
    pub(crate) fn take(&mut self) -> UnknownFields {
        let is_empty = self.fields.is_empty() && self.originals.is_empty();
        if is_empty { UnknownFields::default() } else { self.take_some() }
    }

    #[inline(never)] // Most records have nothing to take.
    fn take_some(&mut self) -> UnknownFields {
        if !self.fields.is_empty() {
            self.fields.push('}');
        }
        let json_length = self.fields.len();
        self.fields.push_str(&self.originals);
        let fields = UnknownFields { text: self.fields.as_str().into(), json_length };
        self.clear();
        fields
    }

    /// Drops the kept fields.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.fields.clear();
        self.originals.clear();
    }
}

/// The text of a field without the values at these JSON paths; `None` if nothing remains.
fn without_paths<'t>(name: &str, text: &'t str, paths: &[&str]) -> Option<Cow<'t, str>> {
    let mut inner_paths = Vec::new();
    for path in paths {
        match path.strip_prefix(name) {
            Some("") => return None,
            Some(rest) => inner_paths.extend(rest.strip_prefix('.')),
            None => {}
        }
    }
    if inner_paths.is_empty() || !text.starts_with('{') {
        return Some(Cow::Borrowed(text));
    }
    let mut object = String::new();
    for (inner_name, inner_text) in members(text) {
        if let Some(kept) = without_paths(&inner_name, inner_text, &inner_paths) {
            add(&mut object, &entry(&inner_name, &kept));
        }
    }
    (!object.is_empty()).then(|| Cow::Owned(object + "}"))
}

/// The JSON text of a key, a colon and a value.
pub(super) fn entry(name: &str, text: &str) -> String {
    format!("{}:{text}", Value::from(name))
}

fn add(object: &mut String, entry: &str) {
    object.push(if object.is_empty() { '{' } else { ',' });
    object.push_str(entry);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(object: &str) -> UnknownFields {
        UnknownFields::of_json(object)
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
    fn values_at_paths_are_removed() {
        for (object, paths, expected) in [
            (r#"{"a":1,"b": 2}"#, &["a"] as &[_], r#"{"b":2}"#),
            (r#"{"a":1}"#, &["a"], "{}"),
            (r#"{"next":"x","page":{"next":"y","size":5.0}}"#, &["page.next"], r#"{"next":"x","page":{"size":5.0}}"#),
            (r#"{"page":{"next":"y"},"c":1}"#, &["page.next", "c.d"], r#"{"c":1}"#),
            (r#"{"pages":1,"page":[{"next":1}]}"#, &["page.next"], r#"{"pages":1,"page":[{"next":1}]}"#),
        ] {
            assert_eq!(fields(object).without(paths).as_json(), expected, "{object}");
        }
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
    fn raw_number_has_every_digit() {
        let fields = fields(r#"{"a": 1, "b": 12345678901234567890123, "a": 0.10}"#);
        assert_eq!((fields.get_raw("b"), fields.get_raw("a")), (Some("12345678901234567890123"), Some("0.10")));
        assert_eq!(fields.iter_raw().collect::<Vec<_>>()[0], ("a".into(), "0.10"));
        assert_eq!(fields.get_raw("c"), None);
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
    fn originals_of_any_index_and_length_are_kept() {
        let long = "9".repeat(100_000);
        let mut text = String::new();
        let all = [(0, "1.0"), (63, ABSENT), (64, "é"), (4095, "\"0\""), (4096, &long), (1_000_000, "0")];
        for (field, text_of) in all {
            push_original(&mut text, &Original { field, text: text_of });
        }
        let mut rest = text.as_str();
        for expected in all {
            let original = take_original(&mut rest).unwrap();
            assert_eq!((original.field, original.text), expected);
        }
        assert!(take_original(&mut rest).is_none());
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
