//! Reads HAR files, which browsers and proxies record: finds the endpoint of each entry, and what its query shows about the
//! params.
//!
//! Headers, cookies and query strings may contain credentials, so no value of them appears in the result or in messages.
//! Of a query, only the names and the kinds of the values are used.

mod entry;
mod find_endpoint;
mod new_endpoints;

use catalogue::Catalogue;
use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use crate::content::Content;
use crate::editor::Refusal;
use crate::learn::EndpointResponses;
use entry::Entry;
use find_endpoint::{Candidate, Service};
pub use new_endpoints::{RecordedService, endpoints_of};

/// The responses in HAR files, by endpoint.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The endpoints with successful responses in JSON.
    pub endpoints: Vec<EndpointResponses>,
    /// The reasons why entries are skipped, without query strings. Paths that no endpoint has are among them.
    pub skipped: Vec<String>,
}

/// A usable entry, or the reason why it cannot be used.
type Read = Result<Entry, String>;

impl Recording {
    /// Reads HAR files, each with its name. `host` is the host of the service; without it, the host with the most
    /// entries of known endpoints is chosen.
    pub fn read(catalogue: Catalogue, files: &[(String, Vec<u8>)], host: Option<&str>) -> Result<Self, Refusal> {
        let content = Content::checked(catalogue)?;
        let mut skipped = IndexSet::new();
        let mut entries = Vec::new();
        for (file, bytes) in files {
            for read in entries_of(file, bytes)? {
                match read {
                    Ok(entry) => entries.push(entry),
                    Err(why) => drop(skipped.insert(why)),
                }
            }
        }
        let candidates = Candidate::all(&content);
        let service = Service::choose(&content, &candidates, &entries, host);
        let mut endpoints: IndexMap<String, EndpointResponses> = IndexMap::new();
        for entry in entries {
            match service.endpoint(&candidates, &entry) {
                Ok(endpoint) => add(&mut endpoints, endpoint, entry),
                Err(why) => drop(skipped.insert(format!("`{}`: {why}", entry.shown_path()))),
            }
        }
        Ok(Self { endpoints: endpoints.into_values().collect(), skipped: skipped.into_iter().collect() })
    }
}

fn add(endpoints: &mut IndexMap<String, EndpointResponses>, endpoint: &str, entry: Entry) {
    let new = || EndpointResponses { endpoint: endpoint.to_owned(), ..EndpointResponses::default() };
    let known = endpoints.entry(endpoint.to_owned()).or_insert_with(new);
    known.query.add(&entry.query);
    known.responses.push((entry.origin, entry.saved));
}

/// The entries of a HAR file. A single entry that cannot be read does not affect the others.
fn entries_of(file: &str, bytes: &[u8]) -> Result<Vec<Read>, Refusal> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let har: Value = serde_json::from_slice(text).map_err(|error| format!("{file}: not a HAR file: {error}"))?;
    let Some(entries) = har.pointer("/log/entries").and_then(Value::as_array) else {
        return Err(format!("{file}: not a HAR file: no `log.entries`").into());
    };
    let numbered = entries.iter().enumerate();
    Ok(numbered.map(|(index, entry)| Entry::read(entry, format!("{file}, entry {}", index + 1))).collect())
}

#[cfg(test)]
mod tests;
