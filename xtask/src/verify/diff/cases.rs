//! The recorded kinds of change, each with both clients as they are emitted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Api, File, Package};
use evolve::diff::compare;

use crate::files::{named, read};
use crate::paths;

/// A folder of `evolve/tests/diffs`.
pub(super) struct Case {
    pub(super) name: String,
    /// The verdict that is recorded in the folder.
    pub(super) recorded: String,
    /// The weaker verdict of cargo-semver-checks, if it misses something.
    pub(super) seen: Option<String>,
    /// The verdict of `cargo xtask diff`.
    pub(super) ours: String,
    pub(super) before: Vec<File>,
    pub(super) after: Vec<File>,
    /// Names and texts.
    pub(super) programs: Vec<(&'static str, String)>,
}

impl Case {
    pub(super) fn client(&self, side: &str) -> &[File] {
        if side == "before" { &self.before } else { &self.after }
    }

    /// The name of a program of the case beside one of its clients.
    pub(super) fn example(&self, program: &str, side: &str) -> String {
        format!("{}_{program}_{side}", self.name)
    }

    /// Whether a program has to run to show something.
    pub(super) fn is_run(&self) -> bool {
        self.programs.iter().any(|(_, text)| !text.contains("fn main() {}"))
    }
}

pub(super) fn all() -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for folder in entries(&paths::root().join("evolve/tests/diffs"))? {
        if folder.join("verdict.txt").exists() {
            cases.push(case(&folder)?);
        }
    }
    Ok(cases)
}

fn case(folder: &Path) -> Result<Case, String> {
    let common = folder.with_file_name("common");
    let model = |side: &str| model(&[&common, &folder.join(side)]);
    let (before, after) = (model("before")?, model("after")?);
    let verdict = read(&folder.join("verdict.txt"))?;
    let mut lines = verdict.lines();
    let recorded = lines.next().unwrap_or_default().to_owned();
    let seen = lines.next().and_then(|line| line.strip_prefix("cargo-semver-checks sees ")).map(str::to_owned);
    let mut programs = vec![("downstream", read(&folder.join("downstream.rs"))?)];
    if folder.join("upgraded.rs").exists() {
        programs.push(("upgraded", read(&folder.join("upgraded.rs"))?));
    }
    Ok(Case {
        name: name(folder),
        recorded,
        seen,
        ours: compare(&before, &after).verdict().map_or("none", |verdict| verdict.word()).to_owned(),
        before: client(&before),
        after: client(&after),
        programs,
    })
}

/// A client as its users get it, on the runtime of the project.
fn client(api: &Api) -> Vec<File> {
    let package = Package::new("generated-client");
    let emitted = codegen::emit(api, &package).into_iter();
    let emitted = emitted.map(|file| File { path: format!("src/generated/{}", file.path), ..file });
    emitted.chain(codegen::scaffold(api, &package, &paths::root().join("runtime").display().to_string())).collect()
}

/// The model of several folders of YAML; a file of a later folder replaces that of an earlier one.
fn model(folders: &[&Path]) -> Result<Api, String> {
    let mut texts = BTreeMap::new();
    for folder in folders.iter().filter(|folder| folder.exists()) {
        for path in entries(folder)? {
            texts.insert(name(&path), read(&path)?);
        }
    }
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    codegen::resolve(&codegen::load_texts(&texts)).map_err(|diagnostics| diagnostics.to_string())
}

/// What a folder holds, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.map_err(|error| named(folder, error))?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
