//! `cargo xtask openapi`: prints the catalogue as an OpenAPI description for other tools.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
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
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// The version of OpenAPI; some generators support only 3.0
    #[arg(long, value_enum, default_value_t = Version::V3_1)]
    version: Version,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Yaml,
}

#[derive(Clone, Copy, ValueEnum)]
enum Version {
    #[value(name = "3.0")]
    V3_0,
    #[value(name = "3.1")]
    V3_1,
}

impl Openapi {
    pub(crate) fn run(&self) -> ExitCode {
        let version = match self.version {
            Version::V3_0 => OpenApiVersion::V3_0,
            Version::V3_1 => OpenApiVersion::V3_1,
        };
        let format = match self.format {
            Format::Json => OpenApiFormat::Json,
            Format::Yaml => OpenApiFormat::Yaml,
        };
        print_view(&self.spec, |api| codegen::openapi(api, version, format))
    }
}
