//! An OpenAPI description, and the catalogue into which it is imported, from an archive of `import/`.

use std::collections::BTreeMap;

use catalogue::{Catalogue, load_texts};
use libtest_mimic::Failed;
use recorded_cases::Archive;

/// The files of a catalogue by name.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) struct ImportCase {
    pub(crate) description: String,
    /// The catalogue; empty if the import creates one.
    pub(crate) before: Files,
}

impl ImportCase {
    pub(crate) fn take(archive: &mut Archive) -> Result<Self, Failed> {
        let descriptions = archive.take_all(|name| matches!(name, "openapi.yaml" | "openapi.json"));
        let [(_, description)] =
            descriptions.try_into().map_err(|all| format!("expected one description, found {all:?}"))?;
        let before = Files::from_iter(archive.take_folder("before"));
        if let Some(unknown) = before.keys().find(|name| !catalogue::is_catalogue_file(name)) {
            return Err(format!("`{unknown}` is not a file of a catalogue").into());
        }
        Ok(Self { description, before })
    }
}

/// Loads a catalogue; `None` if there are no files.
pub(crate) fn load_files(files: &Files) -> Option<Catalogue> {
    if files.is_empty() {
        return None;
    }
    let texts: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Some(load_texts(&texts))
}
