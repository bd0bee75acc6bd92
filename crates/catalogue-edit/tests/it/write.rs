//! Tests that a change writes either all of its files or none, and never overwrites edits that were made since the
//! catalogue was read.

use std::fs;
use std::path::{Path, PathBuf};

use catalogue::load;
use catalogue_edit::{Addition, CatalogueChange, Evidence, Import, add, import};

const SERVICE: &str = "\
title: A
version: '1'
summary: A service.
env_prefix: A
time: {unit: seconds, evidence: documented}
";
const MARKET: &str = "title: Market\nsummary: The market.\nendpoints: []\n";

/// Writes a catalogue for one test, and returns its folder and a change that adds an endpoint to it.
fn change(name: &str, group: &str) -> (PathBuf, CatalogueChange) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("catalogue_edit_write").join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a new folder");
    fs::write(dir.join("service.yaml"), SERVICE).expect("a file");
    fs::write(dir.join("market.yaml"), format!("\u{feff}{MARKET}")).expect("a file");
    let addition = Addition {
        service: String::new(),
        path: "/basis".to_owned(),
        group: group.to_owned(),
        name: None,
        rust_name: None,
        summary: None,
        params: None,
        evidence: Evidence::Reported,
    };
    let change = add(Some(load(&dir)), &addition).expect("a change");
    (dir, change)
}

fn files(dir: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn written_edit_equals_the_shown_one_after_a_byte_order_mark() {
    let (dir, change) = change("written", "market");
    change.write(&dir).expect("the change can be written");
    let (_, after) = change.texts().next().expect("a file");
    let written =
        [("market.yaml".to_owned(), format!("\u{feff}{after}")), ("service.yaml".to_owned(), SERVICE.to_owned())];
    assert_eq!(files(&dir), written);
}

#[test]
fn edit_made_meanwhile_is_not_overwritten() {
    let (dir, change) = change("edited", "market");
    let edited = format!("# Mine.\n{MARKET}");
    fs::write(dir.join("market.yaml"), &edited).expect("an edit");
    let why = change.write(&dir).expect_err("a refusal").to_string();
    assert!(
        why.ends_with("market.yaml has been edited since it was read, so nothing is written; run the command again"),
        "{why}"
    );
    let expected = [("market.yaml".to_owned(), edited), ("service.yaml".to_owned(), SERVICE.to_owned())];
    assert_eq!(files(&dir), expected);
}

#[test]
fn file_created_meanwhile_is_not_overwritten() {
    let (dir, change) = change("started", "books");
    fs::write(dir.join("books.yaml"), "mine").expect("a file");
    let why = change.write(&dir).expect_err("a refusal").to_string();
    assert!(why.contains("books.yaml has been edited since"), "{why}");
    assert!(files(&dir).contains(&("books.yaml".to_owned(), "mine".to_owned())));
}

#[test]
fn file_deleted_meanwhile_is_not_written() {
    let (dir, change) = change("gone", "market");
    fs::remove_file(dir.join("market.yaml")).expect("it is there");
    assert!(change.write(&dir).is_err());
    assert_eq!(files(&dir), [("service.yaml".to_owned(), SERVICE.to_owned())]);
}

#[test]
fn no_file_is_written_if_one_cannot_be() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("catalogue_edit_write/several");
    let _ = fs::remove_dir_all(&dir);
    let text = "{openapi: 3.1.0, info: {title: A, version: '1'}, paths: {/basis: {get: {tags: [Market]}}}}";
    let (text, evidence) = (format!("# YAML\n{text}"), Evidence::Reported);
    let change = import(None, &Import { text, evidence, summaries: false, hosts: Vec::new() }).expect("a change");
    assert_eq!(change.texts().map(|(name, _)| name).collect::<Vec<_>>(), ["market.yaml", "service.yaml"]);
    // The last temporary file cannot be created, because a folder already has its name.
    let in_the_way = dir.join(format!("service.yaml.{}.unfinished", std::process::id()));
    fs::create_dir_all(&in_the_way).expect("a new folder");
    let why = change.write(&dir).expect_err("a refusal").to_string();
    assert!(why.contains("service.yaml: "), "{why}");
    fs::remove_dir(&in_the_way).expect("it is there");
    assert_eq!(files(&dir), []);
}
