//! Every folder of `learn/` is a test: a group and replies in, what is said and the edit out, to the letter.
//!
//! `UPDATE_EXPECT=1 cargo test -p evolve --test cases learn::` accepts what came out.
//! `enums` names the fields that are to become enums; a folder without a service is about the service that the cases
//! of the generator share.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use codegen::load_texts;
use evolve::{Learning, Lesson, learn};
use libtest_mimic::{Failed, Trial};

use crate::recorded::{compare, entries, name};

pub(crate) fn trials() -> Vec<Trial> {
    let folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learn"));
    folders.into_iter().map(|case| Trial::test(format!("learn::{}", name(&case)), move || check(&case))).collect()
}

fn check(case: &Path) -> Result<(), Failed> {
    let texts = catalogue(case);
    let learning = learning(case);
    let said = match learn(load_texts(&borrowed(&texts)), &learning) {
        Ok(change) => {
            let mut after = texts.clone();
            after.extend(change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())));
            let again = learn(load_texts(&borrowed(&after)), &learning).map_err(|refusal| refusal.to_string())?;
            if !again.is_empty() {
                return Err(format!("the same replies teach something twice:\n{}", again.diff("")).into());
            }
            let said = change.notes().iter().flat_map(|line| [line, "\n"]).collect::<String>();
            format!("{said}\n{}", change.diff(""))
        }
        Err(refusal) => format!("refused: {refusal}\n"),
    };
    compare(&case.join("expected"), &said)
}

fn learning(case: &Path) -> Learning {
    let replies = entries(case).into_iter().filter(|path| name(path).starts_with("reply"));
    let replies = replies.map(|path| (name(&path), fs::read(&path).expect("a reply"))).collect();
    let enums = fs::read_to_string(case.join("enums")).unwrap_or_default();
    Learning {
        lessons: vec![Lesson { endpoint: "/basis".to_owned(), replies }],
        evidence: "reported".to_owned(),
        enums: enums.split_whitespace().map(str::to_owned).collect(),
        accept_invented: false,
    }
}

fn catalogue(case: &Path) -> BTreeMap<String, String> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen/tests/cases/service.yaml");
    let own = entries(case).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    [shared].into_iter().chain(own).map(|path| (name(&path), fs::read_to_string(&path).expect("YAML"))).collect()
}

fn borrowed(texts: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
    texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}
