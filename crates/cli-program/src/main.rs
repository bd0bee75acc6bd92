//! Runs the command line for the catalogue in the folder that the variable `CATALOGUE` names, without an emitted client.
//! Tests start it with catalogues that no client of the project has.

use std::io::{self, Write};
use std::process::ExitCode;

use cli::Program;

fn main() -> ExitCode {
    let folder = std::env::var_os("CATALOGUE").unwrap_or_else(|| "spec".into());
    match catalogue::read(folder.as_ref()) {
        Ok(api) => {
            let registry = Box::leak(Box::new(catalogue::registry(&api)));
            Program::new("catalogue-cli", env!("CARGO_PKG_VERSION"), registry).main()
        }
        Err(errors) => {
            // A failed write is ignored, because it cannot be reported anywhere else.
            let _ = io::stderr().write_all(errors.render("", false).as_bytes());
            ExitCode::FAILURE
        }
    }
}
