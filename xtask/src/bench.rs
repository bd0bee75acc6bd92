//! `cargo xtask bench`: hands over to the package in `bench/`, which stands outside the workspace.

use std::process::{Command, ExitCode};

use clap::Args;

use crate::paths;

/// Measure the project beside its peers
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Bench {
    /// What to measure and how; `--help` lists it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Bench {
    pub(crate) fn run(&self) -> ExitCode {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["run", "--quiet", "--locked", "--manifest-path"])
            .arg(paths::root().join("bench/Cargo.toml"))
            .arg("--")
            .args(&self.arguments)
            .env("CARGO_TARGET_DIR", paths::target())
            .status();
        match status {
            Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
            Err(_) => ExitCode::FAILURE,
        }
    }
}
