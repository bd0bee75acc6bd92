//! `cargo xtask verify`: runs the scripts in `.ci/checks/`, which need additional programs, or more time than
//! `cargo test`.
//!
//! The second line of a script is its description. A line `# needs: PROBE; INSTALL` declares a program that the script
//! calls: PROBE is a command that succeeds if the program is installed, and INSTALL is a command that installs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use clap::Args;

use crate::project_paths;
use crate::terminal::{CommandResult, print};

/// Run the checks that need more than a Rust toolchain
#[derive(Args)]
pub(crate) struct Verify {
    /// The checks to run; default: all
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// List the checks and the missing programs, and run nothing
    #[arg(long)]
    list: bool,
    /// Arguments of the scripts, such as a number of seconds
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl Verify {
    pub(crate) fn run(&self) -> CommandResult {
        let checks = chosen(&self.names).map_err(|why| format!("error: {why}\n"))?;
        let mut failed = String::new();
        for check in checks {
            if self.list {
                print(&check.listing());
            } else if let Err(why) = check.run(&self.arguments) {
                failed += &why;
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }
}

/// A script in `.ci/checks/`.
#[derive(Debug)]
struct Check {
    path: PathBuf,
    name: String,
    description: String,
    needs: Vec<NeededProgram>,
}

/// A program that a script calls.
#[derive(Debug)]
struct NeededProgram {
    /// A command that succeeds if the program is installed.
    probe: String,
    /// A command that installs the program.
    install: String,
}

impl NeededProgram {
    /// Reads `needs: PROBE; INSTALL`.
    fn parse(comment: &str) -> Option<Self> {
        let (probe, install) = comment.strip_prefix("needs: ")?.split_once("; ")?;
        Some(Self { probe: probe.to_owned(), install: install.to_owned() })
    }
}

/// The checks with these names, sorted by name; all checks if `names` is empty.
fn chosen(names: &[String]) -> Result<Vec<Check>, String> {
    let folder = project_paths::root().join(".ci/checks");
    let mut all = read_checks(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let known: Vec<String> = all.iter().map(|check| check.name.clone()).collect();
    for name in names {
        if !known.contains(name) {
            return Err(format!("unknown check `{name}`; expected one of {}", known.join(", ")));
        }
    }
    all.retain(|check| names.is_empty() || names.contains(&check.name));
    Ok(all)
}

fn read_checks(folder: &Path) -> io::Result<Vec<Check>> {
    let mut checks = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        checks.push(Check::new(path, &text));
    }
    Ok(checks)
}

impl Check {
    fn new(path: PathBuf, text: &str) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut comments = Vec::new();
        for line in text.lines().skip(1) {
            let Some(comment) = line.strip_prefix("# ") else { break };
            comments.push(comment);
        }
        let description = comments.first().copied().unwrap_or_default().to_owned();
        let mut needs = Vec::new();
        for comment in comments {
            needs.extend(NeededProgram::parse(comment));
        }
        Self { path, name, description, needs }
    }

    /// The commands that install the missing programs.
    fn missing(&self) -> Vec<&str> {
        let mut missing = Vec::new();
        for program in &self.needs {
            if !succeeds(&program.probe) {
                missing.push(program.install.as_str());
            }
        }
        missing
    }

    fn listing(&self) -> String {
        let mut text = format!("{}: {}\n", self.name, self.description);
        for install in self.missing() {
            text += &format!("  a program is missing; run `{install}`\n");
        }
        text
    }

    /// Runs the script in the project's root; a missing program is an error.
    fn run(&self, arguments: &[String]) -> Result<(), String> {
        let missing = self.missing();
        if !missing.is_empty() {
            return Err(format!("error: `verify {}` lacks programs; run `{}`\n", self.name, missing.join(" && ")));
        }
        print(&format!("== {}: {}\n", self.name, self.description));
        let mut script = Command::new(&self.path);
        script.args(arguments).current_dir(project_paths::root());
        remove_package_variables(&mut script);
        match script.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("error: `verify {}` failed with {status}\n", self.name)),
            Err(error) => Err(format!("error: `verify {}` does not start: {error}\n", self.name)),
        }
    }
}

/// `true` if a shell command succeeds.
fn succeeds(command: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

/// Removes the environment variables that Cargo sets for this package. Some build scripts depend on these variables, so
/// Cargo would rebuild packages whenever the values differ from those in a shell.
fn remove_package_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if let Some(name) = name.to_str()
            && (name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_has_a_description_and_is_chosen_by_name() {
        let all = chosen(&[]).unwrap_or_default();
        assert!(all.len() > 10 && all.iter().all(|check| check.description.ends_with('.')), "{all:#?}");
        let names = ["features".to_owned(), "fetures".to_owned()];
        assert_eq!(chosen(&names[..1]).map(|chosen| chosen.len()), Ok(1));
        let why = chosen(&names).err().unwrap_or_default();
        assert!(why.starts_with("unknown check `fetures`; expected one of ") && why.contains("features"), "{why}");
    }

    #[test]
    fn missing_program_stops_the_check_and_is_named_with_its_command() {
        let text = "#!/bin/sh\n# Nothing.\n# needs: true; a\n# needs: no-such-program --version; b c\nexit 0\n";
        let check = Check::new("no/such/script".into(), text);
        assert_eq!(check.listing(), "script: Nothing.\n  a program is missing; run `b c`\n");
        let expected = "error: `verify script` lacks programs; run `b c`\n";
        assert_eq!(check.run(&[]), Err(expected.to_owned()));
    }
}
