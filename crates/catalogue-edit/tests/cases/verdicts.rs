//! Confirms every recorded verdict with the compiler.
//!
//! Both clients of a case are emitted, and the programs of the case are run with each client. If `downstream.rs` no
//! longer compiles or runs, the change is major. If `upgraded.rs` works only after the change, the change is minor.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use catalogue::Api;
use codegen::{File, Package};
use libtest_mimic::Failed;

use crate::diffs::{Case, paths};
use crate::scratch::Scratch;

pub(crate) fn check() -> Result<(), Failed> {
    let cases = paths().iter().map(|path| Case::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut clients = Clients::new()?;
    for case in &cases {
        clients.add(case);
    }
    clients.scratch.clear();
    let compiled = clients.compile()?;
    let wrong = cases.iter().filter_map(|case| Some(format!("{}: {}", case.name, clients.error(case, &compiled)?)));
    let wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A workspace with the clients of all cases. Many cases have equal clients, which are written and compiled only once.
/// All clients have the same library name, so that a program compiles with each of them.
struct Clients {
    scratch: Scratch,
    files: Vec<Vec<File>>,
}

impl Clients {
    fn new() -> Result<Self, Failed> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        let members = manifest.lines().find(|line| line.starts_with("members = ")).ok_or("no line `members = …`")?;
        let manifest = manifest.replace(members, "members = [\"members/*\"]");
        let lock = fs::read_to_string(root.join("Cargo.lock"))?;
        Ok(Self { scratch: Scratch::new("diffs", &manifest, &lock), files: Vec::new() })
    }

    /// Adds both clients of a case, each with the programs of the case.
    fn add(&mut self, case: &Case) {
        for (side, api) in [("before", &case.before), ("after", &case.after)] {
            let files = client(api);
            let number = self.files.iter().position(|known| *known == files).unwrap_or(self.files.len());
            let member = member(number);
            for (program, text) in programs(case) {
                self.scratch.write(&member, &format!("examples/{}.rs", example(case, program, side)), text);
            }
            if number == self.files.len() {
                for file in &files {
                    let named = file.text.replace("name = \"generated-client\"", &format!("name = \"{member}\""));
                    let is_manifest = file.path == "Cargo.toml";
                    let text =
                        if is_manifest { named + "\n[lib]\nname = \"generated_client\"\n" } else { file.text.clone() };
                    self.scratch.write(&member, &file.path, &text);
                }
                self.files.push(files);
            }
        }
    }

    /// Compiles all clients and programs, and returns the names of the programs that compile.
    fn compile(&self) -> Result<BTreeSet<String>, Failed> {
        let arguments =
            ["--workspace", "--lib", "--examples", "--keep-going", "--no-default-features", "--message-format=json"];
        let (output, text) = self.scratch.cargo("check", arguments);
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages: Vec<serde_json::Value> =
            output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let built = |kind: &'static str| {
            let artifacts = messages.iter().filter(|message| message["reason"] == "compiler-artifact");
            artifacts.map(|message| &message["target"]).filter(move |target| target["kind"][0] == kind)
        };
        let libraries = built("lib").filter(|target| target["name"] == "generated_client").count();
        if libraries != self.files.len() {
            return Err(format!("{libraries} of {} clients compile\n{text}", self.files.len()).into());
        }
        Ok(built("example").filter_map(|target| Some(target["name"].as_str()?.to_owned())).collect())
    }

    /// Returns a message if the programs of a case show a verdict that differs from the recorded verdict.
    fn error(&self, case: &Case, compiled: &BTreeSet<String>) -> Option<String> {
        let works = |program: &str, side: &str| {
            let name = example(case, program, side);
            // Running is slow, and most programs only have to compile.
            let has_to_run = programs(case).any(|(_, text)| !text.contains("fn main() {}"));
            compiled.contains(&name) && (!has_to_run || self.runs(case, side, &name))
        };
        if !works("downstream", "before") {
            return Some("`downstream.rs` does not work before the change".to_owned());
        }
        let breaks = !works("downstream", "after");
        let is_upgraded = case.upgraded.is_some();
        if is_upgraded && !works("upgraded", "after") {
            return Some("`upgraded.rs` does not work after the change".to_owned());
        }
        // After a major change, `upgraded.rs` shows the remedy, which may also work before the change.
        if is_upgraded && !breaks && works("upgraded", "before") {
            return Some("`upgraded.rs` works before the change, so the change adds nothing".to_owned());
        }
        let shown = match (breaks, is_upgraded) {
            (true, _) => "major",
            (false, true) => "minor",
            (false, false) if client(&case.before) == client(&case.after) => "none",
            (false, false) => "patch",
        };
        (shown != case.verdict).then(|| format!("its programs show {shown}, but {} is recorded", case.verdict))
    }

    fn runs(&self, case: &Case, side: &str, example: &str) -> bool {
        let files = client(if side == "before" { &case.before } else { &case.after });
        let number = self.files.iter().position(|known| *known == files).unwrap_or(self.files.len());
        let arguments = ["--no-default-features", "--package", &member(number), "--example", example];
        self.scratch.cargo("run", arguments).0.status.success()
    }
}

fn member(number: usize) -> String {
    format!("client-{number}")
}

fn programs(case: &Case) -> impl Iterator<Item = (&'static str, &str)> {
    let upgraded = case.upgraded.as_deref().map(|text| ("upgraded", text));
    std::iter::once(("downstream", case.downstream.as_str())).chain(upgraded)
}

/// Returns the name of the example for a program of a case that is compiled with the client of one side (`before` or
/// `after`).
fn example(case: &Case, program: &str, side: &str) -> String {
    format!("{}_{program}_{side}", case.name)
}

/// Returns the files of a client as users get them.
fn client(api: &Api) -> Vec<File> {
    let package = Package::new("generated-client");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let emitted = codegen::emit(api, &package).into_iter();
    let emitted = emitted.map(|file| File { path: format!("src/generated/{}", file.path), ..file });
    emitted.chain(codegen::scaffold(api, &package, &project.display().to_string())).collect()
}
