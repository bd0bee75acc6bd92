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
use crate::suggest;

/// List all endpoints, or search them
#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only endpoints that have all these words in names, params, fields or descriptions
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
        if found.is_empty() && !self.json {
            let names: Vec<_> = endpoint_names::all().map(|(_, endpoint)| endpoint_names::name(endpoint)).collect();
            let known =
                || names.iter().map(String::as_str).chain(program().registry.groups.iter().map(|group| group.ident));
            let help = self.words.iter().find_map(|word| suggest::help(word, known()));
            return Err(Failure::usage(format!("no endpoint matches `{}`", self.words.join(" "))).help_if(help));
        }
        if self.json {
            let line = |(_, endpoint): &(_, &EndpointInfo)| format!("{}\n", catalogue_json::summary(endpoint));
            return stdout::print(found.iter().map(line).collect::<String>());
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
        let text = searched(group, endpoint);
        let has = |word: &String| {
            let word = word.to_lowercase();
            text.contains(&word) || text.contains(&suggest::key(&word))
        };
        self.words.iter().all(has) && (!self.history || endpoint_names::has_table(endpoint))
    }
}

/// Returns all text that is searched, in lower case.
fn searched(group: &GroupInfo, endpoint: &EndpointInfo) -> String {
    let params = endpoint.params().map(|param| param.wire_name);
    let names = params
        .chain(fields(endpoint).map(|field| field.wire_name))
        .chain(endpoint.path)
        .chain(endpoint.aliases.iter().copied());
    let texts = [group.ident, group.title, endpoint.ident, endpoint.name, endpoint.summary, endpoint.notes];
    texts.into_iter().chain(names).collect::<Vec<_>>().join("\n").to_lowercase()
}

type Found = (&'static GroupInfo, &'static EndpointInfo);

fn by_group(found: &[Found], width: usize) -> String {
    let name = |(_, endpoint): &Found| endpoint_names::name(endpoint);
    let name_width = found.iter().map(|one| name(one).len()).max().unwrap_or_default();
    let title = |one: &Found| if one.1.path.is_some() { one.0.title } else { "Known by name only, without a path" };
    let row = |one: &Found| [name(one), one.1.summary.trim_end_matches('.').to_owned()];
    let mut out = String::new();
    for group in found.chunk_by(|one, other| title(one) == title(other)) {
        section(&mut out, title(&group[0]), &group.iter().map(row).collect::<Vec<_>>(), name_width, width);
    }
    out
}
