//! Runs the command line for the catalogue in the folder that the variable `CATALOGUE` names, without an emitted client.
//! Tests start it with catalogues that no client of the project has.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use cli::Program;

fn main() -> ExitCode {
    let api = match catalogue::read(&folder()) {
        Ok(api) => api,
        Err(errors) => {
            // A failed write is ignored, because it cannot be reported anywhere else.
            let _ = io::stderr().write_all(errors.render("", false).as_bytes());
            return ExitCode::FAILURE;
        }
    };
    // A registry is static, because the registry of an emitted client is.
    let registry = Box::leak(Box::new(catalogue::registry(&api)));
    Program::new("catalogue-cli", env!("CARGO_PKG_VERSION"), registry).main()
}

/// The folder of the catalogue.
fn folder() -> PathBuf {
    match env::var_os("CATALOGUE") {
        Some(folder) => folder.into(),
        None => "spec".into(),
    }
}
