//! `derivs`: the API on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    command_line::program!(&generated_client::REGISTRY).main()
}
