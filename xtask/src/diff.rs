//! `cargo xtask diff`: compares the current catalogue with the catalogue at a git revision.

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::process::Command;

use catalogue::Api;
use catalogue_edit::diff::{Changes, Verdict, compare};
use clap::Args;
use serde_json::{Value, json};

use crate::catalogue_errors::rendered;
use crate::project_paths::{self, manifest_text, shown};
use crate::report_format::{self, Annotation, Format, Level};
use crate::terminal::{CommandResult, print};

/// Show what changed in the catalogue, and which version that requires
///
/// Compares spec/ (or `--spec`) with its content at a git revision, and lists the endpoints, params, fields and values
/// that are new, renamed, retyped or removed, by their names in the client.
///
/// The verdict depends on the most severe change: `major` if an existing program no longer compiles or starts, or if
/// its requests are rejected; `minor` if something was added; `patch` otherwise. The output names the next version,
/// which is computed from the version at the revision: below 1.0.0, a major change raises the second number, and any
/// other change the third. At the end there is a changelog entry to copy.
#[derive(Args)]
pub(crate) struct Diff {
    /// The revision to compare with: a commit, a branch or a tag
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// The catalogue, in a git repository
    #[arg(long, value_name = "DIR", default_value_os_t = project_paths::spec())]
    spec: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Fail if the verdict is this or higher: patch, minor or major
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    fail_on: Option<Verdict>,
}

/// The changes since a revision.
struct Comparison {
    changes: Changes,
    versions: Option<Versions>,
}

struct Versions {
    /// The version at the revision.
    present: String,
    /// The version that the changes require.
    next: String,
}

impl Comparison {
    fn text(&self) -> String {
        let mut text = self.changes.to_string();
        if let Some(Versions { present, next }) = &self.versions {
            text += &format!("version: {present} becomes {next}\n");
        }
        let changelog = self.changes.changelog();
        if !changelog.is_empty() {
            text += &format!("\n{changelog}");
        }
        text
    }

    fn json(&self) -> Value {
        let mut changes = Vec::new();
        for change in self.changes.as_slice() {
            changes.push(json!({
                "verdict": change.verdict.to_string(),
                "heading": change.heading.map(|heading| format!("{heading:?}")),
                "text": change.text,
                "locations": change.locations,
            }));
        }
        json!({
            "verdict": self.changes.verdict().map(|verdict| verdict.to_string()),
            "version": self.versions.as_ref().map(|versions| &versions.present),
            "next_version": self.versions.as_ref().map(|versions| &versions.next),
            "changes": changes,
            "changelog": self.changes.changelog(),
        })
    }

    /// One annotation for each change; a change of the model has no line.
    fn annotations(&self) -> String {
        let mut text = String::new();
        for change in self.changes.as_slice() {
            let level = if change.verdict == Verdict::Major { Level::Warning } else { Level::Notice };
            let annotation = Annotation {
                level,
                title: format!("{} change", change.verdict),
                file: String::new(),
                line: None,
                column: None,
                message: change.to_string(),
            };
            text += &annotation.command();
        }
        text + &self.text()
    }
}

impl Diff {
    pub(crate) fn run(&self) -> CommandResult {
        let compared = self.compare()?;
        let changes = &compared.changes;
        print(&match self.format {
            Format::Text => compared.text(),
            Format::Json => report_format::json(&compared.json()),
            Format::Github => compared.annotations(),
        });
        match (self.fail_on, changes.verdict()) {
            (Some(limit), Some(verdict)) if verdict >= limit => {
                Err(format!("error: the verdict is {verdict}; `--fail-on {limit}` does not allow it\n"))
            }
            _ => Ok(()),
        }
    }

    fn compare(&self) -> Result<Comparison, String> {
        let commit = self.commit()?;
        let now = catalogue::read(&self.spec).map_err(|errors| rendered(&errors, &self.spec))?;
        let changes = compare(&self.client_at(&commit)?, &now);
        let mut versions = None;
        if let Some(verdict) = changes.verdict() {
            let manifest = self.git(&["show", &format!("{commit}:Cargo.toml")]).unwrap_or_default();
            let version = manifest_text(&manifest, "[workspace.package]", "version").unwrap_or_default();
            if let Some(next) = next_version(verdict, version) {
                versions = Some(Versions { present: version.to_owned(), next });
            }
        }
        Ok(Comparison { changes, versions })
    }

    /// The model of the client at the commit of the revision.
    fn client_at(&self, commit: &str) -> Result<Api, String> {
        let revision = &self.revision;
        let files = self.catalogue(commit)?;
        let shown = shown(&self.spec);
        if files.is_empty() {
            return Err(format!("error: no catalogue found in {shown}/ at {revision}\n"));
        }
        let mut texts = Vec::new();
        for (name, text) in &files {
            texts.push((name.as_str(), text.as_str()));
        }
        catalogue::resolve(&catalogue::load_texts(&texts)).map_err(|diagnostics| {
            let rendered = diagnostics.render(&format!("{revision}:{shown}/"), stderr().is_terminal());
            format!("{rendered}error: the catalogue at {revision} is invalid under the current rules, so it cannot be compared\n")
        })
    }

    /// The commit of the revision. With `--end-of-options`, git does not parse a revision that begins with `-` as a
    /// flag.
    fn commit(&self) -> Result<String, String> {
        let revision = &self.revision;
        let name = format!("{revision}^{{commit}}");
        match self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]) {
            Ok(commit) => Ok(commit.trim().to_owned()),
            Err(why) if why.is_empty() => {
                let help = "help: `git log --oneline` lists revisions";
                Err(format!("error: git found no revision `{revision}`\n  {help}\n"))
            }
            Err(why) => Err(format!("error: {why}\n")),
        }
    }

    /// The names and texts of the catalogue's files at a commit; empty if the folder did not exist.
    fn catalogue(&self, commit: &str) -> Result<Vec<(String, String)>, String> {
        let folder = format!("{commit}:./");
        let names = self.git(&["ls-tree", "-z", "--name-only", "--full-tree", &folder]).unwrap_or_default();
        let mut files = Vec::new();
        for name in names.split('\0') {
            if catalogue::is_catalogue_file(name) {
                let text = self.git(&["show", &format!("{folder}{name}")]).map_err(|why| format!("error: {why}\n"))?;
                files.push((name.to_owned(), text));
            }
        }
        Ok(files)
    }

    /// Runs git in the catalogue's folder, and returns its output or the reason for its failure.
    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("git").args(arguments).current_dir(&self.spec).output();
        let output = output.map_err(|error| format!("`git` does not start in {}: {error}", self.spec.display()))?;
        if output.status.success() {
            return String::from_utf8(output.stdout)
                .map_err(|_| format!("`git {}` did not print UTF-8", arguments.join(" ")));
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

/// The version that follows `version` by Cargo's rules; `None` if `version` is invalid.
///
/// Below 1.0.0, the first number that is not zero counts as the major version.
fn next_version(verdict: Verdict, version: &str) -> Option<String> {
    let release = version.split(['-', '+']).next()?;
    let mut numbers: Vec<u64> = Vec::new();
    for number in release.split('.') {
        numbers.push(number.parse().ok()?);
    }
    let [major, minor, patch] = numbers[..] else { return None };
    Some(match (major, minor, verdict) {
        (1.., _, Verdict::Major) => format!("{}.0.0", major + 1),
        (0, 1.., Verdict::Major) | (1.., _, Verdict::Minor) => format!("{major}.{}.0", minor + 1),
        _ => format!("{major}.{minor}.{}", patch + 1),
    })
}

/// Parses the label of a verdict.
fn verdict(label: &str) -> Result<Verdict, String> {
    for verdict in [Verdict::Patch, Verdict::Minor, Verdict::Major] {
        if verdict.to_string() == label {
            return Ok(verdict);
        }
    }
    Err("a verdict is `patch`, `minor` or `major`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Major, Minor, Patch};
    use super::*;

    #[test]
    fn version_is_that_of_the_workspace() {
        let version = |manifest| manifest_text(manifest, "[workspace.package]", "version");
        assert_eq!(version(include_str!("../../Cargo.toml")), Some(env!("CARGO_PKG_VERSION")));
        assert_eq!(version("[package]\nversion = \"3.0.0\"\n"), None);
    }

    #[test]
    fn next_version_follows_cargo_semver() {
        for (version, verdict, expected) in [
            ("1.2.3", Patch, "1.2.4"),
            ("1.2.3", Minor, "1.3.0"),
            ("1.2.3", Major, "2.0.0"),
            ("0.1.0", Patch, "0.1.1"),
            ("0.1.5", Minor, "0.1.6"),
            ("0.1.5", Major, "0.2.0"),
            ("0.0.3", Minor, "0.0.4"),
            ("0.0.3", Major, "0.0.4"),
            ("1.0.0-rc.1", Minor, "1.1.0"),
        ] {
            let next = next_version(verdict, version);
            assert_eq!(next.as_deref(), Some(expected), "{version} and a {verdict} change");
        }
        for text in ["", "1.0", "one.two.three", "1.2.3.4"] {
            assert_eq!(next_version(Patch, text), None, "{text}");
        }
    }

    #[test]
    fn verdict_is_found_by_its_label() {
        for one in [Patch, Minor, Major] {
            assert_eq!(verdict(&one.to_string()), Ok(one));
        }
        assert!(verdict("breaking").is_err());
    }
}
