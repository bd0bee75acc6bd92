//! `cargo xtask openapi`: prints the catalogue as an OpenAPI description for other tools.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use codegen::{OpenApiFormat, OpenApiVersion};

use crate::codegen::print_view;
use crate::project_paths;

/// Print the OpenAPI description of the service
#[derive(Args)]
pub(crate) struct Openapi {
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = project_paths::spec())]
    spec: PathBuf,
    /// The output format
    #[arg(long, value_parser = ["json", "yaml"], default_value = "json")]
    format: String,
    /// The version of OpenAPI; some generators support only 3.0
    #[arg(long, value_parser = ["3.0", "3.1"], default_value = "3.1")]
    version: String,
}

impl Openapi {
    pub(crate) fn run(&self) -> ExitCode {
        let version = if self.version == "3.0" { OpenApiVersion::V3_0 } else { OpenApiVersion::V3_1 };
        let format = if self.format == "yaml" { OpenApiFormat::Yaml } else { OpenApiFormat::Json };
        print_view(&self.spec, |api| codegen::openapi(api, version, format))
    }
}
