//! Emits the files that a new crate needs in addition to the generated files: a manifest, a `lib.rs`, the git settings
//! for generated files, and a crate with its command line. The folder `scaffold` contains their templates.
//!
//! These files are written only once, and the user may edit them. The caller must not overwrite existing files.

use std::path::{Component, Path};

use super::{File, Package, docs};
use catalogue::model::Api;

/// Returns the `Cargo.toml`, the `src/lib.rs` and the `.gitattributes` of a new crate. `project` is the folder of this
/// project, which contains the runtime and the sandbox on which the crate depends.
pub fn scaffold(api: &Api, package: &Package, project: &str) -> Vec<File> {
    let description = quoted(&format!("Typed access to {}", api.service.title));
    let [runtime, sandbox] = ["runtime", "sandbox"].map(|name| quoted(&format!("{project}/crates/{name}")));
    let manifest =
        [("description", &*description), ("name", &*package.name), ("runtime", &*runtime), ("sandbox", &*sandbox)];
    vec![
        file("Cargo.toml", &(include_str!("scaffold/Cargo.toml.in").to_owned() + workspace(project)), &manifest),
        file("src/lib.rs", include_str!("scaffold/lib.rs.in"), &[("docs", &crate_docs(api))]),
        file(".gitattributes", include_str!("scaffold/gitattributes.in"), &[]),
    ]
}

/// Returns the crate of the client's command line, in the folder `cli/` of the client. It is a separate crate, because
/// it needs a newer Rust and three times as many dependencies as the client.
pub fn scaffold_cli(api: &Api, package: &Package, project: &str) -> Vec<File> {
    let description = quoted(&format!("{} on the command line", api.service.title));
    // A relative path of the project begins in the folder of the client.
    let up = if project.starts_with('/') { "" } else { "../" };
    let library = quoted(&format!("{up}{project}/crates/cli"));
    let manifest = [("description", &*description), ("name", &*package.name), ("library", &*library)];
    let program = [("title", &*docs::prose(&api.service.title)), ("library", &*package.ident())];
    vec![
        file("cli/Cargo.toml", &(include_str!("scaffold/cli.toml.in").to_owned() + workspace(project)), &manifest),
        file("cli/src/main.rs", include_str!("scaffold/main.rs.in"), &program),
    ]
}

/// Returns the end of a manifest. In the folder of this project, it makes the crate a workspace, because Cargo rejects a
/// crate below a workspace that does not list it.
fn workspace(project: &str) -> &'static str {
    let is_inside = Path::new(project).components().all(|component| component == Component::ParentDir);
    if is_inside { include_str!("scaffold/workspace.toml.in") } else { "" }
}

/// Returns a file from its template, in which a name in braces is replaced by the value of that name.
fn file(path: &str, template: &str, values: &[(&str, &str)]) -> File {
    let text = template.replace("{version}", env!("CARGO_PKG_VERSION"));
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    File { path: path.to_owned(), text: values.iter().fold(text, fill) }
}

/// Returns a TOML string. A JSON string is also a valid TOML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn crate_docs(api: &Api) -> String {
    let service = &api.service;
    let head = [format!("{} {}", service.title, service.version), service.summary.clone()];
    let paragraphs = head.iter().filter(|paragraph| !paragraph.trim().is_empty()).map(|paragraph| {
        let lines = docs::wrap(&docs::prose(paragraph)).into_iter();
        lines.map(|line| format!("//! {line}\n")).collect::<Vec<_>>().concat()
    });
    paragraphs.collect::<Vec<_>>().join("//!\n")
}
