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

    /// The owner of a fact, a field, or a setter of an endpoint, because their names do not contain the owner;
    /// `None` for other items.
    pub(super) fn location(&self) -> Option<&str> {
        let is_member = self.kind == Kind::Fact || self.name.starts_with('.');
        if is_member && !self.owner.is_empty() { Some(&self.owner) } else { None }
    }

    /// `true` if `new` is this item under another name.
    pub(super) fn is_continued_by(&self, new: &Item<'_>) -> bool {
        let has_free_owner = matches!(self.kind, Kind::Endpoint | Kind::Record);
        self.kind == new.kind
            && !self.wire.is_empty()
            && self.wire == new.wire
            && (has_free_owner || self.owner == new.owner)
    }
}

/// All items of a client, sorted by kind.
pub(super) fn items(api: &Api) -> Vec<Item<'_>> {
    let mut items = Items { api, list: Vec::new() };
    items.service();
    for ty in &api.types {
        items.named_type(ty);
    }
    items.setters();
    for record in &api.records {
        items.record("", &record.ident, record);
    }
    for group in &api.groups {
        items.group(group);
    }
    items.list.sort_by_key(|item| item.kind);
    items.list
}

/// The names of the params that select a range of a history, which are no columns of stored tables.
fn params_of_ranges(api: &Api) -> Vec<&str> {
    let mut names = Vec::new();
    if let Some(history) = &api.service.declared.history {
        add_params_of_range(history, &mut names);
    }
    for endpoint in api.endpoints() {
        if let Some(Known::Known(history)) = &endpoint.declared.history {
            add_params_of_range(history, &mut names);
        }
    }
    names
}

fn add_params_of_range<'h>(history: &'h History, names: &mut Vec<&'h str>) {
    for param in [&history.from, &history.to, &history.limit].into_iter().flatten() {
        names.push(param);
    }
    if let Some((param, _)) = history.order() {
        names.push(param);
    }
}

pub(super) struct Items<'a> {
    pub(super) api: &'a Api,
    list: Vec<Item<'a>>,
}

impl<'a> Items<'a> {
    pub(super) fn add(&mut self, kind: Kind, owner: &str, name: &str, wire: &str, ty: &str) -> &mut Item<'a> {
        let item = Item {
            kind,
            owner: owner.to_owned(),
            name: name.to_owned(),
            wire: wire.to_owned(),
            ty: ty.to_owned(),
            column: String::new(),
            verdict: Verdict::Major,
            summary: String::new(),
            endpoint: None,
        };
        self.list.push(item);
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Adds the setters that several endpoints share.
    fn setters(&mut self) {
        let ranges = params_of_ranges(self.api);
        for setter in &self.api.setters {
            let kind = if setter.several { Kind::ListSetter } else { Kind::Setter };
            let ty = match &setter.ty {
                Some(ty) => format!("`{}`", argument_type(ty, setter.several)),
                None => format!("`{}::{}` of each endpoint", setter.takes, setter.type_ident),
            };
            let declared = &setter.param.declared;
            let item = self.add(kind, "", &format!(".{}()", setter.ident), &declared.name, &ty);
            if !ranges.contains(&declared.name.as_str()) {
                let oldest = declared.also_named.first().unwrap_or(&declared.name);
                item.column = oldest.to_string();
            }
        }
    }

    fn named_type(&mut self, ty: &NamedType) {
        let mut values = Vec::new();
        for value in &ty.values {
            values.push(value.value.as_str());
        }
        let kind = if ty.open { "an identifier" } else { "an enum" };
        self.add(Kind::Type, "", &ty.ident, &values.join(" "), kind);
        for value in &ty.values {
            let name = format!("{}::{}", ty.ident, value.ident);
            self.add(Kind::Value, &ty.ident, &name, &value.value, "");
            self.value(&name, value);
        }
        if ty.has_durations() {
            self.add(Kind::Other, &ty.ident, &format!("{}::duration()", ty.ident), "", "");
        }
        for attribute in &ty.attributes {
            self.add(Kind::Other, &ty.ident, &format!("{}::{attribute}()", ty.ident), "", "");
        }
    }

    fn group(&mut self, group: &'a Group) {
        let accessor = format!("client.{}()", group.ident);
        let mut names = Vec::new();
        for endpoint in &group.endpoints {
            names.push(endpoint.declared.name.as_str());
        }
        self.add(Kind::Group, "", &accessor, &names.join(" "), "").summary.clone_from(&group.summary);
        self.base_url(&accessor, group);
        for endpoint in group.methods() {
            self.endpoint(group, &accessor, endpoint);
        }
        for record in &group.records {
            let reference = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
            let owner = match group.methods().find(|endpoint| endpoint.body.record() == Some(&reference)) {
                Some(endpoint) => call(group, endpoint),
                None => accessor.clone(),
            };
            self.record(&owner, &named(&reference), record);
        }
    }

    fn record(&mut self, owner: &str, name: &str, record: &Record) {
        let mut names = Vec::new();
        for field in &record.fields {
            names.push(field.wire_name.as_str());
        }
        self.add(Kind::Record, owner, name, &names.join(" "), "");
        self.layout(name, record);
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
        let item = self.add(Kind::Endpoint, accessor, &call, path, &signature(endpoint));
        item.summary.clone_from(&endpoint.declared.summary);
        item.endpoint = Some(endpoint);
        self.add(Kind::Marker, &call, &format!("{}::{}", group.ident, endpoint.type_ident), path, "");
        for param in params(endpoint) {
            let location = format!("{call}.{}()", param.ident);
            self.unit(&location, &param.ty, &param.unit);
            self.param(&location, param);
        }
        for param in params(endpoint) {
            if param.is_set() {
                self.setters_of_param(&call, param);
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

    /// Adds the setters of a param on an endpoint.
    fn setters_of_param(&mut self, call: &str, param: &Param) {
        self.setter(call, param, Kind::Setter, &param.ident);
        if let Some(list_setter) = &param.declared.list_setter {
            self.setter(call, param, Kind::ListSetter, list_setter);
        }
    }

    fn setter(&mut self, call: &str, param: &Param, kind: Kind, ident: &str) {
        let mut ty = format!("`{}`", argument_type(&param.ty, kind == Kind::ListSetter));
        // If the setter has the same type on all endpoints, the item of the shared setter contains the type, so this item
        // has no type.
        if self.api.setter(ident).is_some_and(|setter| setter.ty.is_some()) {
            ty = String::new();
        }
        self.add(kind, call, &format!(".{ident}()"), &param.declared.name, &ty);
    }
}

/// The arguments and the result of a method.
fn signature(endpoint: &Endpoint) -> String {
    let mut types = Vec::new();
    for param in arguments(endpoint) {
        types.push(argument_type(&param.ty, param.declared.list_setter.is_some()));
    }
    let body = match &endpoint.body {
        Body::Series { record: Some(record), .. } => format!("Series<{}>", named(record)),
        Body::Object { record, .. } => named(record),
        Body::Series { record: None, .. } => "Series<Value>".to_owned(),
        Body::Unknown => "Value".to_owned(),
    };
    format!("`({}) -> {body}`", types.join(", "))
}

/// The call of a method, as users write it.
fn call(group: &Group, endpoint: &Endpoint) -> String {
    format!("client.{}().{}()", group.ident, endpoint.ident)
}

pub(super) fn params(endpoint: &Endpoint) -> impl Iterator<Item = &Param> {
    endpoint.params.iter().flatten().map(|param| &*param.param)
}

pub(super) fn arguments(endpoint: &Endpoint) -> impl Iterator<Item = &Param> {
    params(endpoint).filter(|param| param.is_argument())
}

fn named(record: &RecordRef) -> String {
    match &record.module {
        Some(module) => format!("{module}::{}", record.ident),
        None => record.ident.clone(),
    }
}

/// The type of an argument as reports show it. A list is in brackets.
fn argument_type(ty: &Type, is_list: bool) -> String {
    if is_list { format!("[{}]", rust(ty)) } else { rust(ty) }
}

/// A type as users write it.
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
