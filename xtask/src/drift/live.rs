//! The responses that the service sends now. Another program requests them, so that `xtask` builds without a client.

use std::path::Path;
use std::{fs, io};

use catalogue_edit::{EndpointResponses, Refusal};

use super::report::Comparison;
use crate::cargo_programs::cargo;
use crate::project_paths;

/// What is known about an endpoint: its responses, or the outcome of a request.
pub(super) struct Answer {
    pub(super) endpoint: String,
    /// The responses, or the reason why there are none.
    pub(super) outcome: Result<EndpointResponses, Comparison>,
}

/// Requests every endpoint with a known path, or only the given one.
pub(super) fn request_all(spec: &Path, endpoint: Option<&str>, params: &[String]) -> Result<Vec<Answer>, Refusal> {
    let folder = project_paths::target().join("live-responses");
    let failed = |error: io::Error| Refusal::Message(format!("{}: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut command = cargo();
    command.args(["run", "--quiet", "--package", "live-responses", "--manifest-path"]);
    command.arg(project_paths::root().join("Cargo.toml")).arg("--").arg(&folder);
    command.arg("--spec").arg(spec);
    if let Some(endpoint) = endpoint {
        command.args(["--endpoint", endpoint]);
    }
    for param in params {
        command.args(["--param", param]);
    }
    let status = command.status().map_err(|error| Refusal::Message(format!("cargo does not start: {error}")))?;
    if !status.success() {
        return Err(Refusal::Message("no endpoint was requested; the reason is above".to_owned()));
    }
    answers(&folder).map_err(failed)
}

/// Reads the files that the program has saved, sorted by endpoint.
fn answers(folder: &Path) -> io::Result<Vec<Answer>> {
    let mut paths = Vec::new();
    for file in fs::read_dir(folder)? {
        paths.push(file?.path());
    }
    paths.sort();
    let mut answers = Vec::new();
    for path in paths {
        let endpoint = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let saved = fs::read(&path)?;
        let text = || String::from_utf8_lossy(&saved).into_owned();
        let outcome = match path.extension().and_then(|extension| extension.to_str()) {
            Some("failed") => Err(Comparison::Failed(text())),
            Some("skipped") => Err(Comparison::Skipped(text())),
            _ => {
                let responses = vec![("the response".to_owned(), saved)];
                Ok(EndpointResponses { endpoint: endpoint.clone(), responses, ..EndpointResponses::default() })
            }
        };
        answers.push(Answer { endpoint, outcome });
    }
    Ok(answers)
}
