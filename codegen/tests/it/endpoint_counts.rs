//! Tests that the counts in the output of `cargo xtask codegen` add up.

use std::fs;
use std::path::Path;

use recorded_cases::{entries, name};

#[test]
fn counts_add_up() {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/other_service");
    let files = entries(&catalogue).into_iter().filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let texts: Vec<_> = files.map(|path| (name(&path), fs::read_to_string(path).expect("text"))).collect();
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let summary =
        catalogue::endpoint_counts(&catalogue::resolve(&catalogue::load_texts(&texts)).expect("a valid catalogue"));
    for (label, counts) in &summary.rows {
        let [endpoints, with_path, typed, untyped, unknown_body, by_name_only] = counts[..] else {
            panic!("{label} has {} counts", counts.len());
        };
        assert_eq!(endpoints, with_path + by_name_only, "{label}");
        assert_eq!(with_path, typed + untyped + unknown_body, "{label}");
    }
    let (total, groups) = summary.rows.split_last().expect("a row");
    assert_eq!(total.1[0], groups.iter().map(|(_, counts)| counts[0]).sum::<usize>());
    let printed = summary.to_string();
    let last = printed.lines().last().expect("a line").split_whitespace().collect::<Vec<_>>();
    assert_eq!(last[..3], ["total", &total.1[0].to_string(), &total.1[1].to_string()]);
}
