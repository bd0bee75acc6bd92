//! The fields of one record, as replies show them and as the catalogue has them.

use super::Learning;
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::naming::{Taken, entries};
use crate::evolve::seen::Seen;
use crate::evolve::tree::Tree;
use crate::format;
use crate::names::{self, Case, Scope};
use crate::walk::is_invisible;

/// What an endpoint's lesson is about.
pub(super) struct Topic<'a> {
    /// The group's file.
    pub(super) file: String,
    /// What the endpoint is called in messages.
    pub(super) endpoint: String,
    pub(super) learning: &'a Learning,
}

/// Where a list of fields stands.
pub(super) struct Place {
    pub(super) file: String,
    pub(super) path: Vec<Step>,
    /// What its fields inherit.
    pub(super) evidence: String,
    /// The envelope's time field, where the list does not repeat it.
    pub(super) time: Option<String>,
}

pub(super) const SERVICE: &str = "service.yaml";

impl Topic<'_> {
    /// Fields nobody knew, as they are to be listed.
    pub(super) fn list(&self, desk: &mut Desk, seen: &Seen, time: Option<&str>) -> Result<Vec<Tree>, Refusal> {
        let mut taken = Taken::default();
        if let Some(time) = time {
            taken.note(snake(time));
        }
        self.new_fields(desk, seen, &mut taken, |name| Some(name) != time)
    }

    /// The field that a list of new fields has its time in.
    pub(super) fn time_of(&self, desk: &mut Desk, list: &[Tree]) -> String {
        let is_moment = |field: &&Tree| field.get("type").and_then(Tree::as_text) == Some("timestamp");
        let moments: Vec<_> = list.iter().filter(is_moment).filter_map(|field| field.get("name")?.as_text()).collect();
        match moments.as_slice() {
            [one] => (*one).to_owned(),
            [] => "none".to_owned(),
            _ => {
                let names = moments.join(", ");
                desk.say(format!(
                    "{}: which of {names} is the time of a record cannot be told; `time: none` for now",
                    self.endpoint
                ));
                "none".to_owned()
            }
        }
    }

    /// Compares listed fields with what was seen.
    pub(super) fn merge(&self, desk: &mut Desk, place: &Place, seen: &Seen) -> Result<(), Refusal> {
        let listed = listed(&desk.tree(&place.file)?, &place.path);
        let mut taken = Taken::default();
        if let Some(time) = &place.time {
            taken.note(snake(time));
        }
        for (index, field) in listed.iter().enumerate() {
            let name = field.get("name").and_then(Tree::as_text).unwrap_or_default();
            taken.note(field.get("ident").and_then(Tree::as_text).map_or_else(|| snake(name), str::to_owned));
            let at = [place.path.as_slice(), &[Step::Item(index)]].concat();
            let met = seen.fields.get(name);
            let is_absent = met.is_none_or(|met| met.times < seen.objects || met.nulls > 0);
            if let Some(met) = met {
                self.compare(desk, place, &at, field, met)?;
            }
            if is_absent && seen.objects > 0 && field.get("optional").is_none() {
                desk.insert(&place.file, &at, &format::FIELD, "optional", &true.into())?;
                desk.say(format!("{}: `{name}` can be absent or null", self.endpoint));
            }
        }
        let is_new = |name: &str| {
            place.time.as_deref() != Some(name)
                && !listed.iter().any(|field| field.get("name").and_then(Tree::as_text) == Some(name))
        };
        let mut new = self.new_fields(desk, seen, &mut taken, is_new)?;
        for field in &mut new {
            let shown =
                [field.get("name"), field.get("type")].map(|text| text.and_then(Tree::as_text).unwrap_or_default());
            desk.say(format!("{}: `{}` is new ({})", self.endpoint, shown[0], shown[1]));
            if place.evidence != self.learning.evidence {
                *field = field.clone().with("evidence", self.learning.evidence.as_str());
            }
        }
        desk.extend(&place.file, &place.path, new)
    }

    /// Merges with a record that has a name.
    pub(super) fn merge_record(&self, desk: &mut Desk, name: &str, seen: &Seen) -> Result<(), Refusal> {
        for file in [self.file.as_str(), SERVICE] {
            let tree = desk.tree(file)?;
            let index = entries(&tree, "records")
                .iter()
                .position(|record| record.get("name").and_then(Tree::as_text) == Some(name));
            if let Some(index) = index {
                let record = &entries(&tree, "records")[index];
                let evidence = record.get("evidence").and_then(Tree::as_text).unwrap_or_default().to_owned();
                let path = vec![Step::Key("records"), Step::Item(index), Step::Key("fields")];
                return self.merge(desk, &Place { file: file.to_owned(), path, evidence, time: None }, seen);
            }
        }
        Ok(())
    }

    fn new_fields(
        &self,
        desk: &mut Desk,
        seen: &Seen,
        taken: &mut Taken,
        is_new: impl Fn(&str) -> bool,
    ) -> Result<Vec<Tree>, Refusal> {
        let mut fields = Vec::new();
        for (name, met) in seen.fields.0.iter().filter(|(name, _)| is_new(name)) {
            if !is_writable(name) {
                desk.say(format!(
                    "{}: a field without a name that can be written down is left out: {name:?}",
                    self.endpoint
                ));
                continue;
            }
            let ident = taken.ident(name, Case::Snake, Scope::Fields);
            let (ty, unit) = self.new_type(desk, name, met)?;
            let optional = met.times < seen.objects || met.nulls > 0;
            let field = Tree::map()
                .with("name", name.as_str())
                .with_some("ident", ident)
                .with("type", ty)
                .with("summary", "unknown")
                .with_some("unit", unit)
                .with_some("optional", optional.then_some(true));
            fields.push(field);
        }
        Ok(fields)
    }
}

/// The list of fields at a place.
fn listed(tree: &Tree, path: &[Step]) -> Vec<Tree> {
    let found = path.iter().try_fold(tree, |tree, step| match step {
        Step::Key(key) => tree.get(key),
        Step::Item(index) => tree.item_at(*index),
    });
    match found {
        Some(Tree::List(items)) => items.clone(),
        _ => Vec::new(),
    }
}

fn snake(name: &str) -> String {
    names::ident(name, Case::Snake).unwrap_or_default()
}

/// Whether the catalogue takes a text.
pub(super) fn is_writable(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(is_invisible) && !text.contains(['\n', '\r', '\t'])
}
