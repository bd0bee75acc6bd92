//! Whether the sandbox behaves as the OpenAPI description says, by a property-based tester.
//!
//! The tester generates requests that the description allows and some that it does not, and compares the replies with
//! it.

use std::process::Command;

use super::running::Running;
use super::{Check, Program};
use crate::files;
use crate::paths;

/// The only accepted key, so that the tester sees others refused.
const KEY: &str = "tester";

pub(super) const CHECK: Check = Check {
    name: "sandbox",
    shows: "a property-based tester finds nothing that the sandbox does against the OpenAPI description",
    needs: &[Program { probe: &["schemathesis", "--version"], install: "pip install schemathesis" }],
    run: |_| run(),
};

fn run() -> Result<(), String> {
    let sandbox = Running::start(&["--api-key", KEY])?;
    // The tester leaves folders in the current one.
    let scratch = paths::target().join("verify-sandbox");
    files::empty(&scratch)?;
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
