//! `cargo xtask import`: adds the endpoints of an OpenAPI description to the catalogue.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use evolve::{Evidence, Import as Options, Refusal};

use crate::Outcome;
use crate::confirm_edit::{Target, evidence};

/// Import an OpenAPI description
///
/// Adds the parts of an OpenAPI 3.0 or 3.1 description that are not in the catalogue yet, or starts a new catalogue in
/// a folder without YAML files. The command lists parts that it does not support, and shows the edit before writing it.
#[derive(Args)]
pub(crate) struct Import {
    /// The description, JSON or YAML
    #[arg(value_name = "FILE")]
    file: PathBuf,
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
        let in_file = |why: String| format!("{}: {why}", self.file.display());
        let text = fs::read_to_string(&self.file);
        let text = text.map_err(|error| {
            format!("error: {}; pass a file with an OpenAPI description\n", in_file(error.to_string()))
        })?;
        let options = Options { text, evidence: self.evidence, summaries: self.summaries };
        let change = evolve::import(self.target.catalogue(), &options).map_err(|refusal| match refusal {
            Refusal::Message(why) => Refusal::Message(in_file(why)),
            other @ Refusal::Catalogue(_) => other,
        });
        self.target.confirm(change)
    }
}
