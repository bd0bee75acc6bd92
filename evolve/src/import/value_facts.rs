//! Reads all facts about a value except its type, from its schema or from the object around the schema. The facts
//! become keys of a field or a param.

use codegen::is_line;
use codegen::spec::RANGE;
use serde_yaml::Value;

use super::Reader;
use super::document::text_of;
use super::omissions::Weight;
use super::schemas::DEPTH;
use crate::draft_types::{TIMESTAMP, innermost, is_number, record_in, type_of_name, written};
use crate::yaml_tree::Tree;

impl<'d> Reader<'d> {
    /// Returns the facts of a schema. A fact that the schema itself does not declare is read from the schemas to which
    /// the schema refers or that it combines.
    pub(super) fn facts_of_value(&mut self, schema: &'d Value, ty: &str, pointer: &str) -> Tree {
        let layers = self.document.layers(schema, "");
        // A named type or record declares its facts itself, so they are not repeated.
        let is_shared = type_of_name(ty).or(record_in(ty)).is_some() && innermost(ty) == ty;
        let own = self.facts(schema);
        let far = layers[1..].iter().filter(|_| !is_shared).map(|(layer, _)| self.facts(layer));
        let mut facts = far.fold(own, Tree::or);
        // The range of the items of a list or map becomes the range of the value.
        let mut lists = layers;
        for _ in 0..DEPTH {
            let of = |(list, _): &(&'d Value, String)| list.get("items").or(list.get("additionalProperties"));
            let Some(item) = lists.iter().find_map(of) else { break };
            lists = self.document.layers(item, "");
            facts = lists.iter().map(|(layer, _)| Tree::map().with_some("range", range(layer))).fold(facts, Tree::or);
        }
        self.restrict(&mut facts, ty, pointer);
        let format = self.timestamp_format(schema).filter(|_| innermost(ty) == TIMESTAMP);
        self.with_example(facts.with_some("format", format), ty, pointer)
    }

    /// Returns the example and the range that an object declares, and its summary if summaries are imported.
    pub(super) fn facts(&self, value: &'d Value) -> Tree {
        Tree::map()
            .with_some("summary", self.summary(value, &["description"]))
            .with_some("example", value.get("example").or(value.get("examples")).and_then(example))
            .with_some("range", range(value))
    }

    /// Converts the example to the format of the catalogue, or removes it if it is not a value of the type.
    pub(super) fn with_example(&mut self, mut facts: Tree, ty: &str, pointer: &str) -> Tree {
        let Some(example) = facts.get("example").and_then(Tree::scalar).map(str::to_owned) else { return facts };
        facts.remove("example");
        if self.fits(&example, ty, &facts) {
            return facts.with("example", written(ty, &example));
        }
        self.omissions.add(Weight::Fact, "an example that is not a value of its type", pointer);
        facts
    }

    /// Removes a range that does not suit the type or allows no number, and a minimum that the type implies.
    fn restrict(&mut self, facts: &mut Tree, ty: &str, pointer: &str) {
        let Some(range) = facts.get("range") else { return };
        let bound = |key: &str| range.get(key).and_then(Tree::scalar).and_then(|bound| bound.parse::<f64>().ok());
        let is_range = bound("min").zip(bound("max")).is_none_or(|(min, max)| min <= max);
        let is_implied = ty == "count" && bound("min") == Some(0.0);
        let mut range = range.clone();
        if is_implied {
            range.remove("min");
        }
        facts.remove("range");
        if !is_range {
            self.omissions.add(Weight::Fact, "a `minimum` above the `maximum`", pointer);
        } else if is_number(ty) && range != Tree::map() {
            *facts = std::mem::replace(facts, Tree::Null).with("range", range.ordered(&RANGE));
        }
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
fn range(schema: &Value) -> Option<Tree> {
    let limit = |key: &str| schema.get(key).and_then(number);
    let range = Tree::map().with_some("min", limit("minimum")).with_some("max", limit("maximum"));
    (range != Tree::map()).then_some(range)
}

/// Returns a bound of a range. An integer keeps the digits that a float would lose.
fn number(bound: &Value) -> Option<Tree> {
    let number = bound.as_f64().filter(|number| number.is_finite())?;
    let is_whole = bound.is_i64() || bound.is_u64();
    Some(Tree::Number(if is_whole { text_of(bound) } else { number.to_string() }))
}
