//! `cargo xtask learn` adds the fields of responses to the catalogue, and `cargo xtask drift` compares responses with it.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use codegen::{Catalogue, load};
use evolve::{EndpointResponses, Evidence, LearnOptions, LiveRequest, Recording, Refusal};

use crate::Outcome;
use crate::cargo_programs::cargo;
use crate::catalogue_edits::{Target, evidence};
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

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example coin=BTC")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads files with responses, each with its name.
fn read(files: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
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
fn recorded(catalogue: Catalogue, files: &[PathBuf]) -> Result<Vec<EndpointResponses>, Refusal> {
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
    pub(crate) fn run(&self) -> Outcome {
        let learning = LearnOptions {
            endpoints: self.samples().map_err(|refusal| self.target.text(&refusal))?,
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
        let endpoint = self.endpoint.as_deref().unwrap_or_default();
        if self.live {
            let of_one = || Ok(vec![LiveRequest::of(catalogue(), endpoint)?]);
            let requests = if self.untyped { LiveRequest::untyped(catalogue()) } else { of_one() }?;
            LiveRequest::check_params(&requests, &self.params)?;
            return self.fetch_all(&requests);
        }
        if !self.har.is_empty() {
            return recorded(catalogue(), &self.har);
        }
        Ok(vec![EndpointResponses { endpoint: endpoint.to_owned(), responses: read(&self.replies)? }])
    }

    /// Sends a request to every endpoint. If there are several, an endpoint that fails is reported and skipped; the
    /// remaining endpoints are skipped too if they would fail for the same reason.
    fn fetch_all(&self, requests: &[LiveRequest]) -> Result<Vec<EndpointResponses>, Refusal> {
        let mut samples = Vec::new();
        for request in requests {
            let (why, is_of_all) = match self.fetch(request) {
                Ok(sample) => {
                    samples.push(sample);
                    continue;
                }
                Err(failure) => failure,
            };
            if !self.untyped || is_of_all && samples.is_empty() {
                return Err(why);
            }
            print(&format!("{}: skipped: {why}\n", request.endpoint));
            if is_of_all {
                print("the remaining endpoints are skipped too\n");
                break;
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

    /// Sends a request with the project's own client, and prints the first lines of the response. The second value of an
    /// error is `true` if requests to all other endpoints would fail for the same reason.
    fn fetch(&self, request: &LiveRequest) -> Result<EndpointResponses, (Refusal, bool)> {
        let (path, query) = request.parts(&self.params).map_err(|why| (why, false))?;
        let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let output = cargo()
            .args(["run", "--quiet", "--package", "generated-client", "--features", "__json-features"])
            .args(["--example", "raw", "--", &path])
            .args(&query)
            .current_dir(project_paths::root())
            .output()
            .map_err(|error| (Refusal::Message(format!("cargo does not start: {error}")), true))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            let why = Refusal::Message(format!("`GET {path}`: {}", why.trim().trim_start_matches("Error: ")));
            return Err((why, output.status.code() == Some(OF_ALL)));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = if self.untyped { 4 } else { 24 };
        let shown: Vec<&str> = text.lines().take(lines).collect();
        let more = if text.lines().nth(lines).is_some() { "\n…" } else { "" };
        print(&format!("GET {path} {}\n{}{more}\n\n", query.join(" "), shown.join("\n")));
        // The client returns a body only for a success, so the response is recorded with the status 200.
        let saved = format!("HTTP/1.1 200 OK\n\n{text}").into_bytes();
        Ok(EndpointResponses { endpoint: request.endpoint.clone(), responses: vec![(format!("`GET {path}`"), saved)] })
    }
}

/// Report where responses contradict the catalogue
///
/// Nothing is written. The exit code is 1 if there is a difference. `cargo xtask learn` adapts the catalogue.
#[derive(Args)]
pub(crate) struct Drift {
    /// HAR files of a browser or proxy or, with `--endpoint`, files with responses
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The endpoint of the responses: its path, its name, or its group and method
    #[arg(long)]
    endpoint: Option<String>,
    #[command(flatten)]
    target: Target,
}

impl Drift {
    pub(crate) fn run(&self) -> Outcome {
        let found = self.differences().map_err(|refusal| self.target.text(&refusal))?;
        if found.is_empty() {
            print("no differences\n");
            return Ok(());
        }
        print(&(found.join("\n") + "\n"));
        Err(String::new())
    }

    fn differences(&self) -> Result<Vec<String>, Refusal> {
        let catalogue = || load(&self.target.spec());
        let endpoints = match &self.endpoint {
            Some(endpoint) => {
                vec![EndpointResponses { endpoint: endpoint.clone(), responses: read(&self.files)? }]
            }
            None => recorded(catalogue(), &self.files)?,
        };
        let (evidence, accept_mock) = (Evidence::Reported, self.target.is_named());
        evolve::drift(catalogue(), &LearnOptions { endpoints, evidence, enums: Vec::new(), accept_mock })
    }
}
