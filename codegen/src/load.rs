//! Reads a folder of YAML files into a [`Catalogue`].
//!
//! Each file is read according to the declarations of the format. Valid entries are passed on to `resolve` even if
//! other entries have errors, so that one run reports all errors. `resolve` checks the rules that compare several
//! entries.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::catalogue_reader::{ROOT, Read, Reader};
use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::spec;
use crate::yaml_parser;

/// The content of a catalogue, with the errors found while reading it.
#[derive(Debug)]
pub struct Catalogue {
    /// The content of `service.yaml`; `None` if the file cannot be read, so that the names in the file are unknown.
    pub(crate) service: Option<Document<spec::Service>>,
    /// The group files, sorted by name.
    pub(crate) groups: Vec<Document<spec::Group>>,
    pub(crate) diagnostics: Diagnostics,
    /// Errors about summaries that only repeat a name.
    repeated_names: Diagnostics,
    /// Names of entries that were dropped because of errors. References to them are not reported as unknown.
    pub(crate) cut: HashSet<String>,
}

impl Catalogue {
    /// Returns the names and texts of the files, `service.yaml` first.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let service = self.service.iter().map(|service| &service.file);
        let files = service.chain(self.groups.iter().map(|group| &group.file));
        files.map(|file| (file.name.as_str(), file.text.as_str()))
    }

    /// Returns the content of `service.yaml`, if it can be read, and the content of the other files with their module
    /// names.
    #[doc(hidden)]
    pub fn into_spec(self) -> (Option<spec::Service>, Vec<(String, spec::Group)>) {
        let groups = self.groups.into_iter().map(|group| (group.module().to_owned(), group.spec));
        (self.service.map(|service| service.spec), groups.collect())
    }
}

/// Returns an error for each summary that only repeats a name. These errors do not prevent the emission of a client.
pub fn repeated_names(catalogue: &Catalogue) -> Diagnostics {
    catalogue.repeated_names.clone().sorted()
}

/// A file, and the content that was read from it.
#[derive(Debug)]
pub(crate) struct Document<T> {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) spec: T,
}

impl<T> Document<T> {
    /// Returns the module name of a group, which is the stem of its file name.
    pub(crate) fn module(&self) -> &str {
        self.file.name.strip_suffix(".yaml").unwrap_or(&self.file.name)
    }
}

/// Reads every `.yaml` file of a folder.
pub fn load(dir: &Path) -> Catalogue {
    let mut loader = Loader::default();
    let sources = loader.read_folder(dir);
    load_sources(loader, sources)
}

/// Reads files from memory, given as pairs of name and text.
pub fn load_texts(files: &[(&str, &str)]) -> Catalogue {
    let mut sources: Vec<_> =
        files.iter().map(|(name, text)| SourceFile::new((*name).to_owned(), without_mark(text))).collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    load_sources(Loader::default(), sources)
}

fn load_sources(mut loader: Loader, sources: Vec<SourceFile>) -> Catalogue {
    let mut service = None;
    let mut groups = Vec::new();
    let has_service = sources.iter().any(|source| source.name == SERVICE_FILE);
    for source in sources {
        let file = Arc::new(source);
        if file.name == SERVICE_FILE {
            service = loader.document(file);
        } else if let Some(group) = loader.document(file) {
            groups.push(group);
        }
    }
    // If the folder cannot be read, it is unknown whether the file exists, so only the read error is reported.
    if !has_service && !loader.is_blind {
        let error = Diagnostic::of_file("missing-file", SERVICE_FILE, "missing file `service.yaml`");
        loader.diagnostics.push(error.help("add the file; it declares the facts that all endpoints share"));
    }
    let Loader { diagnostics, repeated_names, cut, .. } = loader;
    Catalogue { service, groups, diagnostics, repeated_names, cut }
}

const SERVICE_FILE: &str = "service.yaml";

#[derive(Default)]
struct Loader {
    diagnostics: Diagnostics,
    repeated_names: Diagnostics,
    cut: HashSet<String>,
    /// `true` if the list of files could not be read.
    is_blind: bool,
}

impl Loader {
    /// Returns the YAML files of a folder, sorted by name.
    fn read_folder(&mut self, dir: &Path) -> Vec<SourceFile> {
        let names = fs::read_dir(dir).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<Vec<_>, _>>()
        });
        let mut names = names.unwrap_or_else(|error| {
            self.is_blind = true;
            let error = Diagnostic::of_file("unreadable", "", format!("cannot read the catalogue: {error}"));
            self.diagnostics.push(error.help("pass the folder of a catalogue"));
            Vec::new()
        });
        names.sort();
        names.into_iter().filter_map(|name| self.read_file(dir, name)).collect()
    }

    fn read_file(&mut self, dir: &Path, name: String) -> Option<SourceFile> {
        let path = dir.join(&name);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_yaml = extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml");
        if !name.starts_with('.') && (path.is_dir() || (is_yaml && !is_part(&name))) {
            let error = Diagnostic::of_file("misplaced-file", name, "a catalogue cannot contain this file or folder");
            self.diagnostics.push(error.help("a catalogue is one folder of `.yaml` files: rename or move this"));
            return None;
        }
        if !is_part(&name) {
            return None;
        }
        let text = fs::read(&path).map(String::from_utf8);
        let error = match text {
            Ok(Ok(text)) => return Some(SourceFile::new(name, without_mark(&text))),
            Ok(Err(error)) => not_utf8(name, error.as_bytes(), error.utf8_error().valid_up_to()),
            Err(error) => Diagnostic::of_file("unreadable", name, format!("cannot read the file: {error}")),
        };
        self.diagnostics.push(error);
        None
    }

    fn document<T: Read>(&mut self, file: Arc<SourceFile>) -> Option<Document<T>> {
        let root = match yaml_parser::parse(&file.text) {
            Ok(root) => root,
            Err(error) => {
                let location = Location::new(&file, error.span);
                self.diagnostics.push(Diagnostic::new("yaml-syntax", &location, error.message).help(error.help));
                return None;
            }
        };
        let mut reader = Reader::new(&file);
        let spec = T::read(&root, &ROOT, &mut reader);
        self.diagnostics.extend(reader.diagnostics);
        self.repeated_names.extend(reader.repeated_names);
        self.cut.extend(reader.cut);
        Some(Document { file, spec: spec? })
    }
}

/// Returns `true` if a file belongs to the catalogue. Hidden files are ignored, because they belong to editors and
/// tools.
pub fn is_part(name: &str) -> bool {
    !name.starts_with('.') && Path::new(name).extension() == Some(OsStr::new("yaml"))
}

/// Removes the byte order mark that some editors write.
fn without_mark(text: &str) -> String {
    text.trim_start_matches('\u{feff}').to_owned()
}

/// Returns the error about a file that is not UTF-8, located at the first invalid byte.
fn not_utf8(name: String, bytes: &[u8], valid: usize) -> Diagnostic {
    let start = String::from_utf8_lossy(&bytes[..valid]).chars().count();
    let file = Arc::new(SourceFile::new(name, String::from_utf8_lossy(bytes).into_owned()));
    let location = Location::new(&file, start..start + 1);
    Diagnostic::new("unreadable", &location, "the file is not UTF-8").help("save it as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_utf8_is_marked() {
        for bytes in [&b"title: \xc3\xa9\xff\xfe\n"[..], b"title: \xc3\xa9\xe2\x82"] {
            let error = std::str::from_utf8(bytes).expect_err("another encoding");
            let mut errors = Diagnostics::default();
            errors.push(not_utf8("a.yaml".to_owned(), bytes, error.valid_up_to()));
            let error = errors.to_string();
            assert!(error.starts_with("error[unreadable]: the file is not UTF-8\n --> a.yaml:1:9\n"), "{error}");
        }
    }
}
