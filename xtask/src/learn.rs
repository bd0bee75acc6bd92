//! `cargo xtask learn` adds the fields of responses to the catalogue.

use std::fs;
use std::path::PathBuf;

use catalogue::load;
use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, Recording, Refusal};
use clap::Args;

use crate::edited_catalogue::{EditedCatalogue, evidence};
use crate::live_answers::{Answer, LiveAnswer, LiveRequest};
use crate::report_format::Format;
use crate::terminal::{CommandResult, print, print_error};

/// Learn the fields of an endpoint's response
///
/// The response is read from a file with the JSON body, which headers as printed by `curl -i` may precede. With
/// `--live`, it is requested from the service once; a required param that is not given is sent with its example,
/// default or first known value. The fields are merged with the known fields, and the edit is shown before it is
/// written.
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
    /// The host of the service in the HAR files; default: found by the paths, and by the names of base URLs of groups
    #[arg(long, requires = "har")]
    host: Option<String>,
    /// Request the responses from the service; the base URL and the credentials are read from the environment, in the
    /// variables that begin with the catalogue's `env_prefix`
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
    edited: EditedCatalogue,
}

/// Reads files with responses, each with its name.
fn read(files: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let mut responses = Vec::new();
    for path in files {
        let name = path.display().to_string();
        match fs::read(path) {
            Ok(saved) => responses.push((name, saved)),
            Err(error) => {
                let help = "pass files with responses, or request one with --live";
                return Err(Refusal::Message(format!("{name}: {error}; {help}")));
            }
        }
    }
    Ok(responses)
}

/// The responses in files. Without an endpoint, the files are HAR files, and the entries that are skipped are printed.
pub(crate) fn recorded(
    edited: &EditedCatalogue,
    endpoint: Option<&String>,
    files: &[PathBuf],
    host: Option<&str>,
    format: Format,
) -> Result<Recording, Refusal> {
    let responses = read(files)?;
    if let Some(endpoint) = endpoint {
        let responses = EndpointResponses { endpoint: endpoint.clone(), responses, ..EndpointResponses::default() };
        return Ok(Recording { endpoints: vec![responses], ..Recording::default() });
    }
    let recording = Recording::read(load(&edited.spec()), &responses, host)?;
    for line in &recording.skipped {
        // A report for programs is the only text on standard output.
        let print_line = if format == Format::Text { print } else { print_error };
        print_line(&format!("skipped: {line}\n"));
    }
    if recording.endpoints.is_empty() && recording.errors.is_empty() {
        let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        let why = "no entry has a response of an endpoint in the catalogue";
        return Err(Refusal::Message(format!("{}: {why}", names.join(", "))));
    }
    Ok(recording)
}

impl Learn {
    pub(crate) fn run(&self) -> CommandResult {
        let learning = LearnOptions {
            endpoints: self.samples().map_err(|refusal| self.edited.error_text(&refusal))?,
            evidence: self.evidence,
            enums: self.enums.clone(),
            accept_mock: self.edited.accepts_mock(),
        };
        self.edited.confirm(catalogue_edit::learn(load(&self.edited.spec()), &learning))
    }

    fn samples(&self) -> Result<Vec<EndpointResponses>, Refusal> {
        if self.live {
            return self.requested();
        }
        let files = if self.har.is_empty() { &self.replies } else { &self.har };
        let recording = recorded(&self.edited, self.endpoint.as_ref(), files, self.host.as_deref(), Format::Text)?;
        Ok(recording.with_errors())
    }

    /// Requests the responses from the service. Each endpoint that fails is reported.
    fn requested(&self) -> Result<Vec<EndpointResponses>, Refusal> {
        let request = LiveRequest {
            spec: &self.edited.spec(),
            endpoint: self.endpoint.as_deref(),
            is_untyped: self.untyped,
            params: &self.params,
        };
        let answers = request.send()?;
        let is_any_wanted = !answers.is_empty();
        let mut received = Vec::new();
        for LiveAnswer { endpoint, answer } in answers {
            match answer {
                Answer::Response(responses) => received.push(responses),
                Answer::Failed(why) => print_error(&format!("{endpoint}: failed: {why}\n")),
                Answer::Skipped(why) => print_error(&format!("{endpoint}: skipped: {why}\n")),
            }
        }
        if received.is_empty() && is_any_wanted {
            return Err(Refusal::Message("no endpoint returned a response; the reasons are above".to_owned()));
        }
        Ok(received)
    }
}
