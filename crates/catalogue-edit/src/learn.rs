//! Learns the fields of records from responses, and merges them with the catalogue.
//!
//! Responses are evidence: a type that does not fit the values in a response is widened, and every contradiction is
//! reported. A response does not contain the meaning of a field, so a new field has no summary until the author writes
//! one.

mod error_leaves;
mod options;
mod time_texts;

mod error_signs;
mod history;
mod key;
mod key_names;
mod pages;
mod query;
mod wider_builtin;

mod error_words;
mod guess_type;

mod column_names;
mod columns;
mod error_responses;
mod groups;
mod row_names;

mod reader;
mod records;

mod body_kind;
mod enums;
mod field_list;
mod metadata;
mod time;
mod value_types;

mod wider_types;

mod renamed_fields;

mod fields;

mod body;

mod others;

mod endpoint;

use std::collections::BTreeMap;

use catalogue::{Catalogue, load_texts};

use crate::catalogue_change::CatalogueChange;
use crate::content::Content;
use crate::editor::Editor;
use crate::gate::Gate;
use crate::refusal::Refusal;
pub(crate) use endpoint::learn_one;
pub(crate) use options::read;
pub use options::{EndpointResponses, LearnOptions};
pub(crate) use query::{learn_key, param_of};

/// The reasons why nothing is learned from the responses of endpoints.
type Rejected = BTreeMap<String, String>;

/// An endpoint with a response that the client would not decode.
struct Undecodable {
    endpoint: String,
    why: String,
}

/// Returns the change that adapts the catalogue to the responses. Each response is decoded with the changed catalogue
/// before the change is returned; what the client would not decode is not learned.
pub fn learn(catalogue: Catalogue, options: &LearnOptions) -> Result<CatalogueChange, Refusal> {
    let mut texts = Vec::new();
    for (name, text) in catalogue.texts() {
        texts.push((name.to_owned(), text.to_owned()));
    }
    let mut rejected = Rejected::new();
    let mut change = learn_all(catalogue, options, &rejected)?;
    while let Some(Undecodable { endpoint, why }) = first_undecodable(&change, options, &rejected)? {
        if options.endpoints.len() == 1 {
            let mut message = format!("{endpoint}: {why}");
            for note in change.notes() {
                message += &format!("\n{note}");
            }
            return Err(message.into());
        }
        rejected.insert(endpoint, why);
        change = learn_all(load_texts(&borrowed(&texts)), options, &rejected)?;
    }
    Ok(change)
}

fn borrowed(texts: &[(String, String)]) -> Vec<(&str, &str)> {
    let mut borrowed = Vec::new();
    for (name, text) in texts {
        borrowed.push((name.as_str(), text.as_str()));
    }
    borrowed
}

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

/// The first endpoint with a response that the client of the changed catalogue would not decode. Responses of which
/// nothing was learned, for example because they are errors, are skipped.
fn first_undecodable(
    change: &CatalogueChange,
    options: &LearnOptions,
    rejected: &Rejected,
) -> Result<Option<Undecodable>, Refusal> {
    let texts = change.all_texts();
    let content = Content::checked(load_texts(&texts))?;
    let gate = Gate::of(&texts)?;
    for sample in &options.endpoints {
        let endpoint = &sample.endpoint;
        let nothing_learned = format!("{endpoint}: nothing learned");
        let is_unused = change.notes().iter().any(|note| note.starts_with(&nothing_learned));
        if is_unused || rejected.contains_key(endpoint) {
            continue;
        }
        let Ok((label, _)) = content.find(endpoint) else { continue };
        let Ok(responses) = read(options, sample) else { continue };
        for response in responses {
            // Of an error response, only its status and message are learned.
            let is_error = format!("{} is an error response", response.origin);
            if change.notes().iter().any(|note| note.contains(&is_error)) {
                continue;
            }
            if let Err(why) = gate.check(&label, &response) {
                return Ok(Some(Undecodable { endpoint: endpoint.clone(), why }));
            }
        }
    }
    Ok(None)
}
