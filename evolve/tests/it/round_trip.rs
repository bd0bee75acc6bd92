//! Catalogues go out as descriptions and come back, and the client is the same but for what is listed here.
//!
//! The description says the same as well, which is tested from outside; but what it leaves out, only the client misses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Api, File, OpenApiFormat, OpenApiVersion, Package, documents, emit, load_texts, openapi};

use evolve::{Import, import};

#[test]
fn our_own_client_is_the_same() {
    let spec = codegen().join("../spec");
    assert_eq!(first_loss(&spec, OpenApiVersion::V3_0, OpenApiFormat::Yaml), None);
    assert_eq!(first_loss(&spec, OpenApiVersion::V3_1, OpenApiFormat::Json), None);
}

#[test]
fn the_clients_of_the_cases_lose_only_what_is_listed() {
    let cases: Vec<_> =
        files(&codegen().join("tests/cases")).into_iter().filter(|case| case.join("expected").is_dir()).collect();
    assert!(cases.len() > 10, "the cases are gone");
    for case in cases {
        let name = name(&case);
        let loss = first_loss(&case, OpenApiVersion::V3_0, OpenApiFormat::Json);
        assert_eq!(loss.as_ref().map(|(path, _)| path.as_str()), expected_loss(&name), "{name}: {loss:?}");
    }
}

/// The first file of a case's client that does not come back as it was.
fn expected_loss(case: &str) -> Option<&'static str> {
    match case {
        // Types that no request reaches are left behind, as for every description; so are params, and what only they
        // say.
        "endpoints_like_imports"
        | "groups_named_alike"
        | "list_param"
        | "no_params"
        | "number_types_by_endpoint"
        | "number_types_differ"
        | "param_not_taken"
        | "operation_ids_meet"
        | "params_unknown"
        | "path_param"
        | "path_param_with_enum"
        | "prose_with_code"
        | "range_beyond_the_type"
        | "range_with_fractions"
        | "required_by_the_former_version"
        | "required_param_in_range"
        | "setter_of_own_params"
        | "units_of_time"
        | "wire_names_with_backticks"
        | "wire_names_with_punctuation" => Some("service/types.rs"),
        "param_known_differently" => Some("service/params.rs"),
        // Errors are those of operations, and it has none.
        "unknown_service_facts" => Some("service/mod.rs"),
        // Of an endpoint without a path a description says no params. And descriptions are Markdown, where punctuation
        // has to be escaped, and nothing takes that back.
        "history" | "param_set_without_path" | "text_is_data" => Some("market.rs"),
        _ => None,
    }
}

/// The first file that differs, and the lines.
fn first_loss(
    folder: &Path,
    version: OpenApiVersion,
    format: OpenApiFormat,
) -> Option<(String, Option<(String, String)>)> {
    let own = catalogue(folder);
    let options = Import {
        text: openapi(&own, version, format),
        evidence: "published".to_owned(),
        summaries: true,
        places: false,
    };
    let change = import(None, &options).expect("a catalogue");
    let texts: Vec<_> = change.texts().collect();
    let back = model(&texts);
    let (out, back) = (emitted(own), emitted(back));
    let paths = |files: &[File]| files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&out), paths(&back));
    let (out, back) = out.into_iter().zip(back).find(|(out, back)| out != back)?;
    let lines = out.text.lines().zip(back.text.lines()).find(|(out, back)| out != back);
    Some((out.path, lines.map(|(out, back)| (out.to_owned(), back.to_owned()))))
}

/// The client and the pages for people.
fn emitted(api: Api) -> Vec<File> {
    let api = without_what_is_lost(api);
    let package = Package::new("client");
    emit(&api, &package).into_iter().chain(documents(&api, &package)).collect()
}

/// What no description can carry: how the author spares repetition and orders entries. The facts are all there.
fn without_what_is_lost(mut api: Api) -> Api {
    api.param_sets.clear();
    // A group is a tag of its endpoints, so one without any is not there.
    api.groups.retain(|group| !group.endpoints.is_empty());
    for group in &mut api.groups {
        // Endpoints without a path are listed apart, so they come back behind the others.
        group.endpoints.sort_by_key(|endpoint| endpoint.path.is_none());
    }
    for endpoint in api.groups.iter_mut().flat_map(|group| &mut group.endpoints) {
        endpoint.param_set = None;
        for param in endpoint.params.iter_mut().flatten() {
            // A shared param of which something is said anew becomes the endpoint's own.
            param.shared = param.shared.filter(|(_, anew)| !anew);
        }
    }
    api
}

/// The catalogue of a folder; where it has no service, it is about the service that the cases share.
fn catalogue(folder: &Path) -> Api {
    let mut texts = BTreeMap::new();
    for path in std::iter::once(folder.join("../service.yaml")).filter(|path| path.exists()).chain(files(folder)) {
        if path.extension().is_some_and(|extension| extension == "yaml") {
            texts.insert(name(&path), fs::read_to_string(&path).expect("text"));
        }
    }
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    model(&texts)
}

fn model(texts: &[(&str, &str)]) -> Api {
    codegen::resolve(&load_texts(texts)).expect("no finding")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

fn codegen() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen")
}
