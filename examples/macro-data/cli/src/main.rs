//! Macro Statistics on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::program!(&macro_data::REGISTRY).main()
}
