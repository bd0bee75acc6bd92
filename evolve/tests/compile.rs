//! Every case that emits becomes a crate that compiles on the runtime that users get, without a warning; so does what is
//! imported. The emitted tests of the cases that are about requests pass, and so do the programs in the docs of some.
//!
//! Each is a crate of a scratch workspace below `target/`, which keeps what it has built: the runtime once for all. To
//! check a crate takes a third of the time that it takes to build its tests, so tests are built only where they say
//! something of their own.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{Package, load, load_texts};
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
    let with_calls: Vec<_> = cases.iter().filter(|case| case.join("calls.rs").exists()).collect();
    assert!(!with_calls.is_empty(), "the programs of the cases are gone");
    for case in with_calls {
        calls(case, &scratch);
    }
    programs_in_docs(&scratch);
    for case in cases.iter().filter(|case| case.join("refused.rs").exists()) {
        refused(case, &scratch);
    }
}

/// Runs what a case calls: its client asks a small server, and the sandbox that is made of its catalogue.
fn calls(case: &Path, scratch: &Path) {
    let (member, sandbox) = (package(case), format!("sandbox_of_{}", name(case)));
    let folder = scratch.join("members").join(&member);
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file of the project");
    write(&folder.join("tests/calls.rs"), &fs::read_to_string(case.join("calls.rs")).expect("a program"));
    write(&folder.join("tests/server/mod.rs"), &read("codegen/tests/calls/server.rs"));
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let wanted = format!("[dev-dependencies]\nsandbox = {{ package = \"{sandbox}\", path = \"../{sandbox}\" }}\n");
    write(&folder.join("Cargo.toml"), &manifest.replace("[dev-dependencies]\n", &wanted));
    let client = format!("generated-client = {{ package = \"{member}\", path = \"../{member}\" }}");
    let manifest = read("sandbox/Cargo.toml")
        .replace("name = \"sandbox\"", &format!("name = \"{sandbox}\""))
        .replace("generated-client = { path = \"../generated-client\" }", &client);
    let copy = scratch.join("members").join(&sandbox);
    write(&copy.join("Cargo.toml"), &format!("{manifest}\n[lib]\nname = \"sandbox\"\n"));
    copy_all(&root().join("sandbox/src"), &copy.join("src"));
    let output = command_in(scratch)
        .args(["test", "--offline", "--quiet", "--test", "calls", "--package", &member])
        .output()
        .expect("cargo runs");
    let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("2 passed"), "{member}: {said}\n{warned}");
    // The sandbox that goes with one client is of no use to the others.
    fs::remove_dir_all(&copy).expect("a folder");
    write(
        &folder.join("Cargo.toml"),
        &fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest").replace(&wanted, "[dev-dependencies]\n"),
    );
}

fn copy_all(from: &Path, to: &Path) {
    for entry in entries(from) {
        if entry.is_dir() {
            copy_all(&entry, &to.join(name(&entry)));
        } else {
            write(&to.join(name(&entry)), &fs::read_to_string(&entry).expect("a file of text"));
        }
    }
}

/// Clients whose programs in the docs compile, and run where they can: somebody else's, and two that were imported.
const WITH_PROGRAMS: [&str; 3] = ["case_other_service", "import_everything_3_0", "import_everything_3_1"];

fn programs_in_docs(scratch: &Path) {
    let packages = WITH_PROGRAMS.iter().flat_map(|name| ["--package", name]);
    let output = command_in(scratch).args(["test", "--offline", "--quiet", "--doc"]).args(packages).output();
    let output = output.expect("cargo runs");
    let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{warned}");
    assert_eq!(said.matches("test result: ok").count(), WITH_PROGRAMS.len(), "{said}");
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
    let ours = ["error[", "= note: `Request", "= note: an endpoint has"];
    let is_ours = |line: &&str| ours.iter().any(|begin| line.starts_with(begin));
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

/// A client as users get it: the emitted files, and those that are written once.
fn client(catalogue: &Texts, scratch: &Path, name: &str) {
    let texts: Vec<_> = catalogue.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let api = codegen::resolve(&load_texts(&texts)).expect("the catalogue has no finding");
    let (folder, package) = (scratch.join("members").join(name), Package::new(name));
    for file in codegen::emit(&api, &package) {
        write(&folder.join("src/generated").join(file.path), &file.text);
    }
    for file in codegen::documents(&api, &package) {
        write(&folder.join("docs").join(file.path), &file.text);
    }
    let runtime = root().join("runtime");
    for file in codegen::scaffold(&api, &package, &runtime.display().to_string()) {
        // The lints of the project hold for what it emits.
        let lints = if file.path == "Cargo.toml" { "\n[lints]\nworkspace = true\n" } else { "" };
        write(&folder.join(&file.path), &format!("{}{lints}", file.text));
    }
}

/// The root's manifest, so that the same lints hold, and a warning is an error.
fn workspace() -> String {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the root's manifest");
    let members = manifest.lines().find(|line| line.starts_with("members = ")).expect("a line of members");
    let manifest = manifest.replace(members, "members = [\"members/*\"]");
    manifest
        .replace("[workspace.lints.rust]\n", "[workspace.lints.rust]\nwarnings = { level = \"deny\", priority = -2 }\n")
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
