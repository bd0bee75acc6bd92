//! Whether the client builds with each of its features alone.

use super::{Check, Program, call};

pub(super) const CHECK: Check = Check {
    name: "features",
    shows: "the client builds with no feature, with each feature alone, and with all of them",
    needs: &[Program { probe: &["cargo", "hack", "--version"], install: "cargo install cargo-hack --locked" }],
    run: |_| {
        call(&[
            "cargo",
            "hack",
            "check",
            "--package",
            "generated-client",
            "--package",
            "generated-client-runtime",
            "--package",
            "generated-client-transport",
            "--each-feature",
        ])
    },
};
