//! Checks a property of every description and recording: it is imported or learned, or refused with a message, and nothing
//! panics.
//!
//! The tests and two fuzz targets use this module, with texts from different sources.

use catalogue::{Catalogue, load_texts};
use catalogue_edit::{Evidence, Import, LearnOptions, Recording, Refusal, import, learn};

const SERVICE: &str = "{title: Invented, version: '2', env_prefix: INVENTED, time: {unit: seconds, evidence: documented}, \
                       envelope: {data: data, time: {name: openDate, type: timestamp}, evidence: documented}}";
const GROUP: &str = "{title: Market, endpoints: [{name: Ratio, path: /ratio, evidence: documented, params: unknown, body: \
                     unknown}]}";

fn catalogue() -> Catalogue {
    load_texts(&[("market.yaml", GROUP), ("service.yaml", SERVICE)])
}

/// Imports a description into a new catalogue; returns `true` if it was imported.
pub(crate) fn check_openapi(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let options = Import { text: text.to_owned(), evidence: Evidence::Published, summaries: true, hosts: Vec::new() };
    is_change(import(None, &options))
}

/// Learns from the entries of a HAR file; returns `true` if there was a response of an endpoint.
pub(crate) fn check_har(bytes: &[u8]) -> bool {
    let Ok(recording) = Recording::read(catalogue(), &[("recording.har".to_owned(), bytes.to_vec())], None) else {
        return false;
    };
    if recording.endpoints.is_empty() {
        return false;
    }
    let endpoints = recording.endpoints;
    let options = LearnOptions { endpoints, evidence: Evidence::Reported, enums: Vec::new(), accept_mock: false };
    is_change(learn(catalogue(), &options))
}

/// Returns `true` if there is a change. A refusal has a text.
fn is_change<C>(outcome: Result<C, Refusal>) -> bool {
    match outcome {
        Ok(_) => true,
        Err(Refusal::Message(why)) => {
            assert!(!why.is_empty());
            false
        }
        Err(_) => false,
    }
}
