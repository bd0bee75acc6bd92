//! Whether what is depended on may be: licences, sources, what is banned, and what is known to be unsafe.
//!
//! `deny.toml` has the rules; every lock file of the project is held to them. The database of advisories is fetched: where
//! that cannot be done its part is skipped, and that is said, since a check that was not made is not one that passed.

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

/// Holds the crates of one lock file to the rules.
fn deny(root: &Path, manifest: &str, has_database: bool) -> Result<(), String> {
    let config = root.join("deny.toml").display().to_string();
    let mut command = vec!["cargo", "deny", "--locked", "--manifest-path", manifest, "--config", &config, "check"];
    command.extend(["--hide-inclusion-graph", "licenses", "sources", "bans"]);
    command.extend(has_database.then_some("advisories"));
    call(&command)
}

/// The manifests beside which git keeps a lock file. The benches' peers have theirs where `cargo xtask bench` puts them
/// together, and nobody depends on them.
fn workspaces(root: &Path) -> Result<Vec<String>, String> {
    let names = git(root, &["ls-files", "--", "Cargo.lock", "*/Cargo.lock"])?;
    let manifests = names.lines().map(|lock| root.join(lock).with_extension("toml"));
    Ok(manifests.filter(|manifest| manifest.exists()).map(|manifest| manifest.display().to_string()).collect())
}
