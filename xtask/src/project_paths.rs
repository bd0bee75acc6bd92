//! Paths of the project's parts.

use std::fs;
use std::path::{Path, PathBuf, is_separator};
use std::sync::LazyLock;

/// The project's root: the checkout that contains the current folder or, outside of any checkout, the one for which
/// Cargo runs this program. Checkouts that share a target folder also share this program, so the folder in which it was
/// compiled is used last.
static ROOT: LazyLock<PathBuf> = LazyLock::new(find_root);

fn find_root() -> PathBuf {
    if let Some(root) = nearest(&current_folder(), "xtask/Cargo.toml") {
        return root;
    }
    let xtask = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")),
    };
    match xtask.parent() {
        Some(root) => root.to_owned(),
        None => xtask,
    }
}

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
    match nearest(&current_folder(), "spec/service.yaml") {
        Some(folder) => folder.join("spec"),
        None => own_spec(),
    }
}

fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The nearest folder, the given one or one above it, that contains a file.
fn nearest(folder: &Path, file: &str) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        if folder.join(file).is_file() {
            return Some(folder.to_owned());
        }
    }
    None
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
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let name = match manifest_text(&manifest, "[package]", "name") {
        Some(name) => name.to_owned(),
        None => folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    name.replace(|character: char| !character.is_alphanumeric() && character != '-' && character != '_', "-")
}

/// The text of a key in a section of a manifest; `None` if there is no such section or key.
pub(crate) fn manifest_text<'m>(manifest: &'m str, section: &str, key: &str) -> Option<&'m str> {
    let mut is_in_section = false;
    for line in manifest.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            is_in_section = line == section;
        } else if is_in_section && let Some(rest) = line.strip_prefix(key) {
            let value = rest.trim_start().strip_prefix('=')?;
            return value.split(['"', '\'']).nth(1);
        }
    }
    None
}

/// `true` if two paths lead to the same folder.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    if one == other {
        return true;
    }
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// A path relative to the project's root; a path outside the project is returned unchanged.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// A path as one word of a command, which a user can copy to a shell.
pub(crate) fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain =
        |character: char| character.is_alphanumeric() || "_-.:=@%+,".contains(character) || is_separator(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    let quote = if cfg!(windows) { "''" } else { r"'\''" };
    format!("'{}'", text.replace('\'', quote))
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The folder of the emitted documents about the service, for users and other tools.
pub(crate) fn docs() -> PathBuf {
    root().join("docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_command() {
        let quote = if cfg!(windows) { "''" } else { r"'\''" };
        for (path, expected) in [
            ("books/spec", "books/spec".to_owned()),
            ("my books/spec", "'my books/spec'".to_owned()),
            ("o'brien", format!("'o{quote}brien'")),
        ] {
            assert_eq!(word(Path::new(path)), expected);
        }
    }

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
