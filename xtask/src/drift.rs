//! `cargo xtask drift`: compares responses with the catalogue.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use codegen::load;
use evolve::{EndpointResponses, Evidence, LearnOptions, Refusal};

use crate::confirm_edit::Target;
use crate::learn::{read, recorded};
use crate::terminal::print;

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
    pub(crate) fn run(&self) -> ExitCode {
        match self.differences() {
            Ok(found) if found.is_empty() => {
                print("no differences\n");
                ExitCode::SUCCESS
            }
            Ok(found) => {
                for line in &found {
                    print(&format!("{line}\n"));
                }
                ExitCode::FAILURE
            }
            Err(refusal) => self.target.report(&refusal),
        }
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
