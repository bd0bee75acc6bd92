//! `cargo xtask verify`: runs the scripts in `.ci/checks/`, which need additional programs, or more time than
//! `cargo test`.
//!
//! The second line of a script is its description. A line `# needs: PROBE; INSTALL` declares a program that the script
//! calls: PROBE is a command that succeeds if the program is installed, and INSTALL is a command that installs it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;

use crate::project_paths;
use crate::terminal::{Outcome, print};

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
    pub(crate) fn run(&self) -> Outcome {
        let checks = chosen(&self.names).map_err(|why| format!("error: {why}\n"))?;
        if self.list {
            print(&checks.iter().map(Check::listing).collect::<String>());
            return Ok(());
        }
        let failed: String = checks.iter().filter_map(|check| check.run(&self.arguments).err()).collect();
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }
}

/// A script in `.ci/checks/`.
#[derive(Debug)]
struct Check {
    path: PathBuf,
    name: String,
    description: String,
    /// For each program that the script calls: a command that succeeds if the program is installed, and a command that
    /// installs it.
    needs: Vec<(String, String)>,
}

/// The checks with these names, sorted by name; all checks if `names` is empty.
fn chosen(names: &[String]) -> Result<Vec<Check>, String> {
    let folder = project_paths::root().join(".ci/checks");
    let in_folder = |error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(in_folder)?;
    let read = |path: PathBuf| fs::read_to_string(&path).map(|text| Check::new(path, &text)).map_err(in_folder);
    let mut all = entries.into_iter().map(|entry| read(entry.path())).collect::<Result<Vec<_>, _>>()?;
    all.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|check| check.name != **name)) {
        let known: Vec<&str> = all.iter().map(|check| check.name.as_str()).collect();
        return Err(format!("unknown check `{unknown}`; expected one of {}", known.join(", ")));
    }
    all.retain(|check| names.is_empty() || names.contains(&check.name));
    Ok(all)
}

impl Check {
    fn new(path: PathBuf, text: &str) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut comments = text.lines().skip(1).map_while(|line| line.strip_prefix("# "));
        let description = comments.next().unwrap_or_default().to_owned();
        let needs = comments.filter_map(|line| line.strip_prefix("needs: ")?.split_once("; "));
        let needs = needs.map(|(probe, install)| (probe.to_owned(), install.to_owned())).collect();
        Self { path, name, description, needs }
    }

    /// The commands that install the missing programs.
    fn missing(&self) -> Vec<&str> {
        self.needs.iter().filter(|(probe, _)| !succeeds(probe)).map(|(_, install)| install.as_str()).collect()
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
        let status = without_package_variables(&mut script).args(arguments).current_dir(project_paths::root()).status();
        match status {
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
fn without_package_variables(command: &mut Command) -> &mut Command {
    let of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    let names = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_str().is_some_and(of_package));
    names.fold(command, |command, name| command.env_remove(name))
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
