//! Every folder of `diffs/` is a test: a change of a catalogue in, what it means for downstream out, to the letter.
//!
//! `UPDATE_EXPECT=1 cargo test -p codegen --test diffs` accepts what came out, but never a verdict:
//! that is written by hand. `diffs/README.md` says more.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use codegen::Api;
use codegen::evolve::diff::compare;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests = cases().into_iter().map(|case| {
        let name = case.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(name, move || check(&case))
    });
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diffs")).expect("the cases");
    let mut folders: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.join("verdict.txt").exists()).collect();
    folders.sort();
    assert!(folders.len() >= 20, "the cases are gone");
    folders
}

fn check(case: &Path) -> Result<(), Failed> {
    let common = case.with_file_name("common");
    let before = catalogue(&[&common, &case.join("before")]);
    let after = catalogue(&[&common, &case.join("after")]);
    let (before, after) = (model(&before)?, model(&after)?);
    let changes = compare(&before, &after);
    let verdict = changes.verdict().map_or("none", |verdict| verdict.word());
    let recorded = fs::read_to_string(case.join("verdict.txt")).expect("a verdict");
    if recorded.lines().next() != Some(verdict) {
        return Err(format!("the verdict is {verdict}, and {recorded} is recorded\n{changes}").into());
    }
    let is_same = codegen::emit(&before) == codegen::emit(&after);
    if is_same != changes.is_empty() {
        return Err(format!("the emitted files are the same: {is_same}, yet:\n{changes}").into());
    }
    compare_text(&case.join("expected.txt"), format!("{changes}\n{}", changes.changelog()).trim_end())
}

/// The YAML of several folders; a later one replaces what an earlier one has under the same name.
fn catalogue(folders: &[&Path]) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for folder in folders.iter().filter(|folder| folder.exists()) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            texts.insert(name, fs::read_to_string(&path).expect("a case is text"));
        }
    }
    texts
}

fn model(texts: &BTreeMap<String, String>) -> Result<Api, Failed> {
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let checked = codegen::check(codegen::load_texts(&texts));
    Ok(codegen::lower(&checked.map_err(|diagnostics| diagnostics.to_string())?))
}

fn compare_text(path: &Path, actual: &str) -> Result<(), Failed> {
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected.trim_end() == actual {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, format!("{actual}\n")).expect("to write what is expected");
        return Ok(());
    }
    Err(format!("{} differs\n--- expected\n{expected}\n--- actual\n{actual}", path.display()).into())
}
