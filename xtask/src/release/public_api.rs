//! Compares the public API of the published crates, including hidden items, with the recorded API. Because the record
//! is committed, every change of the API is visible in the diff of a commit.
//!
//! The JSON output of rustdoc is converted to a text with one line for each public item, which is compared with the
//! file in `xtask/public-api/`; `UPDATE_EXPECT=1` overwrites the file. The client is omitted, because its public items
//! are emitted, and `cargo xtask diff` reports their changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use similar::TextDiff;

use super::{Outcome, Release};
use crate::files;
use crate::project_paths;
use crate::workspace::{Package, output};

pub(super) fn public_api(release: &Release) -> Result<Outcome, String> {
    let libraries = release.published.iter().filter_map(|package| Some((package, package.library.as_deref()?)));
    let by_hand = libraries.filter(|(package, _)| package.name != "generated-client");
    let accepts = std::env::var_os("UPDATE_EXPECT").is_some();
    let differences: Result<Vec<String>, String> = by_hand
        .map(|(package, library)| {
            let record = project_paths::root().join(format!("xtask/public-api/{}.txt", package.name));
            let text = api(package, library)?;
            if accepts { files::write(&record, &text).map(|()| String::new()) } else { difference(&record, &text) }
        })
        .collect();
    let differences = differences?.concat();
    if differences.is_empty() {
        return Ok(Outcome::Passed);
    }
    let remedy = "`UPDATE_EXPECT=1 cargo xtask release-check public-api` records the new API";
    Err(format!("the public API differs from the recorded API; {remedy}\n{differences}"))
}

/// Returns the public items of a crate with all features, one on each line.
fn api(package: &Package, library: &str) -> Result<String, String> {
    let rustdoc = ["rustdoc", "--quiet", "--locked", "--lib", "--all-features", "--package", &package.name];
    let json = ["--", "-Z", "unstable-options", "--output-format", "json"];
    // The JSON format needs a nightly rustdoc or this variable.
    output(
        Command::new("cargo").args(rustdoc).args(json).current_dir(project_paths::root()).env("RUSTC_BOOTSTRAP", "1"),
    )?;
    let api = public_api::Builder::from_rustdoc_json(json_of(library))
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    let api = api.map_err(|error| {
        format!("{}: {error}\nthe crate `public-api` supports only certain Rust versions", package.name)
    })?;
    Ok(api.to_string())
}

/// Returns the path of the file that rustdoc writes, which is named after the library.
fn json_of(library: &str) -> PathBuf {
    project_paths::target().join("doc").join(format!("{library}.json"))
}

/// Returns the difference from the recorded file; empty if there is none. A missing file counts as empty.
fn difference(record: &Path, text: &str) -> Result<String, String> {
    let recorded = match fs::read_to_string(record) {
        Ok(recorded) => recorded,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(files::named(record, error)),
    };
    let (shown, diff) = (project_paths::shown(record), TextDiff::from_lines(recorded.as_str(), text));
    Ok(diff.unified_diff().context_radius(0).header(&shown, "now").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_and_added_items_are_reported() {
        let record = project_paths::target().join("public-api-of-a-test.txt");
        files::write(&record, "pub fn a::old()\npub fn a::same()\n").unwrap_or_default();
        assert_eq!(difference(&record, "pub fn a::old()\npub fn a::same()\n"), Ok(String::new()));
        let text = difference(&record, "pub fn a::same()\npub fn a::new()\n").unwrap_or_default();
        assert!(text.contains("\n-pub fn a::old()\n") && text.contains("\n+pub fn a::new()\n"), "{text}");
        assert!(!text.contains("a::same"), "{text}");
        let none =
            difference(&project_paths::target().join("no-such-record.txt"), "pub fn a::new()\n").unwrap_or_default();
        assert!(none.contains("\n+pub fn a::new()\n"), "{none}");
    }
}
