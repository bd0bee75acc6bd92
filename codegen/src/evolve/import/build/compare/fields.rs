//! Fields that both know.

use super::Comparison;
use super::facts::Spot;
use crate::evolve::edit::Step;
use crate::evolve::import::build::known::FieldsAt;
use crate::evolve::import::build::label;
use crate::evolve::import::build::params::written;
use crate::evolve::import::plan::{PlannedBody, PlannedField, Said};
use crate::evolve::tree::Tree;
use crate::spec::{self, Evidence};
use crate::type_expr::TypeExpr;

impl Comparison<'_> {
    /// The fields of a record and those that stand in its place.
    pub(super) fn fields(&mut self, record: usize, at: &FieldsAt) {
        let Some(list) = at.list(self.checked) else { return };
        let (file, path) = at.place(self.checked);
        let plan = self.plan;
        let planned = &plan.records[record];
        for (index, known) in list.fields.iter().enumerate() {
            let Some(said) = planned.fields.iter().find(|said| said.name == known.name) else { continue };
            let path = [path.as_slice(), &[Step::Item(index)]].concat();
            let spot = Spot { file: file.clone(), path, name: format!("`{}`", known.name), of: list.label.clone() };
            self.field(&spot, known, list.evidence, said);
        }
        if let (Some(known), Some((_, above))) = (at.record(self.checked), path.split_last()) {
            let spot = Spot { file, path: above.to_vec(), name: list.label, of: String::new() };
            self.facts.summary(&spot, &known.summary, &planned.said.summary);
            self.evidence(&spot, known.evidence, planned.said.evidence.as_deref());
        }
    }

    fn field(&mut self, spot: &Spot, known: &spec::Field, inherited: Evidence, said: &PlannedField) {
        let evidence = known.evidence.unwrap_or(inherited);
        match self.differing(&known.ty, &said.ty, &said.said, None) {
            Some(differing) => self.facts.differ(&spot.name, &spot.of, differing),
            None => self.range(spot, &known.ty, known.range.as_deref(), &[(&spot.of, &said.said)], None),
        }
        // A field that is known otherwise than by document is an `Option` anyway, and our own descriptions say so.
        match (known.optional, said.optional, evidence) {
            (true, false, _) => {
                let text = "always there in the description, optional here";
                self.facts.differ(&spot.name, &spot.of, text.to_owned());
            }
            (false, true, Evidence::Document) => {
                let text = "optional in the description, always there here";
                self.facts.differ(&spot.name, &spot.of, text.to_owned());
            }
            (false, true, _) if !self.plan.is_ours => self.facts.insert(spot, "optional", true),
            _ => {}
        }
        // Two examples contradict each other in nothing.
        if known.example.is_none() {
            let example = said.said.example.as_deref().map(|value| written(&said.ty, value));
            self.facts.fact(spot, "example", None, &[(&spot.of, example)], None);
        }
        self.texts(spot, (&known.unit, &known.summary, &known.notes), &said.said);
        self.ident(spot, known.ident.as_ref().map(|ident| ident.as_str()), said.said.ident.as_deref());
        self.evidence(spot, evidence, said.said.evidence.as_deref());
    }

    /// The time of all series, which the envelope has and none of them repeats.
    pub(super) fn time_of_series(&mut self) {
        let envelope = self.checked.service.envelope.as_ref();
        let Some(time) = envelope.and_then(|envelope| envelope.time.as_ref()) else { return };
        let plan = self.plan;
        for endpoint in &plan.endpoints {
            let PlannedBody::Series(Some(record), _) = endpoint.body else { continue };
            let said = plan.records[record].fields.iter().find(|field| field.name == time.name);
            let differing = said.and_then(|said| self.differing(&time.ty, &said.ty, &said.said, None));
            if let Some(differing) = differing {
                self.facts.differ(&format!("`{}`", time.name), &label(endpoint), differing);
            }
        }
    }

    /// What it is measured in and what it means.
    pub(super) fn texts(&mut self, spot: &Spot, (unit, summary, notes): (&str, &str, &str), said: &Said) {
        let known = (!unit.is_empty()).then(|| unit.into());
        self.facts.fact(spot, "unit", known.as_ref(), &[(&spot.of, said.unit.clone().map(Tree::Text))], None);
        self.facts.summary(spot, summary, &said.summary);
        self.facts.notes(spot, notes, said.notes.as_deref());
    }

    /// A name that the description chooses for Rust, as only our own do.
    pub(super) fn ident(&mut self, spot: &Spot, known: Option<&str>, said: Option<&str>) {
        if let Some(said) = said.filter(|said| known != Some(said)) {
            let here = known.unwrap_or("nothing");
            self.facts.differ(&spot.name, &spot.of, format!("ident {said} in the description, {here} here"));
        }
    }

    /// How something is known, as only our own descriptions say.
    pub(super) fn evidence(&mut self, spot: &Spot, known: Evidence, said: Option<&str>) {
        let here = known.word();
        if let Some(said) = said.filter(|said| *said != here) {
            self.facts.differ(&spot.name, &spot.of, format!("evidence {said} in the description, {here} here"));
        }
    }

    /// Bounds, each for itself.
    pub(super) fn range(
        &mut self,
        spot: &Spot,
        ty: &str,
        known: Option<&spec::Range>,
        said: &[(&str, &Said)],
        why_not: Option<&str>,
    ) {
        // A count has no negative values anyway.
        let zero = |min: f64| ty == "count" && min == 0.0;
        let said: Vec<(&str, Said)> = said
            .iter()
            .map(|(of, said)| (*of, Said { min: said.min.filter(|min| !zero(*min)), ..(*said).clone() }))
            .collect();
        let is_number = matches!(TypeExpr::parse(ty), Some(TypeExpr::Builtin(builtin)) if builtin.is_numeric());
        let why_not = if is_number { why_not } else { Some("whose type has no bounds") };
        let Some(known) = known else {
            let said: Vec<_> = said.iter().map(|(of, said)| (*of, said.range())).collect();
            return self.facts.fact(spot, "range", None, &said, why_not);
        };
        for (key, bound) in [("min", (|said| said.min) as fn(&Said) -> Option<f64>), ("max", |said| said.max)] {
            let here = if key == "min" { &known.min } else { &known.max };
            let here = here.as_deref().copied();
            let is_range = said.iter().all(|(_, said)| {
                // What stands here stays, so that it is the bound which another is to go with.
                let (min, max) = (&known.min, &known.max);
                let (min, max) = (min.as_deref().copied().or(said.min), max.as_deref().copied().or(said.max));
                min.zip(max).is_none_or(|(min, max)| min <= max)
            });
            let why_not = if is_range { why_not } else { Some("where the other bound leaves no number") };
            let said: Vec<_> = said.iter().map(|(of, said)| (*of, bound(said).map(Tree::from))).collect();
            self.facts.fact(&spot.within("range"), key, here.map(Tree::from).as_ref(), &said, why_not);
        }
    }
}
