//! Futures Exchange Market Data on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::program!(&futures_data::REGISTRY).main()
}
