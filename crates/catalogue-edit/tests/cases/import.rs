//! Every folder of `import/` is a test. Its input is an OpenAPI description, and optionally a catalogue. The expected
//! output is the exact notes and the exact edit. A second import of the same description must edit nothing.
//!
//! `UPDATE_EXPECT=1 cargo test -p catalogue-edit --test cases import::` writes the actual output to the cases. If the folder
//! contains an empty file `summaries`, summaries and descriptions are imported too. Any other file is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use catalogue::{load, load_texts};
use catalogue_edit::diff::{self, Verdict};
use catalogue_edit::{CatalogueChange, Evidence, Import, import};
use libtest_mimic::{Failed, Trial};

use crate::recorded::{compare, entries, name, reject_others};

pub(crate) fn trials() -> Vec<Trial> {
    let folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import"));
    let mut tests: Vec<_> =
        folders.into_iter().map(|case| Trial::test(format!("import::{}", name(&case)), move || check(&case))).collect();
    tests.push(Trial::test("import::new_endpoints_break_no_setter", breaks_no_setter));
    tests
}

fn check(case: &Path) -> Result<(), Failed> {
    let before = case.join("before");
    let descriptions = entries(case).into_iter().filter(|path| name(path).starts_with("openapi."));
    let [description] =
        descriptions.collect::<Vec<_>>().try_into().map_err(|all| format!("expected one description: {all:?}"))?;
    reject_others(case, |name| matches!(name, "openapi.yaml" | "openapi.json" | "expected" | "summaries" | "before"))?;
    if before.exists() {
        reject_others(&before, catalogue::is_part)?;
    }
    let options = Import {
        text: fs::read_to_string(description)?,
        evidence: Evidence::Published,
        summaries: case.join("summaries").exists(),
    };
    let catalogue = before.exists().then(|| load(&before));
    let (report, change) = match import(catalogue, &options) {
        Ok(change) => (format!("{}\n{}", notes(&change), change.diff("")), Some(change)),
        Err(refusal) => (format!("refused: {refusal}\n"), None),
    };
    compare(&case.join("expected"), &report)?;
    change.map_or(Ok(()), |change| again_edits_nothing(&before, &change, &options))
}

/// Checks that a second import of the same description edits nothing. If the first import created the catalogue, the
/// second import must report no contradiction to the catalogue.
fn again_edits_nothing(before: &Path, change: &CatalogueChange, options: &Import) -> Result<(), Failed> {
    let after = texts_after(before, change);
    let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let again = import(Some(load_texts(&texts)), options).map_err(|refusal| refusal.to_string())?;
    if !again.is_empty() {
        return Err(format!("the second import edits the catalogue\n{}\n{}", notes(&again), again.diff("")).into());
    }
    let contradicts = |line: &&String| !before.exists() && !line.starts_with("not imported");
    let contradictions: Vec<_> = again.notes().iter().filter(contradicts).collect();
    if contradictions.is_empty() { Ok(()) } else { Err(format!("contradictions: {contradictions:#?}").into()) }
}

/// Returns the files of a catalogue after a change.
fn texts_after(before: &Path, change: &CatalogueChange) -> BTreeMap<String, String> {
    let before = if before.exists() { entries(before) } else { Vec::new() };
    let texts = before.iter().map(|file| (name(file), fs::read_to_string(file).expect("text")));
    texts.chain(change.texts().map(|(name, text)| (name.to_owned(), text.to_owned()))).collect()
}

fn notes(change: &CatalogueChange) -> String {
    change.notes().iter().flat_map(|line| [line, "\n"]).collect()
}

/// Checks that new endpoints do not change existing setters: new endpoints may have other types for a known param, but
/// programs that set the param on other endpoints still compile.
fn breaks_no_setter() -> Result<(), Failed> {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/shared_setters");
    let text = fs::read_to_string(case.join("openapi.yaml")).expect("text");
    let options = Import { text, evidence: Evidence::Published, summaries: false };
    let before = case.join("before");
    let change = import(Some(load(&before)), &options).map_err(|refusal| refusal.to_string())?;
    let after = texts_after(&before, &change);
    let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let after = catalogue::resolve(&load_texts(&texts)).map_err(|errors| errors.to_string())?;
    let changes = diff::compare(&catalogue::resolve(&load(&before)).expect("a catalogue"), &after);
    if changes.verdict() == Some(Verdict::Minor) { Ok(()) } else { Err(changes.to_string().into()) }
}
