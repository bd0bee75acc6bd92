//! The places of the project's parts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// As Cargo states it for each run: two checkouts that share a target folder share the program, too.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let told = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let xtask = told.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    xtask.parent().map_or(xtask.clone(), Path::to_owned)
});

/// The project's root, wherever a command is called.
pub(crate) fn root() -> &'static Path {
    &ROOT
}

/// The catalogue.
pub(crate) fn spec() -> PathBuf {
    root().join("spec")
}

/// The client of this project.
pub(crate) fn client() -> PathBuf {
    root().join("generated-client")
}

/// Cargo's name of the crate in a folder; a folder without a crate gets one of its own name.
pub(crate) fn package(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok();
    let named = manifest.as_deref().and_then(package_name).map(str::to_owned);
    let of_folder = || folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_part = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
    named.unwrap_or_else(of_folder).replace(|character| !is_part(character), "-")
}

/// The name in a manifest; that of a workspace without a package has none.
fn package_name(manifest: &str) -> Option<&str> {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let line = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| line.strip_prefix("name"))?;
    line.trim_start().strip_prefix('=')?.split(['"', '\'']).nth(1)
}

/// Whether two paths lead to one folder.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
}

/// A path as a person in the project's root would write it.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Where Cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The documents about the service for people and other tools, which the generator owns too.
pub(crate) fn docs() -> PathBuf {
    root().join("docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_name_of_its_crate() {
        assert_eq!(package(&client()), "generated-client");
        assert_eq!(package(&docs()), "docs", "there is no crate");
        for (manifest, expected) in [
            ("# a\n[package]\nversion = \"1.0.0\"\n  name='tides'\n[lib]\nname = \"other\"\n", Some("tides")),
            ("[workspace]\nmembers = []\n[workspace.package]\nname = \"x\"\n", None),
            ("[package]\nversion = \"1.0.0\"\n[lib]\nname = \"other\"\n", None),
        ] {
            assert_eq!(package_name(manifest), expected);
        }
    }
}
