//! Tests that the examples in `spec/README.md` are valid catalogues, and that changed tables are found.

use std::fs;
use std::path::Path;

const README: &str = include_str!("../../../spec/README.md");

/// Returns the YAML blocks of a page, without their indentation.
fn blocks(page: &str) -> Vec<String> {
    let starts = page.match_indices("```yaml\n");
    let indented = starts.map(|(start, fence)| {
        let indent = page[..start].chars().rev().take_while(|character| *character == ' ').count();
        let text = page[start + fence.len()..].split("```").next().unwrap_or_default();
        text.trim_end().lines().map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n").collect()
    });
    indented.collect()
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
    let [entry, group, service] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    check(service, group);
    check(service, &format!("title: Orderflow\nsummary: Orders.\nendpoints:\n{entry}"));
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
