//! Emits all files of the client from the [`Api`], as values in memory.
//!
//! The emitter does not use the disk, the clock or the environment. The files are sorted by path, and the same model
//! always yields the same bytes.

// The modules, lowest layer first.
mod file;

mod package;

mod json_object;

mod docs;

mod literal;

mod render;

mod catalogue_schema;

mod readme_tables;

mod setters;

mod params;

mod endpoint;

mod record;

mod group;

mod requests;

mod reference;

mod crate_root;

mod service;

mod types;

mod openapi;

mod python;

mod scaffold;

pub use catalogue_schema::catalogue_schema;
pub use file::File;
pub use openapi::{OpenApiVersion, openapi};
pub use package::Package;
pub use python::python;
pub(crate) use readme_tables::with_key_tables;
pub use render::MARKER;
pub use scaffold::{scaffold, scaffold_cli};

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use catalogue::model::Api;

/// Emits the Rust files of the client.
pub fn emit(api: &Api, package: &Package) -> Vec<File> {
    let shared: [Job<'_>; 7] = [
        Box::new(|| crate_root::file(api, package)),
        Box::new(|| service::file(api, package)),
        Box::new(|| service::limits_file(api)),
        Box::new(|| types::file(api)),
        Box::new(|| params::file(api)),
        Box::new(|| record::shared_file(api)),
        Box::new(|| requests::file(api)),
    ];
    let groups = api.groups.iter().map(|group| -> Job<'_> { Box::new(move || group::file(api, group)) });
    // The files are sorted, because otherwise their order would depend on the number of cores.
    let mut files = side_by_side(&shared.into_iter().chain(groups).collect::<Vec<_>>());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// A function that emits one file.
type Job<'a> = Box<dyn Fn() -> File + Send + Sync + 'a>;

/// Runs jobs in parallel on all cores of the machine.
fn side_by_side(jobs: &[Job<'_>]) -> Vec<File> {
    let count = thread::available_parallelism().map_or(1, NonZero::get);
    let share = |first| jobs.iter().skip(first).step_by(count).map(|job| job()).collect::<Vec<_>>();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|first| scope.spawn(move || share(first))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Emits the documents about the service for users and other tools.
pub fn documents(api: &Api, package: &Package) -> Vec<File> {
    let text = openapi(api, OpenApiVersion::V3_1);
    let mut files = vec![File { path: "openapi.json".to_owned(), text }];
    files.extend(reference::files(api, package));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
