//! `cargo xtask check`: reports the errors and warnings of a catalogue.

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;

use catalogue::Api;
use clap::Args;

use crate::catalogue_errors::{folder, rendered};
use crate::crate_folder::CrateFolder;
use crate::findings::Findings;
use crate::project_paths::{self, shown};
use crate::report_format::{Format, Level};
use crate::stale_names::{self, StaleName};
use crate::terminal::{CommandResult, print, print_error};

/// Report every error in the catalogue
#[derive(Args)]
pub(crate) struct Check {
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = project_paths::spec())]
    spec: PathBuf,
    /// Report warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Check {
    pub(crate) fn run(&self) -> CommandResult {
        if self.format != Format::Text {
            return self.report();
        }
        let api = catalogue::read(&self.spec).map_err(|errors| rendered(&errors, &self.spec))?;
        let stale = self.stale_names(&api);
        if self.deny_warnings {
            self.deny(&api, &stale)?;
        }
        print_error(&api.warnings.render_warnings(&folder(&self.spec), stderr().is_terminal()));
        print_error(&stale_names::text(&stale, "warning"));
        print(&format!("{}\nno errors in the catalogue in {}\n", catalogue::endpoint_counts(&api), shown(&self.spec)));
        Ok(())
    }

    /// Prints the findings for a program.
    fn report(&self) -> CommandResult {
        let warning = if self.deny_warnings { Level::Error } else { Level::Warning };
        let mut findings = Findings::new(folder(&self.spec));
        match catalogue::read(&self.spec) {
            Ok(api) => {
                findings.add_diagnostics(&api.warnings, warning);
                findings.add_stale_names(&self.stale_names(&api), warning);
            }
            Err(errors) => findings.add_diagnostics(&errors, Level::Error),
        }
        print(&findings.text(self.format));
        if findings.has_errors() { Err(String::new()) } else { Ok(()) }
    }

    /// Finds names in pages and programs of this project that the client of this project's catalogue does not have.
    fn stale_names(&self, api: &Api) -> Vec<StaleName> {
        if !project_paths::is_same(&self.spec, &project_paths::own_spec()) {
            return Vec::new();
        }
        let emitted = codegen::emit(api, &CrateFolder::ours().package);
        stale_names::find(project_paths::root(), api, &emitted)
    }

    /// The warnings as errors.
    fn deny(&self, api: &Api, stale: &[StaleName]) -> CommandResult {
        let mut errors = stale_names::text(stale, "error");
        if !api.warnings.is_empty() {
            errors += &rendered(&api.warnings, &self.spec);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
