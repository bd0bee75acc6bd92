//! Whether the sandbox's page works in a real browser.
//!
//! The test itself is JavaScript, beside the sandbox's other tests; this module installs its packages in a scratch
//! folder and starts the program under test.

use std::fs;
use std::path::Path;

use super::{Check, Program, call};
use crate::files;
use crate::paths;

const FILES: [&str; 4] = ["contrast.mjs", "package.json", "package-lock.json", "page.test.mjs"];

pub(super) const CHECK: Check = Check {
    name: "page",
    shows: "the sandbox's page works by keyboard, on a phone, in the dark and without anything from elsewhere",
    needs: &[
        Program { probe: &["chromium", "--version"], install: "apt-get install --yes chromium" },
        Program { probe: &["npm", "--version"], install: "apt-get install --yes npm" },
    ],
    run: |_| {
        let scratch = paths::target().join("verify-page");
        copied(&scratch).map_err(|error| files::named(&scratch, error))?;
        let folder = scratch.display().to_string();
        let program = paths::target().join("debug/sandbox").display().to_string();
        call(&["npm", "ci", "--prefix", &folder, "--no-audit", "--no-fund", "--ignore-scripts"])?;
        call(&["cargo", "build", "--quiet", "--package", "sandbox"])?;
        call(&[
            "env",
            &format!("SANDBOX={program}"),
            &format!("SHOTS={folder}"),
            "node",
            "--test",
            &format!("{folder}/page.test.mjs"),
        ])
    },
};

fn copied(scratch: &Path) -> std::io::Result<()> {
    fs::create_dir_all(scratch)?;
    for file in FILES {
        fs::copy(paths::root().join("sandbox/tests/page").join(file), scratch.join(file))?;
    }
    Ok(())
}
