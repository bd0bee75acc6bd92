//! Reads HAR files, which browsers and proxies record: finds the endpoint of each entry, and what its query shows about the
//! params.
//!
//! Headers, cookies and query strings may contain credentials, so no value of them appears in the result or in messages,
//! except a step such as `1m`.
//! Of a query, the names and the kinds of the values become params, and the names of functions become endpoints. A key of a
//! response that is equal to a value of the request is data.

mod base64;
mod functions;

mod entry;

mod endpoint_path;
mod path_data;
mod repeated_values;

mod new_paths;

mod service_location;

mod assigned_hosts;

mod locations;

mod recorded_host;

mod new_endpoints;

use std::collections::BTreeMap;

use catalogue::Catalogue;
use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use crate::content::Content;
use crate::learn::EndpointResponses;
use crate::refusal::Refusal;
use endpoint_path::EndpointPath;
use entry::Entry;
use locations::{LocatedEndpoint, Locations};
pub use new_endpoints::{RecordedService, endpoints_of};

/// The responses in HAR files, by endpoint.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The endpoints with successful responses in JSON.
    pub endpoints: Vec<EndpointResponses>,
    /// The endpoints with error responses in JSON, which show where a service has its error messages.
    pub errors: Vec<EndpointResponses>,
    /// The reasons why entries are skipped, without query strings. Paths that no endpoint has are among them.
    pub skipped: Vec<String>,
}

impl Recording {
    /// Reads HAR files, each with its name. `host` is the host of the service; without it, the hosts are chosen for which
    /// the most entries have an endpoint. Several choices that fit as well are refused.
    pub fn read(catalogue: Catalogue, files: &[(String, Vec<u8>)], host: Option<&str>) -> Result<Self, Refusal> {
        let content = Content::checked(catalogue)?;
        let entries = RecordedEntries::read(files)?;
        let paths = EndpointPath::all(&content);
        let locations = Locations::choose(&content, &paths, &entries.usable, host)?;
        let mut responses_by_host: BTreeMap<String, usize> = BTreeMap::new();
        for entry in &entries.usable {
            *responses_by_host.entry(entry.host.clone()).or_default() += 1;
        }
        let mut skipped = entries.skipped;
        let mut endpoints = IndexMap::new();
        for entry in entries.usable {
            match locations.endpoint(&paths, &entry) {
                Ok(found) => add_response(&mut endpoints, &found, entry),
                Err(why) => {
                    skipped.insert(skipped_line(&entry, &why, responses_by_host[&entry.host], &locations));
                }
            }
        }
        let mut errors = IndexMap::new();
        for entry in entries.errors {
            match locations.endpoint(&paths, &entry) {
                Ok(found) => add_error(&mut errors, &found.path.label, entry),
                Err(_) => {
                    skipped.insert(skipped_error(&entry));
                }
            }
        }
        Ok(Self {
            endpoints: endpoints.into_values().collect(),
            errors: errors.into_values().collect(),
            skipped: Vec::from_iter(skipped),
        })
    }

    /// Returns the endpoints with all of their responses, to learn from.
    pub fn with_errors(self) -> Vec<EndpointResponses> {
        let mut endpoints = self.endpoints;
        for errors in self.errors {
            match endpoints.iter_mut().find(|known| known.endpoint == errors.endpoint) {
                Some(known) => known.responses.extend(errors.responses),
                None => endpoints.push(errors),
            }
        }
        endpoints
    }
}

/// The line about an entry without an endpoint. Another host has one line for all of its responses, because websites call
/// many hosts.
fn skipped_line(entry: &Entry, why: &str, responses_of_host: usize, locations: &Locations) -> String {
    if locations.has_host_of(entry) || responses_of_host == 1 {
        return format!("`{}`: {why}", entry.shown_path());
    }
    format!("`{}`: {responses_of_host} responses of {why}", entry.host)
}

fn add_response(endpoints: &mut IndexMap<String, EndpointResponses>, found: &LocatedEndpoint<'_>, entry: Entry) {
    let LocatedEndpoint { path, location } = found;
    let new = EndpointResponses { endpoint: path.label.clone(), ..EndpointResponses::default() };
    let responses = endpoints.entry(path.label.clone()).or_insert(new);
    responses.query.add(&entry.query);
    for param in entry.params() {
        responses.sent.add(&param.name, &param.value);
    }
    let path_params = path.params(location.segments_below(&entry));
    for param in &path_params {
        responses.sent.add(&param.name, &param.value);
    }
    responses.sent_times.add(&entry.origin, entry.params());
    responses.sent_times.add(&entry.origin, &path_params);
    responses.responses.push((entry.origin, entry.saved));
}

/// Adds an error response without its query, because a param may be the reason of the error.
fn add_error(errors: &mut IndexMap<String, EndpointResponses>, endpoint: &str, entry: Entry) {
    let new = EndpointResponses { endpoint: endpoint.to_owned(), ..EndpointResponses::default() };
    errors.entry(endpoint.to_owned()).or_insert(new).responses.push((entry.origin, entry.saved));
}

fn skipped_error(entry: &Entry) -> String {
    format!("`{}`: the status is {}", entry.shown_path(), entry.error_status.unwrap_or_default())
}

/// The entries of HAR files.
#[derive(Debug, Default)]
struct RecordedEntries {
    /// Those with a successful response in JSON.
    usable: Vec<Entry>,
    /// Those with an error response in JSON.
    errors: Vec<Entry>,
    /// The reasons why the others are skipped.
    skipped: IndexSet<String>,
}

impl RecordedEntries {
    /// Reads the entries of files, each with its name. A single entry that cannot be read does not affect the others.
    fn read(files: &[(String, Vec<u8>)]) -> Result<Self, Refusal> {
        let mut entries = Self::default();
        for (file, bytes) in files {
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            let har: Value = match serde_json::from_slice(text) {
                Ok(har) => har,
                Err(error) => return Err(format!("{file}: not a HAR file: {error}").into()),
            };
            let Some(Value::Array(listed)) = har.pointer("/log/entries") else {
                return Err(format!("{file}: not a HAR file: no `log.entries`").into());
            };
            for (index, entry) in listed.iter().enumerate() {
                match Entry::read(entry, format!("{file}, entry {}", index + 1)) {
                    Ok(entry) if entry.error_status.is_some() => entries.errors.push(entry),
                    Ok(entry) => entries.usable.push(entry),
                    Err(why) => {
                        entries.skipped.insert(why);
                    }
                }
            }
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests;
