//! A plan gets names and becomes edits.

use std::collections::{BTreeMap, BTreeSet};

use super::Import;
use super::facts::{or_unknown, some};
use super::merge;
use super::plan::{
    Plan, PlannedBody, PlannedEndpoint, PlannedField, PlannedParam, PlannedType, Said, Several, Taken as Takes, Ty,
};
use super::setters::Setters;
use crate::evolve::change::{Desk, Refusal};
use crate::evolve::edit::Step;
use crate::evolve::naming::{self, Taken, entries};
use crate::evolve::tree::Tree;
use crate::format;
use crate::names::{self, Case, Scope};

pub(super) const SERVICE: &str = "service.yaml";

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
pub(super) enum Slot {
    /// It is there already: its group, and where in it.
    Known(String, usize),
    /// It is new; the `ident` that it needs, if its name does not make one.
    New(Option<String>),
}

/// A plan on its way into a catalogue.
pub(super) struct Builder<'a> {
    pub(super) desk: &'a mut Desk,
    pub(super) import: &'a Import,
    pub(super) plan: Plan,
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
    pub(super) envelope_time: Option<String>,
}

impl<'a> Builder<'a> {
    fn new(desk: &'a mut Desk, import: &'a Import, plan: Plan) -> Self {
        let service = desk.service_tree();
        let mut groups = BTreeMap::new();
        for (module, _) in desk.modules() {
            let mut taken = Taken::default();
            naming::group_types(&module, &desk.group_tree(&module), &mut taken);
            groups.insert(module, taken);
        }
        for group in &plan.groups {
            let mut taken = Taken::default();
            taken.note(names::handle(&group.module));
            groups.insert(group.module.clone(), taken);
        }
        let time = service.get("envelope").and_then(|envelope| envelope.get("time")?.get("name")?.as_text());
        Self {
            root: naming::root_types(&service),
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
        let mut paths = Vec::new();
        let slots = endpoints.iter().map(|endpoint| {
            let template = endpoint.path.as_deref().map(template);
            let slot = merge::find(self.desk, endpoint, template.as_deref());
            paths.extend(template);
            slot.unwrap_or_else(|| Slot::New(self.claim_endpoint(endpoint)))
        });
        let slots = slots.collect();
        self.plan.endpoints = endpoints;
        slots
    }

    fn claim_endpoint(&mut self, endpoint: &PlannedEndpoint) -> Option<String> {
        let derived = names::ident(&endpoint.name, Case::Snake).unwrap_or_default();
        let taken = self.groups.entry(endpoint.group.clone()).or_default();
        let numbered = (2..).map(|number| format!("{derived}_{number}"));
        let mut candidates = endpoint.said.ident.iter().chain([&derived]).cloned().chain(numbered);
        let is_free = |ident: &String| {
            let ty = names::ident(ident, Case::Pascal).unwrap_or_default();
            let types = [names::record(&ty), ty.clone()];
            !names::is_taken(Scope::Endpoints, ident)
                && names::is_ident(ident, Case::Snake)
                && types.iter().all(|ty| !taken.has(ty) && !self.root.has(ty) && !names::is_taken(Scope::Types, ty))
        };
        let ident = candidates.find(is_free).unwrap_or_default();
        let ty = names::ident(&ident, Case::Pascal).unwrap_or_default();
        taken.note(names::record(&ty));
        taken.note(ty);
        (ident != derived).then_some(ident)
    }

    /// Counts the bodies that have each record, and the groups of these.
    fn count_uses(&mut self) {
        if let Some(metadata) = self.plan.metadata {
            self.share(metadata);
        }
        for index in 0..self.plan.endpoints.len() {
            let endpoint = &self.plan.endpoints[index];
            let record = match endpoint.body {
                PlannedBody::Series(record, _) => record,
                PlannedBody::Object(record) => Some(record),
                PlannedBody::Unknown => None,
            };
            let group = endpoint.group.clone();
            if let Some(record) = record {
                self.plan.records[record].uses += 1;
                self.reach(record, &group);
            }
        }
    }

    /// The records in what all replies have beside their data.
    fn share(&mut self, record: usize) {
        let inner: Vec<_> = self.plan.records[record].fields.iter().filter_map(|field| field.ty.record()).collect();
        for record in inner {
            if !std::mem::replace(&mut self.plan.records[record].is_shared, true) {
                self.share(record);
            }
        }
    }

    fn reach(&mut self, record: usize, group: &str) {
        if !self.plan.records[record].groups.insert(group.to_owned()) {
            return;
        }
        let inner: Vec<_> = self.plan.records[record].fields.iter().filter_map(|field| field.ty.record()).collect();
        for record in inner {
            self.reach(record, group);
        }
    }

    /// Whether a name is free at the root, where it would be in the way of every group.
    fn claim_root(&mut self, name: &str, owner: &str) -> String {
        let mut all = self.root.clone();
        for taken in self.groups.values() {
            all.add(taken);
        }
        let ident = claim(&mut all, name, owner);
        self.root.note(ident.as_str());
        ident
    }

    fn name_types(&mut self) {
        let service = self.desk.service_tree();
        for index in 0..self.plan.types.len() {
            let name = names::ident(&self.plan.types[index].name, Case::Pascal).unwrap_or_default();
            let is_same = |ty: &Tree| ty.get("name").and_then(Tree::as_text) == Some(&name);
            let known = entries(&service, "types").iter().position(is_same);
            let is_taken = self.types.iter().any(|(taken, _)| *taken == name);
            let entry = match known {
                Some(_) if !is_taken => (name, known),
                _ => {
                    (self.claim_root(&self.plan.types[index].name.clone(), &self.plan.types[index].owner.clone()), None)
                }
            };
            self.types.push(entry);
        }
    }

    fn name_records(&mut self) {
        let bodies: Vec<usize> = self
            .plan
            .endpoints
            .iter()
            .filter_map(|endpoint| match endpoint.body {
                PlannedBody::Series(record, _) => record,
                PlannedBody::Object(record) => Some(record),
                PlannedBody::Unknown => None,
            })
            .collect();
        for index in 0..self.plan.records.len() {
            let record = &self.plan.records[index];
            let is_inline = record.uses == 1 && bodies.contains(&index) && !record.is_shared;
            let is_metadata = self.plan.metadata == Some(index);
            let is_unused = is_metadata || (record.groups.is_empty() && !record.is_shared);
            let (name, owner) = (record.name.clone(), record.owner.clone());
            let group = self.group_of(index);
            let ident = names::ident(&name, Case::Pascal).unwrap_or_default();
            let file = group.as_ref().map_or_else(|| SERVICE.to_owned(), |group| format!("{group}.yaml"));
            let is_free = !self.records.iter().any(|taken| taken.as_ref() == Some(&ident));
            if !is_inline && !is_unused && is_free && self.is_known(index, &file, &ident) {
                self.known.push((index, file));
                self.records.push(Some(ident));
                continue;
            }
            let named = match (is_inline || is_unused, group) {
                (true, _) => None,
                (false, None) => Some(self.claim_root(&name, &owner)),
                (false, Some(group)) => {
                    let mut all = self.root.clone();
                    let own = self.groups.entry(group.clone()).or_default();
                    all.add(own);
                    let ident = claim(&mut all, &name, &owner);
                    own.note(ident.as_str());
                    Some(ident)
                }
            };
            self.records.push(named);
        }
    }

    /// The one group that has a record; none if several do.
    fn group_of(&self, record: usize) -> Option<String> {
        let record = &self.plan.records[record];
        record.groups.first().filter(|_| record.groups.len() == 1 && !record.is_shared).cloned()
    }

    fn write_service(&mut self, slots: &[Slot]) -> Result<(), Refusal> {
        let mut new: Vec<usize> = (0..self.types.len()).filter(|index| self.types[*index].1.is_none()).collect();
        new.sort_by_key(|index| self.plan.types[*index].rank);
        let types: Vec<Tree> = new
            .into_iter()
            .map(|index| named_type(&self.types[index].0, &self.plan.types[index], &self.import.evidence))
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

    fn shared_params(&mut self, slots: &[Slot]) -> Vec<Tree> {
        let needed = self.needed(slots);
        let service = self.desk.service_tree();
        let (mut trees, mut ranks) = (Vec::new(), Vec::new());
        for (index, param) in std::mem::take(&mut self.plan.shared).into_iter().enumerate() {
            let id = |tree: &Tree| ["id", "name"].iter().find_map(|key| tree.get(key)?.as_text()).map(str::to_owned);
            let known = entries(&service, "params").iter().filter(|tree| {
                tree.get("name").and_then(Tree::as_text) == Some(&param.name)
                    && tree.get("type").and_then(Tree::as_text) == Some(&self.ty(&param.ty))
            });
            let known: Vec<String> = known.filter_map(id).collect();
            let constant = |id: &str| names::ident(id, Case::Shouty).unwrap_or_default();
            let same = known.iter().find(|known| constant(known) == constant(&param.id));
            if !needed.contains(&index) {
                self.shared.push(String::new());
            } else if let (Some(one), _) | (None, [one]) = (same, known.as_slice()) {
                self.shared.push(one.clone());
            } else {
                let mut own = Taken::default();
                let taken: Vec<String> =
                    entries(&service, "params").iter().filter_map(id).chain(trees.iter().filter_map(id)).collect();
                for id in &taken {
                    own.note(constant(id));
                }
                let is_free = |id: &str| !constant(id).is_empty() && !own.has(&constant(id));
                // The component's own name, unless it is the wire name written otherwise.
                let is_derived = constant(&param.id) == constant(&param.name);
                let wanted = if is_derived { [&param.name, &param.id] } else { [&param.id, &param.name] };
                let mut numbered = (2..).map(|number| format!("{}_{number}", param.id));
                let chosen =
                    wanted.into_iter().find(|id| is_free(id)).cloned().or_else(|| numbered.find(|id| is_free(id)));
                let chosen = chosen.unwrap_or_default();
                let tree = self.param(&param, Some(&chosen), &mut Taken::default(), "");
                trees.push(tree);
                ranks.push(param.rank);
                self.shared.push(chosen);
            }
            self.plan.shared.push(param);
        }
        let mut ranked: Vec<_> = ranks.into_iter().zip(trees).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, tree)| tree).collect()
    }

    /// Shared params that an endpoint takes and does not have yet, by index.
    fn needed(&self, slots: &[Slot]) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        for (endpoint, slot) in self.plan.endpoints.iter().zip(slots) {
            let known = match slot {
                Slot::Known(module, index) => merge::wire_names(self.desk, module, *index).unwrap_or_default(),
                Slot::New(_) => Vec::new(),
            };
            for param in endpoint.params.iter().flatten() {
                if let Takes::Shared(index) = param
                    && !known.contains(&self.plan.shared[*index].name)
                {
                    needed.insert(*index);
                }
            }
        }
        needed
    }

    /// Adds fields to records that are there already.
    fn merge_records(&mut self) -> Result<(), Refusal> {
        for (index, file) in self.known.clone() {
            let name = self.records[index].clone().unwrap_or_default();
            if let Some((file, path, listed, evidence)) = merge::named_record(self.desk, &file, &name) {
                merge::fields(self, index, &file, &path, &listed, &evidence, &name)?;
            }
        }
        Ok(())
    }

    /// Whether the catalogue has a record of this name and kind.
    fn is_known(&mut self, index: usize, file: &str, name: &str) -> bool {
        let Some((.., listed, _)) = merge::named_record(self.desk, file, name) else { return false };
        let names: Vec<&str> = listed.iter().filter_map(|field| field.get("name")?.as_text()).collect();
        self.plan.records[index].fields.iter().any(|field| names.contains(&field.name.as_str()))
    }

    fn record_trees(&self, group: Option<&str>) -> Vec<Tree> {
        let is_new = |index: &usize| self.known.iter().all(|(known, _)| known != index);
        let is_here = |index: &usize| self.group_of(*index).as_deref() == group && is_new(index);
        let mut here: Vec<usize> = (0..self.records.len()).filter(is_here).collect();
        here.sort_by_key(|index| self.plan.records[*index].rank);
        let records = here.into_iter().filter_map(|index| {
            let record = &self.plan.records[index];
            let evidence = record.said.evidence.as_deref().unwrap_or(&self.import.evidence);
            let tree = Tree::map()
                .with("name", self.records[index].as_deref()?)
                .with("summary", or_unknown(record.said.summary.clone()))
                .with("evidence", evidence)
                .with("fields", self.fields(&record.fields, evidence, None));
            Some(tree)
        });
        records.collect()
    }

    fn write_groups(&mut self, slots: &[Slot]) -> Result<(), Refusal> {
        let endpoints = std::mem::take(&mut self.plan.endpoints);
        let mut new: BTreeMap<&str, Vec<Tree>> = BTreeMap::new();
        for (endpoint, slot) in endpoints.iter().zip(slots) {
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
            if let Some(group) = self.plan.groups.iter().find(|group| group.module == module) {
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

    /// The params of one endpoint.
    pub(super) fn params(&mut self, params: &[Takes], inherited: &str) -> Vec<Tree> {
        let mut idents = Taken::default();
        for param in params {
            if let Takes::Shared(index) = param {
                self.setters.note(&self.plan.shared[*index].name, &mut idents);
            }
        }
        let trees = params.iter().map(|param| match param {
            Takes::Shared(index) => self.shared[*index].as_str().into(),
            Takes::Own(param) => match self.same_shared(param) {
                Some(id) => id.into(),
                None => self.param(param, None, &mut idents, inherited),
            },
        });
        trees.collect()
    }

    /// The one shared param of the catalogue that says the same.
    fn same_shared(&self, param: &PlannedParam) -> Option<String> {
        let said = &param.said;
        let says_more = param.required.is_some() || param.in_path || said.min.is_some() || said.max.is_some();
        let shared = &self.desk.checked.service.params;
        let same: Vec<_> = shared.iter().filter(|known| known.name == param.name).collect();
        let [known] = same.as_slice() else { return None };
        let is_same = known.ty == self.ty(&param.ty)
            && known.list.is_some() == (param.several != Several::No)
            && (param.default.is_none() || param.default == known.default);
        (is_same && !says_more).then(|| known.id().to_owned())
    }

    fn param(&mut self, param: &PlannedParam, id: Option<&str>, idents: &mut Taken, inherited: &str) -> Tree {
        let said = &param.said;
        let evidence = said.evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let default = param.default.as_deref().map(|value| written(&param.ty, value));
        let (ident, list) = self.setters.choose(param, idents);
        Tree::map()
            .with_some("id", id.filter(|id| *id != param.name))
            .with("name", param.name.as_str())
            .with_some("ident", ident)
            .with("type", self.ty(&param.ty))
            .with_some("list", list)
            .with_some("in", param.in_path.then_some("path"))
            .with_some("required", param.required.clone())
            .with_some("default", default)
            .with_some("range", range(said))
            .with_some("served", some(param.served.iter().map(|value| written(&param.ty, value)).collect()))
            .with_some("unit", said.unit.clone())
            .with("summary", or_unknown(said.summary.clone()))
            .with_some("evidence", (id.is_some() || evidence != inherited).then_some(evidence))
            .with_some("notes", said.notes.clone())
    }

    /// A body as the catalogue writes it.
    pub(super) fn body(&self, endpoint: &PlannedEndpoint, inherited: &str) -> Tree {
        let evidence = endpoint.body_evidence.clone().unwrap_or_else(|| self.import.evidence.clone());
        let own = (evidence != inherited).then_some(evidence.as_str());
        match &endpoint.body {
            PlannedBody::Unknown => "unknown".into(),
            PlannedBody::Series(None, time) => {
                let time = time.clone().filter(|time| Some(time) != self.envelope_time.as_ref() && time == "none");
                Tree::map().with("series", "unknown").with_some("time", time).with("evidence", evidence)
            }
            PlannedBody::Object(record) => {
                let fields = self.record_or_fields(*record, &evidence, None);
                Tree::map().with_some("evidence", own).with("object", fields)
            }
            PlannedBody::Series(Some(record), time) => {
                let time = self.time(*record, time.as_deref());
                let is_shared = time.is_none();
                let skip = self.envelope_time.as_deref().filter(|_| is_shared);
                let fields = self.record_or_fields(*record, &evidence, skip);
                Tree::map().with_some("evidence", own).with_some("time", time).with("series", fields)
            }
        }
    }

    fn record_or_fields(&self, record: usize, evidence: &str, skip: Option<&str>) -> Tree {
        match &self.records[record] {
            Some(name) => name.as_str().into(),
            None => Tree::List(self.fields(&self.plan.records[record].fields, evidence, skip)),
        }
    }

    /// The time of a series, where it is not that of the envelope.
    fn time(&self, record: usize, said: Option<&str>) -> Option<String> {
        let fields = &self.plan.records[record].fields;
        let is_moment = |field: &&PlannedField| field.ty == Ty::Builtin("timestamp");
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        let is_inline = self.records[record].is_none();
        let shared = self.envelope_time.as_deref();
        if shared.is_some_and(|shared| said.is_none_or(|said| said == shared) && has(shared)) {
            let is_time = fields.iter().any(|field| Some(field.name.as_str()) == shared && is_moment(&field));
            return (!is_inline && !is_time).then(|| "none".to_owned());
        }
        if let Some(said) = said {
            let is_field = fields.iter().any(|field| field.name == said && is_moment(&field));
            return if is_field || shared.is_some() {
                Some(if is_field { said } else { "none" }.to_owned())
            } else {
                None
            };
        }
        let moments: Vec<&PlannedField> = fields.iter().filter(is_moment).collect();
        match (moments.as_slice(), shared) {
            ([one], _) => Some(one.name.clone()),
            (_, Some(_)) => Some("none".to_owned()),
            _ => None,
        }
    }

    /// Fields as the catalogue lists them.
    pub(super) fn fields(&self, fields: &[PlannedField], inherited: &str, skip: Option<&str>) -> Vec<Tree> {
        let mut taken = Taken::default();
        if let Some(skip) = skip {
            taken.note(names::ident(skip, Case::Snake).unwrap_or_default());
        }
        let listed = fields.iter().filter(|field| Some(field.name.as_str()) != skip);
        listed.map(|field| self.field(field, inherited, &mut taken)).collect()
    }

    pub(super) fn field(&self, field: &PlannedField, inherited: &str, taken: &mut Taken) -> Tree {
        let said = &field.said;
        let evidence = said.evidence.as_deref().unwrap_or(&self.import.evidence);
        Tree::map()
            .with("name", field.name.as_str())
            .with_some("ident", taken.chosen(&field.name, said.ident.as_deref(), Case::Snake, Scope::Fields))
            .with("type", self.ty(&field.ty))
            .with("summary", or_unknown(said.summary.clone()))
            .with_some("unit", said.unit.clone())
            .with_some("range", range(said))
            .with_some("optional", field.optional.then_some(true))
            .with_some("evidence", (evidence != inherited).then_some(evidence))
            .with_some("notes", said.notes.clone())
    }

    /// A type as the catalogue writes it.
    pub(super) fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Builtin(name) => (*name).to_owned(),
            Ty::Named(index) => self.types[*index].0.clone(),
            Ty::Record(index) => self.records[*index].clone().unwrap_or_else(|| "any".to_owned()),
            Ty::List(item) => format!("list<{}>", self.ty(item)),
        }
    }
}

/// A path without the names of its params.
pub(super) fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// A type's name: its own, with its owner's before it where that is taken, or with a number.
fn claim(taken: &mut Taken, name: &str, owner: &str) -> String {
    let longer = format!("{owner} {name}");
    let is_taken = names::ident(name, Case::Pascal).is_ok_and(|ident| taken.has(&ident));
    taken.claim(if is_taken && owner != name { &longer } else { name }, Case::Pascal, Scope::Types)
}

/// A value of a param as YAML writes it.
fn written(ty: &Ty, value: &str) -> Tree {
    match ty {
        Ty::Builtin("integer" | "count" | "number" | "timestamp") => Tree::Number(value.to_owned()),
        _ => Tree::Text(value.to_owned()),
    }
}

fn range(said: &Said) -> Option<Tree> {
    (said.min.is_some() || said.max.is_some())
        .then(|| Tree::map().with_some("min", said.min).with_some("max", said.max))
}

fn named_type(name: &str, ty: &PlannedType, evidence: &str) -> Tree {
    let evidence = ty.said.evidence.as_deref().unwrap_or(evidence);
    let mut idents = Taken::default();
    let values = values(ty, evidence, &mut idents, &[]);
    let (kind, _) = case_of(ty);
    Tree::map()
        .with("name", name)
        .with("kind", kind)
        .with("summary", or_unknown(ty.said.summary.clone()))
        .with("evidence", evidence)
        .with_some("shapes", ty.shapes.as_ref().map(Tree::of_value))
        .with_some("values", some(values))
}

fn case_of(ty: &PlannedType) -> (&'static str, (Case, Scope)) {
    if ty.is_open {
        ("identifier", (Case::Shouty, Scope::Constants))
    } else {
        ("enum", (Case::Pascal, Scope::Variants))
    }
}

/// Values that are not among the known ones.
pub(super) fn values(ty: &PlannedType, inherited: &str, idents: &mut Taken, known: &[&str]) -> Vec<Tree> {
    let (_, (case, scope)) = case_of(ty);
    let new = ty.values.iter().filter(|value| !known.contains(&value.value.as_str()));
    new.map(|value| {
        let said = &value.said;
        Tree::map()
            .with("value", value.value.as_str())
            .with_some("ident", idents.chosen(&value.value, said.ident.as_deref(), case, scope))
            .with_some("summary", Some(said.summary.clone()).filter(|summary| !summary.is_empty()))
            .with_some("evidence", said.evidence.clone().filter(|own| own != inherited))
    })
    .collect()
}
