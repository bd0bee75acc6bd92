//! `cargo xtask serve`: starts the sandbox through Cargo, so that `xtask` builds without the sandbox.

use std::process::ExitCode;

use clap::Args;

use crate::cargo::{cargo, replace_process};
use crate::project_paths;
use crate::terminal::print_error;

/// Run the sandbox, a mock server for the client of a catalogue
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Serve {
    /// Arguments of the sandbox; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Serve {
    pub(crate) fn run(&self) -> ExitCode {
        if !project_paths::target().join(BUILT).exists() {
            print_error("building the sandbox; the first build takes a minute\n");
        }
        let mut command = cargo();
        // The command runs in the current folder, not in the project's root, because the user's paths are relative to
        // the current folder.
        command.args(["run", "--quiet", "--package", "sandbox-program", "--manifest-path"]);
        command.arg(project_paths::root().join("Cargo.toml")).arg("--");
        // A `--spec` among the user's arguments overrides this default.
        command.arg("--spec").arg(project_paths::spec()).args(&self.arguments);
        replace_process(&mut command)
    }
}

/// The path of the built program.
const BUILT: &str = if cfg!(windows) { "debug/sandbox.exe" } else { "debug/sandbox" };
