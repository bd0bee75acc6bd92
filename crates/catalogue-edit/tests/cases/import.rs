//! Every archive of `import/` is a test. Its input is an OpenAPI description, and optionally a catalogue in the folder
//! `before`. The expected output is the exact notes and the exact edit. A second import of the same description must
//! edit nothing.
//!
//! `UPDATE_EXPECT=1 cargo test -p catalogue-edit --test cases import::` writes the actual output to the cases. If the archive
//! has an empty part `summaries`, summaries and descriptions are imported too; the part `hosts` chooses servers. Any other
//! part is an error.

use std::path::Path;

use catalogue_edit::diff::{self, Verdict};
use catalogue_edit::{CatalogueChange, Evidence, Import, import};
use libtest_mimic::{Failed, Trial};
use recorded_cases::{Archive, Expected, archives};

use crate::import_case::{Files, ImportCase, load_files};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in archives(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import")) {
        let case = path.file_stem().expect("a name").to_string_lossy().into_owned();
        trials.push(Trial::test(format!("import::{case}"), move || check(&path)));
    }
    assert!(trials.len() > 50, "most cases are missing");
    trials.push(Trial::test("import::new_endpoints_break_no_setter", breaks_no_setter));
    trials
}

fn check(path: &Path) -> Result<(), Failed> {
    let mut archive = Archive::read(path)?;
    let expected = archive.take_expected("expected");
    let summaries = archive.take("summaries").is_some();
    let hosts: Vec<String> = archive.take("hosts").unwrap_or_default().lines().map(str::to_owned).collect();
    let case = ImportCase::take(&mut archive)?;
    archive.finish()?;
    let options = Import { text: case.description, evidence: Evidence::Published, summaries, hosts };
    compare_import(&case.before, &options, &expected)
}

fn compare_import(before: &Files, options: &Import, expected: &Expected) -> Result<(), Failed> {
    match import(load_files(before), options) {
        Ok(change) => {
            expected.compare(&format!("{}\n{}", notes(&change), change.diff("")))?;
            again_edits_nothing(before, &change, options)
        }
        Err(refusal) => expected.compare(&format!("refused: {refusal}\n")),
    }
}

/// Checks that a second import of the same description edits nothing. If the first import created the catalogue, the
/// second import must report no contradiction to the catalogue.
fn again_edits_nothing(before: &Files, change: &CatalogueChange, options: &Import) -> Result<(), Failed> {
    let after = files_after(before, change);
    let again = import(load_files(&after), options).map_err(|refusal| refusal.to_string())?;
    if !again.is_empty() {
        return Err(format!("the second import edits the catalogue\n{}\n{}", notes(&again), again.diff("")).into());
    }
    let mut contradictions = again.notes().to_vec();
    contradictions.retain(|note| before.is_empty() && !note.starts_with("not imported"));
    if contradictions.is_empty() { Ok(()) } else { Err(format!("contradictions: {contradictions:#?}").into()) }
}

/// The files of a catalogue after a change.
fn files_after(before: &Files, change: &CatalogueChange) -> Files {
    let mut files = before.clone();
    for (name, text) in change.texts() {
        files.insert(name.to_owned(), text.to_owned());
    }
    files
}

fn notes(change: &CatalogueChange) -> String {
    let mut notes = String::new();
    for note in change.notes() {
        notes += &format!("{note}\n");
    }
    notes
}

/// Checks that new endpoints do not change existing setters: new endpoints may have other types for a known param, but
/// programs that set the param on other endpoints still compile.
fn breaks_no_setter() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/shared_setters.txtar");
    let case = ImportCase::take(&mut Archive::read(&path)?)?;
    let options = Import { text: case.description, evidence: Evidence::Published, summaries: false, hosts: Vec::new() };
    let change = import(load_files(&case.before), &options).map_err(|refusal| refusal.to_string())?;
    let before = load_files(&case.before).expect("a catalogue");
    let after = load_files(&files_after(&case.before, &change)).expect("a catalogue");
    let before = catalogue::resolve(&before).map_err(|errors| errors.to_string())?;
    let after = catalogue::resolve(&after).map_err(|errors| errors.to_string())?;
    let changes = diff::compare(&before, &after);
    if changes.verdict() == Some(Verdict::Minor) { Ok(()) } else { Err(changes.to_string().into()) }
}
