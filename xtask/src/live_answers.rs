//! The responses that the service sends now. Another program requests them, so that `xtask` builds without a client.

use std::path::Path;
use std::{fs, io};

use catalogue_edit::{EndpointResponses, Refusal};

use crate::cargo_programs::cargo;
use crate::project_paths;

/// The endpoints to request, with the values of their params.
pub(crate) struct LiveRequest<'a> {
    /// The folder of the catalogue.
    pub(crate) spec: &'a Path,
    /// The only endpoint to request.
    pub(crate) endpoint: Option<&'a str>,
    /// `true` requests only endpoints whose fields are unknown.
    pub(crate) is_untyped: bool,
    /// Params, each as `NAME=VALUE`.
    pub(crate) params: &'a [String],
}

/// What the request of an endpoint led to.
pub(crate) struct LiveAnswer {
    /// The group and the method of the endpoint.
    pub(crate) endpoint: String,
    pub(crate) answer: Answer,
}

/// A response, or the reason why there is none.
pub(crate) enum Answer {
    Response(EndpointResponses),
    /// The request failed.
    Failed(String),
    /// There was no request.
    Skipped(String),
}

impl LiveRequest<'_> {
    /// Requests the endpoints once, and returns their answers, sorted by endpoint.
    pub(crate) fn send(&self) -> Result<Vec<LiveAnswer>, Refusal> {
        let folder = project_paths::target().join("live-responses");
        empty(&folder).map_err(|error| in_folder(&folder, &error))?;
        let mut command = cargo();
        command.args(["run", "--quiet", "--package", "live-responses", "--manifest-path"]);
        command.arg(project_paths::root().join("Cargo.toml")).arg("--").arg(&folder);
        command.arg("--spec").arg(self.spec);
        if let Some(endpoint) = self.endpoint {
            command.args(["--endpoint", endpoint]);
        }
        if self.is_untyped {
            command.arg("--untyped");
        }
        for param in self.params {
            command.args(["--param", param]);
        }
        let status = command.status().map_err(|error| Refusal::Message(format!("cargo does not start: {error}")))?;
        if !status.success() {
            return Err(Refusal::Message("no endpoint was requested; the reason is above".to_owned()));
        }
        answers(&folder).map_err(|error| in_folder(&folder, &error))
    }
}

fn in_folder(folder: &Path, error: &io::Error) -> Refusal {
    Refusal::Message(format!("{}: {error}", folder.display()))
}

/// Creates a folder, without the files of an earlier run.
fn empty(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}

/// Reads the files that the program has saved.
fn answers(folder: &Path) -> io::Result<Vec<LiveAnswer>> {
    let mut paths = Vec::new();
    for file in fs::read_dir(folder)? {
        paths.push(file?.path());
    }
    paths.sort();
    let mut answers = Vec::new();
    for path in paths {
        let endpoint = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let saved = fs::read(&path)?;
        let answer = match path.extension().and_then(|extension| extension.to_str()) {
            Some("failed") => Answer::Failed(text(&saved)),
            Some("skipped") => Answer::Skipped(text(&saved)),
            _ => Answer::Response(EndpointResponses {
                endpoint: endpoint.clone(),
                responses: vec![("the response".to_owned(), saved)],
                ..EndpointResponses::default()
            }),
        };
        answers.push(LiveAnswer { endpoint, answer });
    }
    Ok(answers)
}

fn text(saved: &[u8]) -> String {
    String::from_utf8_lossy(saved).into_owned()
}
