//! Reads all facts about a value except its type, from its schema or from the object around the schema. The facts
//! become keys of a field or a param.

use codegen::is_line;
use codegen::model::TimeFormat;
use codegen::spec::Range;
use serde_yaml::Value;

use super::Reader;
use super::document::text_of;
use super::omissions::Weight;
use super::schemas::DEPTH;
use crate::draft_types::{TIMESTAMP, innermost, is_number, record_in, type_of_name};

/// The facts about a value, except its type.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) summary: String,
    pub(super) example: Option<String>,
    pub(super) range: Option<Range>,
    pub(super) format: Option<TimeFormat>,
}

impl Facts {
    /// Adds the facts of `other` that are missing.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            summary: if self.summary.is_empty() { other.summary } else { self.summary },
            example: self.example.or(other.example),
            range: joined(self.range, other.range),
            format: self.format.or(other.format),
        }
    }
}

/// Adds the limits of `other` that are missing.
fn joined(range: Option<Range>, other: Option<Range>) -> Option<Range> {
    let (Some(range), Some(other)) = (&range, &other) else { return range.or(other) };
    Some(Range { min: range.min.clone().or(other.min.clone()), max: range.max.clone().or(other.max.clone()) })
}

impl<'d> Reader<'d> {
    /// Returns the facts of a schema. A fact that the schema itself does not declare is read from the schemas to which
    /// the schema refers or that it combines.
    pub(super) fn facts_of_value(&mut self, schema: &'d Value, ty: &str, pointer: &str) -> Facts {
        let layers = self.document.layers(schema, "");
        // A named type or record declares its facts itself, so they are not repeated.
        let is_shared = type_of_name(ty).or(record_in(ty)).is_some() && innermost(ty) == ty;
        let own = self.facts(schema);
        let far = layers[1..].iter().filter(|_| !is_shared).map(|(layer, _)| self.facts(layer));
        let mut facts = far.fold(own, Facts::or);
        // The range of the items of a list or map becomes the range of the value.
        let mut lists = layers;
        for _ in 0..DEPTH {
            let of = |(list, _): &(&'d Value, String)| list.get("items").or(list.get("additionalProperties"));
            let Some(item) = lists.iter().find_map(of) else { break };
            lists = self.document.layers(item, "");
            facts.range = lists.iter().map(|(layer, _)| range(layer)).fold(facts.range, joined);
        }
        facts.range = self.restricted(facts.range, ty, pointer);
        facts.format = self.timestamp_format(schema).filter(|_| innermost(ty) == TIMESTAMP);
        self.with_example(facts, ty, pointer)
    }

    /// Returns the example and the range that an object declares, and its summary if summaries are imported.
    pub(super) fn facts(&self, value: &'d Value) -> Facts {
        let example = value.get("example").or(value.get("examples")).and_then(example);
        Facts { summary: self.summary(value, &["description"]), example, range: range(value), format: None }
    }

    /// Removes the example if it is not a value of the type.
    pub(super) fn with_example(&mut self, mut facts: Facts, ty: &str, pointer: &str) -> Facts {
        if let Some(example) = facts.example.take() {
            if self.fits(&example, ty, &facts) {
                facts.example = Some(example);
            } else {
                self.omissions.add(Weight::Fact, "an example that is not a value of its type", pointer);
            }
        }
        facts
    }

    /// Returns the range, unless it does not suit the type or allows no number. A minimum that the type implies is
    /// omitted.
    fn restricted(&mut self, range: Option<Range>, ty: &str, pointer: &str) -> Option<Range> {
        let Range { mut min, max } = range?;
        if min.as_deref().zip(max.as_deref()).is_some_and(|(min, max)| min > max) {
            self.omissions.add(Weight::Fact, "a `minimum` above the `maximum`", pointer);
            return None;
        }
        if ty == "count" && min.as_deref() == Some(&0.0) {
            min = None;
        }
        (is_number(ty) && (min.is_some() || max.is_some())).then_some(Range { min, max })
    }
}

/// Returns the example of a value, or the first of several examples, if it has one line.
fn example(value: &Value) -> Option<String> {
    match value {
        Value::Sequence(several) => several.first().filter(|first| !first.is_sequence()).and_then(example),
        Value::Mapping(_) | Value::Null | Value::Tagged(_) => None,
        one => Some(text_of(one)).filter(|text| is_line(text)),
    }
}

/// Returns the range that a schema itself declares.
fn range(schema: &Value) -> Option<Range> {
    let limit = |key: &str| schema.get(key)?.as_f64().filter(|limit| limit.is_finite()).map(Into::into);
    let range = Range { min: limit("minimum"), max: limit("maximum") };
    (range != Range::default()).then_some(range)
}
