//! The catalogue that a command edits, and the confirmation of every edit.

use std::fs;
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use catalogue::{Catalogue, Diagnostics, load};
use catalogue_edit::{CatalogueChange, Evidence, Refusal};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::catalogue_errors::{folder, not_written, rendered};
use crate::codegen::command;
use crate::crate_folder::CrateFolder;
use crate::project_paths;
use crate::terminal::{CommandResult, print};

/// The options of commands that edit a catalogue.
#[derive(Args)]
pub(crate) struct EditedCatalogue {
    /// The catalogue; default: the folder `spec` here or in the nearest folder above
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    /// Write without confirmation
    #[arg(long)]
    yes: bool,
}

impl EditedCatalogue {
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
    pub(crate) fn existing(&self) -> Option<Catalogue> {
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
    pub(crate) fn service_title(&self) -> String {
        let spec = std::path::absolute(self.spec()).unwrap_or_default();
        for name in spec.iter().rev() {
            if name != "spec" {
                return name.to_string_lossy().into_owned();
            }
        }
        String::new()
    }

    /// Shows the edit and the notes, and writes the edit if the user confirms.
    pub(crate) fn confirm(&self, change: Result<CatalogueChange, Refusal>) -> CommandResult {
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
    pub(crate) fn error_text(&self, refusal: &Refusal) -> String {
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

/// Parses a value of `evidence`.
pub(crate) fn evidence() -> impl TypedValueParser<Value = Evidence> {
    let words = Evidence::ALL.iter().map(|evidence| evidence.word());
    PossibleValuesParser::new(words).map(|word| Evidence::of(&word).unwrap_or_default())
}
