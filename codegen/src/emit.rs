//! The [`Api`] in, every emitted file out, as values.
//!
//! Pure: no disk, no clock, no environment. The files come sorted by path, and the same model gives the same bytes.

mod catalogue_schema;
mod coverage_page;
mod docs;
mod endpoint;
mod group;
mod layout;
mod literal;
mod openapi;
mod ordered;
mod params;
mod record;
mod reference;
mod render;
mod requests;
mod root;
mod service;
mod types;

pub use catalogue_schema::catalogue_schema;
pub use openapi::{OpenApiFormat, OpenApiVersion, openapi};
pub(crate) use render::MARKER;

use crate::model::Api;

/// An emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative to the folder it is emitted into, with `/` between its parts.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// Emits the generated part of the client.
pub fn emit(api: &Api) -> Vec<File> {
    let mut files = vec![
        root::file(api),
        service::file(api),
        types::file(api),
        params::file(api),
        record::shared_file(api),
        requests::file(api),
    ];
    files.extend(api.groups.iter().map(|group| group::file(api, group)));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Emits what people and other tools read about the service.
pub fn documents(api: &Api) -> Vec<File> {
    let description = openapi(api, OpenApiVersion::V3_1, OpenApiFormat::Json);
    let description = File { path: "openapi.json".to_owned(), text: description };
    let mut files = vec![coverage_page::file(api), description];
    files.extend(reference::files(api));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
