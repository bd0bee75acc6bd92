//! Parses the text of a description, JSON or YAML, into a tree.
//!
//! Integers outside of the range of 64 bits become floating-point numbers, because descriptions have them as limits, and
//! `Value` itself rejects them. Tags are ignored.

use std::fmt;

use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::value::Number;
use serde_yaml::{Mapping, Value};

/// The number of open brackets from which on a text is rejected before it is parsed as YAML, because the time of the
/// parser grows with the square of this number. Far above the depth of any real description.
const MAX_BRACKETS: usize = 1_000;

/// Parses a text.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    if most_brackets(text) > MAX_BRACKETS {
        return Err(format!("it is nested too deeply (more than {MAX_BRACKETS} levels)"));
    }
    if !text.trim_start().starts_with('{') {
        return parse_yaml(text);
    }
    // YAML may begin like JSON, so text that is not valid JSON is parsed as YAML. The JSON parser is tried first because it
    // is faster, and its errors are about JSON.
    serde_json::from_str(text).or_else(|error| parse_yaml(text).map_err(|_| error.to_string()))
}

fn parse_yaml(text: &str) -> Result<Value, String> {
    let tree: Tree = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    Ok(tree.0)
}

/// The largest number of brackets that are open at once. Brackets in texts count too, but most are closed there.
fn most_brackets(text: &str) -> usize {
    let mut open = 0_usize;
    let mut most = 0;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// A value that accepts every number.
struct Tree(Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor).map(Self)
    }
}

struct TreeVisitor;

/// Converts an integer of more than 64 bits. Only its magnitude is needed, as a limit.
#[expect(clippy::cast_precision_loss, reason = "the value is a limit, and the nearest number is sufficient")]
fn rounded(number: i128) -> Value {
    Value::Number(Number::from(number as f64))
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
        Ok(rounded(number))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Value, E> {
        Ok(rounded(i128::try_from(number).unwrap_or(i128::MAX)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Tree(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Sequence(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Mapping::new();
        while let Some((Tree(key), Tree(value))) = entries.next_entry()? {
            if map.insert(key.clone(), value).is_some() {
                let key = serde_json::to_string(&key).unwrap_or_default();
                return Err(serde::de::Error::custom(format!("duplicate entry with key {key}")));
            }
        }
        Ok(Value::Mapping(map))
    }

    /// A value with a tag.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (Tree(_), content) = tagged.variant()?;
        content.newtype_variant_seed(TreeSeed)
    }
}

struct TreeSeed;

impl<'de> DeserializeSeed<'de> for TreeSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_accepted() {
        for (text, expected) in [
            ("a: 18446744073709551615", Some(18_446_744_073_709_551_615.0)),
            ("a: 18446744073709552000", Some(18_446_744_073_709_552_000.0)),
            ("a: -9223372036854775809", Some(-9_223_372_036_854_775_809.0)),
            ("a: 340282366920938463463374607431768211456", Some(3.402_823_669_209_385e38)),
            ("{\"a\": 18446744073709552000}", Some(18_446_744_073_709_552_000.0)),
            ("{a: !!int 5}", Some(5.0)),
        ] {
            let found = parse(text).map(|root| root.get("a").and_then(Value::as_f64));
            assert_eq!(found, Ok(expected), "{text}");
        }
    }

    #[test]
    fn values_are_those_of_the_library() {
        let text =
            "a: &x {b: [1, -2, 1.5, true, ~, 'c', 012, 0x1f, .inf]}\nd: *x\ne: {<<: *x, f: !t g}\n200: 2024-01-31\n";
        let mut expected: Value = serde_yaml::from_str(text).expect("YAML");
        expected["e"]["f"] = "g".into();
        assert_eq!(parse(text), Ok(expected));
        assert!(parse("a: 1\na: 2").is_err_and(|why| why.contains("duplicate entry")));
    }

    #[test]
    fn deep_text_is_rejected_at_once() {
        for (open, close) in [("{\"a\":", "}"), ("[", "]"), ("{a: ", "}")] {
            let text = format!("{{\"x\": {}1{}}}", open.repeat(20_000), close.repeat(20_000));
            for text in [text.as_str(), &format!("y: {text}")] {
                assert!(parse(text).is_err_and(|why| why.contains("nested too deeply")));
            }
        }
    }
}
