//! Compares the service, groups, endpoints and named types with the known ones.

use codegen::names::{self, Case};

use super::Merger;
use super::compare::Subject;
use super::places;
use super::report::some_of;
use super::values::is_known;
use crate::naming::ident_of;
use crate::place::Place;
use crate::tree::Tree;

impl Merger<'_> {
    /// The service as a whole.
    pub(super) fn service(&mut self, said: &Tree) {
        let mut said = said.clone();
        if !self.new.prefix.is_empty() {
            let text = format!("suffix {} in the description, in the paths here", self.new.prefix);
            self.report.differ("`base_url`", "", text);
            said.remove("base_url");
        }
        self.compare_one(&Subject::new(&Place::service(), "the service", ""), said);
    }

    /// Compares groups, from their tags.
    pub(super) fn groups(&mut self) {
        for file in self.new.desk.groups().map(str::to_owned).collect::<Vec<_>>() {
            if *self.desk.tree(&file) != Tree::Null {
                let name = format!("the group `{}`", file.trim_end_matches(".yaml"));
                let subject = Subject::new(&Place::file(&file), name, "");
                self.compare_one(&subject, self.new.desk.tree(&file).clone());
            }
        }
    }

    pub(super) fn endpoint(&mut self, at: &Place, new: &Place) {
        let (known, said) = (at.tree(self.desk).clone(), new.tree(&self.new.desk).clone());
        let subject = Subject::new(at, places::label(&known), "");
        let mut told = said.clone();
        if known.text("path") == Some("unknown") {
            told.remove("evidence");
        }
        self.compare_one(&subject, told);
        if known.get("deprecated").is_some() && said.get("deprecated").is_none() {
            self.report.differ(&subject.name, "", "not deprecated in the description, deprecated here".to_owned());
        }
        self.name(&subject, at, &known, new, &said);
        self.body(&subject, &known, &said, &new.file);
    }

    /// Compares name and group, which stand in users' programs.
    fn name(&mut self, subject: &Subject, at: &Place, known: &Tree, new: &Place, said: &Tree) {
        let Some(hint) = self.new.hints.get(new) else { return };
        let method = |tree: &Tree| ident_of(tree);
        let named = |tree: &Tree| names::ident(tree.text("name").unwrap_or_default(), Case::Snake).ok();
        let is_same = (self.new.is_ours && said.get("ident").is_some())
            || named(said) == method(known)
            || named(said) == named(known);
        let [name, here] = [said, known].map(|tree| tree.text("name").unwrap_or_default());
        if hint.is_named && !is_same {
            self.report.differ(&subject.name, "", format!("called `{name}` in the description, `{here}` here"));
        }
        let [group, here] = [new, at].map(|place| place.file.trim_end_matches(".yaml"));
        if hint.is_tagged && group != here {
            let text = format!("in the group `{group}` in the description, in `{here}` here");
            self.report.differ(&subject.name, "", text);
        }
    }

    fn body(&mut self, subject: &Subject, known: &Tree, said: &Tree, new_file: &str) {
        let (Some(known), Some(said)) = (self.desk.body(known), said.get("body")) else { return };
        if let Some(text) = self.differing_bodies(&known, new_file, said) {
            return self.report.differ("the body", &subject.name, text);
        }
        let Some(here) = places::kind(&known).filter(|_| places::kind(said).is_some()) else { return };
        let shared = places::envelope_time(self.desk).and_then(|time| time.text("name"));
        let time = known.text("time").or(shared);
        let is_listed = known.get(here).is_some_and(is_known);
        if let (Some(said), Some(here), true, true) = (said.text("time"), time, is_listed, self.new.is_ours)
            && said != here
        {
            let text = format!("{said} in the description, {here} here");
            self.report.differ("the time", &subject.name, text);
        }
    }

    /// Compares types: their meaning, and values that the description lacks.
    pub(super) fn named_types(&mut self) {
        for (new, (name, of)) in self.matches.types.clone() {
            let Some((at, known)) = self.desk.named_type(&name).map(|(at, known)| (at, known.clone())) else {
                continue;
            };
            let Some(said) = self.new.desk.named_type(&new).map(|(_, said)| said.clone()) else { continue };
            self.compare_one(&Subject::new(&at, format!("`{name}`"), ""), said.clone());
            let value = |value: &Tree| value.text("value").unwrap_or_default().to_owned();
            let values: Vec<String> = said.entries("values").iter().map(value).collect();
            let missing: Vec<String> =
                known.entries("values").iter().map(value).filter(|value| !values.contains(value)).collect();
            if !missing.is_empty() && known.text("kind") != Some("identifier") {
                let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
                let text = format!("no {} in the description, which `{name}` has here", some_of(&missing));
                self.report.differ("values", &of, text);
            }
        }
    }
}
