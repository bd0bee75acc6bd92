//! `cargo xtask drift`: compares responses with the catalogue, and writes nothing to it.

mod report;

use std::path::PathBuf;

use catalogue::load;
use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, Refusal};
use clap::Args;

use crate::edited_catalogue::EditedCatalogue;
use crate::learn::recorded;
use crate::live_answers::{Answer, LiveAnswer, LiveRequest};
use crate::report_format::Format;
use crate::terminal::{CommandResult, print, print_error};
use report::{Comparison, Report};

/// Report where responses contradict the catalogue
///
/// Nothing is written to the catalogue. With `--live`, every endpoint with a known path is requested once, within the rate
/// limit; the base URL and the credentials are read from the environment, in the variables that begin with the catalogue's
/// `env_prefix`. A required param is sent with its example, default or first known value.
///
/// Exit codes: 0 if there is no difference; 1 if there is one, or the command failed; 3 if there is no difference, but an
/// endpoint could not be compared. `cargo xtask learn` adapts the catalogue.
#[derive(Args)]
pub(crate) struct Drift {
    /// HAR files of a browser or proxy or, with `--endpoint`, files with responses
    #[arg(value_name = "FILE", required_unless_present = "live", conflicts_with = "live")]
    files: Vec<PathBuf>,
    /// The endpoint of the responses: its path, its name, or its group and method
    #[arg(long)]
    endpoint: Option<String>,
    /// The host of the service in the HAR files; default: found by the paths, and by the names of base URLs of groups
    #[arg(long, conflicts_with = "endpoint")]
    host: Option<String>,
    /// Request the responses from the service
    #[arg(long)]
    live: bool,
    /// A param to send to every endpoint that has it
    #[arg(long = "param", value_name = "NAME=VALUE", requires = "live")]
    params: Vec<String>,
    /// Write the edit of the catalogue that removes the differences, as a patch for `git apply -p0`
    #[arg(long, value_name = "FILE")]
    propose: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    edited: EditedCatalogue,
}

/// The exit code if there is no difference, but an endpoint could not be compared.
const INCOMPLETE: i32 = 3;

impl Drift {
    pub(crate) fn run(&self) -> CommandResult {
        let report = self.report().map_err(|refusal| self.edited.error_text(&refusal))?;
        print(&report.text(self.format, self.live));
        if let Some(file) = &self.propose {
            self.propose(file, &report)?;
        }
        if report.has_differences() {
            return Err(String::new());
        }
        if !report.is_complete() {
            std::process::exit(INCOMPLETE);
        }
        Ok(())
    }

    fn report(&self) -> Result<Report, Refusal> {
        let spec = self.edited.spec();
        let mut report = Report::new(load(&spec), &spec)?;
        let mut received = Vec::new();
        if self.live {
            for LiveAnswer { endpoint, answer } in self.request()? {
                match answer {
                    Answer::Response(responses) => received.push(responses),
                    Answer::Failed(why) => report.add_without_response(endpoint, Comparison::Failed(why)),
                    Answer::Skipped(why) => report.add_without_response(endpoint, Comparison::Skipped(why)),
                }
            }
        } else {
            let recording =
                recorded(&self.edited, self.endpoint.as_ref(), &self.files, self.host.as_deref(), self.format)?;
            for errors in &recording.errors {
                print_skipped(&errors.endpoint, errors.responses.len());
            }
            received = recording.endpoints;
        }
        let found = catalogue_edit::drift(load(&spec), &self.options(received.clone()))?;
        for (responses, drift) in received.into_iter().zip(found) {
            if drift.errors > 0 {
                print_skipped(&drift.endpoint, drift.errors);
            }
            report.add_compared(responses, drift);
        }
        report.sort();
        Ok(report)
    }

    fn request(&self) -> Result<Vec<LiveAnswer>, Refusal> {
        let request = LiveRequest {
            spec: &self.edited.spec(),
            endpoint: self.endpoint.as_deref(),
            is_untyped: false,
            params: &self.params,
        };
        request.send()
    }

    fn options(&self, endpoints: Vec<EndpointResponses>) -> LearnOptions {
        LearnOptions {
            endpoints,
            evidence: Evidence::Reported,
            enums: Vec::new(),
            accept_mock: self.edited.accepts_mock() || self.live,
        }
    }

    /// Writes the edit that removes the differences.
    fn propose(&self, file: &PathBuf, report: &Report) -> CommandResult {
        let options = self.options(report.responses_with_differences());
        if options.endpoints.is_empty() {
            return Ok(());
        }
        let change = catalogue_edit::learn(load(&self.edited.spec()), &options);
        let change = change.map_err(|refusal| self.edited.error_text(&refusal))?;
        let mut patch = String::new();
        for note in change.notes() {
            patch += &format!("# {note}\n");
        }
        patch += &format!("\n{}", change.diff(&report.folder));
        std::fs::write(file, patch).map_err(|error| format!("error: {}: {error}\n", file.display()))
    }
}

fn print_skipped(endpoint: &str, errors: usize) {
    print_error(&format!("skipped: {endpoint}: error responses ({errors})\n"));
}
