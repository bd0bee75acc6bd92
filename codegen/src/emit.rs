//! Emits all files of the client from the [`Api`], as values in memory.
//!
//! The emitter does not use the disk, the clock or the environment. The files are sorted by path, and the same model
//! always yields the same bytes.

// The modules, lowest layer first.
mod file;

mod package;

mod json_object;

mod markdown;

mod sentences;

mod literal;

mod registry_entry;

mod param_lists;

mod render;

mod catalogue_schema;

mod readme_tables;

mod setters;

mod params;

mod endpoint;

mod record;

mod group;

mod requests;

mod command_names;

mod python;

mod snippets;

mod reference_pages;

mod llms;

mod crate_root;

mod service;

mod types;

mod openapi;

mod scaffold;

pub use catalogue_schema::catalogue_schema;
pub use file::File;
pub use openapi::{OpenApiVersion, openapi};
pub use package::{Package, Program};
pub use python::python;
pub(crate) use readme_tables::with_key_tables;
pub use render::MARKER;
pub use scaffold::{scaffold, scaffold_cli};

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use catalogue::RegistryEntries;
use catalogue::model::Api;
use snippets::Snippets;

/// Emits the Rust files of the client.
pub fn emit(api: &Api, package: &Package) -> Vec<File> {
    let entries = RegistryEntries::of(api);
    let entries = &entries;
    let mut jobs: Vec<Job<'_>> = vec![
        Box::new(|| crate_root::file(api, package)),
        Box::new(|| service::file(api, entries, package)),
        Box::new(|| service::limits_file(api)),
        Box::new(|| types::file(api, entries)),
        Box::new(|| params::file(api, entries)),
        Box::new(|| record::shared_file(api, entries)),
        Box::new(|| requests::file(api)),
    ];
    for (group, own) in api.groups.iter().zip(&entries.groups) {
        jobs.push(Box::new(move || group::file(api, entries, group, own)));
    }
    // The files are sorted, because otherwise their order would depend on the number of cores.
    let mut files = run_in_parallel(&jobs);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// A function that emits one file.
type Job<'a> = Box<dyn Fn() -> File + Send + Sync + 'a>;

/// Runs jobs on all cores of the machine.
fn run_in_parallel(jobs: &[Job<'_>]) -> Vec<File> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for first in 0..cores {
            threads.push(scope.spawn(move || run_every(cores, &jobs[first.min(jobs.len())..])));
        }
        let mut files = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(emitted) => files.extend(emitted),
                Err(panic) => resume_unwind(panic),
            }
        }
        files
    })
}

/// Runs the first of every `step` jobs.
fn run_every(step: usize, jobs: &[Job<'_>]) -> Vec<File> {
    jobs.iter().step_by(step).map(|job| job()).collect()
}

/// Emits the documents about the service for users and other tools.
pub fn documents(api: &Api, package: &Package) -> Vec<File> {
    let snippets = Snippets::of(api, package);
    let text = openapi::openapi_with_samples(api, OpenApiVersion::V3_1, &snippets);
    let mut files = vec![File::new("openapi.json", text), llms::file(api, package)];
    files.extend(reference_pages::files(api, &snippets));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
