//! Completions for commands that read a file or a data set: only what is stored there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use dataset::{Status, StoredTables, Target};

use crate::endpoint_names::{called, name};
use crate::find_endpoint::find;
use crate::offered_param::ID;

/// The commands that select stored series.
const COMMANDS: [&str; 4] = ["export", "plot", "remove", "retire"];

/// The values of the options that select stored series.
#[derive(Default)]
struct StoredValues {
    endpoints: BTreeSet<String>,
    /// By the API name of the param.
    params: BTreeMap<String, BTreeSet<String>>,
}

/// Offers the endpoints and the values that are stored at a path among these words.
pub(crate) fn of_stored(command: Command, words: &[OsString]) -> Command {
    let Some(stored) = words.iter().find_map(stored_at) else { return command };
    command.mut_subcommands(|command| {
        if !COMMANDS.contains(&command.get_name()) {
            return command;
        }
        command.mut_args(|arg| {
            let values = match arg.get_id().as_str().strip_prefix(ID) {
                Some(param) => stored.params.get(param).cloned().unwrap_or_default(),
                None if arg.get_long() == Some("endpoint") => stored.endpoints.clone(),
                None => return arg,
            };
            arg.add(ArgValueCandidates::new(move || values.iter().map(CompletionCandidate::new).collect()))
        })
    })
}

/// What is stored at a path; `None` if the word is no such path. A folder can have the name of an endpoint.
fn stored_at(word: &OsString) -> Option<StoredValues> {
    let path = word.to_str()?;
    if !Path::new(path).exists() || !called(path).is_empty() {
        return None;
    }
    let mut stored = StoredValues::default();
    for series in status(path)?.series {
        let endpoint = series.endpoint();
        stored.endpoints.insert(find(endpoint).map_or_else(|_| endpoint.to_owned(), name));
        for (param, value) in series.params() {
            stored.params.entry(param).or_default().insert(value);
        }
    }
    (!stored.endpoints.is_empty()).then_some(stored)
}

fn status(path: &str) -> Option<Status> {
    let target = Target::parse(path).ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(StoredTables::open(&target)).ok()?.status().ok()
}
