//! `completions`: prints the completion script of a shell.
//!
//! The script calls this program for completions, so endpoints, params and values are those of the installed program,
//! and an installed script stays valid.

use clap::{Args, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};

use crate::command_line;
use crate::failure::{ExitKind, Failure, Result};
use crate::stdout;

/// The environment variable with which the script requests completions.
const VARIABLE: &str = "DERIVS_COMPLETE";

/// Print the completion script of a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Once for all sessions:
  bash  echo 'source <(derivs completions bash)' >> ~/.bashrc
  zsh   echo 'source <(derivs completions zsh)' >> ~/.zshrc
  fish  echo 'derivs completions fish | source' >> ~/.config/fish/config.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<()> {
        let shell: &dyn EnvCompleter = match self.shell {
            Shell::Bash => &Bash,
            Shell::Elvish => &Elvish,
            Shell::Fish => &Fish,
            Shell::Powershell => &Powershell,
            Shell::Zsh => &Zsh,
        };
        let mut script = Vec::new();
        let written = shell.write_registration(VARIABLE, "derivs", "derivs", "derivs", &mut script);
        written.map_err(|error| Failure::new(ExitKind::Machine, error.to_string()))?;
        stdout::print(script)
    }
}

/// Prints completions for a shell that requests them, and then ends the process.
pub(crate) fn answer() {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    CompleteEnv::with_factory(|| command_line::for_words(&words)).var(VARIABLE).complete();
}
