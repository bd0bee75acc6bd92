//! A plan gets names and becomes edits.

mod bodies;
mod merge;
mod named_types;
mod naming;
mod params;
mod reach;
mod records;

use std::collections::BTreeMap;

use super::Import;
use super::facts::{or_unknown, some};
use super::plan::{Plan, PlannedEndpoint};
use super::setters::Setters;
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::naming::{Taken, group_types, root_types};
use crate::evolve::tree::Tree;
use crate::format;
use crate::names;

const SERVICE: &str = "service.yaml";

/// Makes every edit that a plan asks for.
pub(super) fn build(desk: &mut Desk, import: &Import, plan: Plan) -> Result<(), Refusal> {
    let mut builder = Builder::new(desk, import, plan);
    let slots = builder.endpoints();
    builder.count_uses();
    builder.name_types();
    builder.name_records();
    builder.write_service(&slots)?;
    builder.write_groups(&slots)?;
    builder.merge_records()
}

/// Where an endpoint goes.
enum Slot {
    /// It is there already: its group, and where in it.
    Known(String, usize),
    /// It is new; the `ident` that it needs, if its name does not make one.
    New(Option<String>),
}

/// A plan on its way into a catalogue.
struct Builder<'a> {
    desk: &'a mut Desk,
    import: &'a Import,
    plan: Plan,
    root: Taken,
    groups: BTreeMap<String, Taken>,
    /// By index of the plan, with the place among those that are there already.
    types: Vec<(String, Option<usize>)>,
    /// By index of the plan; `None` for those that stand in the one body that has them.
    records: Vec<Option<String>>,
    /// Records that are there already, by index of the plan, with the file that has them.
    known: Vec<(usize, String)>,
    setters: Setters,
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
            let mut taken = Taken::default();
            taken.note(names::handle(&group.module));
            groups.insert(group.module.clone(), taken);
        }
        let time = service.get("envelope").and_then(|envelope| envelope.get("time")?.get("name")?.as_text());
        Self {
            root: root_types(&service),
            groups,
            types: Vec::new(),
            records: Vec::new(),
            known: Vec::new(),
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
        let slots = endpoints.iter().map(|endpoint| {
            let template = endpoint.path.as_deref().map(template);
            let slot = merge::find(self.desk, endpoint, template.as_deref());
            slot.unwrap_or_else(|| Slot::New(self.claim_endpoint(endpoint)))
        });
        let slots = slots.collect();
        self.plan.endpoints = endpoints;
        slots
    }

    fn write_service(&mut self, slots: &[Slot]) -> Result<(), Refusal> {
        let mut new: Vec<usize> = (0..self.types.len()).filter(|index| self.types[*index].1.is_none()).collect();
        new.sort_by_key(|index| self.plan.types[*index].rank);
        let types: Vec<Tree> = new
            .into_iter()
            .map(|index| named_types::named_type(&self.types[index].0, &self.plan.types[index], &self.import.evidence))
            .collect();
        self.desk.extend_top(SERVICE, &format::SERVICE, "types", types)?;
        merge::values_of_known(self.desk, &self.types, &self.plan.types, &self.import.evidence)?;
        let params = self.shared_params(slots);
        self.desk.extend_top(SERVICE, &format::SERVICE, "params", params)?;
        let records = self.record_trees(None);
        self.desk.extend_top(SERVICE, &format::SERVICE, "records", records)?;
        self.write_metadata()
    }

    /// What a new envelope has beside its data: its fields need the names of types and records.
    fn write_metadata(&mut self) -> Result<(), Refusal> {
        let Some(metadata) = self.plan.metadata else { return Ok(()) };
        let service = self.desk.service_tree();
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
                Slot::Known(module, index) => merge::endpoint(self, endpoint, module, *index)?,
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
            if let Some(group) = self.plan.groups.iter().find(|group| group.module == module) {
                // Whatever the description calls the group: all it has stands in others already.
                if stands_elsewhere && records.is_empty() {
                    continue;
                }
                let aliases = group.aliases.iter().map(|alias| alias.as_str().into()).collect();
                let head = Tree::map()
                    .with("title", group.title.as_str())
                    .with("summary", or_unknown(group.summary.clone()))
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
            Some(params) => Tree::List(self.params(params, &evidence)),
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

/// A path without the names of its params.
fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}
