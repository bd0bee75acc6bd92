//! Every case that emits compiles, beside the runtime that users get, without a warning; so does what is imported. And
//! the emitted tests of the cases that are about requests pass.
//!
//! Each becomes a crate of a scratch workspace below `target/`, which keeps what it has built. To check a crate takes a
//! third of the time that it takes to build its tests, so tests are built only where they say something of their own.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{load, load_texts};
use evolve::{Import, import};

#[test]
fn every_emitted_client_compiles_and_passes() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases");
    let _ = fs::remove_dir_all(scratch.join("members"));
    write(&scratch.join("Cargo.toml"), &workspace());
    fs::copy(root().join("Cargo.lock"), scratch.join("Cargo.lock")).expect("the lock file");
    let cases = cases();
    assert!(cases.len() > 10, "the cases are gone");
    for case in &cases {
        client(&catalogue_of_case(case), &scratch, &package(case));
    }
    let imported: Vec<_> =
        entries(&root().join("evolve/tests/import")).iter().filter_map(|case| imported(case)).collect();
    assert!(imported.len() > 3, "the descriptions are gone");
    for (name, catalogue) in &imported {
        client(catalogue, &scratch, name);
    }
    let all = ["check", "--workspace", "--profile", "test"].map(str::to_owned);
    cargo(&scratch, all.into_iter());
    let about_requests = cases.iter().filter(|case| case.join("expected/requests.rs").exists());
    let packages = about_requests.flat_map(|case| ["--package".to_owned(), package(case)]);
    let tests = ["--no-fail-fast", "--", "generated::requests"].map(str::to_owned);
    cargo(&scratch, std::iter::once("test".to_owned()).chain(packages).chain(tests));
    for case in cases.iter().filter(|case| case.join("refused.rs").exists()) {
        refused(case, &scratch);
    }
}

/// Runs a command on the library of one or more crates.
fn cargo(scratch: &Path, arguments: impl Iterator<Item = String>) {
    let mut arguments = arguments;
    let command = arguments.next().expect("a command");
    let output = command_in(scratch)
        .args([&command, "--offline", "--quiet", "--lib"])
        .args(arguments)
        .output()
        .expect("cargo runs");
    let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{warned}");
}

fn command_in(scratch: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(scratch)
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        // Nobody debugs these, and their sources are new each time.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS");
    command
}

/// What the compiler says of a program that asks for what there is not, in the lines that are ours.
fn refused(case: &Path, scratch: &Path) {
    let program = fs::read_to_string(case.join("refused.rs")).expect("a program");
    write(&scratch.join("members").join(package(case)).join("examples/refused.rs"), &program);
    let output = command_in(scratch)
        .args(["check", "--offline", "--quiet", "--example", "refused", "--package", &package(case)])
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

/// What the crate of a case is called.
fn package(case: &Path) -> String {
    format!("case_{}", name(case))
}

/// The case's own YAML; a case without a service is about the service that the cases share.
fn catalogue_of_case(case: &Path) -> Texts {
    let shared = fs::read_to_string(case.join("../service.yaml")).expect("the service that the cases share");
    let mut texts = Texts::from([("service.yaml".to_owned(), shared)]);
    texts.extend(catalogue_in(case));
    texts
}

fn catalogue_in(folder: &Path) -> Texts {
    let files = entries(folder).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.map(|path| (name(&path), fs::read_to_string(&path).expect("a catalogue is text"))).collect()
}

/// The name of a crate for what comes of a description, and its catalogue; none if it is refused or describes nothing.
fn imported(case: &Path) -> Option<(String, Texts)> {
    let description = ["openapi.yaml", "openapi.json"].iter().find_map(|name| fs::read_to_string(case.join(name)).ok());
    let options = Import {
        text: description.expect("a description"),
        evidence: "document".to_owned(),
        // Texts of others become documentation, where they must do no harm.
        summaries: true,
        places: false,
    };
    let before = case.join("before");
    let mut texts = if before.exists() { catalogue_in(&before) } else { Texts::new() };
    let change = import(before.exists().then(|| load(&before)), &options).ok()?;
    texts.extend(change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())));
    Some((format!("import_{}", name(case)), texts))
}

/// The files of a catalogue by name.
type Texts = BTreeMap<String, String>;

/// A client as users get it, with what a catalogue makes in the place of what ours does.
fn client(catalogue: &Texts, scratch: &Path, package: &str) {
    let (from, to) = (root().join("generated-client"), scratch.join("members").join(package));
    copy(&from.join("src"), &to.join("src"));
    let texts: Vec<_> = catalogue.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let checked = codegen::check(load_texts(&texts)).expect("the catalogue has no finding");
    let generated = to.join("src/generated");
    for file in codegen::emit(&codegen::lower(&checked)) {
        write(&generated.join(file.path), &file.text);
    }
    let manifest = fs::read_to_string(from.join("Cargo.toml")).expect("the client's manifest");
    // The sandbox is a server for our own catalogue; the others serve tests that are not run here.
    let left_out = |line: &&str| ["sandbox", "h2", "rcgen", "tokio-rustls"].iter().any(|name| line.starts_with(name));
    let manifest: String = manifest.split_inclusive('\n').filter(|line| !left_out(line)).collect();
    let named = manifest.replace("name = \"generated-client\"", &format!("name = \"{package}\""));
    assert_ne!(named, manifest, "the client has another name");
    let moved = named.replace("path = \"transport\"", &format!("path = '{}'", from.join("transport").display()));
    assert_ne!(moved, named, "the client's transport is elsewhere");
    write(&to.join("Cargo.toml"), &moved);
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
