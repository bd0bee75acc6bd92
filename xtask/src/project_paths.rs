//! Paths of the project's parts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The project's root: the checkout that contains the current folder or, outside of any checkout, the one for which
/// Cargo runs this program. Checkouts that share a target folder also share this program, so the folder in which it was
/// compiled is used last.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(root) = nearest(&current_folder(), "xtask/Cargo.toml") {
        return root;
    }
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let xtask = folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    xtask.parent().map_or(xtask.clone(), Path::to_owned)
});

/// The project's root.
pub(crate) fn root() -> &'static Path {
    &ROOT
}

/// The folder of this project's own catalogue.
pub(crate) fn own_spec() -> PathBuf {
    root().join("spec")
}

/// The folder of the catalogue on which commands work by default: the folder `spec` in the current folder or in the
/// nearest folder above it, otherwise this project's own catalogue.
pub(crate) fn spec() -> PathBuf {
    nearest(&current_folder(), "spec/service.yaml").map_or_else(own_spec, |folder| folder.join("spec"))
}

fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The nearest folder, the given one or one above it, that contains a file.
fn nearest(folder: &Path, file: &str) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(file).is_file()).map(Path::to_owned)
}

/// The folder of this project's client.
pub(crate) fn client() -> PathBuf {
    root().join("generated-client")
}

/// The folder of the emitted types in the Python package of this project's command line.
pub(crate) fn python_types() -> PathBuf {
    root().join("crates/derivs/python/derivs/generated")
}

/// The name of the package in a folder; without a package, the name of the folder. Characters that Cargo does not allow
/// become `-`.
pub(crate) fn package(folder: &Path) -> String {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok();
    let named =
        manifest.as_deref().and_then(|manifest| manifest_text(manifest, "[package]", "name")).map(str::to_owned);
    let of_folder = || folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_part = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
    named.unwrap_or_else(of_folder).replace(|character| !is_part(character), "-")
}

/// The text of a key in a section of a manifest; `None` if there is no such section or key.
pub(crate) fn manifest_text<'m>(manifest: &'m str, section: &str, key: &str) -> Option<&'m str> {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != section).skip(1);
    let line = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| line.strip_prefix(key))?;
    line.trim_start().strip_prefix('=')?.split(['"', '\'']).nth(1)
}

/// `true` if two paths lead to the same folder.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
}

/// A path relative to the project's root; a path outside the project is returned unchanged.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The folder of the emitted documents about the service, for users and other tools.
pub(crate) fn docs() -> PathBuf {
    root().join("docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_named_by_its_manifest() {
        assert_eq!(package(&client()), "generated-client");
        assert_eq!(package(&docs()), "docs", "without a crate, the name of the folder");
        for (manifest, expected) in [
            ("# a\n[package]\nversion = \"1.0.0\"\n  name='tides'\n[lib]\nname = \"other\"\n", Some("tides")),
            ("[workspace]\nmembers = []\n[workspace.package]\nname = \"x\"\n", None),
            ("[package]\nversion = \"1.0.0\"\n[lib]\nname = \"other\"\n", None),
        ] {
            assert_eq!(manifest_text(manifest, "[package]", "name"), expected);
        }
    }
}
