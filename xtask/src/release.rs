//! `cargo xtask release-check`: whether what is committed may become a release.
//!
//! The workspace and its last tag come in, a verdict on each thing that a release promises goes out; all are tried
//! before it ends. Nothing is published or tagged here.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Args;
use evolve::diff::Verdict;

use crate::diff::verdict_since;
use crate::git::git;
use crate::paths;
use crate::terminal::{fail, say};
use crate::verify::{call, run_check};

/// Check that what is committed may become a release
///
/// The version agrees with what changed since the last tag, the changelog has an entry for it, the docs have no broken link,
/// every published crate is packaged and the packages build without a network, the lowest versions that the manifests
/// name are enough, and every set of features builds.
#[derive(Args)]
pub(crate) struct ReleaseCheck {}

/// What a release promises, and how that is found out.
struct Step {
    name: &'static str,
    run: fn() -> Result<Told, String>,
}

/// How a step ended that did not fail.
enum Told {
    Holds,
    /// It does not apply, and why.
    Skipped(String),
}

/// The quick ones first.
const STEPS: &[Step] = &[
    Step { name: "changelog", run: changelog },
    Step { name: "version", run: version },
    Step { name: "semver", run: semver },
    Step { name: "docs", run: docs },
    Step { name: "lowest versions", run: lowest_versions },
    Step { name: "lowest Rust", run: || run_check("lowest-rust").map(|()| Told::Holds) },
    Step { name: "features", run: || run_check("features").map(|()| Told::Holds) },
    Step { name: "packages", run: packages },
];

impl ReleaseCheck {
    #[allow(clippy::unused_self)] // As every other command.
    pub(crate) fn run(&self) -> ExitCode {
        let mut failures = Vec::new();
        for step in STEPS {
            say(&format!("== {}\n", step.name));
            match (step.run)() {
                Ok(Told::Holds) => say("holds\n"),
                Ok(Told::Skipped(why)) => say(&format!("SKIPPED: {why}\n")),
                Err(why) => {
                    say(&format!("FAILED: {why}\n"));
                    failures.push(step.name);
                }
            }
        }
        match failures.as_slice() {
            [] => ExitCode::SUCCESS,
            names => fail(&format!("error: this is no release yet: {}\n", names.join(", "))),
        }
    }
}

/// The version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn changelog() -> Result<Told, String> {
    let path = paths::root().join("CHANGELOG.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    match entry(&text, VERSION) {
        Some(entry) if !entry.trim().is_empty() => Ok(Told::Holds),
        Some(_) => Err(format!("the entry `## {VERSION}` of CHANGELOG.md is empty")),
        None => Err(format!("CHANGELOG.md has no entry `## {VERSION}`")),
    }
}

/// What a changelog says of a version: the lines below its heading.
fn entry<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let mut sections = changelog.split("\n## ").skip(1);
    sections.find_map(|section| {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        let named = heading.split_whitespace().next().unwrap_or_default();
        (named.trim_matches(['[', ']']) == version).then_some(body)
    })
}

fn version() -> Result<Told, String> {
    let Some(tag) = last_tag() else { return Ok(no_tag()) };
    agrees(verdict_since(&tag)?, tag.trim_start_matches('v'))
}

/// Whether the version has gone up as the changes of the catalogue ask for; a release of anything is a patch at least.
fn agrees(verdict: Option<Verdict>, released: &str) -> Result<Told, String> {
    let verdict = verdict.unwrap_or(Verdict::Patch);
    let wanted = verdict.after(released).ok_or_else(|| format!("the last tag names no version: {released}"))?.next;
    if numbers(VERSION) >= numbers(&wanted) {
        return Ok(Told::Holds);
    }
    Err(format!("the verdict on the catalogue is {verdict}, so {released} is followed by {wanted}, not by {VERSION}"))
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

fn semver() -> Result<Told, String> {
    let Some(tag) = last_tag() else { return Ok(no_tag()) };
    call(&with_published(&["cargo", "semver-checks", "--baseline-rev", &tag, "--all-features"], &published()?))?;
    Ok(Told::Holds)
}

fn no_tag() -> Told {
    Told::Skipped("there is no tag yet, so there is nothing to compare with".to_owned())
}

/// The newest tag of a version before what is checked out.
fn last_tag() -> Option<String> {
    let tag = git(paths::root(), &["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]).ok()?;
    Some(tag.trim().to_owned())
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?} does not start: {error}"))?;
    let (told, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(told.trim().to_owned()) } else { Err(failed.trim().to_owned()) }
}

fn docs() -> Result<Told, String> {
    let doc = ["doc", "--workspace", "--no-deps", "--all-features", "--locked", "--quiet"];
    output(Command::new("cargo").args(doc).current_dir(paths::root()).env("RUSTDOCFLAGS", "--deny warnings"))?;
    Ok(Told::Holds)
}

/// Builds the published crates with the lowest version of each dependency that their manifests allow.
///
/// Another checkout is needed for that, as Cargo writes the versions into the lock file.
fn lowest_versions() -> Result<Told, String> {
    let folder = checkout()?;
    let cargo = |arguments: &[&str]| {
        // Only a nightly Cargo has the flag by itself.
        let mut command = Command::new("cargo");
        output(command.args(arguments).current_dir(&folder).env("RUSTC_BOOTSTRAP", "1"))
    };
    cargo(&["update", "--quiet", "-Z", "direct-minimal-versions"])?;
    cargo(&with_published(&["check", "--quiet", "--all-features"], &published()?))?;
    Ok(Told::Holds)
}

/// What is committed, in a folder of its own.
fn checkout() -> Result<PathBuf, String> {
    let folder = paths::target().join("release-check");
    let _ = std::fs::remove_dir_all(&folder);
    git(paths::root(), &["clone", "--quiet", "--shared", ".", &folder.display().to_string()])?;
    Ok(folder)
}

/// Packages what is published in one call, so that each package is built against the others; needs no network.
fn packages() -> Result<Told, String> {
    call(&with_published(&["cargo", "package", "--offline", "--locked", "--quiet"], &published()?))?;
    Ok(Told::Holds)
}

/// A command for these packages.
fn with_published<'a>(command: &[&'a str], packages: &'a [String]) -> Vec<&'a str> {
    let named = packages.iter().flat_map(|package| ["--package", package.as_str()]);
    command.iter().copied().chain(named).collect()
}

/// The crates of the workspace whose manifests do not forbid that they are published.
fn published() -> Result<Vec<String>, String> {
    let metadata = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let metadata = output(Command::new("cargo").args(metadata).current_dir(paths::root()))?;
    names(&metadata).ok_or_else(|| "`cargo metadata` prints no packages".to_owned())
}

fn names(metadata: &str) -> Option<Vec<String>> {
    let metadata: serde_json::Value = serde_json::from_str(metadata).ok()?;
    let packages = metadata.get("packages")?.as_array()?.iter();
    let published = packages.filter(|package| package.get("publish").is_some_and(serde_json::Value::is_null));
    published.map(|package| Some(package.get("name")?.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_of_a_version_is_found_by_its_heading() {
        let text = "# Changes\n\n## Unreleased\n\n- more\n\n## 0.2.0 (2026-01-01)\n\n- new\n\n## [0.1.0]\n";
        assert_eq!(entry(text, "0.2.0"), Some("\n- new\n"));
        assert_eq!(entry(text, "0.1.0"), Some(""));
        assert_eq!(entry(text, "0.3.0"), None);
    }

    #[test]
    fn what_may_not_be_published_is_left_out() {
        let metadata = r#"{"packages": [{"name": "a", "publish": null}, {"name": "b", "publish": []}]}"#;
        assert_eq!(names(metadata), Some(vec!["a".to_owned()]));
        assert_eq!(names("{}"), None);
    }

    #[test]
    fn a_version_that_is_too_low_for_what_changed_is_refused() {
        for (verdict, released, holds) in [
            (None, "0.0.9", true),
            (None, VERSION, false),
            (Some(Verdict::Major), "0.0.9", true),
            (Some(Verdict::Major), VERSION, false),
            (Some(Verdict::Minor), "99.0.0", false),
            (None, "first", false),
        ] {
            assert_eq!(agrees(verdict, released).is_ok(), holds, "{verdict:?} after {released}");
        }
    }
}
