//! Every folder of `diffs/` is a test: a change of a catalogue in, what it means for downstream out, to the letter.
//!
//! `UPDATE_EXPECT=1 cargo test -p evolve --test cases diffs::` accepts what came out, but never a verdict:
//! that is written by hand. `diffs/README.md` says more.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Api, Package};
use evolve::diff;
use libtest_mimic::{Failed, Trial};

use crate::recorded::{compare, entries, name};

pub(crate) fn trials() -> Vec<Trial> {
    cases().into_iter().map(|case| Trial::test(format!("diffs::{}", name(&case)), move || check(&case))).collect()
}

fn cases() -> Vec<PathBuf> {
    let mut folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diffs"));
    folders.retain(|path| path.join("verdict.txt").exists());
    assert!(folders.len() >= 20, "the cases are gone");
    folders
}

fn check(case: &Path) -> Result<(), Failed> {
    let common = case.with_file_name("common");
    let before = catalogue(&[&common, &case.join("before")]);
    let after = catalogue(&[&common, &case.join("after")]);
    let (before, after) = (model(&before)?, model(&after)?);
    let changes = diff::compare(&before, &after);
    let verdict = changes.verdict().map_or("none", |verdict| verdict.word());
    let recorded = fs::read_to_string(case.join("verdict.txt")).expect("a verdict");
    if recorded.lines().next() != Some(verdict) {
        return Err(format!("the verdict is {verdict}, and {recorded} is recorded\n{changes}").into());
    }
    let emitted = |api| codegen::emit(api, &Package::new("client"));
    let is_same = emitted(&before) == emitted(&after);
    if is_same != changes.is_empty() {
        return Err(format!("the emitted files are the same: {is_same}, yet:\n{changes}").into());
    }
    let told = format!("{changes}\n{}", changes.changelog());
    compare(&case.join("expected.txt"), &format!("{}\n", told.trim_end()))
}

/// The YAML of several folders; a later one replaces what an earlier one has under the same name.
fn catalogue(folders: &[&Path]) -> BTreeMap<String, String> {
    let files = folders.iter().filter(|folder| folder.exists()).flat_map(|folder| entries(folder));
    files.map(|path| (name(&path), fs::read_to_string(&path).expect("a case is text"))).collect()
}

fn model(texts: &BTreeMap<String, String>) -> Result<Api, Failed> {
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(codegen::resolve(&codegen::load_texts(&texts)).map_err(|diagnostics| diagnostics.to_string())?)
}
