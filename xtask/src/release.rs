//! `cargo xtask release-check`: checks that the current commit is ready for a release.
//!
//! Each step checks one requirement of a release. All steps run even if one fails. Nothing is published or tagged here.

mod builds;
mod public_api;
mod version;

use std::process::ExitCode;

use clap::Args;

use crate::git::git;
use crate::project_paths;
use crate::terminal::{fail, print};
use crate::verify::run_check;
use crate::workspace::{self, Package};

/// Check that the commit is ready for a release
///
/// The steps check these requirements: the version matches the changes since the last tag; the changelog has an entry
/// for the version; the public API equals the recorded API; the docs have no broken links; the packages of all published
/// crates build without a network; the libraries build with the lowest dependency versions that the manifests allow,
/// and on the lowest supported Rust; every set of features builds.
#[derive(Args)]
pub(crate) struct ReleaseCheck {
    /// The steps to run; default: all
    #[arg(value_name = "STEP", value_parser = STEPS.map(|step| step.name))]
    steps: Vec<String>,
}

/// The data about the release that the steps need.
struct Release {
    published: Vec<Package>,
    /// The newest version tag before the current commit; `None` if there is none.
    last_tag: Option<String>,
}

/// The check of one requirement of a release.
struct Step {
    name: &'static str,
    run: fn(&Release) -> Result<Outcome, String>,
}

/// The outcome of a step that did not fail.
enum Outcome {
    Passed,
    /// The step does not apply, for this reason.
    Skipped(String),
}

/// All steps, in the order in which they run: quick steps first.
const STEPS: [Step; 9] = [
    Step { name: "changelog", run: |_| version::changelog() },
    Step { name: "version", run: version::version },
    Step { name: "semver", run: version::semver },
    Step { name: "public-api", run: public_api::public_api },
    Step { name: "docs", run: |_| builds::docs() },
    Step { name: "lowest-versions", run: builds::lowest_versions },
    Step { name: "lowest-rust", run: |_| run_check("lowest-rust").map(|()| Outcome::Passed) },
    Step { name: "features", run: |_| run_check("features").map(|()| Outcome::Passed) },
    Step { name: "packages", run: |_| run_check("packages").map(|()| Outcome::Passed) },
];

impl ReleaseCheck {
    pub(crate) fn run(&self) -> ExitCode {
        let release = match Release::of_workspace(self.steps.is_empty()) {
            Ok(release) => release,
            Err(why) => return fail(&format!("error: {why}\n")),
        };
        let chosen = |step: &&Step| self.steps.is_empty() || self.steps.iter().any(|name| name == step.name);
        let failed: Vec<&str> =
            STEPS.iter().filter(chosen).filter(|step| !step.passes(&release)).map(|step| step.name).collect();
        match failed.as_slice() {
            [] => ExitCode::SUCCESS,
            names => fail(&format!("error: not ready for release; failed: {}\n", names.join(", "))),
        }
    }
}

impl Release {
    fn of_workspace(runs_all: bool) -> Result<Self, String> {
        let git = |arguments: &[&str]| git(project_paths::root(), arguments);
        // Some steps check the commit and others check the files, so there must be no uncommitted changes.
        if runs_all && !git(&["status", "--porcelain"])?.is_empty() {
            return Err("uncommitted changes; commit them, or name the steps to run".to_owned());
        }
        if git(&["rev-parse", "--is-shallow-repository"])?.trim() == "true" {
            return Err("the last tag is unknown because this clone is shallow; run `git fetch --unshallow`".to_owned());
        }
        let tags = git(&[
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

    /// Returns the published packages that have a library, so that other crates can depend on them.
    fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.published.iter().filter(|package| package.library.is_some())
    }
}

/// Returns a command with `--package NAME` for each of these packages.
fn with_packages<'a>(command: &[&'a str], packages: impl Iterator<Item = &'a Package>) -> Vec<&'a str> {
    command.iter().copied().chain(packages.flat_map(|package| ["--package", package.name.as_str()])).collect()
}

impl Step {
    /// Runs the step and prints the outcome; returns `false` if the step failed.
    fn passes(&self, release: &Release) -> bool {
        print(&format!("== {}\n", self.name));
        let (outcome, passes) = match (self.run)(release) {
            Ok(Outcome::Passed) => ("passed".to_owned(), true),
            Ok(Outcome::Skipped(why)) => (format!("SKIPPED: {why}"), true),
            Err(why) => (format!("FAILED: {why}"), false),
        };
        print(&format!("{outcome}\n"));
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_step_passes_and_a_failed_one_does_not() {
        let release = Release { published: Vec::new(), last_tag: None };
        let passes = |run| Step { name: "probe", run }.passes(&release);
        assert!(passes(|_| Ok(Outcome::Passed)) && passes(|_| Ok(Outcome::Skipped("no tag".to_owned()))));
        assert!(!passes(|_| Err("broken".to_owned())));
    }

    #[test]
    fn command_names_every_package_and_programs_are_not_libraries() {
        let (a, mut b) = (Package::of_test("a"), Package::of_test("b"));
        b.library = None;
        let release = Release { published: vec![a, b], last_tag: None };
        let published = with_packages(&["cargo", "package"], release.published.iter());
        assert_eq!(published, ["cargo", "package", "--package", "a", "--package", "b"]);
        assert_eq!(with_packages(&[], release.libraries()), ["--package", "a"]);
    }
}
