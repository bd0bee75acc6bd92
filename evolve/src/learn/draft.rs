//! Drafts the new facts about one endpoint from its responses and from the known facts in the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use codegen::names::{self, Case};
use codegen::spec::Evidence;

use super::LearnOptions;
use super::body_kind::BodyKind;
use super::positional::is_positional;
use crate::draft_types::{record_name, type_name};
use crate::editor::{Editor, Refusal};
use crate::format_keys::SERVICE;
use crate::merge::{Draft, Source, WantedName, merge};
use crate::observed_values::Observed;
use crate::rust_names::singular;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// Reads the responses of an endpoint. Known types are widened, and new facts are drafted.
pub(super) struct Reader<'a> {
    pub(super) editor: &'a mut Editor,
    pub(super) options: &'a LearnOptions,
    /// The file that contains the current fields. Their records are looked up in this file first.
    pub(super) file: String,
    /// The path of the endpoint in the catalogue.
    pub(super) endpoint: YamlPath,
    /// The drafted body, if the body was unknown.
    pub(super) body: Option<Tree>,
    pub(super) lists: BTreeMap<YamlPath, Vec<Tree>>,
    /// The known records whose fields are being widened, the outermost first.
    pub(super) open: Vec<YamlPath>,
    /// The inner values of each record that contains itself, with the file and the name of the record. Inner values are
    /// compared after the outer values.
    pub(super) waiting: Vec<(String, String, Observed)>,
    pub(super) records: Vec<(Tree, WantedName)>,
    /// The drafted enums: the wanted name and the values of each.
    pub(super) enums: Vec<(WantedName, Vec<String>)>,
    /// The fields in `--enum` for which a response of any endpoint has a string.
    pub(super) enum_fields: &'a mut BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        editor: &'a mut Editor,
        options: &'a LearnOptions,
        endpoint: YamlPath,
        enum_fields: &'a mut BTreeSet<String>,
    ) -> Self {
        let file = endpoint.file.clone();
        let (lists, open, waiting, records, enums) = Default::default();
        Self { editor, options, file, endpoint, body: None, lists, open, waiting, records, enums, enum_fields }
    }

    /// Merges the draft into the catalogue.
    pub(super) fn merge(mut self, kind: BodyKind, seen: &Observed) -> Result<(), Refusal> {
        let evidence = self.options.evidence.as_str();
        let (mut names, mut types, mut records) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (index, (wanted, values)) in self.enums.drain(..).enumerate() {
            let values: Vec<Tree> = values.into_iter().map(|text| Tree::map().with("value", text)).collect();
            let ty = Tree::map().with("name", type_name(index)).with("kind", "enum");
            types.push(ty.with("evidence", evidence).with("values", values));
            names.insert(type_name(index), wanted);
        }
        for (index, (record, wanted)) in self.records.drain(..).enumerate() {
            records.push(record);
            names.insert(record_name(index), wanted);
        }
        let known = self.endpoint.tree(self.editor);
        let body = self.body.take().map(|body| {
            let key = |entry: Tree, key| entry.with_some(key, known.get(key).cloned());
            let entry = ["name", "rust_name", "path"].into_iter().fold(Tree::map(), key);
            entry.with("evidence", evidence).with("body", body)
        });
        let mut editor = Editor::empty()?;
        editor.create(SERVICE, Tree::map().with("types", types).with("records", records));
        let is_new = body.is_some();
        editor.create(&self.endpoint.file, Tree::map().with("endpoints", body.into_iter().collect::<Vec<_>>()));
        let lists = std::mem::take(&mut self.lists);
        merge(self.editor, &Draft { editor, names, lists, source: Source::Responses });
        if is_new {
            self.note_learned(kind, seen);
        }
        Ok(())
    }

    /// Returns the evidence of learned facts, if it is weaker than `known`. `known` is the evidence of the record or
    /// body that contains the facts.
    pub(super) fn weaker_evidence(&self, known: &str) -> Option<&'a str> {
        let own = self.options.evidence.as_str();
        (Evidence::of(known) < Evidence::of(own)).then_some(own)
    }

    /// Returns the name of the endpoint, from which names of records and types are made.
    pub(super) fn owner(&self) -> String {
        crate::rust_names::ident_of(self.endpoint.tree(self.editor)).unwrap_or_default()
    }

    /// Returns the name of the record for nested objects: a known record with the same fields, or a new record.
    pub(super) fn record(&mut self, name: &str, seen: &Observed) -> String {
        let fields = self.new_fields(seen, |_| true);
        self.note_equal_fields(&format!("`{name}`"), seen, &fields);
        let is_same = |record: &&Tree| {
            is_positional(record) == seen.by_position && signature(record.entries("fields")) == signature(&fields)
        };
        let files = [self.file.as_str(), SERVICE].into_iter();
        let known = files.flat_map(|file| self.editor.tree(file).entries("records")).find(is_same);
        if let Some(known) = known.and_then(|record| record.text("name")).map(str::to_owned) {
            // A field that the known record requires may be missing in these objects, so the known record is widened
            // too.
            self.known_record(&known, seen);
            return known;
        }
        // Fields with equal records share one draft. Facts that only the later record has are added to the draft.
        if let Some(index) = self.records.iter().position(|(record, _)| is_same(&record)) {
            let Some(Tree::List(known)) = self.records[index].0.get_mut("fields") else { return record_name(index) };
            for (known, field) in known.iter_mut().zip(fields) {
                *known = std::mem::replace(known, Tree::Null).or(field);
            }
            return record_name(index);
        }
        let own = singular(name);
        let own = if names::ident(&own, Case::Pascal).is_ok() { own } else { format!("{} {own}", self.owner()) };
        let wanted = WantedName { name: own, owner: self.owner(), is_chosen: false };
        let name = record_name(self.records.len());
        let record = Tree::map()
            .with("name", name.as_str())
            .with("evidence", self.options.evidence.as_str())
            .with_some("positional", seen.by_position.then_some(true))
            .with("fields", fields);
        self.records.push((record, wanted));
        name
    }
}

/// Returns the names and types of fields, by which records are compared.
fn signature(fields: &[Tree]) -> Vec<(Option<&str>, Option<&str>)> {
    fields.iter().map(|field| (field.text("name"), field.text("type"))).collect()
}
