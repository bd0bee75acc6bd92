//! Reads the responses of one endpoint: known types are widened, and new facts are drafted.

use std::collections::{HashMap, HashSet};

use catalogue::model::BodyFormat;
use catalogue::names::{self, Case};
use catalogue::spec::{Body, Endpoint, Evidence, Field, Group, Known, Record};

use super::groups::Groups;
use super::guess_type::{Guess, guess};
use super::options::LearnOptions;
use crate::content::{EntryPosition, SERVICE, ident_of, known_mut};
use crate::draft::{Draft, DraftOrigin, WantedName};
use crate::drafted_type::is_number;
use crate::editor::Editor;
use crate::merge::merge;
use crate::observed_values::Observed;
use crate::rust_names::singular;

/// The state while the responses of an endpoint are read.
pub(super) struct EndpointReader<'a> {
    pub(super) editor: &'a mut Editor,
    pub(super) options: &'a LearnOptions,
    /// The module that contains the current fields. Their records are looked up in its file first.
    pub(super) module: String,
    pub(super) endpoint: EntryPosition,
    pub(super) draft: Draft,
    /// The number of new fields with numbers in quotes.
    pub(super) quoted: usize,
    /// The path of the records, if it differs from the path in the envelope.
    pub(super) data: Option<String>,
    /// The format of the bodies; `None` for JSON.
    pub(super) format: Option<BodyFormat>,
    /// The labels of groups of records.
    pub(super) labels: Vec<Field>,
    /// The names of the members around the current fields, the outermost first.
    within: Vec<String>,
    /// The known records whose fields are being widened, the outermost first.
    pub(super) open: Vec<EntryPosition>,
    /// The number of these records that are around the innermost list or map.
    pub(super) open_around_list: usize,
    /// The values that wait until the outer values of their records have been compared.
    pub(super) waiting: Vec<InnerValues>,
    /// The values of the drafted records, by their provisional names.
    drafted_from: HashMap<String, Observed>,
}

/// The inner values of a record that contains itself.
pub(super) struct InnerValues {
    pub(super) module: String,
    pub(super) record: String,
    pub(super) values: Observed,
}

impl<'a> EndpointReader<'a> {
    pub(super) fn new(
        editor: &'a mut Editor,
        options: &'a LearnOptions,
        endpoint: EntryPosition,
        data: Option<String>,
    ) -> Self {
        Self {
            editor,
            options,
            module: endpoint.module.clone(),
            endpoint,
            draft: Draft::new(DraftOrigin::Responses),
            quoted: 0,
            data,
            format: None,
            labels: Vec::new(),
            within: Vec::new(),
            open: Vec::new(),
            open_around_list: 0,
            waiting: Vec::new(),
            drafted_from: HashMap::new(),
        }
    }

    /// The body of the endpoint in the draft, if it is new.
    fn drafted_body(&mut self) -> Option<&mut Body> {
        let group = self.draft.content.groups.get_mut(&self.endpoint.module)?;
        known_mut(&mut group.endpoints.first_mut()?.body)
    }

    /// Notes that a response can have no list of records.
    pub(super) fn set_optional(&mut self) {
        if let Some(body) = self.drafted_body() {
            body.optional = Some(true.into());
        }
    }

    /// Notes that the records are columns, which some responses lack if `are_optional` is `true`.
    pub(super) fn set_columns(&mut self, are_optional: bool) {
        let Some(body) = self.drafted_body() else { return };
        body.columns = Some(true.into());
        if are_optional {
            body.optional = Some(true.into());
        }
        self.editor.note("the records are columns");
        if are_optional {
            self.editor.note("a response without the columns is an empty series");
        }
    }

    /// Sets the path of the names of the values.
    pub(super) fn set_column_names(&mut self, path: &str) {
        let Some(body) = self.drafted_body() else { return };
        body.columns_at = Some(path.into());
        self.editor.note(format!("the names of the values are at `{path}`"));
    }

    /// Sets the type of the members that are not listed.
    pub(super) fn set_others(&mut self, ty: Option<&str>) {
        if let Some(body) = self.drafted_body() {
            body.others = ty.map(Into::into);
        }
    }

    /// Drafts the labels of groups of records.
    pub(super) fn label(&mut self, groups: &Groups) {
        let mut fields = self.new_fields(&Observed::of(&groups.label_values), &HashSet::new());
        for field in &mut fields {
            let Some(label) = groups.labels.iter().find(|label| label.name == *field.name) else { continue };
            // A label such as `metric.job` depends on the request.
            field.optional |= label.path.contains('.');
            if label.path != label.name {
                field.at = Some(label.path.as_str().into());
            }
        }
        self.labels = fields;
    }

    /// The fields of the endpoint's body in the catalogue.
    pub(super) fn listed(&self) -> Option<Record> {
        let content = &self.editor.content;
        content.body_record(&self.module, content.endpoint(&self.endpoint))
    }

    /// Adds the body of the endpoint to the draft.
    pub(super) fn add_body(&mut self, body: Body) {
        let known = self.editor.content.endpoint(&self.endpoint);
        let endpoint = Endpoint {
            name: known.name.clone(),
            rust_name: known.rust_name.clone(),
            path: known.path.clone(),
            body: Known::Known(body),
            evidence: self.options.evidence,
            ..Endpoint::default()
        };
        let group = Group { endpoints: vec![endpoint], ..Group::default() };
        self.draft.content.groups.insert(self.endpoint.module.clone(), group);
    }

    /// Merges the draft into the catalogue.
    pub(super) fn merge(mut self, seen: &Observed) {
        if self.quoted > 0 {
            let advice = match self.quoted {
                1 => "1 field; change it to `string` if it is a name".to_owned(),
                count => format!("{count} fields; change those that are names to `string`"),
            };
            self.editor.note(format!("numbers in quotes: {advice}"));
        }
        merge(self.editor, &self.draft);
        if !self.draft.content.groups.is_empty() {
            self.note_learned(seen);
        }
    }

    /// The evidence of the known body.
    pub(super) fn known_evidence(&self) -> Evidence {
        let endpoint = self.editor.content.endpoint(&self.endpoint);
        let of_body = endpoint.body.known().and_then(|body| body.evidence);
        of_body.unwrap_or(endpoint.evidence)
    }

    /// The evidence of learned facts, if it is weaker than `known`, which is the evidence of the record or body that
    /// contains the facts.
    pub(super) fn weaker_evidence(&self, known: Evidence) -> Option<Evidence> {
        let learned = self.options.evidence;
        if known < learned { Some(learned) } else { None }
    }

    /// The name of the endpoint, from which names of records and types are made.
    pub(super) fn owner(&self) -> String {
        ident_of(self.editor.content.endpoint(&self.endpoint)).unwrap_or_default()
    }

    /// The name of the record for nested objects: a known record with the same fields, or a new record.
    pub(super) fn record(&mut self, name: &str, seen: &Observed) -> String {
        self.within.push(singular(name));
        let fields = self.new_fields(seen, &HashSet::new());
        self.within.pop();
        if let Some(known) = self.known_like(&fields, seen.by_position) {
            // A field that the known record requires may be missing in these objects, so the known record is widened
            // too.
            self.known_record(&known, seen);
            return known;
        }
        if let Some(shared) = self.shared_draft(&fields, seen) {
            return shared;
        }
        let wanted = self.wanted_record_name(&singular(name));
        let record =
            Record { evidence: self.options.evidence, positional: seen.by_position, fields, ..Record::default() };
        let drafted = self.draft.add_record(record, wanted);
        self.drafted_from.insert(drafted.clone(), seen.clone());
        drafted
    }

    /// The name of a known record with the same fields. A record cannot contain itself without a list or a map in between.
    fn known_like(&self, fields: &[Field], is_positional: bool) -> Option<String> {
        for module in [self.module.as_str(), SERVICE] {
            for (index, record) in self.editor.content.records(module).iter().enumerate() {
                let at = EntryPosition { module: module.to_owned(), index };
                let is_around = self.open.iter().skip(self.open_around_list).any(|open| *open == at);
                let has_same_form = record.positional == is_positional && !record.columns;
                if has_same_form && !is_around && is_alike(&record.fields, fields) {
                    return Some(record.name.to_string());
                }
            }
        }
        None
    }

    fn wanted_record_name(&self, singular: &str) -> WantedName {
        let owner = self.owner();
        let is_name = names::ident(singular, Case::Pascal).is_ok();
        let name = if is_name { singular.to_owned() } else { format!("{owner} {singular}") };
        let parent = self.within.last().cloned().unwrap_or_default();
        WantedName { name, parent, owner, is_chosen: false }
    }

    /// The drafted record with the same fields, if there is one. It is extended by what only these objects have. Where
    /// the types of numbers differ, the type is guessed again from all values, because either type can lose digits of
    /// the other's values.
    fn shared_draft(&mut self, fields: &[Field], seen: &Observed) -> Option<String> {
        let shared = self.draft.content.service.records.iter_mut().find(|record| {
            record.positional == seen.by_position
                && is_alike(&record.fields, fields)
                && has_same_times(&record.fields, fields)
        })?;
        let all = self.drafted_from.get(shared.name.as_str())?.with(seen);
        for (known, field) in shared.fields.iter_mut().zip(fields) {
            extend(known, field);
            if known.ty != field.ty
                && let Some(values) = all.fields.get(known.name.as_str())
                && let Guess::Builtin(ty) = guess(&known.name, values)
            {
                known.ty = ty.into();
            }
        }
        let name = shared.name.to_string();
        self.drafted_from.insert(name.clone(), all);
        Some(name)
    }
}

/// Extends a drafted field by what another field of the same name allows.
fn extend(known: &mut Field, field: &Field) {
    known.optional |= field.optional;
    if field.quoted.is_none() {
        known.quoted = None;
    }
    for text in &field.nulls {
        if !known.nulls.contains(text) {
            known.nulls.push(text.clone());
        }
    }
}

/// `true` if the times in two lists of fields are written alike.
fn has_same_times(one: &[Field], other: &[Field]) -> bool {
    for (one, other) in one.iter().zip(other) {
        if one.unit != other.unit || one.format != other.format {
            return false;
        }
    }
    true
}

/// `true` if two lists of fields have the same names and types. All types of numbers count as the same.
fn is_alike(one: &[Field], other: &[Field]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    for (one, other) in one.iter().zip(other) {
        let has_same_type = one.ty == other.ty || is_number(&one.ty) && is_number(&other.ty);
        if one.name != other.name || !has_same_type {
            return false;
        }
    }
    true
}
