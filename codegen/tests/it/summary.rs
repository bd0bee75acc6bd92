//! The counts of `cargo xtask codegen` add up.

use std::fs;
use std::path::Path;

use codegen::{GroupSummary, Summary};

use crate::recorded::{entries, name};

#[test]
fn counts_add_up() {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/other_service");
    let files = entries(&catalogue).into_iter().filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let texts: Vec<_> = files.map(|path| (name(&path), fs::read_to_string(path).expect("text"))).collect();
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let summary = Summary::of(&codegen::resolve(&codegen::load_texts(&texts)).expect("a valid catalogue"));
    for GroupSummary { name, endpoints, with_path, typed, untyped_series, unknown_body, by_name_only } in
        summary.groups.iter().chain([&summary.total()])
    {
        assert_eq!(*endpoints, with_path + by_name_only, "{name}");
        assert_eq!(*with_path, typed + untyped_series + unknown_body, "{name}");
    }
    let printed = summary.to_string();
    let total = summary.total();
    let last = printed.lines().last().expect("a line").split_whitespace().collect::<Vec<_>>();
    assert_eq!(last[..3], ["total", &total.endpoints.to_string(), &total.with_path.to_string()]);
}
