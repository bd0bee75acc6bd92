//! Whether other programs read the files of tables correctly, and whether the files survive a killed job.
//!
//! A program writes them from the sandbox; pandas, Polars, DuckDB and Spark read them back. The library and the command
//! line write to object storage.

mod bucket;

use std::fs;

use super::{Check, Program, call};
use crate::files;
use crate::paths;

pub(super) const CHECK: Check = Check {
    name: "tables",
    shows: "files are read by pandas, Polars, DuckDB and Spark as they were meant, and a killed job loses and doubles no row",
    needs: &[
        Program {
            probe: &["python3", "-c", "import duckdb, moto.server, pandas, polars, pyarrow, pyspark"],
            install: "pip install duckdb 'moto[server]' pandas polars pyarrow pyspark",
        },
        Program { probe: &["java", "-version"], install: "apt-get install --yes default-jre-headless" },
    ],
    run: |_| run(),
};

/// Beside the checks, since they are not Rust.
const READERS: &str = "tables/programs/files/readers.py";

fn run() -> Result<(), String> {
    let folder = paths::target().join("verify-tables");
    files::empty(&folder)?;
    let path = folder.display().to_string();
    let program = [
        "cargo",
        "run",
        "--quiet",
        "--release",
        "--package",
        "generated-client-tables",
        "--features",
        "s3",
        "--example",
        "files",
        "--",
    ];
    let program_does = |what: &[&str]| call(&[&program[..], what].concat());
    program_does(&["write", &path])?;
    call(&["python3", READERS, &path])?;
    files::empty(&folder)?;
    program_does(&["killed", &path])?;
    files::empty(&folder)?;
    call(&["cargo", "build", "--quiet", "--release", "--package", "derivs", "--features", "s3"])?;
    bucket::run()?;
    files::empty(&folder)?;
    program_does(&["million", &path])?;
    fs::remove_dir_all(&folder).map_err(|error| files::named(&folder, error))
}
