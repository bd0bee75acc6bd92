//! Every folder of `import/` is a test: an OpenAPI description in, perhaps into a catalogue, what is said and the edit
//! out, to the letter; and the same once more adds nothing. And our own catalogue goes out as a description and comes
//! back.
//!
//! `UPDATE_EXPECT=1 cargo test -p evolve --test cases import::` accepts what came out.
//! `summaries` as an empty file takes over the texts too, and `places` tells every place of what is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Api, OpenApiFormat, OpenApiVersion, load, load_texts, openapi};
use evolve::diff::{self, Verdict};
use evolve::{CatalogueChange, Import, import};
use libtest_mimic::{Failed, Trial};

use crate::recorded::{compare, entries, name};

pub(crate) fn trials() -> Vec<Trial> {
    let folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import"));
    let mut tests: Vec<_> =
        folders.into_iter().map(|case| Trial::test(format!("import::{}", name(&case)), move || check(&case))).collect();
    tests.push(Trial::test("import::our_own_catalogue_comes_back_from_3.0", || {
        comes_back(OpenApiVersion::V3_0, OpenApiFormat::Json)
    }));
    tests.push(Trial::test("import::our_own_catalogue_comes_back_from_3.1", || {
        comes_back(OpenApiVersion::V3_1, OpenApiFormat::Yaml)
    }));
    tests.push(Trial::test("import::new_endpoints_break_no_setter", breaks_no_setter));
    tests.push(Trial::test("import::our_own_description_adds_nothing_to_our_catalogue", adds_nothing));
    tests
}

fn check(case: &Path) -> Result<(), Failed> {
    let description = ["openapi.yaml", "openapi.json"].iter().map(|name| case.join(name)).find(|path| path.exists());
    let options = Import {
        text: fs::read_to_string(description.expect("a description")).expect("text"),
        evidence: "published".to_owned(),
        summaries: case.join("summaries").exists(),
        places: case.join("places").exists(),
    };
    let before = case.join("before");
    let catalogue = before.exists().then(|| load(&before));
    let (said, change) = match import(catalogue, &options) {
        Ok(change) => (format!("{}\n{}", said(&change), change.diff("")), Some(change)),
        Err(refusal) => (format!("refused: {refusal}\n"), None),
    };
    compare(&case.join("expected"), &said)?;
    change.map_or(Ok(()), |change| comes_to_rest(&before, &change, &options))
}

/// The same description once more edits nothing, and contradicts nothing of what it brought itself.
fn comes_to_rest(before: &Path, change: &CatalogueChange, options: &Import) -> Result<(), Failed> {
    let after = texts_after(before, change);
    let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let again = import(Some(load_texts(&texts)), options).map_err(|refusal| refusal.to_string())?;
    if !again.is_empty() {
        return Err(format!("once more, it edits\n{}\n{}", said(&again), again.diff("")).into());
    }
    let contradicts =
        |line: &&String| !before.exists() && !line.starts_with("beyond the catalogue") && line.contains(" stay");
    let contradictions: Vec<_> = again.notes().iter().filter(contradicts).collect();
    if contradictions.is_empty() { Ok(()) } else { Err(format!("it contradicts itself: {contradictions:#?}").into()) }
}

/// The files of a catalogue with a change.
fn texts_after(before: &Path, change: &CatalogueChange) -> BTreeMap<String, String> {
    let before = if before.exists() { entries(before) } else { Vec::new() };
    let texts = before.iter().map(|file| (name(file), fs::read_to_string(file).expect("text")));
    texts.chain(change.texts().map(|(name, text)| (name.to_owned(), text.to_owned()))).collect()
}

fn said(change: &CatalogueChange) -> String {
    change.notes().iter().flat_map(|line| [line, "\n"]).collect()
}

/// The description of what came back is the description that went out: all endpoints, params, fields and facts.
fn comes_back(version: OpenApiVersion, format: OpenApiFormat) -> Result<(), Failed> {
    let out = openapi(&own(), version, format);
    let options = Import { text: out.clone(), evidence: "published".to_owned(), summaries: true, places: false };
    let change = import(None, &options).map_err(|refusal| refusal.to_string())?;
    // Param sets, whose params come back, have no form at all.
    assert_eq!(said(&change), "");
    let texts: Vec<_> = change.texts().collect();
    let api = codegen::resolve(&load_texts(&texts)).map_err(|findings| findings.to_string())?;
    let back = openapi(&api, version, format);
    if back == out {
        return Ok(());
    }
    let differing = out.lines().zip(back.lines()).enumerate().find(|(_, (out, back))| out != back);
    Err(format!("the description that came back differs first at {differing:?}").into())
}

fn adds_nothing() -> Result<(), Failed> {
    let text = openapi(&own(), OpenApiVersion::V3_1, OpenApiFormat::Json);
    let options = Import { text, evidence: "published".to_owned(), summaries: false, places: false };
    let change = import(Some(load(&spec())), &options).map_err(|refusal| refusal.to_string())?;
    if !change.is_empty() {
        return Err(change.diff("").into());
    }
    let texts = change.notes().iter().filter(|line| line.contains(" stay")).collect::<Vec<_>>();
    if texts.is_empty() { Ok(()) } else { Err(format!("it contradicts itself: {texts:#?}").into()) }
}

/// Whatever types new endpoints have for a param, programs that set it on others go on compiling.
fn breaks_no_setter() -> Result<(), Failed> {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/shared_setters");
    let text = fs::read_to_string(case.join("openapi.yaml")).expect("text");
    let options = Import { text, evidence: "published".to_owned(), summaries: false, places: false };
    let before = case.join("before");
    let change = import(Some(load(&before)), &options).map_err(|refusal| refusal.to_string())?;
    let after = texts_after(&before, &change);
    let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let after = codegen::resolve(&load_texts(&texts)).map_err(|findings| findings.to_string())?;
    let changes = diff::compare(&codegen::resolve(&load(&before)).expect("a catalogue"), &after);
    if changes.verdict() == Some(Verdict::Minor) { Ok(()) } else { Err(changes.to_string().into()) }
}

fn own() -> Api {
    codegen::read(&spec()).expect("our own catalogue")
}

fn spec() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec")
}
