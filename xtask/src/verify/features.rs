//! Whether the client builds with whatever features a user turns on.
//!
//! What two features do to each other shows in pairs, so of the crates in which features mean something every pair is
//! built; the client hands each of its features on. A warning fails it: what only one feature needs is not to be
//! compiled without it.

use super::{Check, Program, call};

pub(super) const CHECK: Check = Check {
    name: "features",
    shows: "the client builds with no feature, with each, with any two, and with all of them",
    needs: &[Program { probe: &["cargo", "hack", "--version"], install: "cargo install cargo-hack --locked" }],
    run: |_| {
        let client = ["--package", "generated-client", "--each-feature"];
        let below = ["--package", "generated-client-runtime", "--package", "generated-client-transport"];
        let pairs = ["--feature-powerset", "--depth", "2"];
        lint(&client)?;
        lint(&[&below[..], &pairs].concat())
    },
};

fn lint(what: &[&str]) -> Result<(), String> {
    call(&[&["cargo", "hack", "clippy", "--quiet"], what, &["--", "--deny", "warnings"]].concat())
}
