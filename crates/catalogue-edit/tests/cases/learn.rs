//! Every archive of `learn/` is a test. Its input is a group and responses. The expected output is the exact notes and
//! the exact edit.
//!
//! `UPDATE_EXPECT=1 cargo test -p catalogue-edit --test cases learn::` writes the actual output to the cases. The part `enums`
//! lists the fields that become enums. A case without `service.yaml` uses the `service.yaml` of the generator's cases.
//! A response that is not text has the part `reply….json.hex`. Any other part is an error.

use std::collections::BTreeMap;
use std::path::Path;

use catalogue::load_texts;
use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, learn};
use libtest_mimic::{Failed, Trial};
use recorded_cases::{Archive, Texts, archives};

const SERVICE: &str = include_str!("../../../../codegen/tests/cases/service.yaml");

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in archives(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learn")) {
        let case = path.file_stem().expect("a name").to_string_lossy().into_owned();
        trials.push(Trial::test(format!("learn::{case}"), move || check(&path)));
    }
    assert!(trials.len() > 100, "most cases are missing");
    trials
}

fn check(path: &Path) -> Result<(), Failed> {
    let mut archive = Archive::read(path)?;
    let expected = archive.take_expected("expected");
    let options = options(&mut archive)?;
    let texts = catalogue(&mut archive);
    archive.finish()?;
    let change = match learn(load_texts(&borrowed(&texts)), &options) {
        Ok(change) => change,
        Err(refusal) => return expected.compare(&format!("refused: {refusal}\n")),
    };
    let mut after = texts.clone();
    for (name, text) in change.texts() {
        after.insert(name.to_owned(), text.to_owned());
    }
    let again = learn(load_texts(&borrowed(&after)), &options).map_err(|refusal| refusal.to_string())?;
    if !again.is_empty() {
        return Err(format!("the same responses edit the catalogue again:\n{}", again.diff("")).into());
    }
    let mut report = String::new();
    for note in change.notes() {
        report += &format!("{note}\n");
    }
    report += &format!("\n{}", change.diff(""));
    expected.compare(&report)
}

fn options(archive: &mut Archive) -> Result<LearnOptions, Failed> {
    let mut responses = Vec::new();
    for (name, text) in archive.take_all(is_response) {
        match name.strip_suffix(".hex") {
            Some(name) => responses.push((name.to_owned(), bytes(&text)?)),
            None => responses.push((name, text.into_bytes())),
        }
    }
    if responses.is_empty() {
        return Err("there is no response".into());
    }
    let enums = archive.take("enums").unwrap_or_default();
    Ok(LearnOptions {
        endpoints: vec![EndpointResponses { endpoint: "/basis".to_owned(), responses, ..EndpointResponses::default() }],
        evidence: Evidence::Reported,
        enums: enums.split_whitespace().map(str::to_owned).collect(),
        accept_mock: false,
    })
}

fn is_response(name: &str) -> bool {
    let name = name.strip_suffix(".hex").unwrap_or(name);
    let is_body = [".csv", ".json", ".ndjson"].iter().any(|extension| name.ends_with(extension));
    is_body && name.starts_with("reply")
}

/// The bytes that a text describes by two digits each.
fn bytes(hexadecimal: &str) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    for digits in hexadecimal.trim().as_bytes().chunks(2) {
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits)?, 16)?);
    }
    Ok(bytes)
}

/// The files of a catalogue by name.
type Files = BTreeMap<String, String>;

fn catalogue(archive: &mut Archive) -> Files {
    let own: Texts = archive.take_all(catalogue::is_catalogue_file);
    let mut files = Files::from([("service.yaml".to_owned(), SERVICE.to_owned())]);
    files.extend(own);
    files
}

fn borrowed(files: &Files) -> Vec<(&str, &str)> {
    files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}
