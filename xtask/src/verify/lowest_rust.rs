//! Whether the published crates compile with the lowest Rust that they promise.
//!
//! Lints find library functions that are too new; only a compiler of that version refuses syntax that is too new. A
//! crate that promises a newer Rust than the client is checked by lints alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Check;
use crate::paths;
use crate::workspace::published;

pub(super) const CHECK: Check = Check {
    name: "lowest-rust",
    shows: "the client and what promises the same compile with all features on the Rust that its manifest states",
    needs: &[],
    run: |_| {
        let published = published()?;
        let client = published.iter().find(|package| package.name == "generated-client");
        let promised = &client.ok_or("the client is not published")?.rust_version;
        let compiler = compilers(promised).find(|compiler| is_of(compiler, promised)).ok_or_else(|| {
            format!(
                "there is no Rust {promised}; run `rustup toolchain install {promised}` or `apt-get install rustc-web`"
            )
        })?;
        let with_its_promise = published.iter().filter(|package| package.rust_version == *promised);
        let status = Command::new("cargo")
            .args(["check", "--locked", "--lib", "--all-features"])
            .args(with_its_promise.flat_map(|package| ["--package", &package.name]))
            // A folder of its own, as every compiler builds everything anew.
            .arg("--target-dir")
            .arg(paths::target().join("lowest-rust"))
            .env("RUSTC", &compiler)
            .current_dir(paths::root())
            .status()
            .map_err(|error| format!("`cargo` does not start: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("{} refuses it", compiler.display())) }
    },
};

/// Where a compiler of a version may be: that of rustup, and that of the system.
fn compilers(version: &str) -> impl Iterator<Item = PathBuf> {
    let told = Command::new("rustup").args(["which", "--toolchain", version, "rustc"]).output().ok();
    let told = told.filter(|output| output.status.success());
    let of_rustup = told.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    of_rustup.into_iter().chain([PathBuf::from("/usr/bin/rustc")])
}

fn is_of(compiler: &Path, version: &str) -> bool {
    let told = Command::new(compiler).arg("--version").output();
    told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).starts_with(&format!("rustc {version}.")))
}
