//! Whether machines that share a gate on a real server keep to one limit, and use it.
//!
//! The program behind it has its own list of conditions, and prints its measurements. It takes three minutes more than
//! the given seconds, which are 180 for a release; less than a minute is too short to show an excess.

use super::{Check, Program, Verify, call};

pub(super) const CHECK: Check = Check {
    name: "fleet",
    shows: "three processes with one gate use a limit and never pass it, through a kill and a restart of the server",
    needs: &[Program { probe: &["redis-server", "--version"], install: "apt-get install --yes redis-server" }],
    run,
};

fn run(wanted: &Verify) -> Result<(), String> {
    let seconds = wanted.seconds.to_string();
    let program = ["cargo", "run", "--quiet", "--release", "--package", "generated-client-shared-gate"];
    call(&[&program[..], &["--example", "fleet", "--", &seconds]].concat())
}
