//! Whether the client builds with every combination of features that matters.
//!
//! Interactions of two features show in pairs, so every pair is built of the crates whose features change code; the
//! client only passes its features on. A warning is a failure: code that only one feature needs must not be compiled
//! without it.

use super::{Check, Program, call};

pub(super) const CHECK: Check = Check {
    name: "features",
    shows: "the client builds with no feature, with each, with all of them, and what it stands on with any two",
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
