//! Builds the docs, and the libraries with the lowest versions that the manifests allow.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Outcome, Release};
use crate::files;
use crate::git::git;
use crate::project_paths;
use crate::workspace::{Package, output};

/// Builds the docs; a warning, such as a broken link, is an error.
pub(super) fn docs() -> Result<Outcome, String> {
    let doc = ["doc", "--workspace", "--no-deps", "--all-features", "--locked", "--quiet"];
    output(Command::new("cargo").args(doc).current_dir(project_paths::root()).env("RUSTDOCFLAGS", "--deny warnings"))?;
    Ok(Outcome::Passed)
}

/// Builds the published libraries with the lowest version of each dependency that their manifests allow.
///
/// The build runs in a separate checkout, because Cargo writes the versions into the lock file. The workspace of this
/// checkout contains only the published libraries, because Cargo resolves the versions of all members together.
/// Development dependencies are removed, because users never build them.
pub(super) fn lowest_versions(release: &Release) -> Result<Outcome, String> {
    let checkout = checkout()?;
    let manifest = checkout.join("Cargo.toml");
    files::write(&manifest, &with_members(&files::read(&manifest)?, release.libraries())?)?;
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        // `-Z` flags need a nightly Cargo or this variable.
        command.args(arguments).current_dir(&checkout).env("RUSTC_BOOTSTRAP", "1");
        output(command.env("CARGO_TARGET_DIR", project_paths::target().join("lowest-versions")))
    };
    cargo(&["hack", "--remove-dev-deps", "--workspace"])?;
    cargo(&["update", "--quiet", "-Z", "direct-minimal-versions"])?;
    cargo(&["check", "--quiet", "--workspace", "--all-features"])?;
    Ok(Outcome::Passed)
}

/// Checks out the current commit into a separate folder.
fn checkout() -> Result<PathBuf, String> {
    let folder = project_paths::target().join("release-check");
    let _ = fs::remove_dir_all(&folder);
    git(project_paths::root(), &["clone", "--quiet", "--shared", ".", &folder.display().to_string()])?;
    Ok(folder)
}

/// Returns the root's manifest with only these packages as members.
fn with_members<'a>(manifest: &str, packages: impl Iterator<Item = &'a Package>) -> Result<String, String> {
    let members = manifest.lines().find(|line| line.starts_with("members = "));
    let members = members.ok_or("the root's manifest has no line `members = […]`")?;
    let folders: Vec<&Path> = packages.map(|package| package.folder.as_path()).collect();
    // Rust prints a list of paths in the syntax of a TOML array.
    Ok(manifest.replace(members, &format!("members = {folders:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_manifest_are_replaced_by_the_given_packages() {
        let packages = ["runtime", "shared-gate"].map(Package::of_test);
        let manifest = "[workspace]\nmembers = [\"a\", \"b\"]\nexclude = []\n";
        let expected = "[workspace]\nmembers = [\"runtime\", \"shared-gate\"]\nexclude = []\n";
        assert_eq!(with_members(manifest, packages.iter()), Ok(expected.to_owned()));
        assert!(with_members("[package]\n", packages.iter()).is_err());
    }
}
