//! Runs one test for each case in the files of `mistakes/`: it compares all errors of a catalogue with recorded errors, or
//! the warnings if there are none. Each case has the parts `-- CASE/market.yaml --` and `-- CASE/expected.err --`; a case
//! without `service.yaml` uses the file that the cases of the generator share.
//!
//! `UPDATE_EXPECT=1 cargo test -p catalogue --test mistakes` accepts the output.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use catalogue::Catalogue;
use libtest_mimic::{Arguments, Failed, Trial};
use recorded_cases::{Expected, Texts, cases_of_archives};

const SERVICE: &str = include_str!("../../../codegen/tests/cases/service.yaml");

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut trials = Vec::new();
    for (name, files, expected) in cases_of_archives(&folder, "expected.err").expect("the files of mistakes") {
        trials.push(Trial::test(name, move || check(files, &expected)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn check(files: Texts, expected: &Expected) -> Result<(), Failed> {
    match catalogue::check(&catalogue(files)?) {
        Ok(api) if api.warnings.is_empty() => Err("expected errors or warnings, found none".into()),
        Ok(api) => expected.compare(&api.warnings.render_warnings("", false)),
        Err(diagnostics) => expected.compare(&diagnostics.to_string()),
    }
}

fn catalogue(files: Texts) -> Result<Catalogue, Failed> {
    let mut texts = BTreeMap::from([("service.yaml".to_owned(), SERVICE.to_owned())]);
    for (name, text) in files {
        if !catalogue::is_catalogue_file(&name) {
            return Err(format!("`{name}` is not a file of a catalogue").into());
        }
        texts.insert(name, text);
    }
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(catalogue::load_texts(&texts))
}
