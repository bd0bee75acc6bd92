//! `cargo xtask status` and `openapi`: texts about a catalogue, which are printed.

use std::path::{Path, PathBuf};

use catalogue::{Api, Coverage};
use clap::Args;
use codegen::OpenApiVersion;

use crate::catalogue_errors::rendered;
use crate::project_paths;
use crate::terminal::{CommandResult, print};

/// Show how much is known about the endpoints, and which unknown facts would be most useful
#[derive(Args)]
pub(crate) struct Status {
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = project_paths::spec())]
    spec: PathBuf,
}

/// Print the OpenAPI description of the service
#[derive(Args)]
pub(crate) struct Openapi {
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = project_paths::spec())]
    spec: PathBuf,
    /// The version of OpenAPI; some generators support only 3.0
    #[arg(long, value_parser = ["3.0", "3.1"], default_value = "3.1")]
    version: String,
}

impl Status {
    pub(crate) fn run(&self) -> CommandResult {
        print_view(&self.spec, |api| Coverage::of(api).to_string())
    }
}

impl Openapi {
    pub(crate) fn run(&self) -> CommandResult {
        let version = if self.version == "3.0" { OpenApiVersion::V3_0 } else { OpenApiVersion::V3_1 };
        print_view(&self.spec, |api| codegen::openapi(api, version))
    }
}

/// Reads a catalogue, and prints the text that `about` returns for it, or the errors in the catalogue.
fn print_view(spec: &Path, about: impl Fn(&Api) -> String) -> CommandResult {
    let api = catalogue::read(spec).map_err(|errors| rendered(&errors, spec))?;
    print(&about(&api));
    Ok(())
}
