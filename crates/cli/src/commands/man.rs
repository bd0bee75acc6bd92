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
        let mut definition = definition.disable_help_subcommand(true);
        definition.build();
        let commands = definition.get_subcommands().filter(|command| !command.is_hide_set());
        for command in commands.chain([&definition]) {
            self.write(command).map_err(|error| Failure::file("write a manual page in", &self.folder, &error))?;
        }
        Ok(())
    }

    fn write(&self, command: &clap::Command) -> std::io::Result<()> {
        let man = clap_mangen::Man::new(command.clone());
        let mut page = Vec::new();
        man.render(&mut page)?;
        fs::write(self.folder.join(man.get_filename()), laid_out(&String::from_utf8_lossy(&page)))
    }
}

/// The page with the usual heading of what follows the options, and a new line after each example.
fn laid_out(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut follows_example = false;
    for line in page.lines() {
        if follows_example && !line.starts_with([' ', '.']) {
            text.push_str(".br\n");
        }
        follows_example = line.starts_with(' ');
        text.push_str(if line == ".SH EXTRA" { ".SH NOTES" } else { line });
        text.push('\n');
    }
    text
}
