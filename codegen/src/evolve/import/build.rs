//! A plan gets names and becomes edits.

mod adopt;
mod bodies;
mod compare;
mod fill;
mod known;
mod meetings;
mod merge;
mod named_types;
mod naming;
mod params;
mod reach;
mod records;

use std::collections::{BTreeMap, BTreeSet};

use super::Import;
use super::facts::{or_unknown, some};
use super::notes::Notes;
use super::plan::{Plan, PlannedEndpoint};
use super::setters::Setters;
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::naming::{Taken, group_types, root_types};
use crate::evolve::tree::Tree;
use crate::format;
use crate::names;
use crate::path::template;
use meetings::Meetings;

const SERVICE: &str = "service.yaml";

/// Makes every edit that a plan asks for.
pub(super) fn build(desk: &mut Desk, import: &Import, plan: Plan, notes: &mut Notes) -> Result<(), Refusal> {
    let mut builder = Builder::new(desk, import, plan);
    let slots = builder.endpoints();
    builder.count_uses(&slots);
    builder.adopt_types();
    builder.met = Meetings::of(&builder.desk.checked, &builder.plan, &slots, builder.envelope_time.as_deref());
    for record in builder.met.shared.clone() {
        builder.plan.records[record].is_shared = true;
    }
    builder.note_texts_of_bodies(notes);
    builder.name_types();
    builder.name_records();
    builder.meet_shared(&slots);
    builder.say_adopted(&slots);
    let facts = compare::compare(&builder, &slots);
    builder.write_service(&slots)?;
    builder.write_groups(&slots)?;
    builder.merge_records()?;
    for line in builder.setters.said().into_iter().chain(facts.lines()) {
        builder.desk.say(line);
    }
    builder.fill(facts.fills);
    Ok(())
}

/// Where an endpoint goes.
enum Slot {
    /// It is there already: its group, and where in it.
    Known(usize, usize),
    /// It is new; the `ident` that it needs, if its name does not make one.
    New(Option<String>),
}

/// What a type of the plan is called.
struct TypeName {
    name: String,
    /// Where it is among those that are there already.
    known: Option<usize>,
    /// Whether it is to be written: nothing new has the others.
    is_new: bool,
}

/// A plan on its way into a catalogue.
struct Builder<'a> {
    desk: &'a mut Desk,
    import: &'a Import,
    plan: Plan,
    met: Meetings,
    root: Taken,
    groups: BTreeMap<String, Taken>,
    /// By index of the plan.
    types: Vec<TypeName>,
    /// By index of the plan; `None` for those that stand in the one body that has them.
    records: Vec<Option<String>>,
    setters: Setters,
    /// The shared params of the catalogue that those of the plan are, by index of the plan.
    met_shared: Vec<Option<String>>,
    /// What to call shared params by, by index of the plan.
    shared: Vec<String>,
    envelope_time: Option<String>,
}

impl<'a> Builder<'a> {
    fn new(desk: &'a mut Desk, import: &'a Import, plan: Plan) -> Self {
        let service = desk.service_tree();
        let mut groups = BTreeMap::new();
        for (module, _) in desk.modules() {
            let mut taken = Taken::default();
            group_types(&module, &desk.group_tree(&module), &mut taken);
            groups.insert(module, taken);
        }
        for group in &plan.groups {
            let taken = groups.entry(group.module.clone()).or_default();
            taken.note(names::handle(&group.module));
        }
        let time = service.get("envelope").and_then(|envelope| envelope.get("time")?.get("name")?.as_text());
        Self {
            root: root_types(&service),
            groups,
            met: Meetings::default(),
            types: Vec::new(),
            records: Vec::new(),
            met_shared: Vec::new(),
            setters: Setters::of(desk),
            shared: Vec::new(),
            envelope_time: time.map(str::to_owned),
            desk,
            import,
            plan,
        }
    }

    /// A place for every endpoint, and a name for those that are new.
    fn endpoints(&mut self) -> Vec<Slot> {
        let endpoints = std::mem::take(&mut self.plan.endpoints);
        let mut met = BTreeSet::new();
        let slots = endpoints.iter().map(|endpoint| {
            let template = endpoint.path.as_deref().map(template);
            // Only the first of one name is the one whose path nobody knew.
            match merge::find(self.desk, endpoint, template.as_deref()) {
                Some(Slot::Known(group, index)) if met.insert((group, index)) => Slot::Known(group, index),
                _ => Slot::New(self.claim_endpoint(endpoint)),
            }
        });
        let slots = slots.collect();
        self.plan.endpoints = endpoints;
        slots
    }

    /// Notes what is said of objects as a whole whose fields a body lists.
    fn note_texts_of_bodies(&self, notes: &mut Notes) {
        let has_place = |record: usize| {
            let mut places = self.met.fields.iter().filter(|(met, _)| *met == record);
            places.any(|(_, at)| at.record(&self.desk.checked).is_some())
        };
        if self.plan.is_ours {
            return;
        }
        for (index, record) in self.plan.records.iter().enumerate() {
            if !record.said.summary.is_empty() && self.plan.is_inline(index) && !has_place(index) {
                notes.add("the description of a body whose fields its endpoint lists", &record.origin);
            }
        }
    }

    fn write_service(&mut self, slots: &[Slot]) -> Result<(), Refusal> {
        let mut new: Vec<usize> = (0..self.types.len()).filter(|index| self.types[*index].is_new).collect();
        new.sort_by_key(|index| self.plan.types[*index].rank);
        let types: Vec<Tree> = new
            .into_iter()
            .map(|index| {
                named_types::named_type(&self.types[index].name, &self.plan.types[index], &self.import.evidence)
            })
            .collect();
        self.desk.extend_top(SERVICE, &format::SERVICE, "types", types)?;
        merge::values_of_known(self)?;
        let params = self.shared_params(slots);
        self.desk.extend_top(SERVICE, &format::SERVICE, "params", params)?;
        let records = self.record_trees(None);
        self.desk.extend_top(SERVICE, &format::SERVICE, "records", records)?;
        self.write_metadata()
    }

    /// What a new envelope has beside its data: its fields need the names of types and records.
    fn write_metadata(&mut self) -> Result<(), Refusal> {
        let Some(metadata) = self.plan.metadata.first().copied().filter(|_| self.desk.is_new()) else { return Ok(()) };
        let service = self.desk.service_tree();
        if service.get("envelope").and_then(|envelope| envelope.get("metadata")).is_none() {
            return Ok(());
        }
        let inherited = service.get("envelope").and_then(|it| it.get("evidence")?.as_text()).unwrap_or_default();
        let fields = self.fields(&self.plan.records[metadata].fields, inherited, None);
        let path = [Step::Key("envelope"), Step::Key("metadata"), Step::Key("fields")];
        self.desk.extend(SERVICE, &path, fields)?;
        let Some(unsupported) = self.plan.unsupported.take() else { return Ok(()) };
        self.desk.insert(SERVICE, &path[..2], &format::METADATA, "unsupported", &unsupported.into())
    }

    fn write_groups(&mut self, slots: &[Slot]) -> Result<(), Refusal> {
        let planned = std::mem::take(&mut self.plan.endpoints);
        let mut new: BTreeMap<&str, Vec<Tree>> = BTreeMap::new();
        for (endpoint, slot) in planned.iter().zip(slots) {
            match slot {
                Slot::Known(group, index) => merge::endpoint(self, endpoint, *group, *index)?,
                Slot::New(ident) => {
                    let tree = self.endpoint(endpoint, ident.as_deref());
                    new.entry(&endpoint.group).or_default().push(tree);
                }
            }
        }
        for module in self.groups.keys().cloned().collect::<Vec<_>>() {
            let file = format!("{module}.yaml");
            let endpoints = new.remove(module.as_str()).unwrap_or_default();
            let records = self.record_trees(Some(&module));
            let stands_elsewhere = endpoints.is_empty() && planned.iter().any(|endpoint| endpoint.group == module);
            let is_known = self.desk.checked.groups.iter().any(|(known, _)| *known == module);
            if let Some(group) = self.plan.groups.iter().find(|group| group.module == module && !is_known) {
                // Whatever the description calls the group: all it has stands in others already.
                if stands_elsewhere && records.is_empty() {
                    continue;
                }
                let aliases = group.aliases.iter().map(|alias| alias.as_str().into()).collect();
                let head = Tree::map()
                    .with("title", group.title.as_str())
                    .with("summary", or_unknown(group.summary.clone()))
                    .with_some("notes", group.notes.clone())
                    .with_some("aliases", some(aliases))
                    .with_some("records", some(records));
                self.desk.create(&file, &crate::evolve::group::file(&head, &endpoints))?;
            } else {
                self.desk.extend_top(&file, &format::GROUP, "records", records)?;
                self.desk.extend(&file, &[Step::Key("endpoints")], endpoints)?;
            }
        }
        Ok(())
    }

    fn endpoint(&mut self, endpoint: &PlannedEndpoint, ident: Option<&str>) -> Tree {
        let evidence = endpoint.said.evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let params = match &endpoint.params {
            Some(params) => Tree::List(self.params(params, &evidence, Taken::default())),
            None => "unknown".into(),
        };
        let aliases = endpoint.aliases.iter().map(|alias| alias.as_str().into()).collect();
        Tree::map()
            .with("name", endpoint.name.as_str())
            .with_some("ident", ident)
            .with_some("aliases", some(aliases))
            .with("path", endpoint.path.as_deref().unwrap_or("unknown"))
            .with("evidence", evidence.as_str())
            .with("summary", or_unknown(endpoint.said.summary.clone()))
            .with("params", params)
            .with("body", self.body(endpoint, &evidence))
            .with_some("notes", endpoint.said.notes.clone())
            .with_some("deprecated", endpoint.deprecated.clone())
    }
}

/// What an endpoint of the description is called in messages.
fn label(endpoint: &PlannedEndpoint) -> String {
    endpoint.path.as_ref().map_or_else(|| endpoint.name.clone(), |path| format!("`{path}`"))
}
