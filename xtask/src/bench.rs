//! `cargo xtask bench`: hands over to the package in `bench/`, which stands outside the workspace.

use std::process::ExitCode;

use clap::Args;

use crate::paths;
use crate::workspace::cargo;

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
        let status = cargo()
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
