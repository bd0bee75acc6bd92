//! Instructions, as callgrind counts them: the same on every run of one binary.

use std::path::Path;
use std::process::Command;

use crate::command::{exists, output};

/// The instructions that a program takes in user space, from its start to its end.
pub(crate) fn instructions(program: &Path, arguments: &[&str]) -> Result<f64, String> {
    if !exists("valgrind") {
        return Err("valgrind is not here, which counts instructions: `apt-get install valgrind`".to_owned());
    }
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args(arguments);
    let (_, said) = output(&mut command)?;
    let line = said.lines().find_map(|line| line.split_once("Collected :"));
    let count = line.and_then(|(_, count)| count.trim().parse().ok());
    count.ok_or_else(|| format!("callgrind counted nothing: {said}"))
}
