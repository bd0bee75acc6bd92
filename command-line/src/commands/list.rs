//! `list`: prints all endpoints, including those that are known by name only.
//!
//! With search words, only endpoints that contain all words are listed. The endpoints are grouped.

use std::fmt::Write as _;

use clap::Args;
use comfy_table::{ColumnConstraint, ContentArrangement, Table as Grid, Width, presets};
use runtime::registry::{EndpointInfo, GroupInfo};

use crate::catalogue_json;
use crate::endpoint_names;
use crate::failure::{Failure, Result};
use crate::log::Log;
use crate::program;
use crate::progress::counted;
use crate::record_columns::record;
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
    /// Print one JSON object for each endpoint
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(&self, log: Log) -> Result<()> {
        let mut found: Vec<_> =
            endpoint_names::all().filter(|(group, endpoint)| self.is_wanted(group, endpoint)).collect();
        found.sort_by_key(|(_, endpoint)| endpoint.path.is_none());
        if found.is_empty() {
            let names: Vec<_> = endpoint_names::all().map(|(_, endpoint)| endpoint_names::name(endpoint)).collect();
            let known =
                || names.iter().map(String::as_str).chain(program::registry().groups.iter().map(|group| group.ident));
            let help = self.words.iter().find_map(|word| suggest::help(word, known()));
            return Err(Failure::usage(format!("no endpoint matches `{}`", self.words.join(" "))).help_if(help));
        }
        if self.json {
            let line = |(_, endpoint): &(_, &EndpointInfo)| format!("{}\n", catalogue_json::summary(endpoint));
            return stdout::print(found.iter().map(line).collect::<String>());
        }
        let width = if stdout::is_terminal() { stdout::width() } else { usize::MAX };
        stdout::print(by_group(&found, width))?;
        if stdout::is_terminal() {
            let count = counted(found.len() as u64, "endpoint");
            log.remark(&format!("\n{count}; `{} describe ENDPOINT` shows details", program::name()));
        }
        Ok(())
    }

    fn is_wanted(&self, group: &GroupInfo, endpoint: &EndpointInfo) -> bool {
        let text = searched(group, endpoint);
        let has = |word: &String| {
            let word = word.to_lowercase();
            text.contains(&word) || text.contains(&suggest::key(&word))
        };
        self.words.iter().all(has) && (!self.history || endpoint.history(program::service()).is_some())
    }
}

/// Returns all text that is searched, in lower case.
fn searched(group: &GroupInfo, endpoint: &EndpointInfo) -> String {
    let mut text = [group.ident, group.title, endpoint.ident, endpoint.name, endpoint.summary, endpoint.notes]
        .map(str::to_lowercase)
        .join("\n");
    let params = endpoint.params.unwrap_or_default().iter().map(|param| param.wire_name);
    let fields = record(endpoint).into_iter().flat_map(|record| record.fields).map(|field| field.wire_name);
    for name in params.chain(fields).chain(endpoint.path).chain(endpoint.aliases.iter().copied()) {
        text.push('\n');
        text.push_str(&name.to_lowercase());
    }
    text
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

/// Adds a title and rows of names with their descriptions.
pub(crate) fn section(out: &mut String, title: &str, rows: &[[String; 2]], name_width: usize, width: usize) {
    let (bold, gap) = (stdout::heading(), if out.is_empty() { "" } else { "\n" });
    let _ = if title.is_empty() { write!(out, "{gap}") } else { writeln!(out, "{gap}{bold}{title}{bold:#}") };
    out.push_str(&wrapped(rows, name_width.min(width / 2), width));
}

/// Formats names with their descriptions, which are wrapped to the width.
pub(crate) fn wrapped(rows: &[[String; 2]], name_width: usize, width: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Grid::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.add_rows(rows.iter().map(|row| row.iter().collect::<Vec<_>>()));
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 2 } else { 0 }, 2));
        if index == 0 {
            let width = u16::try_from(name_width + 4).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
