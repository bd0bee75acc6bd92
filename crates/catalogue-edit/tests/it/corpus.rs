//! Checks the texts in the corpus of the fuzz targets.

use std::fs;
use std::path::Path;

use crate::untrusted;

/// Checks all texts of a target, at least one of which is valid.
fn check(target: &str, is_valid: fn(&[u8]) -> bool) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(corpus).expect("the folder of the corpus");
    let mut valid = 0;
    for entry in entries {
        let text = fs::read(entry.expect("an entry").path()).expect("a text");
        valid += usize::from(is_valid(&text));
    }
    assert!(valid > 0, "no text of the corpus is valid");
}

#[test]
fn descriptions_are_imported_or_refused() {
    check("openapi", untrusted::check_openapi);
}

#[test]
fn recordings_are_learned_or_refused() {
    check("har", untrusted::check_har);
}
