//! Runs the Python programs of `bench/python`, in an environment of their own with pinned packages.

use std::path::PathBuf;
use std::process::Command;

use crate::command::output;
use crate::scratch::Scratch;

/// A command that runs a program of `bench/python`.
pub(crate) fn program(scratch: &Scratch, name: &str) -> Result<Command, String> {
    let mut command = Command::new(interpreter(scratch)?);
    command.arg(scratch.own().join("python").join(name));
    Ok(command)
}

/// Creates the environment, and installs the packages that are not installed yet.
fn interpreter(scratch: &Scratch) -> Result<PathBuf, String> {
    let folder = scratch.target().join("python");
    let interpreter = folder.join("bin/python");
    if !interpreter.exists() {
        output(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let requirements = scratch.own().join("python/requirements.txt");
    let mut install = Command::new(&interpreter);
    install.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements);
    output(&mut install)?;
    Ok(interpreter)
}
