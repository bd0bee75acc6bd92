//! Checks the version against the changelog, the changes of the catalogue and the changes of the crates' API.
//!
//! Without an earlier tag, the comparisons with the last release are skipped.

use std::process::Command;

use evolve::diff::Verdict;

use super::{Outcome, Release, with_packages};
use crate::diff::{next_version, verdict_since};
use crate::files;
use crate::project_paths;
use crate::workspace::output;

/// The version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Checks that the changelog has an entry for the version.
pub(super) fn changelog() -> Result<Outcome, String> {
    let text = files::read(&project_paths::root().join("CHANGELOG.md"))?;
    match entry(&text, VERSION) {
        Some(entry) if !entry.trim().is_empty() => Ok(Outcome::Passed),
        Some(_) => Err(format!("the entry `## {VERSION}` of CHANGELOG.md is empty")),
        None => Err(format!("CHANGELOG.md has no entry `## {VERSION}`")),
    }
}

/// Returns the entry of a version in a changelog: the lines below its heading.
fn entry<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let mut sections = changelog.split("\n## ").skip(1);
    sections.find_map(|section| {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        let named = heading.split_whitespace().next().unwrap_or_default();
        (named.trim_matches(['[', ']']) == version).then_some(body)
    })
}

/// Checks the version against the changes of the catalogue since the last tag.
pub(super) fn version(release: &Release) -> Result<Outcome, String> {
    let Some(tag) = &release.last_tag else { return Ok(no_tag()) };
    agrees(verdict_since(tag)?, tag.trim_start_matches('v'))
}

/// Checks that the version is at least the version that the changes of the catalogue require. Without changes, the next
/// patch version is required.
fn agrees(verdict: Option<Verdict>, released: &str) -> Result<Outcome, String> {
    let verdict = verdict.unwrap_or(Verdict::Patch);
    let wanted = next_version(verdict, released).ok_or_else(|| format!("the last tag is not a version: {released}"))?;
    if numbers(VERSION).is_some_and(|version| numbers(&wanted).is_some_and(|wanted| version >= wanted)) {
        return Ok(Outcome::Passed);
    }
    Err(format!("the catalogue has {verdict} changes since {released}: expected version {wanted}, found {VERSION}"))
}

/// Returns the numbers of a version; `None` for a pre-release.
fn numbers(version: &str) -> Option<Vec<u64>> {
    version.split('.').map(|number| number.parse().ok()).collect()
}

/// Checks the version against the API changes of the published crates since the last tag.
pub(super) fn semver(release: &Release) -> Result<Outcome, String> {
    let Some(tag) = &release.last_tag else { return Ok(no_tag()) };
    let semver = |arguments: &[&str]| {
        output(Command::new("cargo").arg("semver-checks").args(arguments).current_dir(project_paths::root()))
    };
    semver(&["--version"]).map_err(|why| format!("{why}; run `cargo install cargo-semver-checks --locked`"))?;
    semver(&with_packages(&["--baseline-rev", tag, "--all-features"], release.libraries()))?;
    Ok(Outcome::Passed)
}

fn no_tag() -> Outcome {
    Outcome::Skipped("no earlier tag to compare with".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changelog_entry_is_found_by_its_heading() {
        let text = "# Changes\n\n## Unreleased\n\n- more\n\n## 0.2.0 (2026-01-01)\n\n- new\n\n## [0.1.0]\n";
        assert_eq!(entry(text, "0.2.0"), Some("\n- new\n"));
        assert_eq!(entry(text, "0.1.0"), Some(""));
        assert_eq!(entry(text, "0.3.0"), None);
    }

    #[test]
    fn version_too_low_for_the_changes_is_rejected() {
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
