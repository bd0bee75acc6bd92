//! Processes that end with the check that started them, such as the sandbox on a free port.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::call;
use crate::paths;

/// A process that is killed when it is dropped.
pub(super) struct Process(pub(super) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A sandbox that answers until it is dropped.
pub(super) struct Running {
    pub(super) process: Process,
    pub(super) base_url: String,
}

impl Running {
    /// An optimised build, so that large replies do not time out.
    pub(super) fn start(arguments: &[&str]) -> Result<Self, String> {
        call(&["cargo", "build", "--quiet", "--release", "--package", "sandbox"])?;
        Self::start_built(&paths::target().join("release/sandbox"), arguments)
    }

    /// One that is built already.
    pub(super) fn start_built(program: &Path, arguments: &[&str]) -> Result<Self, String> {
        let mut process = Command::new(program)
            .args(["--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the sandbox does not start: {error}"))?;
        let mut line = String::new();
        let said = process.stdout.take().map(|output| BufReader::new(output).read_line(&mut line));
        let base_url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap_or_default().to_owned();
        let running = Self { process: Process(process), base_url };
        if running.base_url.is_empty() {
            return Err(format!("the sandbox does not say where it is: {said:?}"));
        }
        Ok(running)
    }
}
