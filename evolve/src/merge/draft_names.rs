//! Chooses Rust names for the items of a draft, and the file for each of its records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use codegen::names::{self, Case, Scope};
use codegen::spec::{FIELD, RECORD, TYPE};
use codegen::type_expr::TypeExpr;

use super::values::{add_values, is_identifier, value_texts, with_idents};
use super::{Gap, Merger, Source, WantedName};
use crate::draft_types::{record_in, record_name};
use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::rust_names::{NamesInUse, ident_of, method_name, type_name, types_of_method};
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// The names of the types in the client.
#[derive(Debug, Default)]
pub(super) struct ClientNames {
    root: NamesInUse,
    /// The names in the module of each group, by file.
    groups: HashMap<String, NamesInUse>,
}

impl ClientNames {
    /// Collects the names in a catalogue.
    pub(super) fn of(editor: &Editor) -> Self {
        let mut names = Self::default();
        names.root.note("Metadata");
        let service = editor.tree(SERVICE);
        let entries = service.entries("types").iter().chain(service.entries("records"));
        entries.for_each(|entry| names.root.note(entry.text("name").unwrap_or_default()));
        for file in editor.groups() {
            let (group, own) = (editor.tree(file), names.group(file));
            let records = group.entries("records").iter().filter_map(|record| record.text("name").map(str::to_owned));
            let idents = group.entries("endpoints").iter().filter_map(ident_of);
            records.chain(idents.flat_map(|ident| types_of_method(&ident))).for_each(|name| own.note(name));
        }
        names
    }

    /// Returns the names in the module of a group. The group may be new.
    fn group(&mut self, file: &str) -> &mut NamesInUse {
        self.groups.entry(file.to_owned()).or_insert_with(|| {
            let mut own = NamesInUse::default();
            // The module of a group always contains the type for the group.
            own.note(names::handle(YamlPath::file(file).module()));
            own
        })
    }

    fn claim_method(&mut self, file: &str, name: &str, chosen: Option<&str>) -> String {
        self.group(file);
        let (root, own) = (&self.root, &self.groups[file]);
        let ident = method_name(name, chosen, |ty| root.has(ty) || own.has(ty));
        for ty in types_of_method(&ident) {
            self.group(file).note(ty);
        }
        ident
    }

    /// Returns a free name for a type or record in a file, and marks it as in use.
    fn claim_type(&mut self, file: &str, WantedName { name, owner, .. }: &WantedName) -> String {
        if file != SERVICE {
            self.group(file);
        }
        let groups = self.groups.iter().filter(|(group, _)| file == SERVICE || *group == file);
        let name = type_name(name, owner, |ty| self.root.has(ty) || groups.clone().any(|(_, own)| own.has(ty)));
        let own = if file == SERVICE { &mut self.root } else { self.group(file) };
        own.note(name.as_str());
        name
    }
}

/// The names that the types, records and shared params of the draft get in the catalogue.
#[derive(Debug, Default)]
pub(super) struct NewNames {
    /// The names of types, by their names in the draft.
    types: HashMap<String, String>,
    /// The names of records, by their numbers in the draft. A new record also has a file.
    records: BTreeMap<usize, (String, Option<String>)>,
    /// The ids of shared params, by their paths in the draft.
    pub(super) params: HashMap<YamlPath, String>,
}

impl Merger<'_> {
    /// Returns the `rust_name` of each endpoint; `None` if an endpoint is known or needs no `rust_name`.
    pub(super) fn name_endpoints(&mut self, pairs: &[(YamlPath, Option<YamlPath>)]) -> Vec<Option<String>> {
        let draft = self.draft;
        let ident = |(new, known): &(YamlPath, Option<YamlPath>)| {
            let tree = new.tree(&draft.editor);
            let (name, chosen) = (tree.text("name").unwrap_or_default(), tree.text("rust_name"));
            match (known, draft.source) {
                (Some(_), _) => None,
                (None, Source::Person | Source::Responses) => chosen.map(str::to_owned),
                (None, Source::Description) => {
                    let ident = self.client.claim_method(&new.file, name, chosen);
                    (names::ident(name, Case::Snake).as_ref() != Ok(&ident)).then_some(ident)
                }
            }
        };
        pairs.iter().map(ident).collect()
    }

    /// Names the types and records that new or completed endpoints need, and determines the file of each record.
    pub(super) fn name_types_and_records(&mut self, gaps: &[Gap]) {
        let mut roots: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for gap in gaps {
            let named = roots.entry(gap.file()).or_default();
            if gap.body {
                named.extend(types_in(gap.new.key("body").tree(&self.draft.editor)));
            }
            if gap.params {
                named.extend(self.types_of_params(&gap.new));
            }
        }
        roots.entry(SERVICE).or_default().extend(self.new_metadata().iter().flat_map(types_in));
        for (at, fields) in &self.draft.lists {
            roots.entry(&at.file).or_default().extend(fields.iter().flat_map(types_in));
        }
        let (mut files, mut types): (BTreeMap<usize, BTreeSet<&str>>, _) = (BTreeMap::new(), BTreeSet::new());
        for (file, named) in roots {
            let mut records = BTreeSet::new();
            for ty in &named {
                self.reach(ty, &mut records, &mut types);
            }
            for record in records {
                files.entry(record).or_default().insert(file);
            }
        }
        // The records to which the fields of a shared record refer are also shared.
        let mut shared = BTreeSet::new();
        for (record, _) in files.iter().filter(|(_, files)| files.len() > 1 || files.contains(SERVICE)) {
            self.reach(&record_name(*record), &mut shared, &mut BTreeSet::new());
        }
        self.name_types(&types);
        for record in self.records_in_order() {
            match files.get(&record).and_then(|files| files.first()) {
                Some(_) if shared.contains(&record) => self.name_record(record, SERVICE),
                Some(file) => self.name_record(record, file),
                None => {}
            }
        }
    }

    /// Returns the records of the draft, in the order of the draft.
    fn records_in_order(&self) -> Vec<usize> {
        let records = self.draft.editor.tree(SERVICE).entries("records").iter();
        records.filter_map(|record| record_in(record.text("name")?)).collect()
    }

    /// Collects the records and types of the draft that a type refers to, directly or through fields of these records.
    fn reach(&self, ty: &str, records: &mut BTreeSet<usize>, types: &mut BTreeSet<String>) {
        let Some(name) = drafted(ty) else { return };
        match record_in(&name) {
            None => drop(types.insert(name)),
            Some(record) if records.insert(record) => {
                let fields = self.source.record(SERVICE, &name).map(|at| at.tree(&self.draft.editor));
                for field in fields.map_or(&[][..], |record| record.entries("fields")) {
                    self.reach(field.text("type").unwrap_or_default(), records, types);
                }
            }
            Some(_) => {}
        }
    }

    /// Names types. A drafted type is merged into the known type that has the wanted name, if the user chose this name
    /// or the two types may be the same. Otherwise the drafted type is new.
    fn name_types(&mut self, needed: &BTreeSet<String>) {
        for (_, new) in YamlPath::service().key("types").items(&self.draft.editor) {
            let name = new.text("name").unwrap_or_default();
            if !needed.contains(name) {
                continue;
            }
            let wanted = self.draft.names.get(name).cloned().unwrap_or_default();
            let like = names::ident(&wanted.name, Case::Pascal).unwrap_or_default();
            let known = self.known.ty(&like).filter(|at| wanted.is_chosen || is_same_type(at.tree(self.editor), new));
            let called = if let Some(at) = known {
                add_values(self.editor, at, new);
                like
            } else {
                let called = self.client.claim_type(SERVICE, &wanted);
                self.note_new("enum", &called);
                let mut tree = new.clone();
                tree.set(&TYPE, "name", Some(called.as_str()));
                let values: Vec<&Tree> = new.entries("values").iter().collect();
                let values = with_idents(&values, new, new.text("evidence"), &mut NamesInUse::default());
                tree.set(&TYPE, "values", (!values.is_empty()).then_some(values));
                self.editor.extend(&YamlPath::service().key("types"), vec![tree]);
                called
            };
            self.names.types.insert(name.to_owned(), called);
        }
    }

    /// Adds a note about a new type or record if the draft is from responses.
    fn note_new(&mut self, what: &str, name: &str) {
        if self.draft.source == Source::Responses {
            self.editor.note(format!("the {what} `{name}` is new"));
        }
    }

    /// Names a record. A drafted record is replaced by the known record that has the wanted name, if the known record
    /// has all drafted fields. Otherwise the drafted record is new.
    fn name_record(&mut self, record: usize, file: &str) {
        let own = record_name(record);
        let wanted = self.draft.names.get(&own).cloned().unwrap_or_default();
        let like = names::ident(&wanted.name, Case::Pascal).unwrap_or_default();
        let new = self.source.record(SERVICE, &own).map(|at| at.tree(&self.draft.editor));
        let known = self.known.record(file, &like).map(|at| at.tree(self.editor));
        // A record from responses is always new, because a common name and common fields do not prove that two records
        // are the same.
        let is_open = self.draft.source != Source::Responses;
        let name = if is_open && known.zip(new).is_some_and(|(known, new)| self.has_fields_of(file, known, new)) {
            (like, None)
        } else {
            let name = self.client.claim_type(file, &wanted);
            self.note_new("record", &name);
            (name, Some(file.to_owned()))
        };
        self.names.records.insert(record, name);
    }

    /// Writes the records that are new.
    pub(super) fn write_records(&mut self) {
        for record in self.records_in_order() {
            let Some((name, Some(file))) = self.names.records.get(&record).cloned() else { continue };
            let Some(at) = self.source.record(SERVICE, &record_name(record)) else { continue };
            let mut tree = at.tree(&self.draft.editor).clone();
            tree.set(&RECORD, "name", Some(name));
            let fields = self.fields(tree.entries("fields"), &mut NamesInUse::default());
            tree.set(&RECORD, "fields", Some(fields));
            if *self.editor.tree(&file) == Tree::Null {
                self.editor.create(&file, Tree::map().with("records", Vec::new()));
            }
            self.editor.extend(&YamlPath::file(&file).key("records"), vec![tree]);
        }
    }

    /// Returns fields with the types of the catalogue, each with a `rust_name` if it needs one.
    pub(super) fn fields(&self, fields: &[Tree], idents: &mut NamesInUse) -> Vec<Tree> {
        let named = fields.iter().map(|field| {
            let (name, chosen) = (field.text("name").unwrap_or_default(), field.text("rust_name"));
            let mut named = field.clone();
            named.set(&FIELD, "type", Some(self.ty(field.text("type").unwrap_or_default())));
            named.set(&FIELD, "rust_name", idents.chosen(name, chosen, Case::Snake, Scope::Fields));
            named
        });
        named.collect()
    }

    /// Returns a type of the draft with the names of the catalogue.
    pub(super) fn ty(&self, ty: &str) -> String {
        let Some(name) = drafted(ty) else { return ty.to_owned() };
        let known = match record_in(&name) {
            Some(record) => self.names.records.get(&record).map_or("any", |(known, _)| known),
            None => self.names.types.get(&name).map_or(name.as_str(), String::as_str),
        };
        // `any` includes null, so it never has a `?`.
        ty.replace(&name, known).replace("any?", "any")
    }
}

/// Returns the types of a field or a body, and of the fields of a body.
fn types_in(tree: &Tree) -> Vec<String> {
    let own = ["type", "series", "object"].iter().filter_map(|key| tree.text(key)).map(str::to_owned);
    own.chain(["series", "object"].iter().flat_map(|key| tree.entries(key)).flat_map(types_in)).collect()
}

/// Returns the name of the innermost type in a type expression; `None` if the innermost type is built in.
fn drafted(ty: &str) -> Option<String> {
    let expr = TypeExpr::parse(ty)?;
    let TypeExpr::Name(name) = expr.innermost() else { return None };
    Some((*name).to_owned())
}

/// Returns `true` if two types may be the same: they have a value in common, or the known type is an identifier without
/// listed values.
fn is_same_type(known: &Tree, new: &Tree) -> bool {
    let (here, there) = (value_texts(known), value_texts(new));
    is_identifier(known) && here.is_empty() || here.iter().any(|value| there.contains(value))
}
