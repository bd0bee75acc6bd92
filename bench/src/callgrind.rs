//! Counts instructions with callgrind, which reports the same number for every run of the same binary.

use std::path::Path;
use std::process::Command;

use crate::command::{exists, output};

/// The number of instructions that a program executes in user space.
pub(crate) fn instructions(program: &Path, arguments: &[&str]) -> Result<f64, String> {
    if !exists("valgrind") {
        return Err("valgrind is missing; run `apt-get install valgrind`".to_owned());
    }
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args(arguments);
    let (_, stderr) = output(&mut command)?;
    let line = stderr.lines().find_map(|line| line.split_once("Collected :"));
    let count = line.and_then(|(_, count)| count.trim().parse().ok());
    count.ok_or_else(|| format!("callgrind reported no instruction count: {stderr}"))
}
