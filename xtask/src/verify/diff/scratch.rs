//! A workspace with every client of every case; each has the programs that should compile beside it.
//!
//! Most cases begin from one client, so each is written, compiled and documented once.
//! All of them are a crate of one name: to a program, and to cargo-semver-checks, they are versions of one thing.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use codegen::File;

use super::cases::Case;
use crate::files::{named, read, write};
use crate::paths;

pub(super) struct Scratch {
    root: PathBuf,
    clients: Vec<Vec<File>>,
}

impl Scratch {
    /// Writes everything anew, except built dependencies.
    pub(super) fn new(cases: &[Case]) -> Result<Self, String> {
        let mut scratch = Self { root: paths::target().join("verify-diff"), clients: Vec::new() };
        for part in ["clients", "docs"] {
            let _ = fs::remove_dir_all(scratch.root.join(part));
        }
        for case in cases {
            for side in ["before", "after"] {
                let client = case.client(side);
                let number = match scratch.number(client) {
                    Some(number) => number,
                    None => scratch.add(client)?,
                };
                for (program, text) in &case.programs {
                    let path = scratch.client(number).join("examples").join(case.example(program, side) + ".rs");
                    write(&path, text)?;
                }
            }
        }
        let manifest = read(&paths::root().join("Cargo.toml"))?;
        let members = manifest.lines().find(|line| line.starts_with("members = ")).unwrap_or_default();
        write(&scratch.root.join("Cargo.toml"), &manifest.replace(members, "members = [\"clients/*\"]"))?;
        write(&scratch.root.join("Cargo.lock"), &read(&paths::root().join("Cargo.lock"))?)?;
        Ok(scratch)
    }

    /// How many clients there are.
    pub(super) fn clients(&self) -> usize {
        self.clients.len()
    }

    fn number(&self, client: &[File]) -> Option<usize> {
        self.clients.iter().position(|known| known == client)
    }

    fn client(&self, number: usize) -> PathBuf {
        self.root.join("clients").join(number.to_string())
    }

    /// Writes a client under a name of its own; to programs it is the same crate.
    fn add(&mut self, client: &[File]) -> Result<usize, String> {
        let number = self.clients.len();
        let name = format!("name = \"client-{number}\"");
        for file in client {
            let text = match file.path.as_str() {
                "Cargo.toml" => {
                    file.text.replace("name = \"generated-client\"", &name) + "\n[lib]\nname = \"generated_client\"\n"
                }
                _ => file.text.clone(),
            };
            write(&self.client(number).join(&file.path), &text)?;
        }
        self.clients.push(client.to_vec());
        Ok(number)
    }

    /// The names of the programs that compile.
    pub(super) fn compile(&self) -> Result<BTreeSet<String>, String> {
        let output =
            self.cargo(&["check", "--workspace", "--lib", "--examples", "--keep-going", "--message-format=json"])?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages: Vec<serde_json::Value> =
            lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let built = |kind: &'static str| {
            let artifacts = messages.iter().filter(|message| message["reason"] == "compiler-artifact");
            artifacts.filter(move |message| message["target"]["kind"][0] == kind)
        };
        let libraries = built("lib").filter(|message| message["target"]["name"] == "generated_client").count();
        if libraries != self.clients.len() {
            let errors = messages.iter().filter_map(|message| message["message"]["rendered"].as_str());
            let told: String = errors.take(3).collect();
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{libraries} of {} clients compile\n{told}{said}", self.clients.len()));
        }
        Ok(built("example").filter_map(|message| Some(message["target"]["name"].as_str()?.to_owned())).collect())
    }

    /// Whether a program ends well.
    pub(super) fn run(&self, client: &[File], program: &str) -> Result<bool, String> {
        let package = self.package(client)?;
        Ok(self.cargo(&["run", "--package", &package, "--example", program])?.status.success())
    }

    /// Has rustdoc describe every client in JSON, as cargo-semver-checks would.
    pub(super) fn document(&self) -> Result<(), String> {
        for client in &self.clients {
            let package = self.package(client)?;
            let flags = ["--document-private-items", "--document-hidden-items", "--cap-lints=allow"];
            let json = ["-Zunstable-options", "--output-format=json"];
            let command = ["rustdoc", "--package", &package, "--lib", "--"];
            let output = self.cargo(&[&command[..], &json, &flags].concat())?;
            let made = self.root.join("target/doc/generated_client.json");
            if !output.status.success() || !made.exists() {
                return Err(format!("rustdoc failed: {}", String::from_utf8_lossy(&output.stderr)));
            }
            let kept = self.docs(client)?;
            let moved = fs::create_dir_all(self.root.join("docs")).and_then(|()| fs::rename(&made, &kept));
            moved.map_err(|error| named(&kept, error))?;
        }
        Ok(())
    }

    /// The verdict of cargo-semver-checks on a change.
    pub(super) fn semver_checks(&self, case: &Case) -> Result<&'static str, String> {
        let (before, after) = (self.docs(&case.before)?, self.docs(&case.after)?);
        let mut command = Command::new("cargo");
        // A patch allows the least, so everything is reported.
        command.args(["semver-checks", "--release-type", "patch", "--color", "never"]);
        command.arg("--baseline-rustdoc").arg(before).arg("--current-rustdoc").arg(after);
        let output = command.output().map_err(|error| format!("cargo semver-checks: {error}"))?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let says = |words: &str| text.lines().any(|line| line.contains("Summary") && line.contains(words));
        if says("requires new major version") {
            Ok("major")
        } else if says("requires new minor version") {
            Ok("minor")
        } else if says("no semver update required") {
            Ok("nothing")
        } else {
            Err(format!("cargo-semver-checks gives no verdict:\n{text}"))
        }
    }

    fn package(&self, client: &[File]) -> Result<String, String> {
        self.number(client).map(|number| format!("client-{number}")).ok_or_else(|| "an unknown client".to_owned())
    }

    fn docs(&self, client: &[File]) -> Result<PathBuf, String> {
        Ok(self.root.join("docs").join(self.package(client)? + ".json"))
    }

    /// Calls cargo in the scratch workspace, always with one environment, so that nothing is built twice.
    fn cargo(&self, arguments: &[&str]) -> Result<Output, String> {
        let (command, rest) = arguments.split_first().ok_or("no command")?;
        Command::new("cargo")
            .args([*command, "--offline", "--quiet", "--no-default-features"])
            .args(rest)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            // JSON is unstable in rustdoc, and this is how cargo-semver-checks asks a stable one for it.
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("RUSTFLAGS")
            .current_dir(&self.root)
            .output()
            .map_err(|error| format!("cargo: {error}"))
    }
}
