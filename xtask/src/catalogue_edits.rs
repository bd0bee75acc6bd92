//! The commands that edit the catalogue: `cargo xtask add` and `cargo xtask import`, and the confirmation of every edit.

use std::fs;
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use catalogue::{Catalogue, Diagnostics, load};
use catalogue_edit::{Addition, CatalogueChange, Evidence, Import as Options, RecordedService, Refusal};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::codegen::{command, folder, not_written, rendered};
use crate::crate_folder::CrateFolder;
use crate::project_paths;
use crate::terminal::{Outcome, print};

/// Add an endpoint to the catalogue
///
/// In a folder without YAML files, the command starts a catalogue.
#[derive(Args)]
pub(crate) struct Add {
    /// The path of the endpoint, without the base URL; a param in the path is written `{name}`
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
    target: Target,
}

impl Add {
    pub(crate) fn run(&self) -> Outcome {
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
            service: self.target.service(),
        };
        self.target.confirm(catalogue_edit::add(self.target.catalogue(), &addition))
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
    /// The host of the service; default: in a HAR file, the host with the most responses in JSON, and in a description, that of
    /// its first server
    #[arg(long)]
    host: Option<String>,
    /// Import summaries and descriptions too, word for word
    #[arg(long)]
    summaries: bool,
    /// The evidence of the imported facts
    #[arg(long, default_value = "published", value_parser = evidence())]
    evidence: Evidence,
    #[command(flatten)]
    target: Target,
}

impl Import {
    pub(crate) fn run(&self) -> Outcome {
        if self.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har")) {
            return self.target.confirm(self.recorded_endpoints());
        }
        self.target.confirm(self.described_endpoints())
    }

    /// The change that imports a description.
    fn described_endpoints(&self) -> Result<CatalogueChange, Refusal> {
        let name = self.file.display();
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) => return Err(format!("{name}: {error}; pass a file with an OpenAPI description").into()),
        };
        let options = Options { text, evidence: self.evidence, summaries: self.summaries, host: self.host.clone() };
        match catalogue_edit::import(self.target.catalogue(), &options) {
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
            host: self.host.clone(),
            title: self.target.service(),
            // A recording shows that the paths exist, which no document says.
            evidence: Evidence::Reported,
        };
        catalogue_edit::endpoints_of(self.target.catalogue(), &recorded)
    }
}

/// Parses a value of `evidence`.
pub(crate) fn evidence() -> impl TypedValueParser<Value = Evidence> {
    let words = Evidence::ALL.iter().map(|evidence| evidence.word());
    PossibleValuesParser::new(words).map(|word| Evidence::of(&word).unwrap_or_default())
}

/// The options of commands that edit a catalogue.
#[derive(Args)]
pub(crate) struct Target {
    /// The catalogue; default: the folder `spec` here or in the nearest folder above
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    /// Write without confirmation
    #[arg(long)]
    yes: bool,
}

impl Target {
    pub(crate) fn spec(&self) -> PathBuf {
        self.spec.clone().unwrap_or_else(project_paths::spec)
    }

    /// `true` if the catalogue is this project's own.
    pub(crate) fn is_ours(&self) -> bool {
        project_paths::is_same(&self.spec(), &project_paths::own_spec())
    }

    /// `true` if mock responses of the sandbox are accepted. They must not become part of our own catalogue by
    /// accident, so `--spec` has to name it.
    pub(crate) fn accepts_mock(&self) -> bool {
        self.spec.is_some() || !self.is_ours()
    }

    /// The catalogue; `None` if its folder has no YAML files yet or does not exist, so that a new catalogue is
    /// started in it.
    pub(crate) fn catalogue(&self) -> Option<Catalogue> {
        let spec = self.spec();
        for file in fs::read_dir(&spec).ok()?.flatten() {
            if catalogue::is_catalogue_file(&file.file_name().to_string_lossy()) {
                return Some(load(&spec));
            }
        }
        None
    }

    /// A title for the service of a new catalogue: the name of the folder or, if that is `spec`, of the folder
    /// above it.
    pub(crate) fn service(&self) -> String {
        let spec = std::path::absolute(self.spec()).unwrap_or_default();
        for name in spec.iter().rev() {
            if name != "spec" {
                return name.to_string_lossy().into_owned();
            }
        }
        String::new()
    }

    /// Shows the edit and the notes, and writes the edit if the user confirms.
    pub(crate) fn confirm(&self, change: Result<CatalogueChange, Refusal>) -> Outcome {
        let change = change.map_err(|refusal| self.refusal(&refusal, not_written))?;
        let spec = self.spec();
        if !change.is_empty() {
            print(&format!("{}\n", change.diff(&folder(&spec))));
        }
        // The notes are printed after the edit, which may be long, so that they do not scroll away.
        for line in change.notes() {
            print(&format!("{line}\n"));
        }
        if change.is_empty() {
            print("nothing to write; the catalogue is up to date\n");
            return Ok(());
        }
        if !self.yes && !confirmed() {
            return Err("nothing was written; `--yes` writes without confirmation\n".to_owned());
        }
        change.write(&spec).map_err(|error| format!("error: {error}\n"))?;
        let has_crate = self.is_ours() || CrateFolder::around(&spec).is_some();
        let out = if has_crate { None } else { Some(Path::new("DIR")) };
        let command = command(&spec, out);
        print(&format!("written; add the summaries that you know, then run `{command}`\n"));
        Ok(())
    }

    /// The text of an error that was found before any edit.
    pub(crate) fn text(&self, refusal: &Refusal) -> String {
        self.refusal(refusal, rendered)
    }

    fn refusal(&self, refusal: &Refusal, rendered: fn(&Diagnostics, &Path) -> String) -> String {
        match refusal {
            Refusal::Catalogue(diagnostics) => rendered(diagnostics, &self.spec()),
            Refusal::Message(why) => format!("error: {why}\n"),
        }
    }
}

/// Asks the user to confirm; returns `false` without a terminal.
fn confirmed() -> bool {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return false;
    }
    print("Write this? [y/N] ");
    let _ = stdout().flush();
    let mut line = String::new();
    if stdin().lock().read_line(&mut line).is_err() {
        return false;
    }
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
