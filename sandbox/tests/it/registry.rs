//! Tests that the registry of a catalogue equals the registry of its emitted client.

use std::path::Path;

use crate::from_spec;

#[test]
fn registry_of_a_catalogue_equals_that_of_its_client() {
    let api = codegen::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec")).unwrap_or_else(|it| panic!("{it}"));
    let [read, emitted] = [from_spec::registry(&api), generated_client::REGISTRY].map(|it| format!("{it:#?}"));
    let differing = read.lines().zip(emitted.lines()).find(|(read, emitted)| read != emitted);
    assert_eq!(differing, None);
    assert_eq!(read.lines().count(), emitted.lines().count());
}
