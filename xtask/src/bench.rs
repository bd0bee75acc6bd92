//! `cargo xtask bench`: runs the package in `bench/`, which is outside the workspace.

use std::process::ExitCode;

use clap::Args;

use crate::project_paths;
use crate::workspace::cargo;

/// Compare the project with its peers
#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Bench {
    /// Arguments of the benchmarks; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Bench {
    pub(crate) fn run(&self) -> ExitCode {
        let status = cargo()
            .args(["run", "--quiet", "--locked", "--manifest-path"])
            .arg(project_paths::root().join("bench/Cargo.toml"))
            .arg("--")
            .args(&self.arguments)
            .env("CARGO_TARGET_DIR", project_paths::target())
            .status();
        match status {
            Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
            Err(_) => ExitCode::FAILURE,
        }
    }
}
