//! Tests of `cargo xtask add` and `cargo xtask import`.

use std::fs;

use super::{project, run, text};

#[test]
fn add_names_everything_that_is_missing() {
    let (spec, out) = project("add");
    let output = run(&["add", "/depth"], &spec, &out);
    let missing = text(&output.stderr);
    assert!(missing.contains("--group <GROUP>\n") && missing.contains("--evidence <EVIDENCE>\n"), "{missing}");
    let output = run(&["add", "/depth", "--group", "books", "--evidence", "reported", "--yes"], &spec, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(run(&["check"], &spec, &out).status.success());
    assert!(spec.join("books.yaml").exists());
}

#[test]
fn add_starts_a_catalogue_in_a_folder_without_one() {
    let (spec, out) = project("add_first");
    let new = spec.with_file_name("tide_tables");
    let output = run(&["add", "/depth", "--group", "books", "--evidence", "reported", "--yes"], &new, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let guesses = "in service.yaml, `title`, `version`, `env_prefix` and `time` are guesses";
    assert!(text(&output.stdout).contains(guesses), "{}", text(&output.stdout));
    assert!(fs::read_to_string(new.join("service.yaml")).expect("a file").contains("env_prefix: TIDE_TABLES"));
    assert!(run(&["check"], &new, &out).status.success());
}

#[test]
fn import_starts_a_catalogue_in_a_folder_without_one() {
    let (spec, out) = project("import");
    for name in ["service.yaml", "market.yaml"] {
        fs::remove_file(spec.join(name)).expect("a file");
    }
    fs::write(spec.join("README.md"), "A folder for a new catalogue.").expect("a file");
    let file = spec.with_file_name("openapi.yaml");
    fs::write(&file, "openapi: 3.0.3\ninfo: {title: Shop}\npaths: {/a: {get: {}, post: {}}}\n").expect("a file");
    let output = run(&["import", file.to_str().expect("a path"), "--yes"], &spec, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("not imported: `post` (at `/a`)"));
    assert!(run(&["check"], &spec, &out).status.success());
}
