//! Every folder of `cases/` is a test: YAML in, and either the emitted files or the findings out, to the letter.
//!
//! `UPDATE_EXPECT=1 cargo test -p codegen --test cases` accepts what came out. `cases/README.md` says more.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

mod recorded;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use codegen::{File, Package};
use libtest_mimic::{Arguments, Failed, Trial};

use recorded::{compare, entries, name};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let folders = entries(&cases).into_iter().filter(|path| path.is_dir());
    let tests = folders.map(|case| Trial::test(name(&case), move || check(&case)));
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}

fn check(case: &Path) -> Result<(), Failed> {
    let texts = catalogue(case);
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    match codegen::check(&codegen::load_texts(&texts)) {
        Ok(api) => {
            if case.join("expected.err").exists() {
                return Err("findings were expected, and there are none".into());
            }
            let package = Package::new("client");
            let documents = codegen::documents(&api, &package).into_iter();
            let documents = documents.map(|file| File { path: format!("docs/{}", file.path), ..file });
            let files: Vec<_> = codegen::emit(&api, &package).into_iter().chain(documents).collect();
            compare_files(&case.join("expected"), &files)
        }
        Err(diagnostics) => {
            if case.join("expected").exists() {
                return Err(format!("no finding was expected:\n{diagnostics}").into());
            }
            compare(&case.join("expected.err"), &diagnostics.to_string())
        }
    }
}

/// The case's own YAML; a case without a service is about the service that the cases share.
fn catalogue(case: &Path) -> BTreeMap<String, String> {
    let files = [case.with_file_name("service.yaml")].into_iter().chain(entries(case));
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.map(|path| (name(&path), fs::read_to_string(&path).expect("a case is text"))).collect()
}

/// Compares the files that the case keeps; a new case keeps those of its groups.
fn compare_files(expected: &Path, files: &[File]) -> Result<(), Failed> {
    let is_new = !expected.exists();
    let mut compared = 0;
    for file in files {
        let path = expected.join(&file.path);
        if path.exists() || (is_new && is_of_group(&file.path)) {
            compare(&path, &file.text)?;
            compared += 1;
        }
    }
    if compared == 0 {
        return Err("the case keeps no file that is emitted".into());
    }
    Ok(())
}

fn is_of_group(path: &str) -> bool {
    !path.contains('/') && path != "mod.rs"
}
