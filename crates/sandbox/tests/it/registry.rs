//! Tests that the registry of a catalogue equals the registry of its emitted client.

use std::path::Path;

use generated_client::registry::Registry;

#[test]
fn registry_of_a_catalogue_equals_that_of_its_client() {
    let api =
        catalogue::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec")).unwrap_or_else(|it| panic!("{it}"));
    // The params are one list in the catalogue, and several lists in the client, so the ends of lists may differ.
    let lines = |registry: &Registry| {
        let text = format!("{registry:#?}");
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines.filter(|line| !["[", "],"].contains(&line.as_str())).collect::<Vec<_>>()
    };
    let (read, emitted) = (lines(&catalogue::registry(&api)), lines(&generated_client::REGISTRY));
    let differing = read.iter().zip(&emitted).find(|(read, emitted)| read != emitted);
    assert_eq!(differing, None);
    assert_eq!(read.len(), emitted.len());
}
