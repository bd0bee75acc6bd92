//! Runs one test for each folder of `cases/`: it compares the emitted files with recorded files, byte for byte.
//!
//! `UPDATE_EXPECT=1 cargo test -p codegen --test cases` accepts the output. `cases/README.md` has details.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use catalogue::Catalogue;
use codegen::{File, Package};
use libtest_mimic::{Arguments, Failed, Trial};
use recorded_cases::{Texts, compare, entries, name};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for case in entries(&tests().join("cases")) {
        if case.is_dir() {
            trials.push(Trial::test(name(&case), move || emits(&case)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The files of a case that are neither part of the catalogue nor emitted: programs, and the recorded error of the
/// compiler.
const PROGRAMS: [&str; 3] = ["calls.rs", "refused.err", "refused.rs"];

fn emits(case: &Path) -> Result<(), Failed> {
    let others = |path: &PathBuf| name(path) != "expected" && !PROGRAMS.contains(&name(path).as_str());
    let texts = entries(case).into_iter().filter(others).map(|path| Ok((name(&path), fs::read_to_string(path)?)));
    // Unused entries are not errors, because most cases use only a part of the shared `service.yaml`.
    let api = match catalogue::resolve(&catalogue(texts.collect::<Result<_, Failed>>()?)?) {
        Ok(api) => api,
        Err(diagnostics) => return Err(format!("expected no errors, found:\n{diagnostics}").into()),
    };
    let package = Package::new("client");
    let documents = codegen::documents(&api, &package).into_iter();
    let documents = documents.map(|file| File { path: format!("docs/{}", file.path), ..file });
    let mut files = codegen::emit(&api, &package);
    files.extend(documents);
    for file in codegen::python(&api) {
        files.push(File { path: format!("python/{}", file.path), ..file });
    }
    compare_files(&case.join("expected"), &files)?;
    programs(case)
}

/// Checks that the programs of a case are valid Rust syntax; `crates/catalogue-edit/tests/it/compile.rs` compiles them.
fn programs(case: &Path) -> Result<(), Failed> {
    if case.join("refused.rs").exists() != case.join("refused.err").exists() {
        return Err("a case needs both `refused.rs` and `refused.err`, or neither".into());
    }
    for program in ["calls.rs", "refused.rs"].map(|program| case.join(program)) {
        if program.exists() {
            syn::parse_file(&fs::read_to_string(program)?)?;
        }
    }
    Ok(())
}

/// Loads a catalogue. A catalogue without `service.yaml` gets the file that the cases share.
fn catalogue(files: Texts) -> Result<Catalogue, Failed> {
    if let Some((unknown, _)) = files.iter().find(|(name, _)| !catalogue::is_catalogue_file(name)) {
        return Err(format!("`{unknown}` is not a file of a catalogue").into());
    }
    let shared = ("service.yaml".to_owned(), fs::read_to_string(tests().join("cases/service.yaml"))?);
    let texts: BTreeMap<_, _> = std::iter::once(shared).chain(files).collect();
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(catalogue::load_texts(&texts))
}

/// Compares the emitted files with those that are recorded in the case. If the case is new, the files of its groups are
/// recorded.
fn compare_files(expected: &Path, files: &[File]) -> Result<(), Failed> {
    let mut kept: BTreeSet<_> = if expected.exists() { below(expected) } else { BTreeSet::new() };
    let is_new = kept.is_empty();
    for file in files {
        let path = expected.join(&file.path);
        if kept.remove(&path) || (is_new && is_of_group(&file.path)) {
            compare(&path, &file.text)?;
        }
    }
    if kept.is_empty() { Ok(()) } else { Err(format!("recorded files are not emitted: {kept:?}").into()) }
}

/// Returns all files below a folder.
fn below(folder: &Path) -> BTreeSet<PathBuf> {
    let (folders, files): (Vec<_>, Vec<_>) = entries(folder).into_iter().partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| below(folder))).collect()
}

fn is_of_group(path: &str) -> bool {
    !path.contains('/') && path != "mod.rs"
}
