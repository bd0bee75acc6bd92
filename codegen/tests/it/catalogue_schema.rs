//! Tests that the schema for editors rejects the same catalogues as `cargo xtask check`, as far as a schema can express
//! the rules.
//!
//! The tests use the valid catalogues in `cases/` and the invalid ones in the `mistakes/` of the crate `catalogue`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

use recorded_cases::{Texts, cases_of_archives, entries, name};

/// Rules of `check` that the schema also contains, because they concern a single file and a schema can express them.
const IN_SCHEMA: &[&str] = &[
    "anchor",
    "body-kind",
    "body-as",
    "body-columns",
    "columns-at",
    "body-positional",
    "body-time",
    "dotted-path",
    "duration",
    "empty-limit",
    "empty-range",
    "empty-text",
    "base-url-name",
    "env-prefix",
    "const-param",
    "header-value",
    "history-anchor",
    "history-every",
    "history-range",
    "history-sort",
    "in-examples",
    "invisible-character",
    "key-carrier",
    "key-prefix",
    "limit-concurrent",
    "limit-without-endpoints",
    "line-break",
    "list-as",
    "missing-key",
    "no-values",
    "no-weight",
    "others",
    "rate-limited",
    "pages-kind",
    "path-start",
    "single-list",
    "status-code",
    "step",
    "time-format",
    "type-name",
    "type-optional",
    "type-syntax",
    "unknown-key",
    "unknown-unit",
    "wrong-type",
    "wrong-value",
];

/// Rules that a schema cannot express, with the reason.
const NOT_IN_SCHEMA: &[(&str, &[&str])] = &[
    ("YAML is parsed before the schema is applied", &["cut-text", "duplicate-key", "yaml-syntax"]),
    ("a schema cannot check file names", &["file-name"]),
    (
        "the rule compares two values",
        &[
            "also-named",
            "value-allowed",
            "columns-record",
            "duplicate-endpoint",
            "duplicate-field",
            "duplicate-name",
            "duplicate-param",
            "base-url-differs",
            "duplicate-path",
            "duplicate-status",
            "duplicate-type",
            "duplicate-value",
            "const-value",
            "history-body",
            "history-type",
            "key-basic",
            "key-param",
            "pages-series",
            "pages-type",
            "param-type",
            "path-param",
            "nested-path",
            "range-order",
            "range-type",
            "recursive-record",
            "rejected-value",
            "value-range",
            "value-type",
            "time-type",
            "time-unit",
            "unknown-attribute",
            "unknown-endpoint",
            "unknown-field",
            "unknown-param",
            "unknown-record",
            "unknown-type",
            "unknown-value",
            "unsupported-type",
            "unused",
            "version-prefix",
            "weight-param",
            "zone",
        ],
    ),
    ("Rust names are derived by rules, and some are reserved", &["no-rust-name", "same-rust-name", "taken-name"]),
    ("`check` reports the invalid segment of a path", &["path-braces", "path-character", "path-segment"]),
    ("some header names are reserved", &["header-name"]),
    ("the lengths of derived names and of file names are limited", &["long-name"]),
    ("a `use` entry can set the default of a required shared param", &["required-default"]),
];

#[test]
fn schema_and_check_reject_the_same_catalogues() {
    let schema = schema();
    let mut disagreements = Vec::new();
    for Case { name: case, files, errors } in cases() {
        let errors = located(&errors);
        for (name, value) in values(&files) {
            let rules: BTreeSet<_> =
                errors.iter().filter(|(_, file)| *file == name).map(|(rule, _)| rule.as_str()).collect();
            let must_refuse = rules.iter().any(|rule| IN_SCHEMA.contains(rule));
            match schema.validate(&value) {
                Ok(()) if must_refuse => {
                    disagreements.push(format!("{case}/{name}: only `check` rejects it: {rules:?}"));
                }
                Err(error) if rules.is_empty() => {
                    let path = error.instance_path();
                    disagreements.push(format!("{case}/{name}: only the schema rejects it: {path}: {error}"));
                }
                _ => {}
            }
        }
    }
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}

#[test]
fn every_rule_is_in_the_schema_or_has_a_reason() {
    let others: BTreeSet<&str> = NOT_IN_SCHEMA.iter().flat_map(|(_, rules)| rules.iter().copied()).collect();
    let seen: BTreeSet<String> = cases().iter().flat_map(|case| located(&case.errors)).map(|(rule, _)| rule).collect();
    assert!(seen.len() > 30, "most cases are missing");
    for rule in &seen {
        let is_in_schema = IN_SCHEMA.contains(&rule.as_str());
        assert!(is_in_schema != others.contains(rule.as_str()), "`{rule}` must be in exactly one of the lists");
    }
    for rule in IN_SCHEMA.iter().chain(&others) {
        assert!(seen.contains(*rule), "no case breaks the rule `{rule}`");
    }
}

/// Editors show the documentation of a key, so every key must have documentation.
#[test]
fn every_key_has_a_hover_text() {
    let schema: Value = serde_json::from_str(&codegen::catalogue_schema().text).expect("JSON");
    let definitions = schema["definitions"].as_object().expect("definitions");
    for (map, definition) in definitions {
        for (key, property) in definition["properties"].as_object().expect("properties") {
            let about = property["description"].as_str().unwrap_or_default();
            assert!(about.ends_with('.') && !about.contains("  "), "{map}.{key}: {about:?}");
        }
    }
}

fn schema() -> Validator {
    let schema = serde_json::from_str(&codegen::catalogue_schema().text).expect("JSON");
    jsonschema::draft7::meta::validate(&schema).expect("a schema of draft 7");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// A catalogue and its errors.
struct Case {
    name: String,
    files: Texts,
    errors: String,
}

/// The valid catalogues and those with mistakes.
fn cases() -> Vec<Case> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mistakes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/catalogue/tests/mistakes");
    let mut cases = Vec::new();
    for folder in entries(&tests.join("cases")) {
        if folder.is_dir() {
            cases.push(Case { name: name(&folder), files: texts(&folder), errors: String::new() });
        }
    }
    for (name, files, expected) in cases_of_archives(&mistakes, "expected.err").expect("the files of mistakes") {
        cases.push(Case { name, files, errors: expected.text().to_owned() });
    }
    cases
}

/// Returns the YAML files of a folder.
fn texts(folder: &Path) -> Texts {
    let yaml = entries(folder).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.map(|path| (name(&path), fs::read_to_string(&path).expect("text"))).collect()
}

/// Returns the YAML values of files. Files that are not valid YAML are omitted, because only `check` reports them.
fn values(files: &Texts) -> Vec<(String, Value)> {
    files.iter().filter_map(|(name, text)| Some((name.clone(), serde_yaml::from_str(text).ok()?))).collect()
}

/// Returns the rule and the file of every error of a case.
fn located(errors: &str) -> Vec<(String, String)> {
    let errors = errors.split("error[").skip(1).filter_map(|error| {
        let (rule, rest) = error.split_once(']')?;
        let position = rest.split("--> ").nth(1)?;
        let file = position.split([':', '\n']).next()?;
        Some((rule.to_owned(), file.trim().to_owned()))
    });
    errors.collect()
}
