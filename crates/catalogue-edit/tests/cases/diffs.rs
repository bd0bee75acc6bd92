//! Every file of `diffs/` is a test. Its input is a change of a catalogue. The expected output is the exact report of
//! the consequences for users.
//!
//! `UPDATE_EXPECT=1 cargo test -p catalogue-edit --test cases diffs::` writes the actual output to the cases. It does not write
//! verdicts: they are written by hand, as `diffs/README.md` describes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catalogue::Api;
use catalogue_edit::diff;
use codegen::Package;
use libtest_mimic::{Failed, Trial};
use recorded_cases::{Archive, Expected, Texts, archives, entries, name};

use crate::verdicts;

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |path: PathBuf| Trial::test(format!("diffs::{}", case_name(&path)), move || check(&path));
    let mut trials: Vec<_> = paths().into_iter().map(trial).collect();
    // Compiles 120 clients, which takes minutes.
    trials.push(Trial::test("diffs::verdicts_are_what_the_compiler_finds", verdicts::check).with_ignored_flag(true));
    trials
}

pub(crate) fn paths() -> Vec<PathBuf> {
    let paths = archives(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diffs"));
    assert!(paths.len() >= 100, "most cases are missing");
    paths
}

fn case_name(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// A change of a catalogue.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) before: Api,
    pub(crate) after: Api,
    pub(crate) verdict: String,
    /// A program that works before the change.
    pub(crate) downstream: String,
    /// A program that works after the change.
    pub(crate) upgraded: Option<String>,
    expected: Expected,
}

impl Case {
    pub(crate) fn read(path: &Path) -> Result<Self, Failed> {
        let mut archive = Archive::read(path)?;
        let before = model(archive.take_folder("before"))?;
        let after = model(archive.take_folder("after"))?;
        let verdict = archive.take("verdict").ok_or("the part `verdict` is missing")?;
        let case = Self {
            name: case_name(path),
            before,
            after,
            verdict: verdict.trim_end().to_owned(),
            downstream: archive.take("downstream.rs").ok_or("the part `downstream.rs` is missing")?,
            upgraded: archive.take("upgraded.rs"),
            expected: archive.take_expected("expected"),
        };
        archive.finish()?;
        if case.verdict == "minor" && case.upgraded.is_none() {
            return Err("a minor change needs `upgraded.rs`, a program that works only after the change".into());
        }
        for program in [Some(&case.downstream), case.upgraded.as_ref()].into_iter().flatten() {
            syn::parse_file(program)?;
        }
        Ok(case)
    }
}

fn check(path: &Path) -> Result<(), Failed> {
    let case = Case::read(path)?;
    let changes = diff::compare(&case.before, &case.after);
    let verdict = changes.verdict().map_or("none".to_owned(), |verdict| verdict.to_string());
    if case.verdict != verdict {
        return Err(format!("the verdict is {verdict}, but {} is recorded\n{changes}", case.verdict).into());
    }
    let emitted = |api| codegen::emit(api, &Package::new("client"));
    let is_same = emitted(&case.before) == emitted(&case.after);
    if is_same != changes.verdict().is_none() {
        return Err(format!("the emitted files are equal: {is_same}, but the changes are:\n{changes}").into());
    }
    let report = format!("{changes}\n{}", changes.changelog());
    case.expected.compare(&format!("{}\n", report.trim_end()))
}

/// Returns the model of the common catalogue, in which some files are replaced.
fn model(files: Texts) -> Result<Api, Failed> {
    let common = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diffs/common"));
    let common = common.iter().map(|path| (name(path), fs::read_to_string(path).expect("a catalogue is text")));
    if let Some((unknown, _)) = files.iter().find(|(name, _)| !catalogue::is_catalogue_file(name)) {
        return Err(format!("`{unknown}` is not a file of a catalogue").into());
    }
    let texts: BTreeMap<_, _> = common.chain(files).collect();
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(catalogue::resolve(&catalogue::load_texts(&texts)).map_err(|diagnostics| diagnostics.to_string())?)
}
