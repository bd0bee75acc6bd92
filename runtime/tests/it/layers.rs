//! Tests that each module of the runtime imports only from modules that `lib.rs` declares before it.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the modules of `lib.rs`, in their order.
fn modules(library: &str) -> Vec<&str> {
    let names = library.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
    names.filter_map(|name| name.strip_suffix(';')).collect()
}

/// Returns the modules that a file imports by `crate::`, outside of comments, tests and macros for other crates.
fn imports(source: &str) -> Vec<String> {
    let code = source.replace("$crate::", "");
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1));
    names.map(|rest| rest.chars().take_while(|part| part.is_alphanumeric() || *part == '_').collect()).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of_tests = |path: &PathBuf| {
        path.file_stem().is_some_and(|name| name == "tests" || name == "simulation" || name == "sample")
    };
    entries
        .filter(|path| !of_tests(path))
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .collect()
}

#[test]
fn folders_import_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(root.join("lib.rs")).unwrap();
    let order = modules(&library);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).unwrap();
        let folder = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let Some(own) = order.iter().position(|module| *module == folder) else { continue };
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            let Some(other) = order.iter().position(|module| *module == import) else { continue };
            count += 1;
            if other > own {
                wrong.push(format!("{} imports `crate::{import}`", inside.display()));
            }
        }
    }
    assert!(count > order.len(), "only {count} imports were found");
    assert!(wrong.is_empty(), "against the order {}:\n{}", order.join(", "), wrong.join("\n"));
}

#[test]
fn imports_are_found_outside_of_comments_and_tests() {
    let source = "use crate::rate_limit::{RateLimiter};\n// crate::auth\nfn f() -> crate::error::Error {}\n#[cfg(test)]\nuse crate::send;";
    assert_eq!(imports(source), ["rate_limit", "error"]);
    assert_eq!(modules("pub mod a;\n\nmod b;\npub use b::B;\n"), ["a", "b"]);
}
