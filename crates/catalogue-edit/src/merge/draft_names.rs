//! Chooses Rust names for the items of a draft, and the file for each of its records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalogue::names::{self, Case, Scope};
use catalogue::spec::{Body, Field, Fields, Known, Record, Service, Type};
use catalogue::type_expr::TypeExpr;

use super::{Gap, Merger, NewRecord};
use crate::content::{At, Content, SERVICE, ident_of, slot};
use crate::draft::{Source, WantedName, record_in, telling};
use crate::rust_names::{
    LastNumbers, NamesInUse, add_values, is_free_method, is_identifier, method_name, type_name, types_of_method,
    with_idents,
};

/// The names of the types in the client.
#[derive(Debug, Default)]
pub(crate) struct ClientNames {
    /// The modules that have a type of each name; the module is `SERVICE` for the root of the client.
    modules: HashMap<String, BTreeSet<String>>,
    /// The numbers that were chosen last for names that were in use.
    numbers: LastNumbers,
}

impl ClientNames {
    /// Collects the names in a catalogue.
    pub(crate) fn of(content: &Content) -> Self {
        let mut names = Self::default();
        let types = content.service.types.iter().map(|ty| ty.name.to_string());
        let records = |module: &str| content.records(module).iter().map(|record| record.name.to_string());
        names.note(SERVICE, types.chain(records(SERVICE)).chain(["Metadata".to_owned()]));
        for (module, group) in &content.groups {
            let idents = group.endpoints.iter().filter_map(ident_of);
            names.note(module, idents.flat_map(|ident| types_of_method(&ident)).chain(records(module)));
        }
        names
    }

    /// Adds names in a module. The module of a group also contains the type for the group.
    fn note(&mut self, module: &str, names: impl IntoIterator<Item = String>) {
        let of_group = (module != SERVICE).then(|| names::handle(module));
        for name in names.into_iter().chain(of_group) {
            self.modules.entry(name).or_default().insert(module.to_owned());
        }
    }

    /// `true` if a type in a module cannot have this name: the module or the root has a type of this name, or the
    /// module is the root and a group has one.
    fn has(&self, module: &str, name: &str) -> bool {
        let Some(modules) = self.modules.get(name) else { return false };
        module == SERVICE || modules.contains(module) || modules.contains(SERVICE)
    }

    /// `true` if a new endpoint of a module can have the method name `ident`.
    pub(crate) fn is_free_method(&self, module: &str, ident: &str) -> bool {
        is_free_method(ident, |ty| self.has(module, ty))
    }

    pub(super) fn claim_method(&mut self, module: &str, name: &str, chosen: Option<&str>) -> String {
        self.note(module, []);
        let mut numbers = std::mem::take(&mut self.numbers);
        let ident = method_name(name, chosen, numbers.of(module), |ty| self.has(module, ty));
        self.numbers = numbers;
        self.note(module, types_of_method(&ident));
        ident
    }
}

/// The drafted types and records that the catalogue needs, each with the modules that refer to it.
type Needed<'a> = BTreeMap<String, BTreeSet<&'a str>>;

impl<'a> Merger<'a> {
    /// Names the types and records that new or completed endpoints need, and determines the file of each record.
    pub(super) fn name_types_and_records(&mut self, gaps: &[Gap<'_>]) {
        let mut needed = Needed::new();
        for gap in gaps {
            let of_body = gap.new.body.known().filter(|_| gap.body).map(types_in).unwrap_or_default();
            let of_params = if gap.params { self.types_of_params(gap.new) } else { Vec::new() };
            of_body.iter().chain(&of_params).for_each(|ty| self.reach(ty, gap.file(), &mut needed));
        }
        let of_lists = self.draft.lists.iter().map(|(at, fields)| (at.module(), fields.as_slice()));
        for (module, fields) in of_lists.chain([(SERVICE, self.new_metadata())]) {
            for field in fields {
                self.reach(&field.ty, module, &mut needed);
            }
        }
        // The records to which the fields of a shared record refer are also shared.
        let shared = needed.iter().filter(|(_, modules)| modules.len() > 1).map(|(name, _)| name.clone());
        for name in shared.collect::<Vec<_>>() {
            self.reach(&name, SERVICE, &mut needed);
        }
        let Service { types, records, .. } = &self.draft.content.service;
        for new in types.iter().filter(|new| needed.contains_key(new.name.as_str())) {
            self.name_type(new);
        }
        for record in records {
            if let Some(modules) = needed.get(record.name.as_str()) {
                let module = modules.get(SERVICE).or(modules.first()).copied().unwrap_or(SERVICE);
                self.name_record(record, module);
            }
        }
    }

    /// Adds the drafted type or record to which a type refers, and all that its fields refer to.
    fn reach<'m>(&self, ty: &str, module: &'m str, needed: &mut Needed<'m>) {
        let Some(name) = drafted(ty) else { return };
        let record = self.drafted.get(name.as_str());
        if needed.entry(name).or_default().insert(module) {
            for field in record.map_or(&[][..], |record| &record.fields) {
                self.reach(&field.ty, module, needed);
            }
        }
    }

    /// Names a type. A drafted type is merged into the known type that has the wanted name, if the user chose this name
    /// or the two types may be the same. Otherwise the drafted type is new.
    fn name_type(&mut self, new: &Type) {
        let wanted = self.draft.names.get(new.name.as_str()).cloned().unwrap_or_default();
        let like = names::ident(&wanted.name, Case::Pascal).unwrap_or_default();
        let known = self.known.ty(&like).filter(|known| wanted.is_chosen || is_same_type(known, new));
        let called = if known.is_some() {
            add_values(self.editor, &like, &new.values, new.evidence);
            like
        } else {
            let called = self.new_name("enum", SERVICE, &wanted);
            let values = with_idents(&new.values, new, new.evidence, &mut NamesInUse::default());
            let summary = telling(new.summary.clone(), &called);
            self.editor.service.types.push(Type { name: called.as_str().into(), summary, values, ..new.clone() });
            called
        };
        self.types.insert(new.name.to_string(), called);
    }

    /// Returns a free name for a type or record in a file, and marks it as in use. Adds a note about it if the draft is
    /// from responses.
    fn new_name(&mut self, what: &str, module: &str, wanted: &WantedName) -> String {
        let mut numbers = std::mem::take(&mut self.client.numbers);
        let name = type_name(wanted, numbers.of(module), |ty| self.client.has(module, ty));
        self.client.numbers = numbers;
        self.client.note(module, [name.clone()]);
        if self.draft.source == Source::Responses {
            self.editor.note(format!("the {what} `{name}` is new"));
        }
        name
    }

    /// Names a record. A drafted record is replaced by the known record that has the wanted name, if the known record
    /// has all drafted fields. Otherwise the drafted record is new, and is added to the file without its fields.
    fn name_record(&mut self, new: &'a Record, module: &str) {
        let wanted = self.draft.names.get(new.name.as_str()).cloned().unwrap_or_default();
        let like = names::ident(&wanted.name, Case::Pascal).unwrap_or_default();
        let known = self.known.record(module, &like);
        // A record from responses is always new, because a common name and common fields do not prove that two records
        // are the same.
        let is_open = self.draft.source != Source::Responses;
        let called = if is_open && known.is_some_and(|(_, known)| self.has_fields_of(module, known, new)) {
            like
        } else {
            let called = self.new_name("record", module, &wanted);
            let summary = telling(new.summary.clone(), &called);
            let record = Record { name: called.as_str().into(), summary, fields: Vec::new(), ..new.clone() };
            let records = self.editor.records_mut(module);
            records.push(record);
            let at = At { module: module.to_owned(), index: records.len() - 1 };
            self.new_records.push(NewRecord { at, drafted: new });
            called
        };
        self.types.insert(new.name.to_string(), called);
    }

    /// Writes the fields of the new records, whose types have names now.
    pub(super) fn write_records(&mut self) {
        for NewRecord { at, drafted } in std::mem::take(&mut self.new_records) {
            let fields = self.fields(&drafted.fields, &mut NamesInUse::default());
            if let Some(record) = self.editor.records_mut(&at.module).get_mut(at.index) {
                record.fields = fields;
            }
        }
    }

    /// Returns fields with the types of the catalogue, each with a `rust_name` if it needs one.
    pub(super) fn fields(&self, fields: &[Field], idents: &mut NamesInUse) -> Vec<Field> {
        let named = fields.iter().map(|field| {
            let wanted = field.rust_name.as_ref().map(|name| name.as_str());
            let rust_name = idents.chosen(&field.name, wanted, Case::Snake, Scope::Fields).map(Into::into);
            Field { rust_name, ty: self.ty(&field.ty).into(), ..field.clone() }
        });
        named.collect()
    }

    /// A type of the draft with the names of the catalogue.
    pub(super) fn ty(&self, ty: &str) -> String {
        let Some(name) = drafted(ty) else { return ty.to_owned() };
        let unnamed = if record_in(&name).is_some() { "any" } else { &name };
        // `any` includes null, so it never has a `?`.
        ty.replace(&name, self.types.get(&name).map_or(unnamed, String::as_str)).replace("any?", "any")
    }
}

/// The types of a body, and of its fields.
fn types_in(body: &Body) -> Vec<String> {
    match slot(body) {
        Some(Known::Known(Fields::Inline(fields))) => fields.iter().map(|field| field.ty.to_string()).collect(),
        Some(Known::Known(Fields::Record(name))) => vec![name.to_string()],
        _ => body.ty.iter().map(ToString::to_string).collect(),
    }
}

/// The name of the innermost type in a type expression; `None` if the innermost type is built in.
fn drafted(ty: &str) -> Option<String> {
    match TypeExpr::parse(ty)?.innermost() {
        TypeExpr::Name(name) => Some((*name).to_owned()),
        _ => None,
    }
}

/// `true` if two types may be the same: they have a value in common, or the known type is an identifier without listed
/// values.
fn is_same_type(known: &Type, new: &Type) -> bool {
    let is_listed = |value: &catalogue::spec::Value| new.values.iter().any(|new| new.value == value.value);
    is_identifier(known) && known.values.is_empty() || known.values.iter().any(is_listed)
}
