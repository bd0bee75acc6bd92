//! Reads all facts about a value except its type, from its schema or from the object around the schema. The facts
//! become keys of a field or a param.

use codegen::is_line;
use codegen::spec::{Field, Range};
use serde_yaml::Value;

use super::Reader;
use super::document::text_of;
use super::omissions::Weight;
use crate::draft_types::{TIMESTAMP, innermost, is_number, record_in, type_of_name};

impl<'d> Reader<'d> {
    /// Returns a field without a name, with the facts of a schema, and of the param that contains it, if any. The nearest
    /// declaration of each fact applies: that of the param, of the schema, or of a schema to which the schema refers or
    /// that it combines.
    pub(super) fn facts(&mut self, param: Option<&'d Value>, schema: &'d Value, ty: &str, pointer: &str) -> Field {
        let (layers, levels) = (self.document.layers(schema, ""), self.document.levels(schema));
        // A named type or record declares its facts itself, so they are not repeated.
        let is_shared = type_of_name(ty).or(record_in(ty)).is_some() && innermost(ty) == ty;
        let own = layers.iter().map(|(layer, _)| *layer).take(if is_shared { 1 } else { layers.len() });
        let near: Vec<&Value> = param.into_iter().chain(own).collect();
        let mut summaries = near.iter().map(|layer| self.summary(layer, &["description"]));
        let summary = summaries.find(|summary| !summary.is_empty()).unwrap_or_default();
        let example = near.iter().find_map(|layer| example(layer.get("example").or(layer.get("examples"))?));
        let limit = |key| levels.iter().find_map(|level| level.get(key)?.as_f64().filter(|limit| limit.is_finite()));
        let range = self.range(limit("minimum"), limit("maximum"), ty, pointer);
        let format = self.document.timestamp_format(schema).filter(|_| innermost(ty) == TIMESTAMP);
        let (ty, range, format) = (ty.into(), range.map(Into::into), format.map(Into::into));
        let facts = Field { ty, summary, range, format, ..Field::default() };
        let fits = example.as_ref().is_none_or(|example| self.fits(example, &facts));
        if !fits {
            self.omissions.add(Weight::Fact, "an example that is not a value of its type", pointer);
        }
        Field { example: example.filter(|_| fits).map(Into::into), ..facts }
    }

    /// Returns the range, unless it does not suit the type or allows no number. A minimum that the type implies is
    /// omitted.
    fn range(&mut self, min: Option<f64>, max: Option<f64>, ty: &str, pointer: &str) -> Option<Range> {
        if min.zip(max).is_some_and(|(min, max)| min > max) {
            self.omissions.add(Weight::Fact, "a `minimum` above the `maximum`", pointer);
            return None;
        }
        let min = min.filter(|min| ty != "count" || *min != 0.0);
        let range = Range { min: min.map(Into::into), max: max.map(Into::into) };
        (is_number(ty) && range != Range::default()).then_some(range)
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
