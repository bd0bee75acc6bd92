//! Checks a property of every catalogue: either it has errors with valid positions, or the output is valid Rust.
//!
//! The tests and a fuzz target use this module, with texts from different sources.

/// Runs the pipeline, and returns `true` if the catalogue was valid.
///
/// Panics if the position of an error is outside of its file, or if the emitted files are not valid Rust.
pub(crate) fn check(service: &str, group: &str) -> bool {
    let files = [("market.yaml", group), ("service.yaml", service)];
    match catalogue::resolve(&catalogue::load_texts(&files)) {
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(!errors.to_string().is_empty());
            errors.as_slice().iter().for_each(|error| assert_in_file(error, &files));
            false
        }
        Ok(api) => {
            for file in codegen::emit(&api, &codegen::Package::new("client")) {
                if let Err(error) = syn::parse_file(&file.text) {
                    panic!("{}: {error}\n{}", file.path, file.text);
                }
            }
            true
        }
    }
}

/// Calls `check` with the two parts of a text, a service and a group, which are separated by a line `%%`.
pub(crate) fn check_one(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let (service, group) = text.split_once("\n%%\n").unwrap_or((text, text));
    check(service, group)
}

/// Checks that the position of an error is in one of the files.
fn assert_in_file(error: &catalogue::Diagnostic, files: &[(&str, &str)]) {
    let (name, position) = error.position();
    let file = files.iter().find(|(known, _)| *known == name);
    let (_, text) = file.unwrap_or_else(|| panic!("there is no file {name}: {error:?}"));
    if let Some((line, column)) = position {
        let found = text.split('\n').nth(line - 1);
        let found = found.unwrap_or_else(|| panic!("{name} has no line {line}: {error:?}"));
        assert!((1..=found.chars().count() + 1).contains(&column), "line {line} has no column {column}: {error:?}");
    }
}
