//! Tests of the commands as a user or CI runs them: exit codes, standard output and standard error.

mod add_and_import;
mod codegen;
mod diff;
#[cfg(unix)]
mod drift;
mod learn;
mod read;
#[cfg(unix)]
mod serve;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::SERVICE;

const MARKET: &str = "\
title: Market
summary: What the market does.
endpoints:
- name: Basis
  path: /basis
  evidence: documented
  summary: Perpetual price minus spot price.
  params: []
  body: unknown
";

/// A script that the tests run instead of Cargo, because Cargo would build the client or the sandbox.
#[cfg(unix)]
const CARGO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cli/cargo");

/// Writes a small catalogue for one test; returns its folder and the folder for the emitted Rust files.
fn project(name: &str) -> (PathBuf, PathBuf) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    let (spec, out) = (dir.join("spec"), dir.join("client/src/generated"));
    fs::create_dir_all(&spec).expect("a new folder");
    fs::write(spec.join("service.yaml"), SERVICE).expect("a file");
    fs::write(spec.join("market.yaml"), MARKET).expect("a file");
    (spec, out)
}

/// Returns the folder of the crate to which the folder `out` of emitted files belongs.
fn crate_of(out: &Path) -> &Path {
    out.ancestors().nth(2).expect("a crate")
}

fn run(arguments: &[&str], spec: &Path, out: &Path) -> Output {
    let xtask = env!("CARGO_BIN_EXE_xtask");
    let mut command = Command::new(xtask);
    command.args(arguments).arg("--spec").arg(spec);
    if arguments[0] == "codegen" {
        command.arg("--out").arg(crate_of(out));
    }
    command.output().expect("xtask runs")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// `COMMAND --help` prints more detail than the list of commands.
#[test]
fn help_describes_a_command() {
    for (command, expected) in [
        ("add", "a group that does not exist is created"),
        ("import", "starts a new catalogue in a folder"),
        ("learn", "The fields are merged with the known fields"),
        ("verify", "Arguments of the scripts, such as a number of seconds"),
    ] {
        let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let help = text(&xtask.args([command, "--help"]).output().expect("xtask runs").stdout);
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(expected), "{help}");
    }
}
