//! `cargo xtask serve`: hands over to the sandbox, so that this package builds without it.

use std::process::{Command, ExitCode};

use clap::Args;

use crate::paths;

/// Run the sandbox, a server that answers as the catalogue says
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Serve {
    /// What the sandbox is told; `--help` lists it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Serve {
    pub(crate) fn run(&self) -> ExitCode {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["run", "--quiet", "--package", "sandbox", "--"])
            .args(&self.arguments)
            .current_dir(paths::root())
            .status();
        match status {
            Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
            Err(_) => ExitCode::FAILURE,
        }
    }
}
