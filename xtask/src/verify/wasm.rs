//! Whether the client works on WebAssembly, with the transport of the recipe.
//!
//! The recipe is taken from its page and compiled with a program that uses it; Node runs that against the sandbox.

use std::path::Path;

use super::running::Running;
use super::{Check, Program, call};
use crate::{files, paths};

pub(super) const CHECK: Check = Check {
    name: "wasm",
    shows: "on WebAssembly, with the `fetch` of the recipe, the client keeps the rate limit, walks a history and cancels",
    needs: &[
        Program { probe: &["node", "--version"], install: "apt-get install --yes nodejs" },
        // It has to be of the same version as the library, which the lock file names.
        Program { probe: &["wasm-bindgen", "--version"], install: "cargo install wasm-bindgen-cli --version 0.2.130" },
        Program {
            probe: &["sh", "-c", "test -d \"$(rustc --print target-libdir --target wasm32-unknown-unknown)\""],
            install: "rustup target add wasm32-unknown-unknown",
        },
    ],
    run: |_| {
        let sandbox = Running::start(&[])?;
        let scratch = paths::root().join("target/verify-wasm");
        write_crate(&scratch)?;
        let at = |file: &str| scratch.join(file).display().to_string();
        let target = ["--target", "wasm32-unknown-unknown", "--target-dir", &at("target")];
        call(&[&["cargo", "build", "--quiet", "--manifest-path", &at("Cargo.toml")], &target[..]].concat())?;
        let program = at("target/wasm32-unknown-unknown/debug/in_a_browser.wasm");
        call(&["wasm-bindgen", "--target", "nodejs", "--out-dir", &at("program"), &program])?;
        call(&["node", &at("run.cjs"), &sandbox.base_url])
    },
};

/// The crate of a user, with the versions of ours.
fn write_crate(folder: &Path) -> Result<(), String> {
    let recipes = paths::root().join("generated-client/RECIPES.md");
    let recipes = files::read(&recipes)?;
    let recipe = recipe(&recipes).ok_or("RECIPES.md has no recipe for a browser")?;
    files::write(&folder.join("src/recipe.rs"), recipe)?;
    let own = paths::root().join("xtask/src/verify/wasm");
    for (from, to) in [("Cargo.toml", "Cargo.toml"), ("program.rs", "src/lib.rs"), ("run.cjs", "run.cjs")] {
        files::write(&folder.join(to), &files::read(&own.join(from))?)?;
    }
    files::write(&folder.join("Cargo.lock"), &files::read(&paths::root().join("Cargo.lock"))?)
}

/// The program of the recipe.
fn recipe(page: &str) -> Option<&str> {
    let (_, section) = page.split_once("# In a browser\n")?;
    let (_, block) = section.split_once("```rust,ignore\n")?;
    Some(block.split_once("```")?.0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_program_is_of_the_version_of_the_library() {
        let lock = fs::read_to_string(paths::root().join("Cargo.lock")).unwrap();
        let (_, package) = lock.split_once("name = \"wasm-bindgen\"\nversion = \"").unwrap();
        let (version, _) = package.split_once('"').unwrap();
        let install = format!("cargo install wasm-bindgen-cli --version {version}");
        assert!(CHECK.needs.iter().any(|program| program.install == install), "the lock file has {version}");
        let workflow = fs::read_to_string(paths::root().join(".github/workflows/ci.yml")).unwrap();
        assert!(workflow.contains(&install), "the lock file has {version}");
    }
}
