//! Emits the files that a new crate needs in addition to the generated files: a manifest, a `lib.rs`, the git settings
//! for generated files, and a crate with its command line. The folder `scaffold` contains their templates.
//!
//! These files are written only once, and the user may edit them. The caller must not overwrite existing files.

use std::path::{Component, Path};

use super::json_object::quoted;
use super::{File, Package, markdown};
use catalogue::model::Api;

/// The `Cargo.toml`, the `src/lib.rs` and the `.gitattributes` of a new crate. `project` is the folder of this
/// project, which contains the runtime and the sandbox on which the crate depends.
pub fn scaffold(api: &Api, package: &Package, project: &str) -> Vec<File> {
    let description = quoted(&format!("Typed access to {}", api.service.declared.title));
    let runtime = quoted(&format!("{project}/crates/runtime"));
    let sandbox = quoted(&format!("{project}/crates/sandbox"));
    let manifest =
        [("description", &*description), ("name", &*package.name), ("runtime", &*runtime), ("sandbox", &*sandbox)];
    vec![
        file("Cargo.toml", &(include_str!("scaffold/Cargo.toml.in").to_owned() + workspace(project)), &manifest),
        file("src/lib.rs", include_str!("scaffold/lib.rs.in"), &[("docs", &crate_docs(api))]),
        file(".gitattributes", include_str!("scaffold/gitattributes.in"), &[]),
    ]
}

/// The crate of the client's command line, in the folder `cli/` of the client. It is a separate crate, because
/// it needs a newer Rust and three times as many dependencies as the client.
pub fn scaffold_cli(api: &Api, package: &Package, project: &str) -> Vec<File> {
    let description = quoted(&format!("{} on the command line", api.service.declared.title));
    // A relative path of the project begins in the folder of the client.
    let up = if project.starts_with('/') { "" } else { "../" };
    let library = quoted(&format!("{up}{project}/crates/cli"));
    let manifest = [("description", &*description), ("name", &*package.name), ("library", &*library)];
    let program = [("title", &*markdown::prose(&api.service.declared.title)), ("library", &*package.ident())];
    vec![
        file("cli/Cargo.toml", &(include_str!("scaffold/cli.toml.in").to_owned() + workspace(project)), &manifest),
        file("cli/src/main.rs", include_str!("scaffold/main.rs.in"), &program),
    ]
}

/// The end of a manifest. In the folder of this project, it makes the crate a workspace, because Cargo rejects a
/// crate below a workspace that does not list it.
fn workspace(project: &str) -> &'static str {
    let is_inside = Path::new(project).components().all(|component| component == Component::ParentDir);
    if is_inside { include_str!("scaffold/workspace.toml.in") } else { "" }
}

/// A file from its template, in which a name in braces is replaced by the value of that name.
fn file(path: &str, template: &str, values: &[(&str, &str)]) -> File {
    let mut text = template.replace("{version}", env!("CARGO_PKG_VERSION"));
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    File::new(path, text)
}

fn crate_docs(api: &Api) -> String {
    let service = &api.service.declared;
    let mut docs = comment(&format!("{} {}", service.title, service.version));
    if !service.summary.trim().is_empty() {
        docs += "//!\n";
        docs += &comment(&service.summary);
    }
    docs
}

fn comment(paragraph: &str) -> String {
    let mut comment = String::new();
    for line in markdown::wrap(&markdown::prose(paragraph)) {
        comment += &format!("//! {line}\n");
    }
    comment
}
