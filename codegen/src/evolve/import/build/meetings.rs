//! Where the description meets the catalogue: which params, fields, types and records of the one stand at the places
//! of the other, and what of the description is to be written because nothing stands there.
//!
//! A type or record is recognised by the place that it stands at before it is by its name, so that a description that
//! was imported once finds all that came of it, whatever that had to be called.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::known::{self, Entry, FieldsAt, ParamAt};
use super::{Slot, label};
use crate::evolve::change::Checked;
use crate::evolve::import::plan::{Plan, PlannedBody, PlannedEndpoint, PlannedParam, Taken, Ty};
use crate::names::{self, Case};
use crate::path::template;
use crate::spec::{self, Fields, Known};
use crate::type_expr::TypeExpr;

/// Everything that was recognised, and what is left to be written.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    pub(super) params: Vec<MetParam>,
    /// Records of the plan by index, with a list of fields that stands in their place.
    pub(super) fields: Vec<(usize, FieldsAt)>,
    /// The catalogue's names for types of the plan, and where they were recognised.
    pub(super) types: BTreeMap<usize, (String, String)>,
    /// Types that something new has, and where first.
    pub(super) wanted_types: BTreeMap<usize, String>,
    /// Records that something new has: where they are already, if they are.
    pub(super) wanted_records: BTreeMap<usize, Option<FieldsAt>>,
    /// Records that fields of the service have, so that no group can have them.
    pub(super) shared: BTreeSet<usize>,
}

/// A param of the catalogue, with all that the description says of it.
#[derive(Debug)]
pub(super) struct MetParam {
    pub(super) at: ParamAt,
    pub(super) users: Vec<User>,
}

/// What the description says of a known param on one endpoint.
#[derive(Debug)]
pub(super) struct User {
    /// What the endpoint is called in messages.
    pub(super) label: String,
    /// Its group and index, unless it is new.
    pub(super) endpoint: Option<(usize, usize)>,
    pub(super) entry: Entry,
    pub(super) said: PlannedParam,
}

impl Meetings {
    pub(super) fn user(&mut self, at: ParamAt, user: User) {
        match self.params.iter_mut().find(|met| met.at == at) {
            Some(met) => met.users.push(user),
            None => self.params.push(MetParam { at, users: vec![user] }),
        }
    }

    /// Whether a param of an endpoint, by the name that the description has for it, is one of the catalogue.
    pub(super) fn has(&self, slot: &Slot, name: &str) -> bool {
        let Slot::Known(group, endpoint) = *slot else { return false };
        let mut users = self.params.iter().flat_map(|met| &met.users);
        users.any(|user| user.endpoint == Some((group, endpoint)) && user.said.name == name)
    }

    /// Compares a plan with a catalogue, place by place.
    pub(super) fn of(checked: &Checked, plan: &Plan, slots: &[Slot], time: Option<&str>) -> Self {
        let mut shared = BTreeSet::new();
        loop {
            // Where a record can stand decides which of the known ones it is, and that what else the service has.
            let met = Self::once(checked, plan, slots, time, shared.clone());
            if met.shared == shared {
                return met;
            }
            shared = met.shared;
        }
    }

    fn once(checked: &Checked, plan: &Plan, slots: &[Slot], time: Option<&str>, shared: BTreeSet<usize>) -> Self {
        let met = Self { shared, ..Self::default() };
        let mut matcher = Matcher { checked, plan, time, met, queue: VecDeque::new() };
        for record in &plan.metadata {
            match checked.service.envelope.as_ref().and_then(|envelope| envelope.metadata.as_ref()) {
                Some(_) => matcher.fields(*record, &FieldsAt::Metadata),
                None => matcher.want_fields(*record, "the metadata"),
            }
        }
        for (endpoint, slot) in plan.endpoints.iter().zip(slots) {
            match slot {
                Slot::Known(group, index) => matcher.known(endpoint, *group, *index),
                Slot::New(_) => matcher.new_endpoint(endpoint),
            }
        }
        // What is new is named after all places are known, so that it can have the names of what it was found to be.
        while let Some((record, label)) = matcher.queue.pop_front() {
            matcher.settle(record, &label);
        }
        matcher.met
    }
}

struct Matcher<'a> {
    checked: &'a Checked,
    plan: &'a Plan,
    time: Option<&'a str>,
    met: Meetings,
    queue: VecDeque<(usize, String)>,
}

impl Matcher<'_> {
    fn new_endpoint(&mut self, endpoint: &PlannedEndpoint) {
        let label = label(endpoint);
        self.want_params(endpoint.params.iter().flatten(), &label);
        self.want_body(endpoint, &label);
    }

    fn known(&mut self, endpoint: &PlannedEndpoint, group: usize, index: usize) {
        let known = &self.checked.groups[group].1.endpoints[index];
        let label = known::label(known);
        match known::params(self.checked, group, index) {
            None => self.want_params(endpoint.params.iter().flatten(), &label),
            Some(params) => {
                for taken in endpoint.params.iter().flatten() {
                    let said = self.plan.param(taken);
                    match params.iter().find(|(at, _)| is_same(at.param(self.checked), said, known, endpoint)) {
                        Some((at, entry)) => self.met_param(*at, entry.clone(), (group, index), &label, said.clone()),
                        None => self.want_params(std::iter::once(taken), &label),
                    }
                }
            }
        }
        if endpoint.body.is_news_to(&known.body) {
            return self.want_body(endpoint, &label);
        }
        let Known::Known(body) = &known.body else { return };
        let (record, listed) = match endpoint.body {
            PlannedBody::Series(Some(record), _) => (record, &body.series),
            PlannedBody::Object(record) => (record, &body.object),
            _ => return,
        };
        match listed.as_ref().and_then(Known::known) {
            Some(Fields::Inline(_)) => self.fields(record, &FieldsAt::Body(group, index)),
            Some(Fields::Record(name)) => self.record(record, name, Some(group)),
            None => {}
        }
    }

    fn met_param(&mut self, at: ParamAt, entry: Entry, endpoint: (usize, usize), label: &str, said: PlannedParam) {
        if let Some(known) = at.param(self.checked) {
            let label = format!("`{}` of {label}", known.name);
            self.value(TypeExpr::parse(&known.ty).as_ref(), &said.ty, Some(endpoint.0), &label);
        }
        self.met.user(at, User { label: label.to_owned(), endpoint: Some(endpoint), entry, said });
    }

    /// Two lists of fields that stand at one place.
    fn fields(&mut self, record: usize, at: &FieldsAt) {
        if self.met.fields.iter().any(|(met, there)| *met == record && there == at) {
            return;
        }
        self.met.fields.push((record, at.clone()));
        let Some(list) = at.list(self.checked) else { return };
        let plan = self.plan;
        for field in &plan.records[record].fields {
            let label = format!("`{}` of {}", field.name, list.label);
            match list.fields.iter().find(|known| known.name == field.name) {
                Some(known) => self.value(TypeExpr::parse(&known.ty).as_ref(), &field.ty, at.group(), &label),
                None if Some(field.name.as_str()) == self.time => {}
                None => {
                    if at.group().is_none() {
                        self.share(&field.ty);
                    }
                    self.want(&field.ty, &label);
                }
            }
        }
    }

    fn record(&mut self, record: usize, name: &str, group: Option<usize>) {
        if let Some(at) = known::record_named(self.checked, group, name) {
            self.fields(record, &at);
        }
    }

    /// A type of the catalogue and one of the description that stand at one place.
    fn value(&mut self, known: Option<&TypeExpr<'_>>, said: &Ty, group: Option<usize>, label: &str) {
        match (known, said) {
            (Some(TypeExpr::List(known)), Ty::List(said)) => self.value(Some(known), said, group, label),
            (Some(TypeExpr::Name(name)), Ty::Record(record)) => self.record(*record, name, group),
            (Some(TypeExpr::Name(name)), Ty::Named(index)) => {
                let ty = self.checked.service.types.iter().find(|ty| ty.name == **name);
                if ty.is_some_and(|ty| self.plan.types[*index].can_be(ty)) {
                    self.met.types.entry(*index).or_insert_with(|| ((*name).to_owned(), label.to_owned()));
                }
            }
            _ => {}
        }
    }

    fn want_params<'t>(&mut self, params: impl Iterator<Item = &'t Taken>, label: &str) {
        for taken in params {
            let param = self.plan.param(taken);
            self.want(&param.ty, &format!("`{}` of {label}", param.name));
        }
    }

    fn want_body(&mut self, endpoint: &PlannedEndpoint, label: &str) {
        if let Some(record) = endpoint.body.record() {
            self.want_record(record, label);
        }
    }

    fn want(&mut self, ty: &Ty, label: &str) {
        match ty {
            Ty::Named(index) => {
                self.met.wanted_types.entry(*index).or_insert_with(|| label.to_owned());
            }
            Ty::Record(record) => self.want_record(*record, label),
            Ty::List(item) => self.want(item, label),
            Ty::Builtin(_) | Ty::Known(_) => {}
        }
    }

    /// Notes that the service is to have a record, and so all that it is made of.
    fn share(&mut self, ty: &Ty) {
        if let Some(record) = ty.record()
            && self.met.shared.insert(record)
        {
            let plan = self.plan;
            plan.records[record].fields.iter().for_each(|field| self.share(&field.ty));
        }
    }

    fn want_record(&mut self, record: usize, label: &str) {
        if self.met.wanted_records.insert(record, None).is_none() {
            self.queue.push_back((record, label.to_owned()));
        }
    }

    fn want_fields(&mut self, record: usize, label: &str) {
        let plan = self.plan;
        for field in &plan.records[record].fields {
            self.want(&field.ty, &format!("`{}` of {label}", field.name));
        }
    }

    /// Whether a record that is wanted is there: where it was recognised, or by its name and a field.
    fn settle(&mut self, record: usize, label: &str) {
        let planned = &self.plan.records[record];
        let is_shared = planned.is_shared || self.met.shared.contains(&record);
        let module = planned.groups.first().filter(|_| planned.groups.len() == 1 && !is_shared);
        let group = self.checked.groups.iter().position(|(known, _)| Some(known) == module);
        let fits = |at: &FieldsAt| match at {
            FieldsAt::OfGroup(of, _) => Some(*of) == group,
            FieldsAt::Shared(_) => true,
            FieldsAt::Body(..) | FieldsAt::Metadata => false,
        };
        let found = self.met.fields.iter().find(|(met, at)| *met == record && fits(at)).map(|(_, at)| at.clone());
        let named = || {
            let name = names::ident(&planned.name, Case::Pascal).ok()?;
            let at = known::record_named(self.checked, group, &name)?;
            let is_other = self.met.fields.iter().any(|(_, there)| *there == at);
            let fields = at.list(self.checked)?.fields;
            let is_same = planned.fields.iter().any(|field| fields.iter().any(|known| known.name == field.name));
            (is_same && !is_other).then_some(at)
        };
        let known = if self.plan.is_inline(record) { None } else { found.or_else(named) };
        match known {
            Some(at) => {
                self.fields(record, &at);
                self.met.wanted_records.insert(record, Some(at));
            }
            None => self.want_fields(record, label),
        }
    }
}

/// Whether a known param and a described one are the same: by name, and in a path by where they stand in it.
fn is_same(
    param: Option<&spec::Param>,
    said: &PlannedParam,
    known: &spec::Endpoint,
    endpoint: &PlannedEndpoint,
) -> bool {
    let Some(param) = param else { return false };
    match (known.path.known(), &endpoint.path) {
        (Some(path), Some(other)) if said.in_path && template(path) == template(other) => {
            let place = |path: &str, name: &str| path.split('/').position(|segment| segment == format!("{{{name}}}"));
            place(path, &param.name) == place(other, &said.name)
        }
        _ => param.name == said.name,
    }
}
