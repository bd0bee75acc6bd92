//! Endpoints and groups that both know, beside their params and fields.

use super::Comparison;
use super::facts::Spot;
use crate::evolve::import::build::Slot;
use crate::evolve::import::build::known::{endpoint_path, file, label};
use crate::evolve::import::plan::{PlannedBody, PlannedEndpoint};
use crate::names::{self, Case};
use crate::spec::{self, Fields, Known};

impl Comparison<'_> {
    /// What the description says of groups by their tags.
    pub(super) fn groups(&mut self) {
        for planned in &self.plan.groups {
            let Some((module, group)) = self.checked.groups.iter().find(|(module, _)| *module == planned.module) else {
                continue;
            };
            let of = format!("the group `{module}`");
            let spot = Spot { file: format!("{module}.yaml"), path: Vec::new(), name: of, of: String::new() };
            self.facts.summary(&spot, &group.summary, &planned.summary);
            self.aliases(&spot, &group.aliases, &planned.aliases);
        }
    }

    pub(super) fn endpoints(&mut self, slots: &[Slot]) {
        let plan = self.plan;
        for (said, slot) in plan.endpoints.iter().zip(slots) {
            let Slot::Known(group, index) = slot else { continue };
            let (module, spec) = &self.checked.groups[*group];
            let known = &spec.endpoints[*index];
            let spot = Spot {
                file: file(self.checked, *group),
                path: endpoint_path(*index).to_vec(),
                name: label(known),
                of: String::new(),
            };
            self.endpoint(&spot, known, said);
            self.name(&spot, module, known, said);
            self.body(&spot, known, said);
        }
    }

    fn endpoint(&mut self, spot: &Spot, known: &spec::Endpoint, said: &PlannedEndpoint) {
        self.facts.summary(spot, &known.summary, &said.said.summary);
        self.facts.notes(spot, &known.notes, said.said.notes.as_deref());
        match (&known.deprecated, &said.deprecated) {
            (None, Some(text)) => self.facts.insert(spot, "deprecated", text.as_str()),
            (Some(_), None) => {
                let text = "not deprecated in the description, deprecated here";
                self.facts.differ(&spot.name, "", text.to_owned());
            }
            _ => {}
        }
        if let (Known::Known(_), Some(_)) = (&known.path, &said.path) {
            self.evidence(spot, known.evidence, said.said.evidence.as_deref());
        }
        self.ident(spot, known.ident.as_ref().map(|ident| ident.as_str()), said.said.ident.as_deref());
        self.aliases(spot, &known.aliases, &said.aliases);
    }

    fn aliases(&mut self, spot: &Spot, known: &[String], said: &[String]) {
        let new: Vec<&str> = said.iter().filter(|alias| !known.contains(alias)).map(String::as_str).collect();
        if !new.is_empty() {
            self.facts.differ(&spot.name, "", format!("aliases {} in the description, not here", new.join(", ")));
        }
    }

    /// What it is called and where it stands, which users of the client have in their programs.
    fn name(&mut self, spot: &Spot, module: &str, known: &spec::Endpoint, said: &PlannedEndpoint) {
        let ident = |name: &str| names::ident(name, Case::Snake).ok();
        let here = known.ident.as_deref().cloned().or_else(|| ident(&known.name));
        let is_same = said.said.ident.is_some() || ident(&said.name) == here || ident(&said.name) == ident(&known.name);
        if said.is_named && !is_same {
            let text = format!("called `{}` in the description, `{}` here", said.name, known.name);
            self.facts.differ(&spot.name, "", text);
        }
        if said.is_tagged && said.group != module {
            let text = format!("in the group `{}` in the description, in `{module}` here", said.group);
            self.facts.differ(&spot.name, "", text);
        }
    }

    fn body(&mut self, spot: &Spot, known: &spec::Endpoint, said: &PlannedEndpoint) {
        let Known::Known(body) = &known.body else { return };
        let here = if body.series.is_some() { "a series" } else { "an object" };
        let there = match &said.body {
            PlannedBody::Unknown => return,
            PlannedBody::Series(..) => "a series",
            PlannedBody::Object(_) => "an object",
        };
        let name = "the body";
        if here != there {
            self.facts.differ(name, &spot.name, format!("{there} in the description, {here} here"));
            return;
        }
        let PlannedBody::Series(Some(_), Some(said_time)) = &said.body else { return };
        let envelope = self.checked.service.envelope.as_ref().and_then(|envelope| envelope.time.as_ref());
        let here = body.time.as_ref().or(envelope.map(|time| &time.name));
        let is_listed = matches!(body.series, Some(Known::Known(Fields::Inline(_) | Fields::Record(_))));
        if is_listed && here.is_some_and(|here| here != said_time) {
            let here = here.map(ToString::to_string).unwrap_or_default();
            self.facts.differ("the time", &spot.name, format!("{said_time} in the description, {here} here"));
        }
    }
}
