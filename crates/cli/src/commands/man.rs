//! `man`: writes manual pages, for those who package the program.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::failure::{Failure, Result};

/// Write a manual page for each command into a folder
#[derive(Args, Debug)]
// Users of the program read `--help`; packages run this once.
#[command(hide = true)]
pub(crate) struct Man {
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Man {
    /// Writes the pages of `definition`, the whole command line.
    pub(crate) fn run(&self, definition: clap::Command) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(|error| Failure::file("create", &self.folder, &error))?;
        clap_mangen::generate_to(definition, &self.folder)
            .map_err(|error| Failure::file("write a manual page in", &self.folder, &error))
    }
}
