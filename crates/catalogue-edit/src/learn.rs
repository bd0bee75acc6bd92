//! Learns the fields of records from responses, and merges them with the catalogue.
//!
//! Responses are evidence: a type that does not fit the values in a response is widened, and every contradiction is
//! reported. A response does not contain the meaning of a field, so a new field has no summary until the author writes
//! one.

mod body;
mod body_kind;
mod columns;
mod enums;
mod error_responses;
mod error_words;
mod fields;
mod groups;
mod guess_type;
mod key;
mod metadata;
mod pages;
mod query;
mod reader;
mod renamed_fields;
mod time;
mod value_types;

use std::collections::BTreeMap;

use catalogue::spec::{Evidence, Known};
use catalogue::{Catalogue, load_texts};

use super::content::{At, Content, known_mut};
use super::editor::{CatalogueChange, Editor, Refusal};
use super::gate::Gate;
use super::history_params::history;
use super::observed_query::ObservedQuery;
use super::observed_values::Observed;
use super::saved_response::SavedResponse;
use body_kind::BodyKind;
pub(crate) use query::{learn_key, param_of};
use reader::Reader;

/// The responses to learn from, and the options.
#[derive(Clone, Debug)]
pub struct LearnOptions {
    /// The endpoints, each with its responses.
    pub endpoints: Vec<EndpointResponses>,
    /// The evidence of learned facts.
    pub evidence: Evidence,
    /// The names of the fields whose values become an enum, optionally with the name of the type: `side`,
    /// `side=OrderSide`.
    pub enums: Vec<String>,
    /// `true` accepts mock responses of the sandbox.
    pub accept_mock: bool,
}

/// An endpoint with its responses.
#[derive(Clone, Debug, Default)]
pub struct EndpointResponses {
    /// The endpoint: its path (`/buyVolume`), its name, its method name, or its group and method
    /// (`orderflow.buy_volume`).
    pub endpoint: String,
    /// The responses. Each consists of its origin, which messages mention, and its saved text: a JSON body with or
    /// without headers.
    pub responses: Vec<(String, Vec<u8>)>,
    /// The params in the queries of the requests, if they were recorded.
    pub query: ObservedQuery,
}

/// Returns the change that adapts the catalogue to the responses. Each response is decoded with the changed catalogue
/// before the change is returned; what the client would not decode is not learned.
pub fn learn(catalogue: Catalogue, options: &LearnOptions) -> Result<CatalogueChange, Refusal> {
    let texts: Vec<_> = catalogue.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let borrowed: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut rejected = BTreeMap::new();
    let mut change = learn_all(catalogue, options, &rejected)?;
    while let Some((endpoint, why)) = first_rejected(&change, options, &rejected)? {
        if options.endpoints.len() == 1 {
            let mut notes = String::new();
            for note in change.notes() {
                notes.push_str(&format!("\n{note}"));
            }
            return Err(format!("{endpoint}: {why}{notes}").into());
        }
        rejected.insert(endpoint, why);
        change = learn_all(load_texts(&borrowed), options, &rejected)?;
    }
    Ok(change)
}

/// The reasons why nothing is learned from the responses of endpoints.
type Rejected = BTreeMap<String, String>;

fn learn_all(catalogue: Catalogue, options: &LearnOptions, rejected: &Rejected) -> Result<CatalogueChange, Refusal> {
    let mut editor = Editor::open(catalogue)?;
    for sample in &options.endpoints {
        let outcome = match rejected.get(&sample.endpoint) {
            Some(why) => Err(why.clone()),
            None => editor.attempt(|editor| learn_one(editor, options, sample)),
        };
        if let Err(why) = outcome {
            if options.endpoints.len() == 1 {
                return Err(format!("{}: {why}", sample.endpoint).into());
            }
            // An endpoint with unusable responses does not affect the other endpoints.
            editor.note(format!("{}: nothing learned: {why}", sample.endpoint));
        }
    }
    enums::note_unused(&mut editor, &options.enums);
    editor.close()
}

/// The first endpoint with a response that the client of the changed catalogue would not decode, and the reason.
/// Responses of which nothing was learned, for example because they are errors, are skipped.
fn first_rejected(
    change: &CatalogueChange,
    options: &LearnOptions,
    rejected: &Rejected,
) -> Result<Option<(String, String)>, Refusal> {
    let texts = change.all_texts();
    let content = Content::checked(load_texts(&texts))?;
    let gate = Gate::of(&texts)?;
    for sample in options.endpoints.iter().filter(|sample| !rejected.contains_key(&sample.endpoint)) {
        let is_unused =
            change.notes().iter().any(|note| note.starts_with(&format!("{}: nothing learned", sample.endpoint)));
        let (Ok((label, _)), Ok(responses), false) = (content.find(&sample.endpoint), read(options, sample), is_unused)
        else {
            continue;
        };
        for response in responses {
            // Of an error response, only its status and message are learned.
            let is_error = format!("{} is an error response", response.origin);
            if change.notes().iter().any(|note| note.contains(&is_error)) {
                continue;
            }
            if let Err(why) = gate.check(&label, &response) {
                return Ok(Some((sample.endpoint.clone(), why)));
            }
        }
    }
    Ok(None)
}

/// Adds what the responses of one endpoint show.
pub(crate) fn learn_one(editor: &mut Editor, options: &LearnOptions, sample: &EndpointResponses) -> Result<(), String> {
    let (label, endpoint) = editor.find(&sample.endpoint)?;
    let mut responses = read(options, sample)?;
    let known = editor.endpoint(&endpoint).body.known().cloned();
    let errors = error_words::take_errors(editor, &mut responses);
    error_responses::learn_status(editor, options.evidence, &responses, &errors);
    error_words::note_zone(editor, &responses);
    let listed = editor.body_record(&endpoint.module, editor.endpoint(&endpoint));
    let warning = error_responses::check(editor, &endpoint, &responses)?;
    let envelope = editor.service.envelope.as_ref().map(|envelope| envelope.data.clone());
    let declared = BodyKind::known(known.as_ref());
    let own = known.as_ref().and_then(|known| known.data.as_deref().cloned());
    let path = own.as_deref().or(envelope.as_deref()).unwrap_or(".");
    let columns = listed.as_ref().filter(|of| of.columns).map(|of| (path, of.fields.as_slice()));
    let is_open = declared.is_none() || known.as_ref().is_some_and(|known| !known.labels.is_empty());
    let groups = groups::of(&responses, known.as_ref()).filter(|_| is_open);
    let received = responses.len();
    let has_columns =
        groups.is_none() && (declared.is_none() || columns.is_some()) && columns::to_records(&mut responses, columns);
    let has_empty = has_columns && responses.len() < received;
    let (kind, own) = match (declared, &groups) {
        (Some(kind), _) => (kind, own),
        (None, Some(groups)) => (BodyKind::Series, Some(groups.data.clone())),
        (None, None) => body_kind::of(&responses, envelope.as_deref())?,
    };
    let data = own.clone().or(envelope);
    editor.subject = label;
    let has_data = |data: &&str| responses.iter().any(|response| response.at(data).is_some());
    if let (true, BodyKind::Object, Some(data)) = (declared.is_none(), kind, data.as_deref().filter(has_data)) {
        editor.note(format!("`{data}` is not a list, so the body is one object, not a series"));
    }
    let seen = match kind {
        BodyKind::Series if let Some(groups) = &groups => Observed::of(&groups.records),
        BodyKind::Series => body_kind::records(&responses, data.as_deref())?,
        BodyKind::Object => error_responses::without_status(editor, body_kind::objects(&responses)?),
        BodyKind::Value => body_kind::all_bodies(&responses),
    };
    let at = endpoint.clone();
    let mut reader = Reader::new(editor, options, endpoint, own);
    if let Some(groups) = &groups {
        reader.label(groups);
    }
    let seen = reader.by_names(kind, seen)?;
    if let Some(warning) = warning {
        reader.editor.note(warning);
    }
    reader.read(kind, &seen)?;
    let drafted = reader.draft.content.groups.values_mut().flat_map(|group| &mut group.endpoints);
    for body in drafted.filter_map(|endpoint| known_mut(&mut endpoint.body)).filter(|_| has_columns) {
        reader.editor.note("the records are columns");
        body.columns = Some(true.into());
        if has_empty {
            reader.editor.note("a response without the columns is an empty series");
            body.optional = Some(true.into());
        }
    }
    if kind == BodyKind::Series && groups.is_none() && body_kind::has_missing_list(&responses, data.as_deref()) {
        reader.set_optional();
    }
    if kind == BodyKind::Series && reader.data.is_none() {
        reader.metadata(&responses);
    }
    reader.merge(&seen);
    query::learn(editor, options.evidence, &at, &sample.query);
    propose_history(editor, options.evidence, &at);
    pages::propose_pages(editor, &at, &responses);
    key::note_key(editor, &at, &responses);
    Ok(())
}

/// Sets the `history` of an endpoint that returns a time series and has the params of a history, unless the service
/// declares these params.
fn propose_history(editor: &mut Editor, evidence: Evidence, at: &At) {
    let endpoint = editor.endpoint(at);
    let body = endpoint.body.known().filter(|body| body.series.is_some());
    let is_timed = body.and_then(|body| body.time.as_ref()).is_some_and(|time| time.as_str() != "none");
    let params = editor.params_of(endpoint).unwrap_or_default();
    let found = history(&params, &editor.service.types, evidence).filter(|_| is_timed);
    if let (Some(found), None, None) = (found, &endpoint.history, &editor.service.history) {
        let ends: Vec<_> = [&found.from, &found.to].into_iter().flatten().map(|name| format!("`{name}`")).collect();
        editor.note(format!("a history is requested with {}", ends.join(" and ")));
        editor.endpoint_mut(at).history = Some(Known::Known(found));
    }
}

/// Reads the responses of an endpoint.
pub(crate) fn read(options: &LearnOptions, sample: &EndpointResponses) -> Result<Vec<SavedResponse>, String> {
    let responses = sample.responses.iter().map(|(origin, bytes)| {
        let response = SavedResponse::read(origin, bytes).map_err(|why| format!("{origin}: {why}"))?;
        if response.is_mock && !options.accept_mock {
            return Err(format!(
                "{origin} is a mock response of the sandbox; to learn from it anyway, set the catalogue with `--spec`"
            ));
        }
        Ok(response)
    });
    responses.collect()
}
