//! Tests that `codegen` and `check` report uses of names that the client no longer has: in pages, programs and tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::SERVICE;

const MARKET: &str = "\
title: Market
summary: Example data.
endpoints:
- name: Basis
  path: /basis
  evidence: documented
  summary: Perpetual price minus spot price.
  params: []
  body: {time: none, series: [{name: premium, type: number, summary: In percent.}]}
";

/// A project with a catalogue, its client, and code that uses the client.
struct Project(PathBuf);

impl Project {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("references");
        let _ = fs::remove_dir_all(&folder);
        let project = Self(folder);
        project.write("xtask/Cargo.toml", "");
        project.write("spec/service.yaml", &format!("{SERVICE}envelope: {{data: data, evidence: documented}}\n"));
        project.write("spec/market.yaml", MARKET);
        project.write("README.md", "`client.market().basis()` returns `premium`.\n");
        let code = "use generated_client::Client;\nlet all = client.market().basis().await?;\nall[0].premium;\n";
        project.write("programs/show.rs", code);
        project.write("generated-client/tests/it.rs", code);
        project.write("crates/runtime/tests/other.rs", "all[0].premium;\n");
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(path, text).expect("a file");
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
        let status = Command::new("git").args(identity).args(arguments).current_dir(&self.0).status();
        assert!(status.expect("git runs").success());
    }

    /// Runs a command of the project, and returns its standard error and whether it succeeded.
    fn run(&self, arguments: &[&str]) -> (String, bool) {
        let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let output = xtask.args(arguments).current_dir(&self.0).output().expect("xtask runs");
        (String::from_utf8(output.stderr).expect("text"), output.status.success())
    }
}

#[test]
fn uses_of_renamed_items_are_reported() {
    let project = Project::new();
    assert_eq!(project.run(&["codegen"]), (String::new(), true));
    project.git(&["init", "--quiet"]);
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "--message", "A client"]);
    project.write("spec/market.yaml", &MARKET.replace("premium", "surplus").replace("Basis", "Difference"));
    let found = |at: &str, what: &str| {
        format!("warning[unknown-name]: {what}\n  --> {at}\n  = help: keep it, or use another one here\n")
    };
    let (endpoint, field) = ("the catalogue has no endpoint `market.basis`", "the client no longer has `premium`");
    let expected = [
        found("README.md:1", endpoint),
        found("generated-client/tests/it.rs:2", endpoint),
        found("generated-client/tests/it.rs:3", field),
        found("programs/show.rs:2", endpoint),
        found("programs/show.rs:3", field),
    ];
    let help = "help: `cargo check --workspace --all-targets --keep-going` lists all errors\n";
    // The list depends on the last commit, not on the files on disk, so a second run reports it too.
    for _ in 0..2 {
        assert_eq!(project.run(&["codegen"]), (expected.concat() + help, true));
    }
    assert_eq!(project.run(&["check"]), (expected.concat(), true));
    let denied = expected.concat().replace("warning[", "error[");
    assert_eq!(project.run(&["check", "--deny-warnings"]), (denied, false));
}
