//! `cargo xtask add` and `cargo xtask import`: the commands that add endpoints to a catalogue.

use std::fs;
use std::path::PathBuf;

use catalogue_edit::{Addition, CatalogueChange, Evidence, Import as Options, RecordedService, Refusal};
use clap::Args;

use crate::edited_catalogue::{EditedCatalogue, evidence};
use crate::terminal::CommandResult;

/// Add an endpoint to the catalogue
///
/// In a folder without YAML files, the command starts a catalogue.
#[derive(Args)]
pub(crate) struct Add {
    /// The path of the endpoint, without the base URL; a param in the path is written `{name}`. The params of a query, such
    /// as `?coin=BTC&limit=10`, become those of the endpoint, without their values
    #[arg(value_name = "PATH")]
    path: String,
    /// The group of the endpoint; a group that does not exist is created
    #[arg(long)]
    group: String,
    /// The name of the endpoint; default: derived from the path
    #[arg(long)]
    name: Option<String>,
    /// The Rust name of the endpoint; needed if the name derived from `--name` is in use
    #[arg(long)]
    rust_name: Option<String>,
    /// The purpose of the endpoint, in one sentence
    #[arg(long)]
    summary: Option<String>,
    /// The shared params and param sets of the endpoint, separated by commas; `none` if it has no params; default:
    /// unknown
    #[arg(long, value_name = "NAMES")]
    params: Option<String>,
    /// The evidence of the path
    #[arg(long, value_parser = evidence())]
    evidence: Evidence,
    #[command(flatten)]
    edited: EditedCatalogue,
}

impl Add {
    pub(crate) fn run(&self) -> CommandResult {
        let params = match self.params.as_deref() {
            None => None,
            Some("none") => Some(Vec::new()),
            Some(names) => Some(names.split(',').map(|name| name.trim().to_owned()).collect()),
        };
        let addition = Addition {
            path: self.path.clone(),
            group: self.group.clone(),
            name: self.name.clone(),
            rust_name: self.rust_name.clone(),
            summary: self.summary.clone(),
            params,
            evidence: self.evidence,
            service: self.edited.service_title(),
        };
        self.edited.confirm(catalogue_edit::add(self.edited.existing(), &addition))
    }
}

/// Import an OpenAPI description, or the endpoints in a HAR file
///
/// Adds the parts of an OpenAPI description that are not in the catalogue yet, or starts a new catalogue in
/// a folder without YAML files. The command lists parts that it does not support, and shows the edit before writing it.
#[derive(Args)]
pub(crate) struct Import {
    /// The description, JSON or YAML, or a HAR file of a browser or proxy (`.har`)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A host of the service. If the option is repeated, the endpoints of further hosts become groups with a base URL of
    /// their own. Default: in a HAR file, the host with the most responses in JSON; in a description, all hosts
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
    /// Import summaries and descriptions too, word for word
    #[arg(long)]
    summaries: bool,
    /// The evidence of the imported facts
    #[arg(long, default_value = "published", value_parser = evidence())]
    evidence: Evidence,
    #[command(flatten)]
    edited: EditedCatalogue,
}

impl Import {
    pub(crate) fn run(&self) -> CommandResult {
        if self.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har")) {
            return self.edited.confirm(self.recorded_endpoints());
        }
        self.edited.confirm(self.described_endpoints())
    }

    /// The change that imports a description.
    fn described_endpoints(&self) -> Result<CatalogueChange, Refusal> {
        let name = self.file.display();
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) => return Err(format!("{name}: {error}; pass a file with an OpenAPI description").into()),
        };
        let options = Options { text, evidence: self.evidence, summaries: self.summaries, hosts: self.hosts.clone() };
        match catalogue_edit::import(self.edited.existing(), &options) {
            Err(Refusal::Message(why)) => Err(format!("{name}: {why}").into()),
            other => other,
        }
    }

    /// The change that adds the endpoints of a HAR file.
    fn recorded_endpoints(&self) -> Result<CatalogueChange, Refusal> {
        let name = self.file.display().to_string();
        let bytes = fs::read(&self.file).map_err(|error| format!("{name}: {error}; pass a HAR file"))?;
        let recorded = RecordedService {
            files: vec![(name, bytes)],
            hosts: self.hosts.clone(),
            title: self.edited.service_title(),
            // A recording shows that the paths exist, which no document says.
            evidence: Evidence::Reported,
        };
        catalogue_edit::endpoints_of(self.edited.existing(), &recorded)
    }
}
