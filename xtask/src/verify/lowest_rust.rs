//! Whether the published client compiles with the Rust that it promises, by a compiler of that version.
//!
//! Lints find a library function that is too new; what is too new in the language only that compiler refuses.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Check;
use crate::paths;

/// The version that `rust-version` of the workspace names.
const PROMISED: &str = "1.85";

pub(super) const CHECK: Check = Check {
    name: "lowest-rust",
    shows: "the client compiles with all features on Rust 1.85, which its manifest promises",
    needs: &[],
    run: |_| {
        let compiler = compilers().find(|compiler| is_promised(compiler)).ok_or_else(|| {
            format!(
                "there is no Rust {PROMISED}; run `rustup toolchain install {PROMISED}` or `apt-get install rustc-web`"
            )
        })?;
        // Its own folder, as every compiler builds all anew.
        let target = paths::target().join("lowest-rust");
        let status = Command::new("cargo")
            .args(["check", "--locked", "--lib", "--all-features", "--package", "generated-client", "--target-dir"])
            .arg(target)
            .env("RUSTC", &compiler)
            .current_dir(paths::root())
            .status()
            .map_err(|error| format!("`cargo` does not start: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("{} refuses it", compiler.display())) }
    },
};

/// Where a compiler may be: that of rustup, and that of the system.
fn compilers() -> impl Iterator<Item = PathBuf> {
    let told = Command::new("rustup").args(["which", "--toolchain", PROMISED, "rustc"]).output().ok();
    let told = told.filter(|output| output.status.success());
    let of_rustup = told.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    of_rustup.into_iter().chain([PathBuf::from("/usr/bin/rustc")])
}

fn is_promised(compiler: &Path) -> bool {
    let told = Command::new(compiler).arg("--version").output();
    told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).starts_with(&format!("rustc {PROMISED}.")))
}
