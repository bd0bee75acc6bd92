//! The public items of a client: all names that users can write.

use codegen::Api;
use codegen::model::{Body, Endpoint, Group, HistorySource, NamedType, Param, Record, RecordRef, Type};
use quote::ToTokens;

/// A name that users can write, with its kind, its type and the item to which it belongs.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) kind: Kind,
    /// The name of the item to which this item belongs; empty if there is none.
    pub(super) owner: String,
    /// The name as users write it. The name of a field, or of a setter of an endpoint, does not contain the owner.
    pub(super) name: String,
    /// The name on the wire. For groups, types and records: the names of their parts, separated by spaces.
    pub(super) wire: String,
    /// The type; empty if the item has none.
    pub(super) ty: String,
    pub(super) summary: String,
}

/// The kind of an item. Items are compared in this order, because the text of an item may contain names of items of the
/// kinds listed before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Group,
    Type,
    Record,
    Endpoint,
    Marker,
    Value,
    Setter,
    ListSetter,
    Field,
    Other,
}

/// The owner and the name of an item. The owner is empty for all items except fields and the setters of an endpoint.
pub(super) type Key = (String, String);

impl Item {
    fn is(&mut self, wire: &str, ty: &str) -> &mut Self {
        wire.clone_into(&mut self.wire);
        ty.clone_into(&mut self.ty);
        self
    }

    pub(super) fn key(&self) -> Key {
        (if self.is_member() { self.owner.clone() } else { String::new() }, self.name.clone())
    }

    /// Returns `true` if users write the name after the owner, as they do for a field or for a setter of an endpoint.
    pub(super) fn is_member(&self) -> bool {
        self.name.starts_with('.') && !self.owner.is_empty()
    }

    /// Returns `true` if `new` is this item under another name.
    pub(super) fn is_continued_by(&self, new: &Self) -> bool {
        let has_free_owner = matches!(self.kind, Kind::Endpoint | Kind::Record);
        self.kind == new.kind
            && !self.wire.is_empty()
            && self.wire == new.wire
            && (has_free_owner || self.owner == new.owner)
    }
}

/// Returns all items of a client, sorted by kind.
pub(super) fn items(api: &Api) -> Vec<Item> {
    let mut items = Items(Vec::new());
    for limit in &api.service.limits {
        items.add(Kind::Other, "", format!("limits::{}", limit.constant));
    }
    api.types.iter().for_each(|ty| items.named_type(ty));
    for setter in &api.setters {
        let kind = if setter.several { Kind::ListSetter } else { Kind::Setter };
        let ty = match &setter.ty {
            Some(ty) => format!("`{}`", argument_type(ty, setter.several)),
            None => format!("`{}::{}` of each endpoint", setter.takes, setter.type_ident),
        };
        items.add(kind, "", format!(".{}()", setter.ident)).is(&setter.wire_name, &ty);
    }
    api.records.iter().for_each(|record| items.record("", &record.ident, record));
    api.groups.iter().for_each(|group| items.group(api, group));
    items.0.sort_by_key(|item| item.kind);
    items.0
}

struct Items(Vec<Item>);

impl Items {
    fn add(&mut self, kind: Kind, owner: &str, name: impl Into<String>) -> &mut Item {
        let (owner, name, [wire, ty, summary]) = (owner.to_owned(), name.into(), Default::default());
        self.0.push(Item { kind, owner, name, wire, ty, summary });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    fn named_type(&mut self, ty: &NamedType) {
        let values: Vec<_> = ty.values.iter().map(|value| value.value.as_str()).collect();
        let kind = if ty.open { "an identifier" } else { "an enum" };
        self.add(Kind::Type, "", &ty.ident).is(&values.join(" "), kind);
        for value in &ty.values {
            self.add(Kind::Value, &ty.ident, format!("{}::{}", ty.ident, value.ident)).is(&value.value, "");
        }
        if ty.values.iter().any(|value| value.seconds.is_some()) {
            self.add(Kind::Other, &ty.ident, format!("{}::duration()", ty.ident));
        }
        for attribute in &ty.attributes {
            self.add(Kind::Other, &ty.ident, format!("{}::{attribute}()", ty.ident));
        }
    }

    fn group(&mut self, api: &Api, group: &Group) {
        let accessor = format!("client.{}()", group.ident);
        let names: Vec<_> = group.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
        self.add(Kind::Group, "", &accessor).is(&names.join(" "), "").summary.clone_from(&group.summary);
        group.methods().for_each(|endpoint| self.endpoint(api, group, &accessor, endpoint));
        for record in &group.records {
            let reference = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
            let method = group.methods().find(|endpoint| endpoint.body.record() == Some(&reference));
            let owner = method.map_or_else(|| accessor.clone(), |endpoint| call(group, endpoint));
            self.record(&owner, &named(&reference), record);
        }
    }

    fn record(&mut self, owner: &str, name: &str, record: &Record) {
        let names: Vec<_> = record.fields.iter().map(|field| field.wire_name.as_str()).collect();
        self.add(Kind::Record, owner, name).is(&names.join(" "), "");
        for field in &record.fields {
            let ty = if field.is_option() { format!("Option<{}>", rust(&field.ty)) } else { rust(&field.ty) };
            self.add(Kind::Field, name, format!(".{}", field.ident)).is(&field.wire_name, &format!("`{ty}`"));
        }
    }

    fn endpoint(&mut self, api: &Api, group: &Group, accessor: &str, endpoint: &Endpoint) {
        let call = call(group, endpoint);
        let path = endpoint.path.as_deref().unwrap_or_default();
        let arguments: Vec<_> =
            arguments(endpoint).map(|param| argument_type(&param.ty, param.list_setter.is_some())).collect();
        let body = match &endpoint.body {
            Body::Series { record: Some(record), .. } => format!("Series<{}>", named(record)),
            Body::Object { record, .. } => named(record),
            body => body.to_token_stream().to_string().replace(' ', ""),
        };
        let signature = format!("`({}) -> {body}`", arguments.join(", "));
        self.add(Kind::Endpoint, accessor, &call).is(path, &signature).summary.clone_from(&endpoint.summary);
        self.add(Kind::Marker, &call, format!("{}::{}", group.ident, endpoint.type_ident)).is(path, "");
        for param in params(endpoint).filter(|param| param.is_set()) {
            let list = param.list_setter.as_ref().map(|list| (Kind::ListSetter, list));
            for (kind, ident) in std::iter::once((Kind::Setter, &param.ident)).chain(list) {
                let item = self.add(kind, &call, format!(".{ident}()")).is(&param.wire_name, "");
                // If the setter has the same type on all endpoints, the item of the shared setter contains the type.
                if api.setter(ident).is_none_or(|setter| setter.ty.is_none()) {
                    item.ty = format!("`{}`", argument_type(&param.ty, kind == Kind::ListSetter));
                }
            }
        }
        if endpoint.has_history && !matches!(endpoint.history, HistorySource::Unknown) {
            self.add(Kind::Other, &call, ".history()");
        }
    }
}

/// Returns all records, each with its name.
pub(super) fn records(api: &Api) -> impl Iterator<Item = (String, &Record)> {
    let of_groups = api.groups.iter().flat_map(|group| {
        group.records.iter().map(move |record| (format!("{}::{}", group.ident, record.ident), record))
    });
    api.records.iter().map(|record| (record.ident.clone(), record)).chain(of_groups)
}

/// Returns the call of a method, as users write it.
pub(super) fn call(group: &Group, endpoint: &Endpoint) -> String {
    format!("client.{}().{}()", group.ident, endpoint.ident)
}

pub(super) fn params(endpoint: &Endpoint) -> impl Iterator<Item = &Param> {
    endpoint.params.iter().flatten().map(|param| &param.param)
}

pub(super) fn arguments(endpoint: &Endpoint) -> impl Iterator<Item = &Param> {
    params(endpoint).filter(|param| param.is_argument())
}

fn named(record: &RecordRef) -> String {
    let module = record.module.as_ref().map(|module| format!("{module}::")).unwrap_or_default();
    module + &record.ident
}

/// Returns the type of an argument as reports show it. A list is in brackets.
fn argument_type(ty: &Type, is_list: bool) -> String {
    if is_list { format!("[{}]", rust(ty)) } else { rust(ty) }
}

/// Returns a type as users write it.
fn rust(ty: &Type) -> String {
    match ty {
        Type::Record(record) | Type::Recursive(record) => named(record),
        Type::List(item) => format!("Vec<{}>", rust(item)),
        Type::Map(item) => format!("BTreeMap<String, {}>", rust(item)),
        Type::Option(item) => format!("Option<{}>", rust(item)),
        other => other.to_token_stream().to_string(),
    }
}
