//! `cargo xtask add`: adds an endpoint to the catalogue.

use clap::Args;
use evolve::{Addition, Evidence};

use crate::Outcome;
use crate::confirm_edit::{Target, answer, evidence};

/// Add an endpoint to the catalogue
///
/// On a terminal, the command prompts for missing options. An empty answer becomes `unknown`. In a folder without YAML
/// files, the command starts a catalogue.
#[derive(Args)]
pub(crate) struct Add {
    /// The path of the endpoint, without the base URL; a param in the path is written `{name}`
    #[arg(value_name = "PATH")]
    path: String,
    /// The group of the endpoint; a group that does not exist is created
    #[arg(long)]
    group: Option<String>,
    /// The name of the endpoint; default: derived from the path
    #[arg(long)]
    name: Option<String>,
    /// The Rust name of the endpoint; needed if the name derived from `--name` is in use
    #[arg(long)]
    rust_name: Option<String>,
    /// The purpose of the endpoint, in one sentence
    #[arg(long)]
    summary: Option<String>,
    /// The shared params and param sets of the endpoint, separated by commas; `none` if it has no params
    #[arg(long, value_name = "NAMES")]
    params: Option<String>,
    /// The evidence of the path
    #[arg(long, value_parser = evidence())]
    evidence: Option<Evidence>,
    #[command(flatten)]
    target: Target,
}

impl Add {
    pub(crate) fn run(&self) -> Outcome {
        let ask = |given: &Option<String>, question: &str| {
            given.clone().or_else(|| answer(question)).filter(|answer| !answer.is_empty())
        };
        let group = ask(&self.group, "The group (like `orderflow`): ");
        let question = "The evidence of the path (documented, published, reported, previous_version): ";
        let evidence = self.evidence.or_else(|| Evidence::of(&answer(question)?));
        let (Some(group), Some(evidence)) = (&group, evidence) else {
            let missing = [
                ("--group GROUP", group.is_none()),
                ("--evidence documented|published|reported|previous_version", evidence.is_none()),
            ];
            let missing: Vec<&str> = missing.iter().filter(|(_, is)| *is).map(|(flag, _)| *flag).collect();
            return Err(format!("error: required options are missing; add {}\n", missing.join(" and ")));
        };
        let params =
            ask(&self.params, "Its shared params and sets, separated by commas, or `none` (press Enter if unknown): ");
        let params = params.map(|params| match params.as_str() {
            "none" => Vec::new(),
            names => names.split(',').map(|name| name.trim().to_owned()).collect(),
        });
        let addition = Addition {
            path: self.path.clone(),
            group: group.clone(),
            name: ask(&self.name, "Its name, like `Buy Volume` (press Enter to derive it from the path): "),
            rust_name: self.rust_name.clone(),
            summary: ask(&self.summary, "Its purpose, in one sentence (press Enter if unknown): "),
            params,
            evidence,
            service: self.target.service(),
        };
        self.target.confirm(evolve::add(self.target.catalogue(), &addition))
    }
}
