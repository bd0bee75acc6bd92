//! `list`: prints all endpoints, including those that are known by name only.

use clap::Args;

use crate::catalogue_json;
use crate::endpoint_list::{by_group, found, nothing_found};
use crate::failure::Result;
use crate::log::Log;
use crate::program::program;
use crate::progress::counted;
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
        let found = found(&self.words, self.history);
        if self.json {
            let mut lines = String::new();
            for (_, endpoint) in &found {
                lines.push_str(&format!("{}\n", catalogue_json::summary(endpoint)));
            }
            return stdout::print(lines);
        }
        if found.is_empty() {
            return Err(nothing_found(&self.words));
        }
        let width = if stdout::is_terminal() { stdout::width() } else { usize::MAX };
        stdout::styled(&by_group(&found, width))?;
        if stdout::is_terminal() {
            let count = counted(found.len() as u64, "endpoint");
            log.remark(&format!("\n{count}; `{} describe ENDPOINT` shows details", program().name));
        }
        Ok(())
    }
}
