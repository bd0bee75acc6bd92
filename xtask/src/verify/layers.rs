//! Whether the folders of the runtime import one way only.
//!
//! Their order is that of the modules in `runtime/src/lib.rs`; `cargo modules` lists the imports.

use std::process::Command;

use super::{Check, Program};
use crate::files;
use crate::paths;

pub(super) const CHECK: Check = Check {
    name: "layers",
    shows: "each folder of the runtime imports only from those that `lib.rs` names before it",
    needs: &[Program {
        probe: &["cargo", "modules", "--version"],
        install: "cargo install cargo-modules --version 0.27.0 --locked",
    }],
    run: |_| {
        let order = order(&files::read(&paths::root().join("runtime/src/lib.rs"))?);
        let graph = graph()?;
        let imports = imports(&graph);
        if imports.len() < order.len() {
            return Err("`cargo modules` shows too few imports to be right".to_owned());
        }
        match against(&order, &imports).as_slice() {
            [] => Ok(()),
            wrong => Err(format!("against the order {}:\n{}", order.join(", "), wrong.join("\n"))),
        }
    },
};

/// The modules of a `lib.rs`, in their order.
fn order(library: &str) -> Vec<String> {
    let modules = library.lines().filter_map(|line| {
        let name = line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    });
    modules.collect()
}

fn graph() -> Result<String, String> {
    let output = Command::new("cargo")
        .args(["modules", "dependencies", "--package", "generated-client-runtime", "--lib", "--all-features"])
        .args(["--no-externs", "--no-sysroot"])
        .current_dir(paths::root())
        .output()
        .map_err(|error| format!("`cargo modules` does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`cargo modules` failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The imports of modules, as pairs of paths; `cargo modules` attributes an `impl` to its type, wherever it stands.
fn imports(graph: &str) -> Vec<(&str, &str)> {
    let is_module = |path: &str| {
        let node = format!("    \"{path}\" [label=\"");
        graph.lines().any(|line| line.starts_with(&node) && line.contains("mod|"))
    };
    let edges = graph.lines().filter(|line| line.contains("// \"uses\" edge"));
    let pairs = edges.filter_map(|line| {
        let (from, rest) = line.trim().strip_prefix('"')?.split_once("\" -> \"")?;
        Some((from, rest.split_once('"')?.0))
    });
    pairs.filter(|(from, _)| is_module(from)).collect()
}

/// The imports of a folder from one after it.
fn against(order: &[String], imports: &[(&str, &str)]) -> Vec<String> {
    let room = |path: &str| order.iter().position(|room| path.split("::").nth(1) == Some(room));
    let wrong =
        imports.iter().filter(|(from, to)| matches!((room(from), room(to)), (Some(from), Some(to)) if from < to));
    wrong.map(|(from, to)| format!("  {from} imports {to}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAPH: &str = r##"
    "runtime::a" [label="pub mod|a", fillcolor="#81c169"]; // "mod" node
    "runtime::b::inner" [label="pub(self) mod|b::inner", fillcolor="#db5367"]; // "mod" node
    "runtime::a::A::from" [label="pub fn|a::A::from", fillcolor="#db5367"]; // "fn" node
    "runtime::b::inner" -> "runtime::a::A" [label="uses", color="#7f7f7f"] [constraint=false]; // "uses" edge
    "runtime::a" -> "runtime::b::B" [label="uses", color="#7f7f7f"] [constraint=false]; // "uses" edge
    "runtime::a::A::from" -> "runtime::b::B" [label="uses", color="#7f7f7f"] [constraint=false]; // "uses" edge
    "runtime::a" -> "runtime::a::A" [label="owns", color="#000000"] [constraint=true]; // "owns" edge
"##;

    #[test]
    fn an_import_against_the_order_is_found() {
        let order = order("pub mod a;\n\nmod b;\npub use b::B;\n");
        assert_eq!(order, ["a", "b"]);
        let imports = imports(GRAPH);
        assert_eq!(imports, [("runtime::b::inner", "runtime::a::A"), ("runtime::a", "runtime::b::B")]);
        assert_eq!(against(&order, &imports), ["  runtime::a imports runtime::b::B"]);
    }
}
