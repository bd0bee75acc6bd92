//! `cargo xtask learn` adds the fields of responses to the catalogue.

use std::path::PathBuf;
use std::{fs, io, slice};

use catalogue::load;
use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, Recording, Refusal};
use clap::Args;

use crate::cargo_programs::cargo;
use crate::catalogue_edits::{Target, evidence};
use crate::project_paths;
use crate::report_format::Format;
use crate::terminal::{Outcome, print, print_error};

/// Learn the fields of an endpoint's response
///
/// The response is read from a file with the JSON body, which headers as printed by `curl -i` may precede. With `--live`,
/// it is requested from the service. The fields are merged with the known fields, and the edit is shown before it is written.
#[derive(Args)]
#[command(override_usage = "cargo xtask learn [OPTIONS] <ENDPOINT> <RESPONSE>...\n       \
                            cargo xtask learn [OPTIONS] --har <FILE>\n       \
                            cargo xtask learn [OPTIONS] --live <ENDPOINT>\n       \
                            cargo xtask learn [OPTIONS] --live --untyped")]
pub(crate) struct Learn {
    /// The endpoint: its path, its name, or its group and method (`orderflow.buy_volume`)
    #[arg(required_unless_present_any = ["untyped", "har"])]
    endpoint: Option<String>,
    /// Files with responses of the endpoint
    #[arg(value_name = "RESPONSE", required_unless_present_any = ["live", "har"])]
    replies: Vec<PathBuf>,
    /// A HAR file of a browser or proxy; the endpoints are found by the paths of its entries
    #[arg(long, value_name = "FILE", conflicts_with_all = ["endpoint", "live"])]
    har: Vec<PathBuf>,
    /// The host of the service in the HAR files; default: the host with the most entries of known endpoints
    #[arg(long, requires = "har")]
    host: Option<String>,
    /// Request the responses from the service of this project's own catalogue; the client reads its settings from the
    /// environment
    #[arg(long, conflicts_with = "replies")]
    live: bool,
    /// Request every endpoint whose fields are unknown
    #[arg(long, requires = "live", conflicts_with = "endpoint")]
    untyped: bool,
    /// A param to send; with `--untyped`, the param is sent only to endpoints that have it
    #[arg(long = "param", value_name = "NAME=VALUE", requires = "live", conflicts_with = "replies")]
    params: Vec<String>,
    /// A string field that becomes an enum; use this option only if no values exist besides the learned and the known
    /// ones. `=TYPE` names the enum
    #[arg(long = "enum", value_name = "FIELD[=TYPE]")]
    enums: Vec<String>,
    /// The evidence of the learned facts
    #[arg(long, default_value = "reported", value_parser = evidence())]
    evidence: Evidence,
    #[command(flatten)]
    target: Target,
}

/// Reads files with responses, each with its name.
pub(crate) fn read(files: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let saved = fs::read(path).map_err(|error| {
            Refusal::Message(format!("{name}: {error}; pass files with responses, or request one with --live"))
        });
        Ok((name, saved?))
    };
    files.iter().map(read).collect()
}

/// Returns the responses of an endpoint in files. Without an endpoint, the files are HAR files, and the entries that are
/// skipped are printed.
pub(crate) fn recorded(
    target: &Target,
    endpoint: Option<&String>,
    files: &[PathBuf],
    host: Option<&str>,
    format: Format,
) -> Result<Vec<EndpointResponses>, Refusal> {
    let responses = read(files)?;
    if let Some(endpoint) = endpoint {
        return Ok(vec![EndpointResponses { endpoint: endpoint.clone(), responses, ..EndpointResponses::default() }]);
    }
    let recording = Recording::read(load(&target.spec()), &responses, host)?;
    for line in &recording.skipped {
        // A report for programs is the only text on standard output.
        let print_line = if format == Format::Text { print } else { print_error };
        print_line(&format!("skipped: {line}\n"));
    }
    if recording.endpoints.is_empty() {
        return Err(Refusal::Message("no entry has a response of an endpoint in the catalogue".to_owned()));
    }
    Ok(recording.endpoints)
}

impl Learn {
    pub(crate) fn run(&self) -> Outcome {
        let learning = LearnOptions {
            endpoints: self.samples().map_err(|refusal| self.target.text(&refusal))?,
            evidence: self.evidence,
            enums: self.enums.clone(),
            accept_mock: self.target.accepts_mock(),
        };
        self.target.confirm(catalogue_edit::learn(load(&self.target.spec()), &learning))
    }

    fn samples(&self) -> Result<Vec<EndpointResponses>, Refusal> {
        if self.live {
            return self.requested();
        }
        let files = if self.har.is_empty() { &self.replies } else { &self.har };
        recorded(&self.target, self.endpoint.as_ref(), files, self.host.as_deref(), Format::Text)
    }

    /// Returns the responses that a program with the project's own client saves. It reports each endpoint that fails.
    fn requested(&self) -> Result<Vec<EndpointResponses>, Refusal> {
        if !self.target.is_ours() {
            return Err(Refusal::Message(
                "--live uses the client and the key of this project's own catalogue, but --spec names another; save \
                 responses of that service with `curl -i`, and pass the files"
                    .to_owned(),
            ));
        }
        let folder = project_paths::target().join("responses");
        let failed = |error: io::Error| Refusal::Message(format!("{}: {error}", folder.display()));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        let status = cargo()
            .args(["run", "--quiet", "--package", "generated-client", "--features", "__json-features"])
            .args(["--example", "save_responses", "--"])
            .arg(&folder)
            .arg(self.endpoint.as_deref().unwrap_or("--untyped"))
            .args(&self.params)
            .current_dir(project_paths::root())
            .status()
            .map_err(|error| Refusal::Message(format!("cargo does not start: {error}")))?;
        if !status.success() {
            return Err(Refusal::Message("the client returned no response; the reason is above".to_owned()));
        }
        let files = fs::read_dir(&folder).and_then(|files| files.map(|file| Ok(file?.path())).collect());
        let mut files: Vec<PathBuf> = files.map_err(failed)?;
        files.sort();
        let of_endpoint = |file: &PathBuf| {
            let endpoint = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let responses = read(slice::from_ref(file))?;
            Ok(EndpointResponses { endpoint, responses, ..EndpointResponses::default() })
        };
        files.iter().map(of_endpoint).collect()
    }
}
