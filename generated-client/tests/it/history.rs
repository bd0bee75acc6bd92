//! Tests that the method `history` exists exactly for the endpoints whose registry entry has a history.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use generated_client::{GROUPS, SERVICE};

/// Returns the name of an endpoint's marker type: `VolumeRatio` for `volume_ratio`.
fn marker(ident: &str) -> String {
    ident.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

#[test]
fn history_methods_match_the_registry() {
    let endpoints = GROUPS.iter().flat_map(|group| group.endpoints);
    let at_run_time: BTreeSet<String> = endpoints
        .filter(|endpoint| endpoint.path.is_some() && endpoint.history(&SERVICE).is_some())
        .map(|endpoint| marker(endpoint.ident))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/generated");
    let mut emitted = BTreeSet::new();
    for group in GROUPS {
        let text = fs::read_to_string(folder.join(group.ident).with_extension("rs")).unwrap();
        // The macro call of an endpoint ends with `: HasHistory` if the endpoint has a history.
        let calls = text.split("marker!(").skip(1).filter_map(|call| call.split(");").next());
        let words = calls.map(|call| call.split_whitespace().collect::<Vec<_>>());
        emitted.extend(words.filter_map(|words| (words.last() == Some(&"HasHistory")).then(|| words[2].to_owned())));
    }
    assert_eq!(at_run_time, emitted);
}
