//! Learns from the responses of one endpoint.

use std::collections::BTreeSet;

use catalogue::spec::Evidence;

use super::body_kind::{self, BodyKind};
use super::column_names::{NamedRecords, name_records};
use super::columns;
use super::data_beside::DataBeside;
use super::endpoint_reader::EndpointReader;
use super::error_responses;
use super::error_words;
use super::groups::{self, Groups};
use super::history::propose_history;
use super::key::note_key;
use super::options::{EndpointResponses, LearnOptions, read};
use super::pages::propose_pages;
use super::query;
use super::records::{all_bodies, has_missing_list, objects, records};
use super::text_bodies;
use super::zones::note_zone;
use crate::content::{Content, EntryPosition};
use crate::editor::Editor;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;
use crate::sent_values::SentValues;

/// Adds what the responses of one endpoint show.
pub(crate) fn learn_one(editor: &mut Editor, options: &LearnOptions, sample: &EndpointResponses) -> Result<(), String> {
    let (label, at) = editor.content.find(&sample.endpoint)?;
    let mut responses = read(options, sample)?;
    let errors = error_words::take_errors(editor, &mut responses);
    error_responses::learn_status(editor, options, &responses, &errors);
    let doubt = error_responses::check(editor, &at, &responses)?;
    let format = text_bodies::format_of(&editor.content, &at, &mut responses)?;
    text_bodies::read_values(&editor.content, &at, &mut responses);
    let layout = BodyLayout::determine(&editor.content, &at, &mut responses, &sample.sent)?;
    editor.subject = label;
    layout.note_object(editor, &responses);
    layout.note_data_beside(editor);
    let mut values = layout.values(editor, &responses)?;
    values.mark_sent_keys(&|key| sample.sent.contains(key));
    let mut reader = EndpointReader::new(editor, options, at.clone(), layout.own_path.clone());
    reader.format = format;
    if let Some(groups) = &layout.groups {
        reader.label(groups);
    }
    let mut values = reader.by_names(layout.kind, values)?;
    let others = layout.take_chosen(&mut reader, &responses, &mut values);
    // Records that can be read are learned in spite of a doubt, which is then a note.
    if let Some(doubt) = doubt {
        reader.editor.note(doubt);
    }
    reader.read(layout.kind, &values)?;
    reader.set_others(others);
    layout.read_other_facts(&mut reader, &responses);
    reader.merge(&values);
    query::learn(editor, options.evidence, &at, &sample.query);
    learn_facts_of_fields(editor, options.evidence, &at, &responses);
    Ok(())
}

/// Adds what follows from the learned fields and params of an endpoint.
fn learn_facts_of_fields(editor: &mut Editor, evidence: Evidence, at: &EntryPosition, responses: &[SavedResponse]) {
    propose_history(editor, evidence, at);
    propose_pages(editor, at, responses);
    note_key(editor, at, responses);
    note_zone(editor, at, responses);
}

/// The layout of the bodies of an endpoint.
struct BodyLayout {
    kind: BodyKind,
    /// `true` if the catalogue declares the kind.
    is_declared: bool,
    /// The path of the records, if it differs from the path in the envelope.
    own_path: Option<String>,
    /// The path of the records.
    path: Option<String>,
    /// `true` if the catalogue declares that the list of records can be missing.
    is_optional: bool,
    groups: Option<Groups>,
    /// The members next to groups that contain records, by their paths.
    beside_groups: BTreeSet<String>,
    columns: Columns,
    /// The members of columns that are no columns, although they contain lists.
    beside_columns: BTreeSet<String>,
    /// The path of the names of the values, if records are lists without names.
    column_names: Option<String>,
    /// The data next to the list of records of an unknown body.
    beside: Option<DataBeside>,
}

/// Whether the records of the responses are columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    No,
    InAllResponses,
    InSomeResponses,
}

impl BodyLayout {
    /// The layout that the catalogue declares, or that the responses show. Converts columns in the responses to
    /// records.
    fn determine(
        content: &Content,
        at: &EntryPosition,
        responses: &mut Vec<SavedResponse>,
        sent: &SentValues,
    ) -> Result<Self, String> {
        let known = content.endpoint(at).body.known();
        let envelope_path = content.service.envelope.as_ref().map(|envelope| envelope.data.clone());
        let declared_kind = BodyKind::known(known);
        let mut own_path = known.and_then(|body| body.data_path()).map(str::to_owned);
        let has_labels = known.is_some_and(|body| !body.labels.is_empty());
        let known_path = own_path.as_deref().or(envelope_path.as_deref()).unwrap_or(".");
        let named = named_records(content, at, known_path, responses);
        let mut groups = None;
        if named.is_none() && (declared_kind.is_none() || has_labels) {
            groups = groups::of(responses, known, sent);
        }
        let mut beside_groups = BTreeSet::new();
        if let (None, Some(groups)) = (known, &groups) {
            beside_groups = groups.records_beside(responses);
        }
        let mut columns = Columns::No;
        let mut beside_columns = BTreeSet::new();
        if named.is_none() && groups.is_none() {
            if known.is_none() {
                beside_columns = columns::members_beside(responses);
            }
            columns = columns_to_records(content, at, known_path, responses);
        }
        let mut beside = None;
        let kind = if let Some(kind) = declared_kind {
            kind
        } else if let Some(groups) = &groups {
            own_path = Some(groups.data.clone());
            BodyKind::Series
        } else if let Some(named) = &named {
            own_path = Some(named.data.clone()).filter(|data| envelope_path.as_ref() != Some(data));
            BodyKind::Series
        } else {
            let found = body_kind::of(responses, envelope_path.as_deref(), sent)?;
            own_path = found.path;
            beside = found.beside;
            found.kind
        };
        let path = own_path.clone().or(envelope_path);
        Ok(Self {
            kind,
            is_declared: declared_kind.is_some(),
            is_optional: is_optional(content, at),
            own_path,
            path,
            groups,
            beside_groups,
            columns,
            beside_columns,
            column_names: named.map(|named| named.names),
            beside,
        })
    }

    /// Adds a note if the body is learned as one object although a response has the member of a series.
    fn note_object(&self, editor: &mut Editor, responses: &[SavedResponse]) {
        let Some(path) = &self.path else { return };
        let has_member = responses.iter().any(|response| response.at(path).is_some());
        if self.kind == BodyKind::Object && !self.is_declared && has_member {
            editor.note(format!("`{path}` is not a list, so the body is one object, not a series"));
        }
    }

    /// Adds a note about the data next to the list of records.
    fn note_data_beside(&self, editor: &mut Editor) {
        for name in &self.beside_columns {
            if self.columns != Columns::No {
                editor.note(format!(
                    "`{name}`, next to the columns, has lists, but is no column itself, so the fields do not list it; the \
                     client has it in `unknown_fields` of the series"
                ));
            }
        }
        for name in &self.beside_groups {
            editor.note(format!(
                "`{name}` has records too, but only one key of a path can be `*`; the client has them in \
                 `unknown_fields` of the series"
            ));
        }
        let Some(beside) = &self.beside else { return };
        editor.note(match self.kind {
            BodyKind::Series => beside.note_of_series(),
            _ => beside.note_of_object(),
        });
    }

    /// Collects the records of all responses, or their bodies.
    fn values(&self, editor: &Editor, responses: &[SavedResponse]) -> Result<Observed, String> {
        match (self.kind, &self.groups) {
            (BodyKind::Series, Some(groups)) => Ok(Observed::of(&groups.records)),
            (BodyKind::Series, None) => records(responses, self.path.as_deref(), self.is_optional),
            (BodyKind::Object, _) => Ok(error_responses::without_status(editor, objects(responses)?)),
            (BodyKind::Value, _) => Ok(all_bodies(responses)),
        }
    }

    /// Removes the members that requests choose from the records, and returns their type.
    fn take_chosen(
        &self,
        reader: &mut EndpointReader<'_>,
        responses: &[SavedResponse],
        values: &mut Observed,
    ) -> Option<&'static str> {
        if self.kind != BodyKind::Series || self.groups.is_some() {
            return None;
        }
        reader.take_chosen(responses, self.path.as_deref(), values)
    }

    /// Adds the facts about the body that its records do not show.
    fn read_other_facts(&self, reader: &mut EndpointReader<'_>, responses: &[SavedResponse]) {
        if self.columns != Columns::No {
            reader.set_columns(self.columns == Columns::InSomeResponses);
        }
        if let Some(path) = &self.column_names {
            reader.set_column_names(path);
        }
        if self.kind != BodyKind::Series {
            return;
        }
        if self.groups.is_none() && has_missing_list(responses, self.path.as_deref()) {
            reader.set_optional();
        }
        if self.own_path.is_none() {
            reader.metadata(responses);
        }
    }
}

/// `true` if the catalogue declares that the list of records of an endpoint can be missing.
fn is_optional(content: &Content, at: &EntryPosition) -> bool {
    let body = content.endpoint(at).body.known();
    body.is_some_and(|body| content.service.can_lack_records(body))
}

/// Converts records that are lists to objects, if the catalogue declares where their names are, or if the body is unknown
/// and the responses have the names. `path` is the path of declared records.
fn named_records(
    content: &Content,
    at: &EntryPosition,
    path: &str,
    responses: &mut [SavedResponse],
) -> Option<NamedRecords> {
    let Some(body) = content.endpoint(at).body.known() else { return name_records(responses, None) };
    // Each group has its names.
    if !body.labels.is_empty() {
        return None;
    }
    let names = body.columns_at.as_ref()?.to_string();
    name_records(responses, Some(NamedRecords { data: path.to_owned(), names }))
}

/// Converts columns to records, if the catalogue declares columns, or if the body is unknown and the responses have
/// some. `path` is the path of declared columns.
fn columns_to_records(
    content: &Content,
    at: &EntryPosition,
    path: &str,
    responses: &mut Vec<SavedResponse>,
) -> Columns {
    let endpoint = content.endpoint(at);
    let received = responses.len();
    let has_columns = match content.body_record(&at.module, endpoint) {
        Some(record) if record.columns => columns::to_records(responses, Some((path, &record.fields))),
        _ => endpoint.body.known().is_none() && columns::to_records(responses, None),
    };
    match has_columns {
        false => Columns::No,
        true if responses.len() < received => Columns::InSomeResponses,
        true => Columns::InAllResponses,
    }
}
