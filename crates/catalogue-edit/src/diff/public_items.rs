//! The public items of a client: all names that users can write, and facts about them.

use catalogue::Api;
use catalogue::model::{Body, Endpoint, Group, History, Known, NamedType, Param, Record, RecordRef, Type};

use super::Verdict;

/// An item of a client: a name that users can write, or a fact.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) kind: Kind,
    /// The name of the item to which this item belongs; empty if there is none.
    pub(super) owner: String,
    /// The name as users write it. The name of a field, or of a setter of an endpoint, does not contain the owner. For
    /// a fact: the text before the value.
    pub(super) name: String,
    /// The name on the wire. For groups, types and records: the names of their parts, separated by spaces.
    pub(super) wire: String,
    /// The name of the column in stored tables; empty if there is none.
    pub(super) column: String,
    /// The type; empty if the item has none. For a fact: the value.
    pub(super) ty: String,
    /// The verdict if the type changes.
    pub(super) verdict: Verdict,
    pub(super) summary: String,
    /// The endpoint, if the item is one.
    pub(super) endpoint: Option<&'a Endpoint>,
}

/// The kind of an item. Items are compared in this order, because the text of an item may contain names of items of an
/// earlier kind, and their renames must be known before the texts are compared.
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
    /// A fact that does not appear in names and types, such as the unit of a field.
    Fact,
}

/// The owner and the name of an item. The owner is empty for all items except fields, the setters of an endpoint, and
/// facts.
pub(super) type Key = (String, String);

impl Item<'_> {
    pub(super) fn key(&self) -> Key {
        (self.location().unwrap_or_default().to_owned(), self.name.clone())
    }

    /// Returns the owner of a fact, a field, or a setter of an endpoint, because their names do not contain the owner;
    /// `None` for other items.
    pub(super) fn location(&self) -> Option<&str> {
        let is_member = self.kind == Kind::Fact || self.name.starts_with('.');
        Some(&*self.owner).filter(|owner| is_member && !owner.is_empty())
    }

    /// Returns `true` if `new` is this item under another name.
    pub(super) fn is_continued_by(&self, new: &Item<'_>) -> bool {
        let has_free_owner = matches!(self.kind, Kind::Endpoint | Kind::Record);
        self.kind == new.kind
            && !self.wire.is_empty()
            && self.wire == new.wire
            && (has_free_owner || self.owner == new.owner)
    }
}

/// Returns all items of a client, sorted by kind.
pub(super) fn items(api: &Api) -> Vec<Item<'_>> {
    let mut items = Items { api, list: Vec::new() };
    items.service();
    api.types.iter().for_each(|ty| items.named_type(ty));
    let ranges = params_of_ranges(api);
    for setter in &api.setters {
        let kind = if setter.several { Kind::ListSetter } else { Kind::Setter };
        let ty = match &setter.ty {
            Some(ty) => format!("`{}`", argument_type(ty, setter.several)),
            None => format!("`{}::{}` of each endpoint", setter.takes, setter.type_ident),
        };
        let item = items.add(kind, "", &format!(".{}()", setter.ident), &setter.param.declared.name, &ty);
        if !ranges.contains(&setter.param.declared.name.as_str()) {
            let oldest = setter.param.declared.also_named.first().unwrap_or(&setter.param.declared.name);
            item.column = oldest.to_string();
        }
    }
    api.records.iter().for_each(|record| items.record("", &record.ident, record));
    api.groups.iter().for_each(|group| items.group(group));
    items.list.sort_by_key(|item| item.kind);
    items.list
}

/// The names of the params that select a range of a history, which are no columns of stored tables.
fn params_of_ranges(api: &Api) -> Vec<&str> {
    let mut histories: Vec<&History> = api.service.declared.history.iter().collect();
    for endpoint in api.endpoints() {
        if let Some(Known::Known(history)) = &endpoint.declared.history {
            histories.push(history);
        }
    }
    let mut names = Vec::new();
    for history in histories {
        for param in [&history.from, &history.to, &history.limit].into_iter().flatten() {
            names.push(param.as_str());
        }
        names.extend(history.order().map(|(param, _)| param.as_str()));
    }
    names
}

pub(super) struct Items<'a> {
    pub(super) api: &'a Api,
    list: Vec<Item<'a>>,
}

impl<'a> Items<'a> {
    pub(super) fn add(&mut self, kind: Kind, owner: &str, name: &str, wire: &str, ty: &str) -> &mut Item<'a> {
        let [owner, name, wire, ty] = [owner, name, wire, ty].map(str::to_owned);
        let item = Item {
            kind,
            owner,
            name,
            wire,
            column: String::new(),
            ty,
            verdict: Verdict::Major,
            summary: String::new(),
            endpoint: None,
        };
        self.list.push(item);
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    fn named_type(&mut self, ty: &NamedType) {
        let values: Vec<_> = ty.values.iter().map(|value| value.value.as_str()).collect();
        let kind = if ty.open { "an identifier" } else { "an enum" };
        self.add(Kind::Type, "", &ty.ident, &values.join(" "), kind);
        for value in &ty.values {
            let name = format!("{}::{}", ty.ident, value.ident);
            self.add(Kind::Value, &ty.ident, &name, &value.value, "");
            self.value(&name, value);
        }
        if ty.values.iter().any(|value| value.step.is_some_and(|step| step.length().is_some())) {
            self.add(Kind::Other, &ty.ident, &format!("{}::duration()", ty.ident), "", "");
        }
        for attribute in &ty.attributes {
            self.add(Kind::Other, &ty.ident, &format!("{}::{attribute}()", ty.ident), "", "");
        }
    }

    fn group(&mut self, group: &'a Group) {
        let accessor = format!("client.{}()", group.ident);
        let names: Vec<_> = group.endpoints.iter().map(|endpoint| endpoint.declared.name.as_str()).collect();
        self.add(Kind::Group, "", &accessor, &names.join(" "), "").summary.clone_from(&group.summary);
        group.methods().for_each(|endpoint| self.endpoint(group, &accessor, endpoint));
        for record in &group.records {
            let reference = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
            let method = group.methods().find(|endpoint| endpoint.body.record() == Some(&reference));
            let owner = method.map_or_else(|| accessor.clone(), |endpoint| call(group, endpoint));
            self.record(&owner, &named(&reference), record);
        }
    }

    fn record(&mut self, owner: &str, name: &str, record: &Record) {
        let names: Vec<_> = record.fields.iter().map(|field| field.wire_name.as_str()).collect();
        self.add(Kind::Record, owner, name, &names.join(" "), "");
        self.order(name, record);
        for field in &record.fields {
            let ty = if field.is_option() { format!("Option<{}>", rust(&field.ty)) } else { rust(&field.ty) };
            let item = self.add(Kind::Field, name, &format!(".{}", field.ident), &field.wire_name, &format!("`{ty}`"));
            item.column.clone_from(&field.wire_name);
            let location = format!("{name}.{}", field.ident);
            self.unit(&location, &field.ty, &field.unit);
            self.missing(&location, field);
            self.field(&location, field);
        }
    }

    fn endpoint(&mut self, group: &Group, accessor: &str, endpoint: &'a Endpoint) {
        let call = call(group, endpoint);
        let path = endpoint.path.as_deref().unwrap_or_default();
        let arguments: Vec<_> =
            arguments(endpoint).map(|param| argument_type(&param.ty, param.declared.list_setter.is_some())).collect();
        let body = match &endpoint.body {
            Body::Series { record: Some(record), .. } => format!("Series<{}>", named(record)),
            Body::Object { record, .. } => named(record),
            Body::Series { record: None, .. } => "Series<Value>".to_owned(),
            Body::Unknown => "Value".to_owned(),
        };
        let signature = format!("`({}) -> {body}`", arguments.join(", "));
        let item = self.add(Kind::Endpoint, accessor, &call, path, &signature);
        (item.summary, item.endpoint) = (endpoint.declared.summary.clone(), Some(endpoint));
        self.add(Kind::Marker, &call, &format!("{}::{}", group.ident, endpoint.type_ident), path, "");
        for param in params(endpoint) {
            let location = format!("{call}.{}()", param.ident);
            self.unit(&location, &param.ty, &param.unit);
            self.param(&location, param);
        }
        for param in params(endpoint).filter(|param| param.is_set()) {
            let list = param.declared.list_setter.as_ref().map(|list| (Kind::ListSetter, &**list));
            for (kind, ident) in std::iter::once((Kind::Setter, &param.ident)).chain(list) {
                // If the setter has the same type on all endpoints, the item of the shared setter contains the type, so
                // this item has no type.
                let is_shared = self.api.setter(ident).is_some_and(|setter| setter.ty.is_some());
                let ty = format!("`{}`", argument_type(&param.ty, kind == Kind::ListSetter));
                let ty = if is_shared { String::new() } else { ty };
                self.add(kind, &call, &format!(".{ident}()"), &param.declared.name, &ty);
            }
        }
        if let Some(Known::Known(history)) = &endpoint.declared.history {
            self.history(&call, history);
        }
        if endpoint.pages.is_some() {
            self.add(Kind::Other, &call, ".all_pages()", "", "");
        }
        self.pages(&call, endpoint.pages.as_ref());
        self.records_of(&call, &endpoint.body);
        if endpoint.has_history {
            self.add(Kind::Other, &call, ".history()", "", "");
        }
    }
}

/// Returns the call of a method, as users write it.
fn call(group: &Group, endpoint: &Endpoint) -> String {
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
        Type::Builtin(builtin) => builtin.rust_name().to_owned(),
        Type::Named(name) => name.clone(),
    }
}
