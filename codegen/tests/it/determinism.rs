//! Tests that the output depends only on the catalogue.

use std::path::Path;

fn texts() -> Vec<(String, String)> {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    let entries = std::fs::read_dir(spec).expect("the catalogue");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let yaml = paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("text"))
    })
    .collect()
}

fn check(texts: &[(String, String)]) -> Vec<codegen::File> {
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let api = catalogue::resolve(&catalogue::load_texts(&texts)).expect("our catalogue has no error");
    codegen::emit(&api, &codegen::Package::new("client"))
}

#[test]
fn output_is_independent_of_order_and_repetition() {
    let mut texts = texts();
    texts.sort();
    let files = check(&texts);
    texts.reverse();
    assert_eq!(check(&texts), files);
    texts.rotate_left(5);
    assert_eq!(check(&texts), files);
}
