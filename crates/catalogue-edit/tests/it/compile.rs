//! Makes a crate of every case that has emitted files, and of every imported description. All crates must compile
//! without a warning. The emitted tests of requests and the doctests of some crates must pass.
//!
//! All crates are members of one scratch workspace, so that the runtime is built only once. Crates without tests are
//! only checked, because a check takes a third of the time of a test build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::import_case::{ImportCase, load_files};
use crate::scratch::Scratch;
use catalogue::load_texts;
use catalogue_edit::{Evidence, Import, import};
use codegen::Package;
use recorded_cases::{Archive, archives, entries, name};

#[test]
#[ignore = "takes minutes; .ci/run runs it if emitted code may have changed, the nightly workflow runs it always"]
fn every_emitted_client_compiles_and_passes_its_tests() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    let mut scratch = Scratch::new("cases", &workspace(), &lock);
    let cases = cases();
    assert!(cases.len() > 10, "most cases are missing");
    for case in &cases {
        client(&catalogue_of_case(case), &mut scratch, &package(case));
        programs(case, &mut scratch);
    }
    let mut imported = Vec::new();
    for path in archives(&root().join("crates/catalogue-edit/tests/import")) {
        imported.extend(self::imported(&path));
    }
    assert!(imported.len() > 3, "most descriptions are missing");
    for (name, catalogue) in &imported {
        client(catalogue, &mut scratch, name);
    }
    scratch.clear();
    let (checked, output) = scratch.cargo("check", ["--workspace", "--lib", "--profile", "test"]);
    assert!(checked.status.success(), "{output}");
    tests(&cases, &scratch);
    programs_in_docs(&scratch);
    for case in cases.iter().filter(|case| case.join("refused.rs").exists()) {
        refused(case, &scratch);
    }
}

/// Runs the emitted tests of requests, and the programs that call a small server and the sandbox. One command runs all
/// of them, so that their dependencies are built only once, with the features that any of them needs.
fn tests(cases: &[PathBuf], scratch: &Scratch) {
    let callers = cases.iter().filter(|case| case.join("calls.rs").exists()).count();
    assert!(callers > 0, "the programs of the cases are missing");
    let tested = cases.iter().filter(|case| case.join("expected/requests.rs").exists());
    let tested: Vec<String> = tested.map(|case| package(case)).collect();
    let packages = tested.iter().flat_map(|package| ["--package", package]);
    let targets = ["--no-fail-fast", "--lib", "--test", "calls"];
    let (tests, output) = scratch.cargo("test", targets.into_iter().chain(packages));
    assert!(tests.status.success(), "{output}");
    let passed = |count: &str| output.matches(&format!("test result: ok. {count}")).count();
    assert_eq!(passed(""), tested.len() + callers, "{output}");
    assert!(passed("2 passed") >= callers, "{output}");
}

/// Copies the programs of a case into the crate of the client: the program that must not compile, and the program that
/// calls the client.
fn programs(case: &Path, scratch: &mut Scratch) {
    let client = package(case);
    if let Ok(program) = fs::read_to_string(case.join("refused.rs")) {
        scratch.write(&client, "examples/refused.rs", &program);
    }
    let Ok(program) = fs::read_to_string(case.join("calls.rs")) else { return };
    scratch.write(&client, "tests/calls.rs", &program);
    let server = fs::read_to_string(root().join("codegen/tests/calls/server.rs")).expect("a file of the project");
    scratch.write(&client, "tests/server/mod.rs", &server);
}

/// Clients whose doctests are compiled and run: the client of another service, and two clients of imported
/// descriptions.
const WITH_PROGRAMS: [&str; 3] = ["case_other_service", "import_everything_3_0", "import_everything_3_1"];

fn programs_in_docs(scratch: &Scratch) {
    let packages = WITH_PROGRAMS.iter().flat_map(|name| ["--package", name]);
    let (tests, output) = scratch.cargo("test", std::iter::once("--doc").chain(packages));
    assert!(tests.status.success(), "{output}");
    assert_eq!(output.matches("test result: ok").count(), WITH_PROGRAMS.len(), "{output}");
}

/// Compares the compiler's errors for a program that uses missing items with the recorded errors. Only the lines that
/// this project determines are compared.
fn refused(case: &Path, scratch: &Scratch) {
    let (checked, output) = scratch.cargo("check", ["--example", "refused", "--package", &package(case)]);
    assert!(!checked.status.success(), "{} compiles", name(case));
    // The other lines depend on the version of the compiler.
    let ours = ["error[", "= note: `Request", "= note: an endpoint has", "= note: in Cargo.toml"];
    let is_ours = |line: &&str| ours.iter().any(|begin| line.starts_with(begin));
    let ours: Vec<_> = output.lines().map(str::trim_start).filter(is_ours).collect();
    let expected = fs::read_to_string(case.join("refused.err")).expect("the recorded errors of the compiler");
    assert_eq!(ours, expected.lines().collect::<Vec<_>>(), "{output}");
}

/// Returns the folders of the cases that have emitted files.
fn cases() -> Vec<PathBuf> {
    let folders = entries(&root().join("codegen/tests/cases"));
    folders.into_iter().filter(|case| case.join("expected").is_dir()).collect()
}

/// Returns the name of the crate of a case.
fn package(case: &Path) -> String {
    format!("case_{}", name(case))
}

/// Returns the catalogue of a case. A case without `service.yaml` gets the file that the cases share.
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

/// Returns the crate name and the catalogue of an imported description; `None` if the import fails.
fn imported(path: &Path) -> Option<(String, Texts)> {
    let mut archive = Archive::read(path).expect("an archive");
    let case = ImportCase::take(&mut archive).expect("a description");
    let options = Import {
        text: case.description,
        evidence: Evidence::Documented,
        // Summaries and descriptions are imported too, because the emitted documentation has to escape them.
        summaries: true,
        hosts: Vec::new(),
    };
    let change = import(load_files(&case.before), &options).ok()?;
    let mut texts = case.before;
    for (name, text) in change.texts() {
        texts.insert(name.to_owned(), text.to_owned());
    }
    Some((format!("import_{}", archive.case_name()), texts))
}

/// The files of a catalogue by name.
type Texts = BTreeMap<String, String>;

/// Writes a client as users get it: the emitted files and the scaffold.
fn client(catalogue: &Texts, scratch: &mut Scratch, name: &str) {
    let texts: Vec<_> = catalogue.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let api = catalogue::resolve(&load_texts(&texts)).expect("the catalogue has no error");
    let package = Package::new(name);
    for file in codegen::emit(&api, &package) {
        scratch.write(name, &format!("src/generated/{}", file.path), &file.text);
    }
    for file in codegen::documents(&api, &package) {
        scratch.write(name, &format!("docs/{}", file.path), &file.text);
    }
    for file in codegen::scaffold(&api, &package, &root().display().to_string()) {
        // The lints of this project also apply to emitted code.
        let lints = if file.path == "Cargo.toml" { "\n[lints]\nworkspace = true\n" } else { "" };
        scratch.write(name, &file.path, &format!("{}{lints}", file.text));
    }
}

/// Returns the manifest of the scratch workspace. It is the manifest of this project, so that the same lints apply, but
/// every warning is an error.
fn workspace() -> String {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the root's manifest");
    let members = manifest.lines().find(|line| line.starts_with("members = ")).expect("a line of members");
    let manifest = manifest.replace(members, "members = [\"members/*\"]");
    manifest
        .replace("[workspace.lints.rust]\n", "[workspace.lints.rust]\nwarnings = { level = \"deny\", priority = -2 }\n")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
