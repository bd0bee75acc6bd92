//! What is said of a value beside its type, where it stands or where its schema does.

use codegen::is_line;
use serde_yaml::Value;

use super::Reader;
use super::document::{evidence_of, text, text_of};
use super::plan::{Annotations, Bound, Ty};
use super::schema::DEPTH;

impl<'d> Reader<'d> {
    /// What is said of a value where it stands, or else where its schema does.
    pub(super) fn said_of_value(&self, schema: &'d Value, ty: &Ty) -> Annotations {
        let layers = self.document.layers(schema, "");
        let is_shared = matches!(ty, Ty::Named(_) | Ty::Record(_));
        let own = self.said(schema);
        let far = layers[1..].iter().filter(|_| !is_shared).map(|(layer, _)| self.said(layer));
        let said = far.fold(own, Annotations::or);
        // An item's bounds are those of the value where several are taken.
        let (mut items, mut lists) = (Annotations::default(), layers);
        for _ in 0..DEPTH {
            let of = |(list, _): &(&'d Value, String)| list.get("items").or(list.get("additionalProperties"));
            let Some(item) = lists.iter().find_map(of) else { break };
            lists = self.document.layers(item, "");
            items = lists.iter().map(|(layer, _)| bounds(layer)).fold(items, Annotations::or);
        }
        let said = said.or(items);
        let is_range = said.min.zip(said.max).is_none_or(|(min, max)| min <= max);
        let holds = is_range && ty.is_number();
        let is_implied = |min: Bound| *ty == Ty::Builtin("count") && min.number == 0.0;
        let (min, max) = (said.min.filter(|min| holds && !is_implied(*min)), said.max.filter(|_| holds));
        let is_moment = *ty.innermost() == Ty::Builtin("timestamp");
        let format = self.moment_format(schema).filter(|_| is_moment).map(str::to_owned);
        let said = Annotations { format, min, max, ..said };
        let example = said.example.clone().filter(|example| self.fits(example, ty, &said));
        Annotations { example, ..said }
    }

    /// What an object says of what it describes, if that is to be taken over.
    pub(super) fn said(&self, value: &'d Value) -> Annotations {
        Annotations {
            summary: text(value, "description").map(|text| self.prose(text)).unwrap_or_default(),
            ident: text(value, "x-ident").map(str::to_owned),
            unit: text(value, "x-unit").map(str::to_owned),
            example: value.get("example").or(value.get("examples")).and_then(example),
            notes: text(value, "x-notes").filter(|_| self.options.summaries).map(str::to_owned),
            evidence: evidence_of(value).map(str::to_owned),
            ..bounds(value)
        }
    }
}

/// One value to show, if it can be written on a line; of several the first.
fn example(value: &Value) -> Option<String> {
    match value {
        Value::Sequence(several) => several.first().filter(|first| !first.is_sequence()).and_then(example),
        Value::Mapping(_) | Value::Null | Value::Tagged(_) => None,
        one => Some(text_of(one)).filter(|text| is_line(text)),
    }
}

/// The bounds that a schema has itself.
fn bounds(schema: &Value) -> Annotations {
    let range = schema.get("x-range");
    let bound = |key: &str, own: &str| number(schema.get(key).or(range.and_then(|range| range.get(own)))?);
    Annotations { min: bound("minimum", "min"), max: bound("maximum", "max"), ..Annotations::default() }
}

fn number(bound: &Value) -> Option<Bound> {
    let number = bound.as_f64().filter(|number| number.is_finite())?;
    Some(Bound { number, whole: bound.as_i64().map(i128::from).or(bound.as_u64().map(i128::from)) })
}
