//! Reads the published packages of the workspace from `cargo metadata`: names, folders and lowest Rust versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::project_paths;

/// A published package of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The name of the package's library in code; `None` for a package that has only programs.
    pub(crate) library: Option<String>,
    /// The package's folder, relative to the root.
    pub(crate) folder: PathBuf,
    /// The lowest supported Rust version, as declared in the manifest.
    pub(crate) rust_version: String,
}

/// Returns the packages whose manifests allow publishing.
pub(crate) fn published() -> Result<Vec<Package>, String> {
    let metadata = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let metadata = output(Command::new("cargo").args(metadata).current_dir(project_paths::root()))?;
    read(&metadata, project_paths::root()).ok_or_else(|| "`cargo metadata` printed no packages".to_owned())
}

fn read(metadata: &str, root: &Path) -> Option<Vec<Package>> {
    let metadata: Value = serde_json::from_str(metadata).ok()?;
    let packages = metadata.get("packages")?.as_array()?.iter();
    // `publish` is null if the manifest does not restrict publishing, and an empty list for `publish = false`.
    let published = packages.filter(|package| package.get("publish").is_some_and(Value::is_null));
    let text = |package: &Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let read = |package: &Value| {
        let manifest = PathBuf::from(text(package, "manifest_path")?);
        let folder = manifest.parent()?;
        Some(Package {
            name: text(package, "name")?,
            library: library(package),
            folder: folder.strip_prefix(root).unwrap_or(folder).to_owned(),
            rust_version: text(package, "rust_version")?,
        })
    };
    published.map(read).collect()
}

fn library(package: &Value) -> Option<String> {
    let mut targets = package.get("targets")?.as_array()?.iter();
    let is_library = |target: &&Value| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"lib".into()));
    Some(targets.find(is_library)?.get("name")?.as_str()?.to_owned())
}

/// Returns a command that runs the Cargo program by which this process was started.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command, and returns its trimmed standard output, or its standard error if the command fails.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?} does not start: {error}"))?;
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(text.trim().to_owned()) } else { Err(errors.trim().to_owned()) }
}

#[cfg(test)]
impl Package {
    /// Creates a package for tests in which only the name matters.
    pub(crate) fn of_test(name: &str) -> Self {
        Self { name: name.to_owned(), library: Some(name.to_owned()), folder: name.into(), rust_version: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_packages_are_those_that_metadata_allows_to_publish() {
        let metadata = r#"{"packages": [
            {"name": "a", "publish": null, "manifest_path": "/p/one/a/Cargo.toml", "rust_version": "1.85",
             "targets": [{"kind": ["test"], "name": "t"}, {"kind": ["lib"], "name": "b"}]},
            {"name": "b", "publish": [], "manifest_path": "/p/b/Cargo.toml", "rust_version": null},
            {"name": "c", "publish": null, "manifest_path": "/p/c/Cargo.toml", "rust_version": "1.85",
             "targets": [{"kind": ["bin"], "name": "c"}]}
        ]}"#;
        let package = |name: &str, library: Option<&str>, folder: &str| Package {
            name: name.to_owned(),
            library: library.map(str::to_owned),
            folder: folder.into(),
            rust_version: "1.85".to_owned(),
        };
        let published = vec![package("a", Some("b"), "one/a"), package("c", None, "c")];
        assert_eq!(read(metadata, Path::new("/p")), Some(published));
        assert_eq!(read("{}", Path::new("/p")), None);
        assert_eq!(read(&metadata.replace("\"1.85\"", "null"), Path::new("/p")), None, "a missing lowest Rust");
    }

    #[test]
    fn output_of_a_failing_command_is_its_error_text() {
        let error = output(Command::new("cargo").arg("--no-such-flag"));
        assert!(error.is_err_and(|why| why.contains("--no-such-flag")));
    }
}
