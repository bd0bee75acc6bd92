//! Every case that emits compiles, beside the runtime that users get, without a warning, and its own tests pass.
//!
//! Each becomes a crate of a scratch workspace below `target/`, which keeps what it has built.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_emitted_client_compiles_and_passes() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases");
    let _ = fs::remove_dir_all(scratch.join("members"));
    let cases = cases();
    assert!(cases.len() > 10, "the cases are gone");
    for case in &cases {
        client(case, &scratch.join("members").join(name(case)));
    }
    write(&scratch.join("Cargo.toml"), &workspace());
    fs::copy(root().join("Cargo.lock"), scratch.join("Cargo.lock")).expect("the lock file");
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet", "--workspace", "--lib", "--no-fail-fast", "--", "generated::requests"])
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        .env_remove("RUSTFLAGS")
        .current_dir(&scratch)
        .output()
        .expect("cargo runs");
    let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{warned}");
    for case in cases.iter().filter(|case| case.join("refused.rs").exists()) {
        refused(case, &scratch);
    }
}

/// What the compiler says of a program that asks for what there is not, in the lines that are ours.
fn refused(case: &Path, scratch: &Path) {
    let program = fs::read_to_string(case.join("refused.rs")).expect("a program");
    write(&scratch.join("members").join(name(case)).join("examples/refused.rs"), &program);
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--example", "refused", "--package", &format!("case_{}", name(case))])
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        .env_remove("RUSTFLAGS")
        .current_dir(scratch)
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{} compiles", name(case));
    // The rest is the compiler's, and changes with it.
    let is_ours = |line: &&str| line.starts_with("error[") || line.starts_with("= note: `Request");
    let ours: Vec<_> = said.lines().map(str::trim_start).filter(is_ours).collect();
    let expected = fs::read_to_string(case.join("refused.err")).expect("what the compiler says");
    assert_eq!(ours, expected.lines().collect::<Vec<_>>(), "{said}");
}

/// The folders of the cases that emit.
fn cases() -> Vec<PathBuf> {
    let folders = entries(&root().join("codegen/tests/cases"));
    folders.into_iter().filter(|case| case.join("expected").is_dir()).collect()
}

/// A client as users get it, with what a case emits in the place of what our catalogue does.
fn client(case: &Path, to: &Path) {
    let from = root().join("generated-client");
    copy(&from.join("src"), &to.join("src"));
    let mut texts: Vec<(String, String)> = [root().join("codegen/tests/cases/service.yaml")]
        .into_iter()
        .chain(entries(case))
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| (name(&path), fs::read_to_string(&path).expect("a case is text")))
        .collect();
    texts.sort_by_key(|(name, _)| name.clone());
    // The case's own service comes after the shared one.
    let own = texts.iter().rposition(|(name, _)| name == "service.yaml");
    let texts: Vec<_> = texts
        .iter()
        .enumerate()
        .filter(|(index, (name, _))| name != "service.yaml" || Some(*index) == own)
        .map(|(_, (name, text))| (name.as_str(), text.as_str()))
        .collect();
    let checked = codegen::check(codegen::load_texts(&texts)).expect("the case has no finding");
    let generated = to.join("src/generated");
    for file in codegen::emit(&codegen::lower(&checked)) {
        write(&generated.join(file.path), &file.text);
    }
    let manifest = fs::read_to_string(from.join("Cargo.toml")).expect("the client's manifest");
    // The sandbox is a server for our own catalogue; the others serve tests that are not run here.
    let left_out = |line: &&str| ["sandbox", "h2", "rcgen", "tokio-rustls"].iter().any(|name| line.starts_with(name));
    let manifest: String = manifest.split_inclusive('\n').filter(|line| !left_out(line)).collect();
    let named = manifest.replace("name = \"generated-client\"", &format!("name = \"case_{}\"", name(case)));
    assert_ne!(named, manifest, "the client has another name");
    write(&to.join("Cargo.toml"), &named);
}

/// The root's manifest, so that the same lints hold, and a warning is an error.
fn workspace() -> String {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the root's manifest");
    let members = manifest.lines().find(|line| line.starts_with("members = ")).expect("a line of members");
    let manifest = manifest.replace(members, "members = [\"members/*\"]");
    manifest
        .replace("[workspace.lints.rust]\n", "[workspace.lints.rust]\nwarnings = { level = \"deny\", priority = -2 }\n")
}

fn copy(from: &Path, to: &Path) {
    for path in entries(from) {
        let target = to.join(name(&path));
        if name(&path) == "generated" {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target);
        } else {
            write(&target, &fs::read_to_string(&path).expect("the runtime is text"));
        }
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
    fs::write(path, text).expect("to write a file");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
