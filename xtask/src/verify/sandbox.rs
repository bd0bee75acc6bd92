//! Whether the sandbox keeps what the OpenAPI description promises, as a property-based tester sees it.
//!
//! The tester makes up requests that the description allows and some that it does not, and compares the replies
//! with it. The sandbox is an optimised build, so that thousands of records are no time-out.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::{Check, Program, call};
use crate::paths;

/// The only key that is accepted: the tester wants to see others refused.
const KEY: &str = "tester";

pub(super) const CHECK: Check = Check {
    name: "sandbox",
    shows: "a property-based tester finds nothing that the sandbox does against the OpenAPI description",
    needs: &[Program { probe: &["schemathesis", "--version"], install: "pip install schemathesis" }],
    run: |_| run(),
};

fn run() -> Result<(), String> {
    call(&["cargo", "build", "--quiet", "--release", "--package", "sandbox"])?;
    let sandbox = Running::start()?;
    // The tester leaves folders behind where it runs.
    let scratch = paths::target().join("verify-sandbox");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut tester = Command::new("schemathesis");
    tester.arg("run").arg(paths::root().join("docs/openapi.json")).args(["--url", &sandbox.base_url, "--no-color"]);
    tester.args(["--header", &format!("x-api-key: {KEY}")]);
    tester.args(["--seed", "1", "--max-examples", "10", "--request-timeout", "60"]);
    match tester.current_dir(scratch).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("schemathesis ended with {status}")),
        Err(error) => Err(format!("schemathesis does not start: {error}")),
    }
}

/// A sandbox on a free port, until it is dropped.
struct Running {
    process: Child,
    base_url: String,
}

impl Running {
    fn start() -> Result<Self, String> {
        let mut command = Command::new("cargo");
        command.args(["run", "--quiet", "--release", "--package", "sandbox", "--", "--port", "0", "--api-key", KEY]);
        let process = command.current_dir(paths::root()).stdout(Stdio::piped()).spawn();
        let mut running = Self {
            process: process.map_err(|error| format!("cargo does not start: {error}"))?,
            base_url: String::new(),
        };
        let mut line = String::new();
        if let Some(output) = running.process.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        let said = line.split_whitespace().find(|word| word.starts_with("http://"));
        said.ok_or("the sandbox did not say where it is")?.clone_into(&mut running.base_url);
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing is lost if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
