//! `cargo xtask bench`: runs the package in `bench/`, which is outside the workspace.

use std::process::ExitCode;

use clap::Args;

use crate::cargo::{cargo, replace_process};
use crate::project_paths;

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
        let manifest = project_paths::root().join("bench/Cargo.toml");
        let mut command = cargo();
        command.args(["run", "--quiet", "--locked", "--manifest-path"]).arg(manifest).arg("--").args(&self.arguments);
        replace_process(command.env("CARGO_TARGET_DIR", project_paths::target()))
    }
}
