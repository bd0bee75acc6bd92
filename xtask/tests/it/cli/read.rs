//! Tests of the commands that only read the catalogue: `check`, `status` and `openapi`.

use std::fs;

use super::{MARKET, project, run, text};

/// A shell completes the name of a folder with a slash at the end.
#[test]
fn a_folder_with_a_slash_is_the_same_folder() {
    let (spec, out) = project("slash");
    fs::write(spec.join("market.yaml"), "title: 1\n").expect("a file");
    let output = run(&["check"], &spec.join(""), &out);
    let output = text(&output.stderr);
    assert!(output.contains("slash/spec/market.yaml:1:8"), "{output}");
}

#[test]
fn findings_are_printed_for_programs() {
    let (spec, out) = project("findings");
    let warned = MARKET.replace("Perpetual price minus spot price.", "The basis.");
    for (market, deny, code, level, line) in [
        (MARKET.to_owned(), false, 0, None, None),
        (warned.clone(), false, 0, Some("warning"), Some(4)),
        (warned, true, 1, Some("error"), Some(4)),
        ("title: 1\n".to_owned(), false, 1, Some("error"), Some(1)),
    ] {
        fs::write(spec.join("market.yaml"), &market).expect("a file");
        let mut arguments = vec!["check", "--format", "json"];
        if deny {
            arguments.push("--deny-warnings");
        }
        let output = run(&arguments, &spec, &out);
        assert_eq!(output.status.code(), Some(code), "{market}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let first = &json["findings"][0];
        assert_eq!((first["level"].as_str(), first["line"].as_u64()), (level, line), "{json:#}");
        assert_eq!(json["has_errors"], code == 1);
        arguments[2] = "github";
        let printed = text(&run(&arguments, &spec, &out).stdout);
        match level {
            Some(level) => assert!(printed.starts_with(&format!("::{level} file=")), "{printed}"),
            None => assert_eq!(printed, ""),
        }
    }
}

#[test]
fn a_missing_catalogue_is_an_error() {
    let (spec, out) = project("absent");
    let output = run(&["check"], &spec.join("nowhere"), &out);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot read the catalogue"), "{}", text(&output.stderr));
}

#[test]
fn status_reports_coverage_and_the_next_gaps() {
    let (spec, out) = project("status");
    fs::write(spec.join("market.yaml"), MARKET.replace("path: /basis", "path: unknown")).expect("a file");
    let output = text(&run(&["status"], &spec, &out).stdout);
    for expected in ["market          1          0", "paths", "the path of 1 endpoint in market"] {
        assert!(output.contains(expected), "expected {expected} in\n{output}");
    }
}

#[test]
fn dot_files_are_not_part_of_the_catalogue() {
    let (spec, out) = project("dots");
    fs::create_dir_all(spec.join(".git")).expect("a folder");
    fs::write(spec.join(".#market.yaml"), "an editor's").expect("a file");
    assert!(run(&["check"], &spec, &out).status.success());
    fs::create_dir_all(spec.join("more")).expect("a folder");
    let refused = run(&["check"], &spec, &out);
    assert!(!refused.status.success() && text(&refused.stderr).contains("error[misplaced-file]"));
}

#[test]
fn openapi_prints_the_requested_version() {
    let (spec, out) = project("openapi");
    for (arguments, expected) in
        [(&["openapi"][..], "\"openapi\": \"3.1.0\""), (&["openapi", "--version", "3.0"], "\"openapi\": \"3.0.3\"")]
    {
        let output = text(&run(arguments, &spec, &out).stdout);
        assert!(output.contains(expected) && output.contains("/basis"), "{arguments:?}: {output}");
    }
}
