//! A plan gets names and becomes a catalogue.

mod bodies;
mod named_types;
mod naming;
mod params;
mod reach;
mod records;

use std::collections::{BTreeMap, BTreeSet};

use codegen::names;

use super::Import;
use super::facts::{or_unknown, some};
use super::notes::Notes;
use super::plan::{Plan, PlannedEndpoint};
use crate::change::Desk;
use crate::edit::Step;
use crate::keys::SERVICE;
use crate::merge::{Fresh, Hint, Setters};
use crate::naming::Taken;
use crate::tree::Tree;

/// Makes a catalogue of a plan; `desk` has what is said of the service as a whole.
pub(super) fn build(desk: Desk, import: &Import, plan: Plan, notes: &mut Notes) -> Fresh {
    let mut builder = Builder::new(desk, import, plan);
    builder.reach();
    builder.note_texts_of_bodies(notes);
    let idents = builder.endpoint_idents();
    builder.name_types();
    builder.name_records();
    builder.write_service();
    builder.write_groups(&idents);
    let said = builder.setters.said();
    let mut desk = builder.desk;
    said.into_iter().for_each(|line| desk.say(line));
    let Plan { prefix, is_ours, .. } = builder.plan;
    Fresh { desk, prefix, is_ours, hints: builder.hints, owners: builder.owners }
}

/// A plan on its way into a catalogue.
struct Builder<'a> {
    desk: Desk,
    import: &'a Import,
    plan: Plan,
    root: Taken,
    groups: BTreeMap<String, Taken>,
    /// By index of the plan; `None` for those that nothing has.
    types: Vec<Option<String>>,
    /// By index of the plan; `None` for those that stand in the one body that has them.
    records: Vec<Option<String>>,
    setters: Setters,
    /// What to call shared params by, by index of the plan.
    shared: Vec<String>,
    envelope_time: Option<String>,
    /// Records that anything has, by index of the plan.
    used: BTreeSet<usize>,
    owners: BTreeMap<String, String>,
    hints: BTreeMap<(String, usize), Hint>,
}

impl<'a> Builder<'a> {
    fn new(desk: Desk, import: &'a Import, plan: Plan) -> Self {
        let mut groups = BTreeMap::new();
        for group in &plan.groups {
            let taken: &mut Taken = groups.entry(group.module.clone()).or_default();
            taken.note(names::handle(&group.module));
        }
        let mut root = Taken::default();
        root.note("Metadata");
        let time = desk.tree(SERVICE).get("envelope").and_then(|envelope| envelope.get("time")?.text("name"));
        Self {
            envelope_time: time.map(str::to_owned),
            root,
            groups,
            types: Vec::new(),
            records: Vec::new(),
            setters: Setters::default(),
            shared: Vec::new(),
            hints: BTreeMap::new(),
            used: BTreeSet::new(),
            owners: BTreeMap::new(),
            desk,
            import,
            plan,
        }
    }

    /// Notes what is said of objects as a whole whose fields a body lists.
    fn note_texts_of_bodies(&self, notes: &mut Notes) {
        let lost = |(index, record): &(usize, &super::plan::PlannedRecord)| {
            !record.said.summary.is_empty() && self.plan.is_inline(*index)
        };
        for (_, record) in self.plan.records.iter().enumerate().filter(lost).filter(|_| !self.plan.is_ours) {
            notes.add("the description of a body whose fields its endpoint lists", &record.origin);
        }
    }

    fn write_service(&mut self) {
        let mut used: Vec<usize> = (0..self.types.len()).filter(|index| self.types[*index].is_some()).collect();
        used.sort_by_key(|index| self.plan.types[*index].rank);
        let types = used.into_iter().filter_map(|index| {
            let name = self.types[index].as_deref()?;
            Some(named_types::named_type(name, &self.plan.types[index], &self.import.evidence))
        });
        let types = types.collect();
        self.desk.extend(SERVICE, &[], "types", types);
        let params = self.shared_params();
        self.desk.extend(SERVICE, &[], "params", params);
        let records = self.record_trees(None);
        self.desk.extend(SERVICE, &[], "records", records);
        self.write_metadata();
    }

    /// What an envelope has beside its data: its fields need the names of types and records.
    fn write_metadata(&mut self) {
        let service = self.desk.tree(SERVICE);
        let Some(envelope) = service.get("envelope").filter(|envelope| envelope.get("metadata").is_some()) else {
            return;
        };
        let inherited = envelope.text("evidence").unwrap_or_default().to_owned();
        let mut fields: Vec<Tree> = Vec::new();
        for metadata in &self.plan.metadata {
            let new = self.fields(&self.plan.records[*metadata].fields, &inherited, None).into_iter();
            let is_new = |field: &Tree| !fields.iter().any(|known| known.text("name") == field.text("name"));
            let new: Vec<Tree> = new.filter(is_new).collect();
            fields.extend(new);
        }
        let path = [Step::Key("envelope"), Step::Key("metadata")];
        self.desk.extend(SERVICE, &path, "fields", fields);
        if let Some(unsupported) = self.plan.unsupported.take() {
            self.desk.set(SERVICE, &path, "unsupported", unsupported);
        }
    }

    fn write_groups(&mut self, idents: &[Option<String>]) {
        let planned = std::mem::take(&mut self.plan.endpoints);
        let mut endpoints: BTreeMap<&str, Vec<Tree>> = BTreeMap::new();
        for (endpoint, ident) in planned.iter().zip(idents) {
            let tree = self.endpoint(endpoint, ident.as_deref());
            let group = endpoints.entry(&endpoint.group).or_default();
            let (is_tagged, is_named, told) = (endpoint.is_tagged, endpoint.is_named, endpoint.told.clone());
            let hint = Hint { is_tagged, is_named, told, time: self.said_time(endpoint) };
            self.hints.insert((format!("{}.yaml", endpoint.group), group.len()), hint);
            group.push(tree);
        }
        let groups = std::mem::take(&mut self.plan.groups);
        for group in &groups {
            let file = format!("{}.yaml", group.module);
            // Several tags can make one module; the first says what it is.
            if *self.desk.tree(&file) != Tree::Null {
                continue;
            }
            let aliases = group.aliases.iter().map(|alias| alias.as_str().into()).collect();
            let tree = Tree::map()
                .with("title", group.title.as_str())
                .with("summary", or_unknown(group.summary.clone()))
                .with_some("aliases", some(aliases))
                .with_some("records", some(self.record_trees(Some(&group.module))))
                .with("endpoints", endpoints.remove(group.module.as_str()).unwrap_or_default());
            self.desk.create(&file, tree);
        }
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
