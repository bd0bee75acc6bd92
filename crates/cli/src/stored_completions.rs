//! Completions for commands that read a file or a data set: only what is stored there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

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

impl StoredValues {
    /// The values of a param or, without one, the endpoints.
    fn candidates(&self, param: Option<&str>) -> Vec<CompletionCandidate> {
        let values = match param {
            Some(param) => self.params.get(param),
            None => Some(&self.endpoints),
        };
        values.into_iter().flatten().map(CompletionCandidate::new).collect()
    }
}

/// Offers the endpoints and the values that are stored at a path among these words.
pub(crate) fn of_stored(command: Command, words: &[OsString]) -> Command {
    let paths: Arc<[String]> = words.iter().filter_map(existing_path).collect();
    command.mut_subcommands(|command| {
        if paths.is_empty() || !COMMANDS.contains(&command.get_name()) {
            return command;
        }
        command.mut_args(|arg| {
            let param = arg.get_id().as_str().strip_prefix(ID).map(str::to_owned);
            if param.is_none() && arg.get_long() != Some("endpoint") {
                return arg;
            }
            let paths = paths.clone();
            let of_catalogue = arg.get::<ArgValueCandidates>().cloned();
            // The user waits, so the files are read only if a value of this option is completed.
            arg.add(ArgValueCandidates::new(move || match paths.iter().find_map(|path| stored_at(path)) {
                Some(stored) => stored.candidates(param.as_deref()),
                None => of_catalogue.as_ref().map(ArgValueCandidates::candidates).unwrap_or_default(),
            }))
        })
    })
}

/// The path of a file or a folder; `None` if the word is no such path. A folder can have the name of an endpoint.
fn existing_path(word: &OsString) -> Option<String> {
    let path = word.to_str()?;
    (Path::new(path).exists() && called(path).is_empty()).then(|| path.to_owned())
}

/// What is stored at a path; `None` if there is no series.
fn stored_at(path: &str) -> Option<StoredValues> {
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
