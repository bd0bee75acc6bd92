//! Tests of `cargo xtask diff`.

use std::fs;
use std::process::Command;

use super::{MARKET, project, run, text};

#[test]
fn diff_compares_any_catalogue_that_git_keeps() {
    let (spec, out) = project("diff");
    // The repository's root is the folder above the catalogue, as in a clone of this project.
    let root = spec.parent().expect("a folder");
    let git = |arguments: &[&str]| {
        let author = ["-c", "user.name=A", "-c", "user.email=a@a.example"];
        let output = Command::new("git").args(author).args(arguments).current_dir(root).output().expect("git runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "First"]] {
        git(arguments);
    }
    assert!(
        run(&["add", "/depth", "--group", "market", "--evidence", "reported", "--yes"], &spec, &out).status.success()
    );
    let output = run(&["diff"], &spec, &out);
    assert!(text(&output.stdout).contains("`client.market().depth()`"), "{}", text(&output.stderr));
    let output = run(&["diff", "--format", "json"], &spec, &out);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["verdict"], &json["changes"][0]["verdict"]), (&"minor".into(), &"minor".into()), "{json:#}");
    assert!(json["changelog"].as_str().is_some_and(|text| text.contains("### Added")), "{json:#}");
    let output = run(&["diff", "--format", "github"], &spec, &out);
    assert!(text(&output.stdout).starts_with("::notice title=minor change::"), "{}", text(&output.stdout));
    // Git returns a byte order mark unchanged, and also lists files of other tools in the catalogue's folder. Neither
    // counts as a change of the catalogue.
    fs::write(spec.join("market.yaml"), ["\u{feff}", MARKET].concat()).expect("a file");
    fs::write(spec.join(".prettierrc.yaml"), "tabWidth: 2\n").expect("a file");
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "Second"]);
    let output = run(&["diff"], &spec, &out);
    assert!(text(&output.stdout).starts_with("no changes"), "{}", text(&output.stderr));
}
