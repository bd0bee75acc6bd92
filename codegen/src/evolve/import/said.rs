//! What is said of a value beside its type, where it stands or where its schema does.

use serde_yaml::Value;

use super::Reader;
use super::document::{evidence_of, text};
use super::plan::{Said, Ty};

impl<'d> Reader<'d> {
    /// What is said of a field where it stands, or else where its schema does.
    pub(super) fn said_of_value(&mut self, schema: &'d Value, ty: &Ty, place: &str) -> Said {
        let target = self.document.follow(schema).map_or(schema, |(target, _)| target);
        let is_shared = matches!(ty, Ty::Named(_) | Ty::Record(_));
        let own = self.said(schema);
        let far = if is_shared { Said::default() } else { self.said(target) };
        // An item's bounds are those of the value where several are taken.
        let items = schema.get("items").map(|items| self.said(items)).unwrap_or_default();
        let bound =
            |bound: fn(&Said) -> Option<f64>| bound(&own).or(bound(&far)).or(bound(&items)).filter(|_| ty.is_number());
        let is_bounded = [&own, &far, &items].iter().any(|said| said.min.or(said.max).is_some());
        if is_bounded && !ty.is_number() {
            self.notes.add("`minimum` or `maximum` of what is no number", place);
        }
        let zero = |min: Option<f64>| min.filter(|min| *ty != Ty::Builtin("count") || *min != 0.0);
        let (min, max) = (zero(bound(|said| said.min)), bound(|said| said.max));
        let is_range = min.zip(max).is_none_or(|(min, max)| min <= max);
        if !is_range {
            self.notes.add("a range without a number in it", place);
        }
        Said {
            summary: if own.summary.is_empty() { far.summary.clone() } else { own.summary.clone() },
            ident: own.ident.clone().or(far.ident.clone()),
            unit: own.unit.clone().or(far.unit.clone()),
            notes: own.notes.clone().or(far.notes.clone()),
            evidence: own.evidence.clone().or(far.evidence.clone()),
            min: min.filter(|_| is_range),
            max: max.filter(|_| is_range),
        }
    }

    /// What an object says of what it describes, if that is to be taken over.
    pub(super) fn said(&mut self, value: &'d Value) -> Said {
        let range = value.get("x-range");
        let bound = |key: &str, own: &str| value.get(key).or(range.and_then(|range| range.get(own)))?.as_f64();
        Said {
            summary: text(value, "description").map(|text| self.prose(text)).unwrap_or_default(),
            ident: text(value, "x-ident").map(str::to_owned),
            unit: text(value, "x-unit").map(str::to_owned),
            notes: text(value, "x-notes").filter(|_| self.options.summaries).map(str::to_owned),
            evidence: evidence_of(value).map(str::to_owned),
            min: bound("minimum", "min"),
            max: bound("maximum", "max"),
        }
    }
}
