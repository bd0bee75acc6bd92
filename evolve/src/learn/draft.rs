//! Drafts the new facts about one endpoint from its responses and from the known facts in the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use codegen::names::{self, Case};
use codegen::spec::{Body, Endpoint, Evidence, Field, Group, Known, Record, Type};

use super::LearnOptions;
use crate::content::{At, Content, FieldsAt, SERVICE, ident_of};
use crate::draft_types::{record_name, type_name};
use crate::editor::Editor;
use crate::merge::{Draft, Source, WantedName, merge, values_of};
use crate::observed_values::Observed;
use crate::rust_names::singular;

/// Reads the responses of an endpoint. Known types are widened, and new facts are drafted.
pub(super) struct Reader<'a> {
    pub(super) editor: &'a mut Editor,
    pub(super) options: &'a LearnOptions,
    /// The module that contains the current fields. Their records are looked up in its file first.
    pub(super) module: String,
    pub(super) endpoint: At,
    /// The body in the catalogue.
    pub(super) known: Option<Body>,
    /// The drafted body, if the body was unknown.
    pub(super) body: Option<Body>,
    /// The number of new fields with numbers in quotes.
    pub(super) quoted: usize,
    /// The path of the records, if it differs from the path in the envelope.
    pub(super) data: Option<String>,
    pub(super) lists: BTreeMap<FieldsAt, Vec<Field>>,
    /// The names of the members around the current fields, the outermost first.
    within: Vec<String>,
    /// The known records whose fields are being widened, the outermost first.
    pub(super) open: Vec<At>,
    /// The inner values of each record that contains itself, with the module and the name of the record. Inner values
    /// are compared after the outer values.
    pub(super) waiting: Vec<(String, String, Observed)>,
    pub(super) records: Vec<(Record, WantedName)>,
    /// The drafted enums: the wanted name and the values of each.
    pub(super) enums: Vec<(WantedName, BTreeSet<String>)>,
    /// The fields in `--enum` for which a response of any endpoint has a string.
    pub(super) enum_fields: &'a mut BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        editor: &'a mut Editor,
        options: &'a LearnOptions,
        endpoint: At,
        known: Option<Body>,
        enum_fields: &'a mut BTreeSet<String>,
    ) -> Self {
        let module = endpoint.module.clone();
        let (body, quoted, data, lists, within, open, waiting, records, enums) = Default::default();
        Self {
            editor,
            options,
            module,
            endpoint,
            known,
            body,
            quoted,
            data,
            lists,
            within,
            open,
            waiting,
            records,
            enums,
            enum_fields,
        }
    }

    /// Merges the draft into the catalogue.
    pub(super) fn merge(mut self, seen: &Observed) {
        let mut draft = Draft::new(Content::default(), Source::Responses);
        for (index, (wanted, values)) in self.enums.drain(..).enumerate() {
            let (name, evidence) = (type_name(index), self.options.evidence);
            let values = values_of(values);
            draft.content.service.types.push(Type { name: name.as_str().into(), evidence, values, ..Type::default() });
            draft.names.insert(name, wanted);
        }
        for (record, wanted) in self.records.drain(..) {
            draft.names.insert(record.name.to_string(), wanted);
            draft.content.service.records.push(record);
        }
        if self.quoted > 0 {
            let count = self.quoted;
            self.editor.note(format!("numbers in quotes: {count} fields; change those that are names to `string`"));
        }
        let is_new = self.body.is_some();
        let endpoint = self.body.take().map(|body| {
            let Endpoint { name, rust_name, path, .. } = self.editor.endpoint(&self.endpoint).clone();
            let body = Known::Known(body);
            Endpoint { name, rust_name, path, body, evidence: self.options.evidence, ..Endpoint::default() }
        });
        let group = Group { endpoints: endpoint.into_iter().collect(), ..Group::default() };
        draft.content.groups.insert(self.endpoint.module.clone(), group);
        draft.lists = std::mem::take(&mut self.lists);
        merge(self.editor, &draft);
        if is_new {
            self.note_learned(seen);
        }
    }

    /// Returns the evidence of learned facts, if it is weaker than `known`, which is the evidence of the record or body
    /// that contains the facts.
    pub(super) fn weaker_evidence(&self, known: Evidence) -> Option<Evidence> {
        Some(self.options.evidence).filter(|own| known < *own)
    }

    /// Returns the name of the endpoint, from which names of records and types are made.
    pub(super) fn owner(&self) -> String {
        ident_of(self.editor.endpoint(&self.endpoint)).unwrap_or_default()
    }

    /// Returns the name of the record for nested objects: a known record with the same fields, or a new record.
    pub(super) fn record(&mut self, name: &str, seen: &Observed) -> String {
        self.within.push(singular(name));
        let fields = self.new_fields(seen, |_| true);
        self.within.pop();
        self.note_equal_fields(&format!("`{name}`"), seen, &fields);
        let is_same = |record: &&Record| record.positional == seen.by_position && is_alike(&record.fields, &fields);
        let modules = [self.module.as_str(), SERVICE].into_iter();
        let known = modules.flat_map(|module| self.editor.records(module)).find(is_same);
        if let Some(known) = known.map(|record| record.name.to_string()) {
            // A field that the known record requires may be missing in these objects, so the known record is widened
            // too.
            self.known_record(&known, seen);
            return known;
        }
        // Fields with equal records share one draft. Facts that only the later record has are added to the draft.
        if let Some((record, _)) = self.records.iter_mut().find(|(record, _)| is_same(&record)) {
            for (known, field) in record.fields.iter_mut().zip(fields) {
                known.optional |= field.optional;
                if known.unit.is_none() && known.format.is_none() {
                    (known.unit, known.format) = (field.unit, field.format);
                }
            }
            return record.name.to_string();
        }
        let own = singular(name);
        let own = if names::ident(&own, Case::Pascal).is_ok() { own } else { format!("{} {own}", self.owner()) };
        let parent = self.within.last().cloned().unwrap_or_default();
        let wanted = WantedName { name: own, parent, owner: self.owner(), is_chosen: false };
        let name = record_name(self.records.len());
        let (evidence, positional) = (self.options.evidence, seen.by_position);
        let record = Record { name: name.as_str().into(), evidence, positional, fields, ..Record::default() };
        self.records.push((record, wanted));
        name
    }
}

/// Returns `true` if two lists of fields have the same names and types. All types of numbers count as the same.
fn is_alike(one: &[Field], other: &[Field]) -> bool {
    let is_number = |field: &Field| crate::draft_types::is_number(&field.ty);
    let has_type = |one: &Field, other: &Field| one.ty == other.ty || is_number(one) && is_number(other);
    let same = |(one, other): (&Field, &Field)| one.name == other.name && has_type(one, other);
    one.len() == other.len() && one.iter().zip(other).all(same)
}
