//! Clients as other generators make them, each a crate of its own that has to compile.

use std::path::Path;

use super::Described;
use crate::files::{self, write};
use crate::verify::call;

pub(super) fn compile(scratch: &Path, described: &Described) -> Result<(), String> {
    // Their target folder lies elsewhere and is kept.
    let folder = |name: &str| {
        let folder = scratch.join(name);
        files::empty(&folder).map(|()| folder)
    };
    progenitor(&folder("progenitor")?, described)?;
    for (name, description) in [("generator_3_0", &described.json_3_0), ("generator_3_1", &described.json_3_1)] {
        openapi_generator(name, &folder(name)?, description)?;
    }
    openapi_to_rust(&folder("openapi_to_rust")?, &described.json_3_1)
}

/// Reads 3.0 only.
fn progenitor(dir: &Path, described: &Described) -> Result<(), String> {
    let manifest = r#"
progenitor = "0.15"
progenitor-client = "0.15"
reqwest = { version = "0.13", default-features = false, features = ["json", "query", "stream"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
"#;
    write(&dir.join("Cargo.toml"), &package("progenitor_client_of_ours", manifest))?;
    let source = format!("progenitor::generate_api!(spec = {:?}, interface = Builder);\n", described.json_3_0);
    write(&dir.join("src/lib.rs"), &source)?;
    check(dir, &[])
}

fn openapi_generator(name: &str, dir: &Path, description: &str) -> Result<(), String> {
    let out = dir.display().to_string();
    let named = format!("packageName={name}");
    let command = ["openapi-generator-cli", "generate", "--generator-name", "rust", "--input-spec", description];
    call(&[&command[..], &["--output", &out, "--additional-properties", &named]].concat())?;
    let manifest = dir.join("Cargo.toml");
    write(&manifest, &format!("{}\n[workspace]\n", files::read(&manifest)?))?;
    check(dir, &["--no-default-features", "--features", "rustls"])
}

fn openapi_to_rust(dir: &Path, description: &str) -> Result<(), String> {
    let out = dir.join("src/api");
    call(&["openapi-to-rust", "generate", description, "--output-dir", &out.display().to_string(), "--quiet"])?;
    let fragment = files::read(&out.join("REQUIRED_DEPS.toml"))?;
    write(&dir.join("Cargo.toml"), &package("openapi_to_rust_client", &fragment.replace("[dependencies]", "")))?;
    write(&dir.join("src/lib.rs"), "pub mod api;\n")?;
    check(dir, &[])
}

/// A manifest outside of our workspace.
fn package(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependencies}"
    )
}

/// They share a target folder, since they share most dependencies.
fn check(dir: &Path, features: &[&str]) -> Result<(), String> {
    let manifest = dir.join("Cargo.toml").display().to_string();
    let target = dir.with_file_name("target").display().to_string();
    let command = ["cargo", "check", "--quiet", "--manifest-path", &manifest, "--target-dir", &target];
    call(&[&command[..], features].concat())
}
