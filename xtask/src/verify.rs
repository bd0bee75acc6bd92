//! `cargo xtask verify`: the checks that need more than Rust.
//!
//! A check is a row of [`CHECKS`] and a file of its own in `verify/`.
//! A check names the programs that it needs, so that a machine without one is told how to install it before the check
//! begins.

mod docs;
mod examples;
mod facts;
mod features;
mod fleet;
mod fuzz;
mod gate;
mod history;
mod layers;
mod learn;
mod lowest_rust;
mod openapi;
mod page;
mod running;
mod sandbox;
mod soak;
mod supply_chain;
mod tables;
mod throughput;
mod wasm;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use clap::Args;

use crate::paths;
use crate::terminal::{fail, say};

/// Every check, in the order in which all of them run.
const CHECKS: &[Check] = &[
    docs::CHECK,
    examples::CHECK,
    facts::CHECK,
    features::CHECK,
    fleet::CHECK,
    fuzz::CHECK,
    gate::CHECK,
    history::CHECK,
    layers::CHECK,
    learn::CHECK,
    lowest_rust::CHECK,
    openapi::CHECK,
    page::CHECK,
    sandbox::CHECK,
    soak::CHECK,
    supply_chain::CHECK,
    tables::CHECK,
    throughput::CHECK,
    wasm::CHECK,
];

/// Run the checks that need more than Rust
#[derive(Args)]
pub(crate) struct Verify {
    /// Which to run; all of them if none is named. `facts` takes a file behind it
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The file after the name `facts`
    #[arg(skip)]
    file: Option<PathBuf>,
    /// Run none, only say what there is and which programs are missing
    #[arg(long)]
    list: bool,
    /// How many seconds an endless check runs
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
}

/// A promise of the project whose check needs more than Rust.
struct Check {
    /// Its name on the command line.
    name: &'static str,
    /// What it shows, as the end of a sentence that begins with its name.
    shows: &'static str,
    /// The programs it calls.
    needs: &'static [Program],
    /// Runs it; an error says why it failed.
    run: fn(&Verify) -> Result<(), String>,
}

/// Something to install.
struct Program {
    /// A command that succeeds if the program is there.
    probe: &'static [&'static str],
    /// The command that installs it.
    install: &'static str,
}

impl Verify {
    pub(crate) fn run(mut self) -> ExitCode {
        if let [name, file] = self.names.as_slice()
            && name == facts::CHECK.name
            && facts::is_file(file)
        {
            self.file = self.names.pop().map(PathBuf::from);
        }
        let chosen = match chosen(&self.names) {
            Ok(chosen) => chosen,
            Err(unknown) => return fail(&unknown),
        };
        if self.list {
            say(&chosen.iter().map(|check| check.description()).collect::<Vec<_>>().concat());
            return ExitCode::SUCCESS;
        }
        let failures: Vec<String> = chosen.iter().filter_map(|check| check.verdict(&self).err()).collect();
        match failures.as_slice() {
            [] => ExitCode::SUCCESS,
            _ => fail(&failures.concat()),
        }
    }
}

/// The checks of these names, or all.
fn chosen(names: &[String]) -> Result<Vec<&'static Check>, String> {
    if names.is_empty() {
        return Ok(CHECKS.iter().collect());
    }
    names
        .iter()
        .map(|name| {
            CHECKS.iter().find(|check| check.name == name).ok_or_else(|| {
                let known: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
                format!("error: there is no check `{name}`\n  help: the checks are {}\n", known.join(", "))
            })
        })
        .collect()
}

/// Runs one check by its name.
pub(crate) fn run_check(name: &str) -> Result<(), String> {
    let wanted = Verify { names: vec![name.to_owned()], file: None, list: false, seconds: 60 };
    chosen(&wanted.names)?.iter().try_for_each(|check| check.verdict(&wanted))
}

impl Check {
    fn missing(&self) -> impl Iterator<Item = &Program> {
        self.needs.iter().filter(|program| !program.is_there())
    }

    fn description(&self) -> String {
        let missing: Vec<String> =
            self.missing().map(|program| format!("  missing; run `{}`\n", program.install)).collect();
        format!("{}: {}\n{}", self.name, self.shows, missing.concat())
    }

    /// Runs it and prints the outcome, unless a program is missing.
    fn verdict(&self, wanted: &Verify) -> Result<(), String> {
        let missing: Vec<&str> = self.missing().map(|program| program.install).collect();
        if !missing.is_empty() {
            return Err(format!("error: `verify {}` needs more; run `{}`\n", self.name, missing.join(" && ")));
        }
        say(&format!("== {}: {}\n", self.name, self.shows));
        (self.run)(wanted).map_err(|why| format!("error: `verify {}` failed: {why}\n", self.name))
    }
}

impl Program {
    fn is_there(&self) -> bool {
        let [program, arguments @ ..] = self.probe else { return false };
        let quiet = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        quiet.is_ok_and(|status| status.success())
    }
}

/// Runs a command in the project's root, its output shown as it comes.
pub(crate) fn call(command: &[&str]) -> Result<(), String> {
    let [program, arguments @ ..] = command else { return Ok(()) };
    let mut process = Command::new(program);
    let status = as_from_a_shell(&mut process).args(arguments).current_dir(paths::root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` ended with {status}", command.join(" "))),
        Err(error) => Err(format!("`{program}` does not start: {error}")),
    }
}

/// Removes the variables that Cargo has set for this package: build scripts read them, so a Cargo that is called from
/// here would build anew what one called from a shell has built.
fn as_from_a_shell(command: &mut Command) -> &mut Command {
    let of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let names = ["features".to_owned(), "fetures".to_owned()];
        let told = chosen(&names).err().unwrap_or_default();
        assert!(told.contains("there is no check `fetures`") && told.contains("features"), "{told}");
    }

    #[test]
    fn a_missing_program_is_named_with_its_remedy_and_the_check_does_not_run() {
        let needs = &[Program { probe: &["no-such-program-anywhere"], install: "install it" }];
        let check = Check { name: "probe", shows: "nothing", needs, run: |_| Ok(()) };
        assert_eq!(
            check.verdict(&Verify { names: Vec::new(), file: None, list: false, seconds: 1 }),
            Err("error: `verify probe` needs more; run `install it`\n".to_owned())
        );
    }

    #[test]
    fn a_command_that_fails_fails_the_check() {
        assert!(call(&["cargo", "--version"]).is_ok());
        assert!(call(&["cargo", "--no-such-flag"]).is_err());
    }
}
