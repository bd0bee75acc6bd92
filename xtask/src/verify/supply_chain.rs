//! Whether the dependencies are acceptable: licences, sources, bans and advisories.
//!
//! `deny.toml` has the rules, for every lock file of the project. The database of advisories is downloaded: without it
//! that part is reported as skipped, since a check that did not run has not passed.

use std::path::Path;
use std::process::Command;

use super::{Check, Program, call};
use crate::git::git;
use crate::paths;
use crate::terminal::say;

pub(super) const CHECK: Check = Check {
    name: "supply-chain",
    shows: "licences, sources, bans and advisories of every crate in every lock file are as `deny.toml` wants them",
    needs: &[Program { probe: &["cargo", "deny", "--version"], install: "cargo install cargo-deny --locked" }],
    run: |_| {
        let root = paths::root();
        let has_database = fetch_advisories(root);
        if !has_database {
            say("SKIPPED: advisories, as their database cannot be fetched; whatever is known to be unsafe passes\n");
        }
        let failures: Vec<String> =
            workspaces(root)?.iter().filter_map(|manifest| deny(root, manifest, has_database).err()).collect();
        if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
    },
};

fn fetch_advisories(root: &Path) -> bool {
    let fetched = Command::new("cargo").args(["deny", "fetch", "db"]).current_dir(root).output();
    fetched.is_ok_and(|output| output.status.success())
}

/// Checks the crates of one lock file against the rules.
fn deny(root: &Path, manifest: &str, has_database: bool) -> Result<(), String> {
    let config = root.join("deny.toml").display().to_string();
    let mut command = vec!["cargo", "deny", "--locked", "--manifest-path", manifest, "--config", &config, "check"];
    command.extend(["--hide-inclusion-graph", "licenses", "sources", "bans"]);
    command.extend(has_database.then_some("advisories"));
    call(&command)
}

/// The manifests beside a lock file in git. The benches' peers have theirs where `cargo xtask bench` assembles them,
/// and nothing depends on them.
fn workspaces(root: &Path) -> Result<Vec<String>, String> {
    let names = git(root, &["ls-files", "--", "Cargo.lock", "*/Cargo.lock"])?;
    let manifests = names.lines().map(|lock| root.join(lock).with_extension("toml"));
    Ok(manifests.filter(|manifest| manifest.exists()).map(|manifest| manifest.display().to_string()).collect())
}
