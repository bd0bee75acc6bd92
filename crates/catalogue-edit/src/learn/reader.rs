//! Reads the responses of one endpoint: known types are widened, and new facts are drafted.

use std::collections::HashMap;

use catalogue::names::{self, Case};
use catalogue::spec::{Body, Endpoint, Evidence, Field, Group, Known, Record};

use super::LearnOptions;
use super::groups::Groups;
use super::guess_type::{Guess, guess};
use crate::content::{At, SERVICE, ident_of, known_mut};
use crate::draft::{Draft, Source, WantedName, is_number};
use crate::editor::Editor;
use crate::merge::merge;
use crate::observed_values::Observed;
use crate::rust_names::singular;

/// The state while the responses of an endpoint are read.
pub(super) struct Reader<'a> {
    pub(super) editor: &'a mut Editor,
    pub(super) options: &'a LearnOptions,
    /// The module that contains the current fields. Their records are looked up in its file first.
    pub(super) module: String,
    pub(super) endpoint: At,
    pub(super) draft: Draft,
    /// The number of new fields with numbers in quotes.
    pub(super) quoted: usize,
    /// The path of the records, if it differs from the path in the envelope.
    pub(super) data: Option<String>,
    /// The labels of groups of records.
    pub(super) labels: Vec<Field>,
    /// The names of the members around the current fields, the outermost first.
    within: Vec<String>,
    /// The known records whose fields are being widened, the outermost first.
    pub(super) open: Vec<At>,
    /// The inner values of each record that contains itself, with the module and the name of the record. Inner values
    /// are compared after the outer values.
    pub(super) waiting: Vec<(String, String, Observed)>,
    /// The values of the drafted records, by their provisional names.
    drafted_from: HashMap<String, Observed>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(editor: &'a mut Editor, options: &'a LearnOptions, endpoint: At, data: Option<String>) -> Self {
        let (module, draft) = (endpoint.module.clone(), Draft::new(Source::Responses));
        Self {
            editor,
            options,
            module,
            endpoint,
            draft,
            quoted: 0,
            data,
            labels: Vec::new(),
            within: Vec::new(),
            open: Vec::new(),
            waiting: Vec::new(),
            drafted_from: HashMap::new(),
        }
    }

    /// Notes that a response can have no list of records.
    pub(super) fn set_optional(&mut self) {
        let drafted = self.draft.content.groups.values_mut().flat_map(|group| &mut group.endpoints);
        for body in drafted.filter_map(|endpoint| known_mut(&mut endpoint.body)) {
            body.optional = Some(true.into());
        }
    }

    /// Drafts the labels of groups of records.
    pub(super) fn label(&mut self, groups: &Groups) {
        let mut labels = self.new_fields(&Observed::of(&groups.label_values), |_| true);
        for label in &mut labels {
            let path = groups.labels.iter().find(|(name, _)| *name == *label.name).map(|(_, path)| path.as_str());
            // A label such as `metric.job` depends on the request.
            label.optional |= path.is_some_and(|path| path.contains('.'));
            label.at = path.filter(|path| *path != label.name.as_str()).map(Into::into);
        }
        self.labels = labels;
    }

    /// The fields of the endpoint's body in the catalogue.
    pub(super) fn listed(&self) -> Option<Record> {
        self.editor.body_record(&self.module, self.editor.endpoint(&self.endpoint))
    }

    /// Adds the body of the endpoint to the draft.
    pub(super) fn add_body(&mut self, body: Body) {
        let Endpoint { name, rust_name, path, .. } = self.editor.endpoint(&self.endpoint).clone();
        let (body, evidence) = (Known::Known(body), self.options.evidence);
        let endpoint = Endpoint { name, rust_name, path, body, evidence, ..Endpoint::default() };
        let group = Group { endpoints: vec![endpoint], ..Group::default() };
        self.draft.content.groups.insert(self.endpoint.module.clone(), group);
    }

    /// Merges the draft into the catalogue.
    pub(super) fn merge(mut self, seen: &Observed) {
        if self.quoted > 0 {
            let count = self.quoted;
            self.editor.note(format!("numbers in quotes: {count} fields; change those that are names to `string`"));
        }
        merge(self.editor, &self.draft);
        if !self.draft.content.groups.is_empty() {
            self.note_learned(seen);
        }
    }

    /// The evidence of the known body.
    pub(super) fn known_evidence(&self) -> Evidence {
        let endpoint = self.editor.endpoint(&self.endpoint);
        endpoint.body.known().and_then(|body| body.evidence).unwrap_or(endpoint.evidence)
    }

    /// The evidence of learned facts, if it is weaker than `known`, which is the evidence of the record or body that
    /// contains the facts.
    pub(super) fn weaker_evidence(&self, known: Evidence) -> Option<Evidence> {
        Some(self.options.evidence).filter(|own| known < *own)
    }

    /// The name of the endpoint, from which names of records and types are made.
    pub(super) fn owner(&self) -> String {
        ident_of(self.editor.endpoint(&self.endpoint)).unwrap_or_default()
    }

    /// The name of the record for nested objects: a known record with the same fields, or a new record.
    pub(super) fn record(&mut self, name: &str, seen: &Observed) -> String {
        self.within.push(singular(name));
        let fields = self.new_fields(seen, |_| true);
        self.within.pop();
        let is_same = |record: &&Record| {
            record.positional == seen.by_position && !record.columns && is_alike(&record.fields, &fields)
        };
        let modules = [self.module.as_str(), SERVICE].into_iter();
        let known = modules.flat_map(|module| self.editor.records(module)).find(is_same);
        if let Some(known) = known.map(|record| record.name.to_string()) {
            // A field that the known record requires may be missing in these objects, so the known record is widened
            // too.
            self.known_record(&known, seen);
            return known;
        }
        if let Some(shared) = self.shared_draft(&fields, seen) {
            return shared;
        }
        let own = singular(name);
        let own = if names::ident(&own, Case::Pascal).is_ok() { own } else { format!("{} {own}", self.owner()) };
        let parent = self.within.last().cloned().unwrap_or_default();
        let wanted = WantedName { name: own, parent, owner: self.owner(), is_chosen: false };
        let (evidence, positional) = (self.options.evidence, seen.by_position);
        let record = Record { evidence, positional, fields, ..Record::default() };
        let drafted = self.draft.add_record(record, wanted);
        self.drafted_from.insert(drafted.clone(), seen.clone());
        drafted
    }

    /// The drafted record with the same fields, if there is one. It is extended by what only these objects have. Where
    /// the types of numbers differ, the type is guessed again from all values, because either type can lose digits of
    /// the other's values.
    fn shared_draft(&mut self, fields: &[Field], seen: &Observed) -> Option<String> {
        let drafted = &mut self.draft.content.service.records;
        let is_same = |record: &Record| record.positional == seen.by_position && is_alike(&record.fields, fields);
        let shared = drafted.iter_mut().find(|record| is_same(record) && has_same_times(&record.fields, fields))?;
        let all = self.drafted_from.get(shared.name.as_str())?.with(seen);
        for (known, field) in shared.fields.iter_mut().zip(fields) {
            known.optional |= field.optional;
            known.quoted = known.quoted.take().filter(|_| field.quoted.is_some());
            for text in &field.nulls {
                if !known.nulls.contains(text) {
                    known.nulls.push(text.clone());
                }
            }
            if known.ty != field.ty {
                let Guess::Builtin(ty) = guess(&known.name, all.fields.get(known.name.as_str())?) else { continue };
                known.ty = ty.into();
            }
        }
        let name = shared.name.to_string();
        self.drafted_from.insert(name.clone(), all);
        Some(name)
    }
}

/// `true` if the times in two lists of fields are written alike.
fn has_same_times(one: &[Field], other: &[Field]) -> bool {
    let mut pairs = one.iter().zip(other);
    pairs.all(|(one, other)| one.unit == other.unit && one.format == other.format)
}

/// `true` if two lists of fields have the same names and types. All types of numbers count as the same.
fn is_alike(one: &[Field], other: &[Field]) -> bool {
    let has_type = |one: &Field, other: &Field| one.ty == other.ty || is_number(&one.ty) && is_number(&other.ty);
    let same = |(one, other): (&Field, &Field)| one.name == other.name && has_type(one, other);
    one.len() == other.len() && one.iter().zip(other).all(same)
}
