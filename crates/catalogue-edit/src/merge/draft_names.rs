//! Chooses Rust names for the items of a draft, and the file for each of its records.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::names::{self, Case, OTHERS, Scope};
use catalogue::spec::{Body, Endpoint, Field, Fields, Known, Record, Text, Type};

use super::{DraftedEndpoint, Merger, NewParams, NewRecord};
use crate::content::{EntryPosition, SERVICE, fields_of};
use crate::draft::{DraftOrigin, WantedName, summary_unless_repeated};
use crate::drafted_type::{innermost_name, with_names};
use crate::enum_values::{add_values, is_identifier, with_idents};
use crate::names_in_use::NamesInUse;

/// The drafted types and records that the catalogue needs, each with the modules that refer to it.
type Needed<'a> = BTreeMap<String, BTreeSet<&'a str>>;

impl<'a> Merger<'a> {
    /// Names the types and records that new or completed endpoints need, and determines the file of each record.
    pub(super) fn name_types_and_records(&mut self, endpoints: &[DraftedEndpoint<'_>]) {
        let draft = self.draft;
        let needed = self.needed(endpoints);
        for new in &draft.content.service.types {
            if needed.contains_key(new.name.as_str()) {
                self.name_type(new);
            }
        }
        for record in &draft.content.service.records {
            if let Some(modules) = needed.get(record.name.as_str()) {
                self.name_record(record, file_of(modules));
            }
        }
    }

    fn needed<'m>(&self, endpoints: &'m [DraftedEndpoint<'_>]) -> Needed<'m>
    where
        'a: 'm,
    {
        let mut needed = Needed::new();
        for drafted in endpoints {
            for ty in self.new_types(drafted) {
                self.reach(&ty, drafted.file(), &mut needed);
            }
        }
        for (at, fields) in &self.draft.lists {
            for field in fields {
                self.reach(&field.ty, at.module(), &mut needed);
            }
        }
        for field in self.new_metadata() {
            self.reach(&field.ty, SERVICE, &mut needed);
        }
        // The records to which the fields of a shared record refer are also shared.
        let mut shared = Vec::new();
        for (name, modules) in &needed {
            if modules.len() > 1 {
                shared.push(name.clone());
            }
        }
        for name in shared {
            self.reach(&name, SERVICE, &mut needed);
        }
        needed
    }

    /// The types in the new parts of an endpoint.
    fn new_types(&self, drafted: &DraftedEndpoint<'_>) -> Vec<String> {
        let mut types = Vec::new();
        if drafted.has_new_body {
            types.extend(types_of_body(drafted.new));
        }
        if drafted.new_params == NewParams::All {
            types.extend(self.types_of_params(drafted.new));
        }
        types
    }

    /// Adds the drafted type or record to which a type refers, and all that its fields refer to.
    fn reach<'m>(&self, ty: &str, module: &'m str, needed: &mut Needed<'m>) {
        let Some(name) = innermost_name(ty) else { return };
        let record = self.drafted.get(name);
        let is_new = needed.entry(name.to_owned()).or_default().insert(module);
        if let Some(record) = record
            && is_new
        {
            for ty in types_in(&record.fields, record.others.as_ref()) {
                self.reach(&ty, module, needed);
            }
        }
    }

    /// Names a type. A drafted type is merged into the known type that has the wanted name, if the user chose this name
    /// or the two types may be the same. Otherwise the drafted type is new.
    fn name_type(&mut self, new: &Type) {
        let wanted = self.wanted_name(&new.name);
        let like = names::ident(&wanted.name, Case::Pascal).unwrap_or_default();
        let is_known = match self.known.ty(&like) {
            Some(known) => wanted.is_chosen || is_same_type(known, new),
            None => false,
        };
        let name = if is_known {
            add_values(self.editor, &like, &new.values, new.evidence);
            like
        } else {
            self.add_type(new, &wanted)
        };
        self.types.insert(new.name.to_string(), name);
    }

    fn add_type(&mut self, new: &Type, wanted: &WantedName) -> String {
        let name = self.new_name("enum", SERVICE, wanted);
        let values = with_idents(&new.values, new, new.evidence, &mut NamesInUse::default());
        let summary = summary_unless_repeated(new.summary.clone(), &name);
        let ty = Type { name: name.as_str().into(), summary, values, ..new.clone() };
        self.editor.content.service.types.push(ty);
        name
    }

    fn wanted_name(&self, provisional: &str) -> WantedName {
        self.draft.names.get(provisional).cloned().unwrap_or_default()
    }

    /// A free name for a type or record in a file, which is then in use. Adds a note about it if the draft is from
    /// responses.
    fn new_name(&mut self, what: &str, module: &str, wanted: &WantedName) -> String {
        let name = self.client.claim_type(module, wanted);
        if self.draft.origin == DraftOrigin::Responses {
            self.editor.note(format!("the {what} `{name}` is new"));
        }
        name
    }

    /// Names a record. A drafted record is replaced by the known record that has the wanted name, if the known record
    /// has all drafted fields. Otherwise the drafted record is new.
    fn name_record(&mut self, new: &'a Record, module: &str) {
        let wanted = self.wanted_name(&new.name);
        let like = names::ident(&wanted.name, Case::Pascal).unwrap_or_default();
        let is_known = match self.known.record(module, &like) {
            // A record from responses is always new, because a common name and common fields do not prove that two
            // records are the same.
            Some(_) if self.draft.origin == DraftOrigin::Responses => false,
            Some((_, known)) => self.has_fields_of(module, known, new),
            None => false,
        };
        let name = if is_known { like } else { self.add_record(new, module, &wanted) };
        self.types.insert(new.name.to_string(), name);
    }

    /// Adds a record without the types in it, which have no names yet.
    fn add_record(&mut self, new: &'a Record, module: &str, wanted: &WantedName) -> String {
        let name = self.new_name("record", module, wanted);
        let summary = summary_unless_repeated(new.summary.clone(), &name);
        let record = Record { name: name.as_str().into(), summary, fields: Vec::new(), others: None, ..new.clone() };
        let records = self.editor.content.records_mut(module);
        let at = EntryPosition { module: module.to_owned(), index: records.len() };
        records.push(record);
        self.new_records.push(NewRecord { at, drafted: new });
        name
    }

    /// Writes the types in the new records, which have names now.
    pub(super) fn write_records(&mut self) {
        for NewRecord { at, drafted } in std::mem::take(&mut self.new_records) {
            let mut idents = NamesInUse::default();
            let others = self.others(drafted.others.as_ref(), &mut idents);
            let fields = self.fields(&drafted.fields, &mut idents);
            if let Some(record) = self.editor.content.records_mut(&at.module).get_mut(at.index) {
                record.others = others;
                record.fields = fields;
            }
        }
    }

    /// The fields with the types of the catalogue, each with a `rust_name` if it needs one.
    pub(super) fn fields(&self, fields: &[Field], idents: &mut NamesInUse) -> Vec<Field> {
        let mut named = Vec::with_capacity(fields.len());
        for field in fields {
            let wanted = field.rust_name.as_ref().map(|name| name.as_str());
            let rust_name = idents.chosen(&field.name, wanted, Case::Snake, Scope::Fields);
            let ty = self.ty(&field.ty).into();
            named.push(Field { rust_name: rust_name.map(Into::into), ty, ..field.clone() });
        }
        named
    }

    /// The type of the members that a record does not list, with the names of the catalogue. These members become a field,
    /// whose Rust name is then in use.
    pub(super) fn others(&self, drafted: Option<&Text>, idents: &mut NamesInUse) -> Option<Text> {
        let ty = drafted?;
        idents.note(OTHERS);
        Some(self.ty(ty).into())
    }

    /// A type of the draft with the names of the catalogue.
    pub(super) fn ty(&self, ty: &str) -> String {
        with_names(ty, &self.types)
    }
}

/// The module of the file for a record to which these modules refer.
fn file_of<'m>(modules: &BTreeSet<&'m str>) -> &'m str {
    if modules.contains(SERVICE) {
        return SERVICE;
    }
    modules.first().copied().unwrap_or(SERVICE)
}

/// The types of a body, and of its fields.
fn types_of_body(endpoint: &Endpoint) -> Vec<String> {
    let Some(body) = endpoint.body.known() else { return Vec::new() };
    match fields_of(body) {
        Some(Known::Known(Fields::Inline(fields))) => types_in(fields, body.others.as_ref()),
        Some(Known::Known(Fields::Record(name))) => vec![name.to_string()],
        _ => type_of_entire(body),
    }
}

/// The types of fields, and of the members that are not listed.
fn types_in(fields: &[Field], others: Option<&Text>) -> Vec<String> {
    let mut types = Vec::new();
    for field in fields {
        types.push(field.ty.to_string());
    }
    types.extend(others.map(ToString::to_string));
    types
}

fn type_of_entire(body: &Body) -> Vec<String> {
    match &body.ty {
        Some(ty) => vec![ty.to_string()],
        None => Vec::new(),
    }
}

/// `true` if two types may be the same: they have a value in common, or the known type is an identifier without listed
/// values.
fn is_same_type(known: &Type, new: &Type) -> bool {
    if is_identifier(known) && known.values.is_empty() {
        return true;
    }
    for value in &known.values {
        if new.values.iter().any(|new| new.value == value.value) {
            return true;
        }
    }
    false
}
