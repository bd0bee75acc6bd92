//! Every folder of `learn/` is a test. Its input is a group and responses. The expected output is the exact notes and
//! the exact edit.
//!
//! `UPDATE_EXPECT=1 cargo test -p catalogue-edit --test cases learn::` writes the actual output to the cases. The file `enums`
//! lists the fields that become enums. A folder without `service.yaml` uses the `service.yaml` of the generator's
//! cases. Any other file is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use catalogue::load_texts;
use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, learn};
use libtest_mimic::{Failed, Trial};

use crate::recorded::{compare, entries, name, reject_others};

pub(crate) fn trials() -> Vec<Trial> {
    let folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learn"));
    folders.into_iter().map(|case| Trial::test(format!("learn::{}", name(&case)), move || check(&case))).collect()
}

fn check(case: &Path) -> Result<(), Failed> {
    let is_response = |name: &str| name.strip_suffix(".json").is_some_and(|name| name.starts_with("reply"));
    reject_others(case, |name| is_response(name) || matches!(name, "enums" | "expected") || catalogue::is_part(name))?;
    if !entries(case).iter().any(|path| is_response(&name(path))) {
        return Err("there is no response".into());
    }
    let texts = catalogue(case);
    let options = options(case);
    let notes_and_edit = match learn(load_texts(&borrowed(&texts)), &options) {
        Ok(change) => {
            let mut after = texts.clone();
            after.extend(change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())));
            let again = learn(load_texts(&borrowed(&after)), &options).map_err(|refusal| refusal.to_string())?;
            if !again.is_empty() {
                return Err(format!("the same responses edit the catalogue again:\n{}", again.diff("")).into());
            }
            let notes = change.notes().iter().flat_map(|line| [line, "\n"]).collect::<String>();
            format!("{notes}\n{}", change.diff(""))
        }
        Err(refusal) => format!("refused: {refusal}\n"),
    };
    compare(&case.join("expected"), &notes_and_edit)
}

fn options(case: &Path) -> LearnOptions {
    let responses = entries(case).into_iter().filter(|path| name(path).starts_with("reply"));
    let responses = responses.map(|path| (name(&path), fs::read(&path).expect("a response"))).collect();
    let enums = fs::read_to_string(case.join("enums")).unwrap_or_default();
    LearnOptions {
        endpoints: vec![EndpointResponses { endpoint: "/basis".to_owned(), responses, ..EndpointResponses::default() }],
        evidence: Evidence::Reported,
        enums: enums.split_whitespace().map(str::to_owned).collect(),
        accept_mock: false,
    }
}

fn catalogue(case: &Path) -> BTreeMap<String, String> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/tests/cases/service.yaml");
    let own = entries(case).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    [shared].into_iter().chain(own).map(|path| (name(&path), fs::read_to_string(&path).expect("YAML"))).collect()
}

fn borrowed(texts: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}
