//! `cargo xtask learn`: adds the fields of responses to the catalogue.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use codegen::{Catalogue, load};
use evolve::{EndpointResponses, Evidence, LearnOptions, LiveRequest, Recording, Refusal};

use crate::cargo::cargo;
use crate::confirm_edit::{Target, evidence};
use crate::project_paths;
use crate::terminal::print;

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
    /// Request the responses from the service of this project's own catalogue; the client reads its settings from the
    /// environment
    #[arg(long, conflicts_with = "replies")]
    live: bool,
    /// Request every endpoint whose fields are unknown
    #[arg(long, requires = "live", conflicts_with = "endpoint")]
    untyped: bool,
    /// A param to send; with `--untyped`, the param is sent only to endpoints that have it
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair, requires = "live", conflicts_with = "replies")]
    params: Vec<(String, String)>,
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

/// The exit code of `programs/raw.rs` for a failure that all further requests would share, such as a missing key.
const OF_ALL: i32 = 2;

/// The reason why a response could not be fetched.
struct FetchError {
    why: Refusal,
    /// `true` if requests to all other endpoints would fail for the same reason.
    is_of_all: bool,
}

impl From<Refusal> for FetchError {
    fn from(why: Refusal) -> Self {
        Self { why, is_of_all: false }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example coin=BTC")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads files with responses, each with its name.
pub(crate) fn read(files: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        match fs::read(path) {
            Ok(saved) => Ok((name, saved)),
            Err(error) => {
                Err(Refusal::Message(format!("{name}: {error}; pass files with responses, or request one with --live")))
            }
        }
    };
    files.iter().map(read).collect()
}

/// Returns the responses in HAR files, and prints the entries that are skipped.
pub(crate) fn recorded(catalogue: Catalogue, files: &[PathBuf]) -> Result<Vec<EndpointResponses>, Refusal> {
    let recording = Recording::read(catalogue, &read(files)?)?;
    for line in &recording.skipped {
        print(&format!("skipped: {line}\n"));
    }
    if recording.endpoints.is_empty() {
        return Err(Refusal::Message("no entry has a response of an endpoint in the catalogue".to_owned()));
    }
    Ok(recording.endpoints)
}

impl Learn {
    pub(crate) fn run(&self) -> ExitCode {
        let samples = match self.samples() {
            Ok(samples) => samples,
            Err(refusal) => return self.target.report(&refusal),
        };
        let learning = LearnOptions {
            endpoints: samples,
            evidence: self.evidence,
            enums: self.enums.clone(),
            // Mock responses of the sandbox must not become part of our own catalogue.
            accept_mock: self.target.is_named(),
        };
        self.target.confirm(evolve::learn(load(&self.target.spec()), &learning))
    }

    fn samples(&self) -> Result<Vec<EndpointResponses>, Refusal> {
        let catalogue = || load(&self.target.spec());
        if self.live && !self.target.is_ours() {
            return Err(Refusal::Message(
                "--live uses the client and the key of this project's own catalogue, but --spec names another; save \
                 responses of that service with `curl -i`, and pass the files"
                    .to_owned(),
            ));
        }
        if self.untyped {
            let requests = LiveRequest::untyped(catalogue())?;
            LiveRequest::check_params(&requests, &self.params)?;
            return self.fetch_all(&requests);
        }
        let endpoint = self.endpoint.as_deref().unwrap_or_default();
        if self.live {
            let requests = [LiveRequest::of(catalogue(), endpoint)?];
            LiveRequest::check_params(&requests, &self.params)?;
            return Ok(vec![self.fetch(&requests[0], 24).map_err(|failed| failed.why)?]);
        }
        if !self.har.is_empty() {
            return recorded(catalogue(), &self.har);
        }
        Ok(vec![EndpointResponses { endpoint: endpoint.to_owned(), responses: read(&self.replies)? }])
    }

    /// Sends a request to every endpoint. An endpoint that fails is reported and skipped; the remaining endpoints are
    /// skipped too if they would fail for the same reason.
    fn fetch_all(&self, requests: &[LiveRequest]) -> Result<Vec<EndpointResponses>, Refusal> {
        let mut samples = Vec::new();
        for request in requests {
            match self.fetch(request, 4) {
                Ok(sample) => samples.push(sample),
                Err(failed) if failed.is_of_all && samples.is_empty() => return Err(failed.why),
                Err(FetchError { why, is_of_all }) => {
                    print(&format!("{}: skipped: {why}\n", request.endpoint));
                    if is_of_all {
                        print("the remaining endpoints are skipped too\n");
                        break;
                    }
                }
            }
        }
        if samples.is_empty() && !requests.is_empty() {
            let count = requests.len();
            return Err(Refusal::Message(format!(
                "none of {count} endpoints returned a response; the reasons are listed above"
            )));
        }
        Ok(samples)
    }

    /// Sends a request with the project's own client, and prints the first `lines` lines of the response.
    fn fetch(&self, request: &LiveRequest, lines: usize) -> Result<EndpointResponses, FetchError> {
        let (path, query) = request.parts(&self.params)?;
        let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let output = cargo()
            .args(["run", "--quiet", "--package", "generated-client", "--features", "__json-features"])
            .args(["--example", "raw", "--", &path])
            .args(&query)
            .current_dir(project_paths::root())
            .output()
            .map_err(|error| Refusal::Message(format!("cargo does not start: {error}")))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            let why = Refusal::Message(format!("`GET {path}`: {}", why.trim().trim_start_matches("Error: ")));
            return Err(FetchError { why, is_of_all: output.status.code() == Some(OF_ALL) });
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let shown: Vec<&str> = text.lines().take(lines).collect();
        let more = if text.lines().nth(lines).is_some() { "\n…" } else { "" };
        print(&format!("GET {path} {}\n{}{more}\n\n", query.join(" "), shown.join("\n")));
        // The client returns a body only for a success, so the response is recorded with the status 200.
        let saved = format!("HTTP/1.1 200 OK\n\n{text}").into_bytes();
        Ok(EndpointResponses { endpoint: request.endpoint.clone(), responses: vec![(format!("`GET {path}`"), saved)] })
    }
}
