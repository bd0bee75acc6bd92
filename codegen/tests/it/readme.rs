//! Tests that the examples in `spec/README.md` are valid catalogues, and that changed tables are found.

use std::fs;
use std::path::Path;

const README: &str = include_str!("../../../spec/README.md");

/// The YAML blocks of a page.
fn blocks(page: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    for after_fence in page.split("```yaml\n").skip(1) {
        blocks.extend(after_fence.split("```").next());
    }
    blocks
}

fn check(service: &str, group: &str) {
    let catalogue = catalogue::load_texts(&[("orderflow.yaml", group), ("service.yaml", service)]);
    if let Err(diagnostics) = catalogue::resolve(&catalogue) {
        panic!("{diagnostics}");
    }
}

#[test]
fn format_examples_have_no_errors() {
    let blocks = blocks(README);
    let [group, service] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    check(service, group);
}

#[test]
fn changed_tables_are_found_with_any_line_ending() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    fs::create_dir_all(&dir).expect("a folder");
    let changed = README.replace("| `env_prefix`", "| `prefix`");
    assert_ne!(changed, README);
    for ending in ["\n", "\r\n"] {
        let is_changed = |page: &str| {
            fs::write(dir.join("README.md"), page.replace("\r\n", "\n").replace('\n', ending)).expect("a file");
            codegen::readme_tables(&dir).is_some()
        };
        assert!(!is_changed(README));
        assert!(is_changed(&changed), "{ending:?}");
    }
}
