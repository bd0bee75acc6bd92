//! `list`: prints all endpoints, including those that are known by name only.
//!
//! With search words, only endpoints that contain all words are listed. The endpoints are grouped.

use clap::Args;
use runtime::registry::{EndpointInfo, GroupInfo};

use crate::catalogue_json;
use crate::endpoint_names;
use crate::failure::{Failure, Result};
use crate::log::Log;
use crate::program::program;
use crate::progress::counted;
use crate::record_columns::fields;
use crate::sections::section;
use crate::stdout;

/// List all endpoints, or search them
#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only endpoints that have all these words in names, params, fields or descriptions; `undocumented` finds those with
    /// undocumented facts
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Only endpoints with a history, for `backfill` and `poll`
    #[arg(long)]
    history: bool,
    /// Print one JSON object for each endpoint; nothing if there is none
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(&self, log: Log) -> Result<()> {
        let mut found: Vec<_> =
            endpoint_names::all().filter(|(group, endpoint)| self.is_wanted(group, endpoint)).collect();
        found.sort_by_key(|(_, endpoint)| endpoint.path.is_none());
        if self.json {
            let mut lines = String::new();
            for (_, endpoint) in &found {
                lines.push_str(&format!("{}\n", catalogue_json::summary(endpoint)));
            }
            return stdout::print(lines);
        }
        if found.is_empty() {
            return Err(self.nothing_found());
        }
        let width = if stdout::is_terminal() { stdout::width() } else { usize::MAX };
        stdout::styled(&by_group(&found, width))?;
        if stdout::is_terminal() {
            let count = counted(found.len() as u64, "endpoint");
            log.remark(&format!("\n{count}; `{} describe ENDPOINT` shows details", program().name));
        }
        Ok(())
    }

    fn is_wanted(&self, group: &GroupInfo, endpoint: &EndpointInfo) -> bool {
        if self.history && !endpoint_names::has_table(endpoint) {
            return false;
        }
        let text = searched(group, endpoint);
        self.words.iter().all(|word| {
            let word = word.to_lowercase();
            text.contains(&word) || text.contains(&wording::normalized(&word))
        })
    }

    /// Creates the error for words that no endpoint has, with the most similar name of an endpoint or a group.
    fn nothing_found(&self) -> Failure {
        let mut known: Vec<String> = Vec::new();
        for (_, endpoint) in endpoint_names::all() {
            known.push(endpoint_names::name(endpoint));
        }
        for group in program().registry.groups {
            known.push(group.ident.to_owned());
        }
        let help = self.words.iter().find_map(|word| wording::did_you_mean(word, known.iter().map(String::as_str)));
        Failure::usage(format!("no endpoint matches `{}`", self.words.join(" "))).help_if(help)
    }
}

/// Returns all text that is searched, in lower case.
fn searched(group: &GroupInfo, endpoint: &EndpointInfo) -> String {
    let mut texts = vec![group.ident, group.title, endpoint.ident, endpoint.name, endpoint.summary, endpoint.notes];
    texts.extend(endpoint.params().map(|param| param.wire_name));
    texts.extend(fields(endpoint).map(|field| field.wire_name));
    texts.extend(endpoint.path);
    texts.extend(endpoint.aliases);
    let unknown = unknown_facts(endpoint);
    if !unknown.is_empty() {
        // The label of these facts in `describe`.
        texts.push("undocumented");
    }
    texts.extend(unknown);
    texts.join("\n").to_lowercase()
}

/// Returns the undocumented facts of an endpoint, its params and its fields.
fn unknown_facts(endpoint: &EndpointInfo) -> Vec<&'static str> {
    let mut unknown = endpoint.unknown.to_vec();
    unknown.extend(endpoint.params().flat_map(|param| param.unknown.iter().copied()));
    unknown.extend(fields(endpoint).flat_map(|field| field.unknown.iter().copied()));
    unknown
}

type Found = (&'static GroupInfo, &'static EndpointInfo);

/// Formats endpoints in sections with the titles of their groups.
fn by_group(found: &[Found], width: usize) -> String {
    let mut name_width = 0;
    for (_, endpoint) in found {
        name_width = name_width.max(endpoint_names::name(endpoint).len());
    }
    let mut out = String::new();
    for group in found.chunk_by(|one, other| title(one) == title(other)) {
        let mut rows = Vec::with_capacity(group.len());
        for (_, endpoint) in group {
            let summary = endpoint.summary.trim_end_matches('.').to_owned();
            rows.push([endpoint_names::name(endpoint), summary]);
        }
        section(&mut out, title(&group[0]), &rows, name_width, width);
    }
    out
}

fn title((group, endpoint): &Found) -> &'static str {
    if endpoint.path.is_some() { group.title } else { "Known by name only, without a path" }
}
