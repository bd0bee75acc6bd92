//! Learns the fields of records from responses, and merges them with the catalogue.
//!
//! Responses are evidence: a type that does not fit the values in a response is widened, and every contradiction is
//! reported. A response does not contain the meaning of a field, so a new field has no summary until the author writes
//! one.

mod error_leaves;
mod options;
mod time_texts;

mod error_signs;
mod step;

mod history;
mod key;
mod key_names;
mod pages;
mod query;
mod wider_builtin;
mod zones;

mod flag_status;

mod error_words;
mod guess_type;

mod column_names;
mod columns;
mod error_responses;
mod groups;
mod row_names;

mod endpoint_reader;
mod records;
mod text_bodies;

mod enums;
mod field_list;
mod metadata;
mod time;
mod value_types;

mod wider_types;

mod data_beside;
mod renamed_fields;

mod body_kind;

mod fields;

mod body;

mod others;

mod endpoint;

use std::collections::{BTreeMap, BTreeSet};

use catalogue::{Catalogue, load_texts};

use crate::catalogue_change::CatalogueChange;
use crate::content::Content;
use crate::editor::Editor;
use crate::gate::{Gate, HistoryFact};
use crate::refusal::Refusal;
pub(crate) use endpoint::learn_one;
pub(crate) use error_responses::is_reported;
pub(crate) use options::read;
pub use options::{EndpointResponses, LearnOptions};
pub(crate) use query::{learn as learn_query, learn_key, note_unnamed_key, param_in_query, param_of};

/// What the client of a changed catalogue has shown about the responses, by endpoint.
#[derive(Default)]
struct Decoded {
    /// The reasons why nothing is learned from the responses.
    rejected: BTreeMap<String, String>,
    /// What the responses show about the params of a history.
    histories: Histories,
}

/// What the responses of endpoints show about the params of their histories, by endpoint.
type Histories = BTreeMap<String, Vec<HistoryFact>>;

/// An endpoint with a response that the client would not decode.
struct Undecodable {
    endpoint: String,
    why: String,
}

/// The responses of an endpoint, and the reason why nothing is learned from them.
struct FailedSample<'o> {
    sample: &'o EndpointResponses,
    why: String,
}

/// A change, and what it does not take from the responses.
struct Learned {
    change: CatalogueChange,
    /// The endpoints of whose responses nothing is learned.
    unused: BTreeSet<String>,
    /// The origins of the responses of which only the status and the message are learned.
    error_responses: BTreeSet<String>,
}

/// What the client of a changed catalogue makes of the responses.
#[derive(Default)]
struct DecodedResponses {
    /// The first response that it would not decode. The responses after it are not decoded.
    undecodable: Option<Undecodable>,
    /// What the responses show about the params of a history.
    histories: Histories,
    /// Notes about numbers that it would round.
    notes: Vec<String>,
}

/// Returns the change that adapts the catalogue to the responses. Each response is decoded with the changed catalogue
/// before the change is returned; what the client would not decode is not learned.
pub fn learn(catalogue: Catalogue, options: &LearnOptions) -> Result<CatalogueChange, Refusal> {
    let mut texts = Vec::new();
    for (name, text) in catalogue.texts() {
        texts.push((name.to_owned(), text.to_owned()));
    }
    let mut shown = Decoded::default();
    let mut learned = learn_all(catalogue, options, &shown)?;
    loop {
        let decoded = decode_all(&learned, options)?;
        let Some(Undecodable { endpoint, why }) = decoded.undecodable else {
            if add_facts(&mut shown.histories, decoded.histories) {
                learned = learn_all(load_texts(&borrowed(&texts)), options, &shown)?;
                continue;
            }
            learned.change.notes.extend(decoded.notes);
            return Ok(learned.change);
        };
        if options.endpoints.len() == 1 {
            let mut message = format!("{endpoint}: {why}");
            for note in learned.change.notes() {
                message += &format!("\n{note}");
            }
            return Err(message.into());
        }
        shown.rejected.insert(endpoint, why);
        learned = learn_all(load_texts(&borrowed(&texts)), options, &shown)?;
    }
}

/// Adds what the responses show about histories, and returns whether some of it is new. The start of a range is known only
/// after its param is.
fn add_facts(known: &mut Histories, found: Histories) -> bool {
    let mut has_new = false;
    for (endpoint, mut facts) in found {
        let of_endpoint = known.entry(endpoint).or_default();
        // What the start of the range shows is seen again once the param is its start.
        if facts.contains(&HistoryFact::StartIsEnd) {
            facts.retain(|fact| *fact != HistoryFact::StartIncluded);
        }
        for fact in facts {
            if !of_endpoint.contains(&fact) {
                of_endpoint.push(fact);
                has_new = true;
            }
        }
    }
    has_new
}

fn borrowed(texts: &[(String, String)]) -> Vec<(&str, &str)> {
    let mut borrowed = Vec::new();
    for (name, text) in texts {
        borrowed.push((name.as_str(), text.as_str()));
    }
    borrowed
}

fn learn_all(catalogue: Catalogue, options: &LearnOptions, shown: &Decoded) -> Result<Learned, Refusal> {
    let mut editor = Editor::open(catalogue)?;
    let mut failed = Vec::new();
    let mut unused = BTreeSet::new();
    for sample in &options.endpoints {
        let outcome = match shown.rejected.get(&sample.endpoint) {
            Some(why) => Err(why.clone()),
            None => editor.attempt(|editor| learn_one(editor, options, sample)),
        };
        if outcome.is_ok()
            && let Some(facts) = shown.histories.get(&sample.endpoint)
        {
            let (label, at) = editor.content.find(&sample.endpoint)?;
            editor.subject = label;
            history::correct(&mut editor, options.evidence, &at, facts);
        }
        if let Err(why) = outcome {
            // An endpoint with unusable responses does not affect the other endpoints.
            failed.push(FailedSample { sample, why });
        }
    }
    // The bodies of errors follow, because a status is learned from successful responses.
    for FailedSample { sample, why } in failed {
        let errors = read(options, sample).unwrap_or_default();
        let is_learned = error_words::learn_from_errors(&mut editor, options.evidence, &errors);
        if options.endpoints.len() == 1 && !is_learned {
            return Err(format!("{}: {why}", sample.endpoint).into());
        }
        let what = if is_learned { "only the error body is learned" } else { "nothing learned" };
        editor.note(format!("{}: {what}: {why}", sample.endpoint));
        unused.insert(sample.endpoint.clone());
    }
    enums::note_unused(&mut editor, &options.enums);
    let error_responses = std::mem::take(&mut editor.error_responses);
    Ok(Learned { change: editor.close()?, unused, error_responses })
}

/// Decodes the responses with the changed catalogue. Responses of which no field was learned, for example because they are
/// errors, are skipped.
fn decode_all(learned: &Learned, options: &LearnOptions) -> Result<DecodedResponses, Refusal> {
    let mut decoded = DecodedResponses::default();
    let texts = learned.change.all_texts();
    let content = Content::checked(load_texts(&texts))?;
    let gate = Gate::of(&texts)?;
    for sample in &options.endpoints {
        let endpoint = &sample.endpoint;
        if learned.unused.contains(endpoint) {
            continue;
        }
        let Ok((label, _)) = content.find(endpoint) else { continue };
        let Ok(responses) = read(options, sample) else { continue };
        let mut rounded = None;
        for response in responses {
            if learned.error_responses.contains(&response.origin) {
                continue;
            }
            if let Err(why) = gate.check(&label, &response) {
                decoded.undecodable = Some(Undecodable { endpoint: endpoint.clone(), why });
                return Ok(decoded);
            }
            let facts = gate.history_facts(&label, &response, &sample.sent_times);
            decoded.histories.entry(endpoint.clone()).or_default().extend(facts);
            if rounded.is_none()
                && let Some(number) = gate.rounded_number(&label, &response)
            {
                rounded = Some(number.note(&response.origin));
            }
        }
        // One number shows what the type `any` does to the others.
        if let Some(note) = rounded {
            decoded.notes.push(format!("{label}: {note}"));
        }
    }
    Ok(decoded)
}
