//! A plan becomes a catalogue, as it stands in the description: types and records are called by their number until they
//! are merged into another catalogue, where names are given.

mod bodies;
mod entries;

use std::collections::{BTreeMap, BTreeSet};

use super::Import;
use super::plan::{Plan, PlannedEndpoint, TakenParam};
use super::service::{or_unknown, some};
use crate::change::Desk;
use crate::edit::Step;
use crate::keys::SERVICE;
use crate::merge::{Fresh, Hint, Wanted};
use crate::tree::Tree;

/// Makes a catalogue of a plan; `desk` has the envelope of the series in it.
pub(super) fn build(desk: Desk, import: &Import, plan: Plan) -> Fresh {
    let time = desk.tree(SERVICE).get("envelope").and_then(|envelope| envelope.get("time")?.text("name"));
    let envelope_time = time.map(str::to_owned);
    let mut builder = Builder { envelope_time, inline: inline(&plan), desk, import, plan, hints: BTreeMap::new() };
    builder.write_service();
    builder.write_groups();
    let names = builder.names();
    let Builder { desk, plan: Plan { prefix, is_ours, .. }, hints, .. } = builder;
    Fresh { desk, prefix, is_ours, hints, names }
}

/// The records that one body has and nothing else, which lists their fields, so that they need no name.
fn inline(plan: &Plan) -> BTreeSet<usize> {
    let bodies: Vec<usize> = plan.endpoints.iter().filter_map(|endpoint| endpoint.body.record()).collect();
    let uses = |record: usize| plan.records[record].uses + bodies.iter().filter(|body| **body == record).count();
    bodies.iter().copied().filter(|record| uses(*record) == 1 && !plan.records[*record].is_shared).collect()
}

/// A plan on its way into a catalogue.
struct Builder<'a> {
    desk: Desk,
    import: &'a Import,
    plan: Plan,
    envelope_time: Option<String>,
    inline: BTreeSet<usize>,
    hints: BTreeMap<(String, usize), Hint>,
}

impl Builder<'_> {
    /// What types and records are to be called.
    fn names(&self) -> BTreeMap<String, Wanted> {
        let wanted =
            |name: &str, owner: &str, is_shared| Wanted { name: name.to_owned(), owner: owner.to_owned(), is_shared };
        let types = self.plan.types.iter().enumerate();
        let types = types.map(|(index, ty)| (entries::type_name(index), wanted(&ty.name, &ty.owner, false)));
        let records = self.plan.records.iter().enumerate();
        let records = records.map(|(index, record)| {
            (entries::record_name(index), wanted(&record.name, &record.owner, record.is_shared))
        });
        types.chain(records).collect()
    }

    fn write_service(&mut self) {
        let ranked = |ranks: Vec<usize>| {
            let mut order: Vec<usize> = (0..ranks.len()).collect();
            order.sort_by_key(|index| ranks[*index]);
            order
        };
        let types = ranked(self.plan.types.iter().map(|ty| ty.rank).collect()).into_iter();
        let types = types.map(|index| self.named_type(index)).collect();
        let params = ranked(self.plan.shared.iter().map(|param| param.rank).collect()).into_iter();
        let params = params.map(|index| self.param(&self.plan.shared[index], "")).collect();
        let records = ranked(self.plan.records.iter().map(|record| record.rank).collect()).into_iter();
        let records = records.filter(|index| !self.inline.contains(index)).map(|index| self.record(index)).collect();
        for (key, items) in [("types", types), ("params", params), ("records", records)] {
            self.desk.extend(SERVICE, &[], key, items);
        }
        self.write_metadata();
    }

    /// What an envelope has beside its data.
    fn write_metadata(&mut self) {
        let Some(envelope) = self.desk.tree(SERVICE).get("envelope") else { return };
        let inherited = envelope.text("evidence").unwrap_or_default().to_owned();
        let (mut fields, mut seen) = (Vec::new(), BTreeSet::new());
        for metadata in &self.plan.metadata {
            let new = self.fields(&self.plan.records[*metadata].fields, &inherited, None).into_iter();
            fields.extend(new.filter(|field| seen.insert(field.text("name").map(str::to_owned))));
        }
        self.desk.extend(SERVICE, &[Step::Key("envelope"), Step::Key("metadata")], "fields", fields);
    }

    fn write_groups(&mut self) {
        let planned = std::mem::take(&mut self.plan.endpoints);
        let mut endpoints: BTreeMap<&str, Vec<Tree>> = BTreeMap::new();
        for endpoint in &planned {
            let group = endpoints.entry(&endpoint.group).or_default();
            let (is_tagged, is_named, told) = (endpoint.is_tagged, endpoint.is_named, endpoint.told.clone());
            let hint = Hint { is_tagged, is_named, told, time: self.said_time(endpoint) };
            self.hints.insert((format!("{}.yaml", endpoint.group), group.len()), hint);
            group.push(self.endpoint(endpoint));
        }
        for group in &self.plan.groups {
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
                .with_some("notes", group.notes.clone())
                .with("endpoints", endpoints.remove(group.module.as_str()).unwrap_or_default());
            self.desk.create(&file, tree);
        }
        self.plan.endpoints = planned;
    }

    fn endpoint(&self, endpoint: &PlannedEndpoint) -> Tree {
        let said = &endpoint.said;
        let evidence = said.evidence.as_deref().unwrap_or(&self.import.evidence);
        let params = endpoint.params.as_ref().map(|params| {
            let entries = params.iter().map(|taken| match taken {
                TakenParam::Shared(index) => self.plan.shared[*index].id.as_str().into(),
                TakenParam::Own(param) => self.param(param, evidence),
            });
            Tree::List(entries.collect())
        });
        let aliases = endpoint.aliases.iter().map(|alias| alias.as_str().into()).collect();
        Tree::map()
            .with("name", endpoint.name.as_str())
            .with_some("ident", said.ident.clone())
            .with_some("aliases", some(aliases))
            .with("path", endpoint.path.as_deref().unwrap_or("unknown"))
            .with("evidence", evidence)
            .with("summary", or_unknown(said.summary.clone()))
            .with("params", params.unwrap_or_else(|| "unknown".into()))
            .with("body", self.body(endpoint, evidence))
            .with_some("history", endpoint.history.clone())
            .with_some("notes", said.notes.clone())
            .with_some("deprecated", endpoint.deprecated.clone())
    }
}
