//! `cargo xtask codegen` and `cargo xtask check`.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use codegen::{Change, ChangeKind, Diagnostics, Mode, Report, Summary};

use crate::paths;
use crate::terminal::{fail, say};

/// Turn the catalogue into the generated part of the client
#[derive(Args)]
pub(crate) struct Codegen {
    /// Write nothing; list every file that is not as it is emitted, and fail if there is one
    #[arg(long)]
    check: bool,
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = paths::spec())]
    spec: PathBuf,
    /// The folder that the generator owns
    #[arg(long, value_name = "DIR", default_value_os_t = paths::generated())]
    out: PathBuf,
}

/// Report every mistake in the catalogue
#[derive(Args)]
pub(crate) struct Check {
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = paths::spec())]
    spec: PathBuf,
}

impl Codegen {
    pub(crate) fn run(&self) -> ExitCode {
        let mode = if self.check { Mode::Check } else { Mode::Write };
        let (summary, report) = match generate(&self.spec, &self.out, mode) {
            Ok(done) => done,
            Err(failure) => return fail(&failure.to_text(&self.spec)),
        };
        if report.has_foreign() || (self.check && !report.is_clean()) {
            return fail(&format!("{report}\n{}", self.remedy(&report)));
        }
        say(&format!("{summary}\n{}", self.outcome(&report)));
        ExitCode::SUCCESS
    }

    fn remedy(&self, report: &Report) -> String {
        let files = match report.changes.len() {
            1 => "1 file differs".to_owned(),
            count => format!("{count} files differ"),
        };
        let out = shown(&self.out);
        if report.has_foreign() {
            return format!("error: {files} in {out}; move the foreign files away, then run `{}`\n", self.command());
        }
        format!("error: {files} in {out}; run `{}` and commit the result\n", self.command())
    }

    /// The command that mends what this one reports.
    fn command(&self) -> String {
        let mut command = "cargo xtask codegen".to_owned();
        for (flag, path, default) in [("--spec", &self.spec, paths::spec()), ("--out", &self.out, paths::generated())] {
            if *path != default {
                command += &format!(" {flag} {}", path.display());
            }
        }
        command
    }

    fn outcome(&self, report: &Report) -> String {
        let out = shown(&self.out);
        if report.is_clean() {
            return format!("{out}: all {} files are as emitted\n", report.unchanged);
        }
        let mut text = format!("{out}: {} changed, {} unchanged\n", report.changes.len(), report.unchanged);
        for Change { path, kind } in &report.changes {
            let verb = match kind {
                ChangeKind::Missing => "wrote new",
                ChangeKind::Drifted(_) => "rewrote",
                ChangeKind::Stale => "removed stale",
                ChangeKind::Foreign => "left foreign",
            };
            text += &format!("  {verb} {path}\n");
        }
        text
    }
}

impl Check {
    pub(crate) fn run(&self) -> ExitCode {
        match codegen::read(&self.spec) {
            Ok(api) => {
                say(&format!("{}\nnothing is wrong with the catalogue in {}\n", Summary::of(&api), shown(&self.spec)));
                ExitCode::SUCCESS
            }
            Err(diagnostics) => fail(&drawn(&diagnostics, &self.spec)),
        }
    }
}

/// Why nothing was generated.
enum Failure {
    Catalogue(Diagnostics),
    Disk(PathBuf, std::io::Error),
}

impl Failure {
    fn to_text(&self, spec: &Path) -> String {
        match self {
            Self::Catalogue(diagnostics) => drawn(diagnostics, spec),
            Self::Disk(path, error) => format!("error: {}: {error}\n", path.display()),
        }
    }
}

/// The findings, each with the file's path as a terminal can open it.
pub(crate) fn drawn(diagnostics: &Diagnostics, spec: &Path) -> String {
    diagnostics.render(&format!("{}/", shown(spec)), stderr().is_terminal())
}

/// The whole pipeline, from one folder to another.
fn generate(spec: &Path, out: &Path, mode: Mode) -> Result<(Summary, Report), Failure> {
    let api = codegen::read(spec).map_err(Failure::Catalogue)?;
    let report =
        codegen::write(out, &codegen::emit(&api), mode).map_err(|error| Failure::Disk(out.to_owned(), error))?;
    Ok((Summary::of(&api), report))
}

/// A path as a person in the project's root would write it.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(paths::root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `cargo xtask codegen --check` does, as a test: the committed files are what the catalogue makes.
    #[test]
    fn nothing_has_drifted() {
        let (_, report) = match generate(&paths::spec(), &paths::generated(), Mode::Check) {
            Ok(done) => done,
            Err(failure) => panic!("{}", failure.to_text(&paths::spec())),
        };
        assert!(report.is_clean(), "{report}\nrun `cargo xtask codegen` and commit the result");
    }
}
