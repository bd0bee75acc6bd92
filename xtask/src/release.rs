//! `cargo xtask release-check`: checks that the current commit is ready for a release.
//!
//! Checks the workspace and its last tag against each requirement of a release; all checks run even if one fails.
//! Nothing is published or tagged here.

mod builds;
mod public_api;
mod version;

use std::process::ExitCode;

use clap::Args;

use crate::git::git;
use crate::paths;
use crate::terminal::{fail, say};
use crate::verify::run_check;
use crate::workspace::{self, Package};

/// Check that the commit is ready for a release
///
/// The version matches the changes since the last tag, the changelog has an entry for it, the public API is the
/// recorded one, the docs have no broken link, every published crate is packaged and the packages build without a
/// network, the lowest versions that the manifests allow are sufficient, and every set of features builds.
#[derive(Args)]
pub(crate) struct ReleaseCheck {
    /// The steps to run; by default all of them
    #[arg(value_name = "STEP", value_parser = STEPS.map(|step| step.name))]
    steps: Vec<String>,
}

/// The version to release.
struct Release {
    published: Vec<Package>,
    /// The newest tag of a version before the commit that is checked out.
    last_tag: Option<String>,
}

/// A requirement of a release, and its check.
struct Step {
    name: &'static str,
    run: fn(&Release) -> Result<Told, String>,
}

/// The outcome of a step that did not fail.
enum Told {
    Holds,
    /// The step does not apply, for this reason.
    Skipped(String),
}

/// All steps, quick ones first.
const STEPS: [Step; 9] = [
    Step { name: "changelog", run: |_| version::changelog() },
    Step { name: "version", run: version::version },
    Step { name: "semver", run: version::semver },
    Step { name: "public-api", run: public_api::public_api },
    Step { name: "docs", run: |_| builds::docs() },
    Step { name: "lowest-versions", run: builds::lowest_versions },
    Step { name: "lowest-rust", run: |_| run_check("lowest-rust").map(|()| Told::Holds) },
    Step { name: "features", run: |_| run_check("features").map(|()| Told::Holds) },
    Step { name: "packages", run: builds::packages },
];

impl ReleaseCheck {
    pub(crate) fn run(&self) -> ExitCode {
        let release = match Release::of_workspace(self.steps.is_empty()) {
            Ok(release) => release,
            Err(why) => return fail(&format!("error: {why}\n")),
        };
        let chosen = |step: &&Step| self.steps.is_empty() || self.steps.iter().any(|name| name == step.name);
        let failed: Vec<&str> =
            STEPS.iter().filter(chosen).filter(|step| !step.holds(&release)).map(|step| step.name).collect();
        match failed.as_slice() {
            [] => ExitCode::SUCCESS,
            names => fail(&format!("error: not ready for release; failed: {}\n", names.join(", "))),
        }
    }
}

impl Release {
    fn of_workspace(is_whole: bool) -> Result<Self, String> {
        let asked = |arguments: &[&str]| git(paths::root(), arguments);
        // Some steps read the commit, others the files of the folder.
        if is_whole && !asked(&["status", "--porcelain"])?.is_empty() {
            return Err("uncommitted changes; commit them, or name the steps to run".to_owned());
        }
        if asked(&["rev-parse", "--is-shallow-repository"])?.trim() == "true" {
            return Err("the last tag is unknown because this clone is shallow; run `git fetch --unshallow`".to_owned());
        }
        let tags = asked(&[
            "tag",
            "--list",
            "v[0-9]*",
            "--merged",
            "HEAD",
            "--no-contains",
            "HEAD",
            "--sort",
            "-version:refname",
        ])?;
        Ok(Self { published: workspace::published()?, last_tag: tags.lines().next().map(str::to_owned) })
    }

    /// A command with the published packages as arguments.
    fn command<'a>(&'a self, command: &[&'a str]) -> Vec<&'a str> {
        let named = self.published.iter().flat_map(|package| ["--package", package.name.as_str()]);
        command.iter().copied().chain(named).collect()
    }
}

impl Step {
    /// Runs it, and prints the outcome.
    fn holds(&self, release: &Release) -> bool {
        say(&format!("== {}\n", self.name));
        let (told, holds) = match (self.run)(release) {
            Ok(Told::Holds) => ("holds".to_owned(), true),
            Ok(Told::Skipped(why)) => (format!("SKIPPED: {why}"), true),
            Err(why) => (format!("FAILED: {why}"), false),
        };
        say(&format!("{told}\n"));
        holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_is_told_from_one_that_does_not_apply() {
        let release = Release { published: Vec::new(), last_tag: None };
        let holds = |run| Step { name: "probe", run }.holds(&release);
        assert!(holds(|_| Ok(Told::Holds)) && holds(|_| Ok(Told::Skipped("no tag".to_owned()))));
        assert!(!holds(|_| Err("broken".to_owned())));
    }

    #[test]
    fn a_command_names_every_package() {
        let package = |name: &str| Package::of_test(name);
        let release = Release { published: vec![package("a"), package("b")], last_tag: None };
        assert_eq!(release.command(&["cargo", "package"]), ["cargo", "package", "--package", "a", "--package", "b"]);
    }
}
