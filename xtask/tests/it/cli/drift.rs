//! Tests of `cargo xtask drift`. With `--live`, a script replaces the program that requests the endpoints.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{project, run, text};

const FIELDS: &str = "\
title: Market
summary: What the market does.
endpoints:
- name: Basis
  path: /basis
  evidence: documented
  summary: Perpetual price minus spot price.
  params: []
  body: {object: [{name: basis, type: number, summary: It.}, {name: rate, type: number, summary: The rate.}]}
- name: Depth
  path: /depth
  evidence: documented
  summary: The open orders.
  params: []
  body: unknown
- name: Spread
  path: /spread
  evidence: documented
  summary: The spread.
  params: []
  body: {object: [{name: spread, type: number, summary: It.}]}
";

/// Runs the command; the files become the saved answers.
fn live(name: &str, files: &[(&str, &str)], arguments: &[&str]) -> (Output, std::path::PathBuf) {
    let (spec, _) = project(name);
    fs::write(spec.join("market.yaml"), FIELDS).expect("a file");
    let root = spec.parent().expect("a folder");
    fs::create_dir_all(root.join("xtask")).expect("a folder");
    fs::write(root.join("xtask/Cargo.toml"), "").expect("a file");
    let answers = root.join("answers");
    fs::create_dir_all(&answers).expect("a folder");
    for (file, content) in files {
        fs::write(answers.join(file), content).expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.current_dir(root).env("CARGO", super::CARGO).env("CARGO_TARGET_DIR", root.join("target"));
    command.env("FAKE_CARGO_CALLS", root.join("calls")).env("FAKE_CARGO_RESPONSES", &answers);
    command.env("FAKE_CARGO_STATUS", if files.is_empty() { "1" } else { "0" });
    let output = command.args(["drift", "--live"]).args(arguments).output().expect("xtask runs");
    (output, root.to_owned())
}

const SAME: (&str, &str) = ("market.spread.json", r#"{"spread": 1.5}"#);
const RENAMED: (&str, &str) = ("market.basis.json", r#"{"basis": 1.5, "fundingRate": 2.5}"#);

#[test]
fn each_endpoint_has_a_row_with_its_result() {
    let files = [
        SAME,
        RENAMED,
        ("market.depth.json", r#"{"bids": []}"#),
        ("market.other.failed", "market.other: 404 Not Found"),
        ("market.third.skipped", "no value of its param `coin` is known"),
    ];
    let (output, root) = live("drift_table", &files, &["--propose", "drift.patch", "--param", "coin=BTC"]);
    let expected = "\
market.basis   different      `rate` can be missing or null
                              `rate` is missing, and `fundingRate` is new: if the service renamed the field, set `also_named: [fundingRate]` on `rate` instead of adding `fundingRate`; programs and stored tables then keep the name
                              `fundingRate` is new (number)
market.depth   not described  its fields are unknown; `cargo xtask learn` adds them
market.other   failed         404 Not Found
market.spread  same
market.third   skipped        no value of its param `coin` is known

5 endpoints: 1 same, 1 different, 1 not described, 1 failed, 1 skipped
";
    assert_eq!(text(&output.stdout), expected, "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    let calls = fs::read_to_string(root.join("calls")).expect("calls");
    assert!(calls.contains("--package live-responses") && calls.ends_with("--param coin=BTC\n"), "{calls}");
    assert_eq!(fs::read_to_string(root.join("spec/market.yaml")).expect("a file"), FIELDS, "nothing is written");
    let patch = fs::read_to_string(root.join("drift.patch")).expect("a patch");
    assert!(patch.contains("# market.basis: `rate` is missing, and `fundingRate` is new"), "{patch}");
    assert!(patch.contains("--- spec/market.yaml\n+++ spec/market.yaml\n"), "{patch}");
    applies(&root);
}

/// The patch can be applied in the folder, and then there is no difference.
fn applies(root: &Path) {
    let mut git = Command::new("git");
    // The test can run inside of a repository, in which git would look for the files.
    git.args(["apply", "-p0", "drift.patch"])
        .current_dir(root)
        .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root));
    assert!(git.status().expect("git runs").success());
    let edited = fs::read_to_string(root.join("spec/market.yaml")).expect("a file");
    assert!(edited.contains("name: fundingRate"), "{edited}");
}

#[test]
fn missing_response_is_no_success() {
    for (name, files, code) in [
        ("drift_same", &[SAME][..], 0),
        ("drift_failed", &[SAME, ("market.other.failed", "404")], 3),
        ("drift_skipped", &[SAME, ("market.other.skipped", "no value")], 3),
        ("drift_different", &[RENAMED, ("market.other.failed", "404")], 1),
        ("drift_none", &[], 1),
    ] {
        let (output, root) = live(name, files, &["--propose", "drift.patch"]);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", text(&output.stdout));
        assert_eq!(root.join("drift.patch").exists(), name == "drift_different", "{name}");
    }
}

#[test]
fn programs_read_json_and_github_reads_annotations() {
    let (output, _) = live("drift_json", &[SAME, RENAMED], &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["endpoints"][0]["endpoint"], "market.basis");
    assert_eq!(json["endpoints"][0]["result"], "different");
    assert_eq!(json["endpoints"][0]["file"], "spec/market.yaml");
    assert_eq!(json["endpoints"][0]["line"], 4);
    assert_eq!(json["endpoints"][1]["result"], "same");
    assert_eq!((&json["has_differences"], &json["is_complete"]), (&true.into(), &true.into()));
    let (output, _) = live("drift_github", &[SAME, RENAMED], &["--format", "github"]);
    let printed = text(&output.stdout);
    let expected =
        "::error file=spec/market.yaml,line=4,title=market.basis%3A different::`rate` can be missing or null%0A";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(printed.ends_with("2 endpoints: 1 same, 1 different\n"), "{printed}");
}

/// An endpoint that is given by its path has the name, the place and the result that it has in a report on all endpoints.
#[test]
fn endpoint_of_a_file_is_reported_by_its_group_and_method() {
    let (spec, out) = project("drift_endpoint");
    fs::write(spec.join("market.yaml"), FIELDS).expect("a file");
    let folder = spec.parent().expect("a folder");
    let report = |path: &str, body: &str, format: &str| {
        let file = folder.join("body.json");
        fs::write(&file, body).expect("a file");
        let file = file.to_str().expect("a path");
        run(&["drift", file, "--endpoint", path, "--format", format], &spec, &out)
    };
    let output = report("/basis", r#"{"basis": "x", "rate": 1}"#, "json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["endpoints"][0]["endpoint"], "market.basis");
    assert_eq!(json["endpoints"][0]["line"], 4);
    assert_eq!(output.status.code(), Some(1));
    let output = report("Depth", r#"{"bids": []}"#, "text");
    let expected = "market.depth: its fields are unknown; `cargo xtask learn` adds them\nno differences\n";
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(output.status.code(), Some(0));
}
