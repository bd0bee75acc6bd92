//! `derivs`: the API on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::program!(&generated_client::REGISTRY).main()
}
