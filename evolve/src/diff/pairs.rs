//! Pairs of old and new groups, endpoints, records, types and setters, also under other names.
//!
//! The name decides first, as downstream wrote it. Things without a pair by name are renamed if something else is the
//! same: the path of an endpoint, the wire name of a param, the fields of a record.

use codegen::model::{Api, Body, Endpoint, Group, NamedType, Record, RecordForm, RecordRef, Setter, Type};

use super::pairing::Pairing;

/// Both sides, with everything paired.
pub(super) struct Pairs<'a> {
    pub(super) old: &'a Api,
    pub(super) new: &'a Api,
    pub(super) groups: Pairing<&'a Group>,
    pub(super) endpoints: Pairing<Placed<'a>>,
    pub(super) records: Pairing<Standing<'a>>,
    pub(super) types: Pairing<&'a NamedType>,
    pub(super) setters: Pairing<&'a Setter>,
}

/// An endpoint and its group.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) group: &'a Group,
    pub(super) endpoint: &'a Endpoint,
}

/// A record and the module it stands in, none if it is at the root.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    pub(super) module: Option<&'a str>,
    pub(super) record: &'a Record,
}

impl Standing<'_> {
    pub(super) fn is(self, reference: &RecordRef) -> bool {
        self.module == reference.module.as_deref() && self.record.ident == reference.ident
    }
}

impl<'a> Pairs<'a> {
    pub(super) fn new(old: &'a Api, new: &'a Api) -> Self {
        let groups = Pairing::of(&old.groups, &new.groups).by(|old, new| old.ident == new.ident).by(has_most_of);
        let module = |old: &str| renamed_module(&groups, old).to_owned();
        let endpoints = Pairing::of(placed(old), placed(new))
            .by(|old, new| module(&old.group.ident) == new.group.ident && old.endpoint.ident == new.endpoint.ident)
            .by(|old, new| old.endpoint.path.is_some() && old.endpoint.path == new.endpoint.path)
            .by(|old, new| {
                let (old, new) = (old.endpoint, new.endpoint);
                new.aliases.contains(&old.name) || old.aliases.contains(&new.name)
            });
        let records = Pairing::of(standing(old), standing(new))
            .by(|old, new| old.module.map(module).as_deref() == new.module && old.record.ident == new.record.ident)
            .by(|old, new| is_answer_of_one(&endpoints, old, new))
            .by(|old, new| wire_names(old.record).eq(wire_names(new.record)) && !old.record.fields.is_empty());
        let types = Pairing::of(&old.types, &new.types)
            .by(|old, new| old.ident == new.ident)
            .by(|old, new| old.open == new.open && values(old).eq(values(new)) && !old.values.is_empty());
        let setters = Pairing::of(&old.setters, &new.setters)
            .by(|old, new| old.ident == new.ident)
            .by(|old, new| old.wire_name == new.wire_name && old.several == new.several);
        Self { old, new, groups, endpoints, records, types, setters }
    }

    /// The name that a group's module has now.
    pub(super) fn module<'n>(&'n self, old: &'n str) -> &'n str {
        renamed_module(&self.groups, old)
    }

    /// The type of old, by the names that its parts have now.
    pub(super) fn ty(&self, old: &Type) -> Type {
        match old {
            Type::Named(name) => {
                let pair = self.types.both.iter().find(|(old, _)| old.ident == *name);
                Type::Named(pair.map_or(name, |(_, new)| &new.ident).clone())
            }
            Type::Record(record) => Type::Record(self.record(record)),
            Type::List(item) => Type::List(Box::new(self.ty(item))),
            Type::Map(item) => Type::Map(Box::new(self.ty(item))),
            Type::Option(given) => Type::Option(Box::new(self.ty(given))),
            Type::Timestamp(_) => self.in_service_unit(old),
            _ => old.clone(),
        }
    }

    /// The same type in the service's unit: another unit changes the number on the wire, and not the type in Rust.
    pub(super) fn in_service_unit(&self, ty: &Type) -> Type {
        ty.clone().timed_in(self.new.service.time_form)
    }

    /// The new form of times, if it differs; `None` too if it changes with that of the whole service.
    pub(super) fn form_now(&self, old: &Type, new: &Type) -> Option<&'static str> {
        let (Type::Timestamp(before), Type::Timestamp(after)) = (old.innermost(), new.innermost()) else { return None };
        let is_services = (*before, *after) == (self.old.service.time_form, self.new.service.time_form);
        (before != after && !is_services).then(|| after.word())
    }

    /// The record of old, by the name that it has now.
    pub(super) fn record(&self, old: &RecordRef) -> RecordRef {
        let pair = self.records.both.iter().find(|(candidate, _)| candidate.is(old));
        pair.map_or_else(
            || old.clone(),
            |(_, new)| RecordRef { module: new.module.map(str::to_owned), ident: new.record.ident.clone() },
        )
    }

    /// How the record of a body is written now.
    pub(super) fn form_of(&self, body: &Body) -> Option<RecordForm> {
        let reference = body.record()?;
        standing(self.new).find(|standing| standing.is(reference)).map(|standing| standing.record.form)
    }

    /// The endpoints that are methods before and after.
    pub(super) fn methods(&self) -> impl Iterator<Item = (Placed<'a>, Placed<'a>)> {
        let both = self.endpoints.both.iter().copied();
        both.filter(|(old, new)| old.endpoint.path.is_some() && new.endpoint.path.is_some())
    }
}

fn placed(api: &Api) -> impl Iterator<Item = Placed<'_>> {
    api.groups.iter().flat_map(|group| group.endpoints.iter().map(move |endpoint| Placed { group, endpoint }))
}

fn standing(api: &Api) -> impl Iterator<Item = Standing<'_>> {
    let shared = api.records.iter().map(|record| Standing { module: None, record });
    let of_groups = api.groups.iter().flat_map(|group| {
        group.records.iter().map(move |record| Standing { module: Some(group.ident.as_str()), record })
    });
    shared.chain(of_groups)
}

/// Whether a group has, under another name, more than half of the old one's endpoints.
fn has_most_of(old: &Group, new: &Group) -> bool {
    let is_same = |a: &Endpoint, b: &Endpoint| match (&a.path, &b.path) {
        (Some(a), Some(b)) => a == b,
        _ => a.name == b.name,
    };
    let kept = old.endpoints.iter().filter(|old| new.endpoints.iter().any(|new| is_same(old, new))).count();
    kept * 2 > old.endpoints.len()
}

fn renamed_module<'n>(groups: &'n Pairing<&Group>, old: &'n str) -> &'n str {
    groups.both.iter().find(|(group, _)| group.ident == old).map_or(old, |(_, new)| &new.ident)
}

/// Whether two records are the bodies of one endpoint, before and after.
fn is_answer_of_one(endpoints: &Pairing<Placed<'_>>, old: Standing<'_>, new: Standing<'_>) -> bool {
    let answers = |body: &Body, record: Standing<'_>| body.record().is_some_and(|reference| record.is(reference));
    endpoints.both.iter().any(|(a, b)| answers(&a.endpoint.body, old) && answers(&b.endpoint.body, new))
}

fn wire_names(record: &Record) -> impl Iterator<Item = &str> {
    record.fields.iter().map(|field| field.wire_name.as_str())
}

fn values(ty: &NamedType) -> impl Iterator<Item = &str> {
    ty.values.iter().map(|value| value.value.as_str())
}
