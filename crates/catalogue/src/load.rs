//! Reads a folder of YAML files into a [`Catalogue`].
//!
//! Each file is read according to the declarations of the format. Valid entries are passed on to `resolve` even if
//! other entries have errors, so that one run reports all errors. `resolve` checks the rules that compare several
//! entries.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::catalogue_reader::{CatalogueReader, ROOT, Read};
use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::spec;
use crate::yaml_parser::{self, SyntaxError};

/// The content of a catalogue, with the errors found while reading it.
#[derive(Debug)]
pub struct Catalogue {
    /// The content of `service.yaml`; `None` if the file cannot be read, so that the names in the file are unknown.
    pub(crate) service: Option<Document<spec::Service>>,
    /// The group files, sorted by name.
    pub(crate) groups: Vec<Document<spec::Group>>,
    pub(crate) diagnostics: Diagnostics,
    /// Warnings about the style of entries.
    pub(crate) warnings: Diagnostics,
    /// Names of entries that were dropped because of errors. References to them are not reported as unknown.
    pub(crate) dropped: HashSet<String>,
}

impl Catalogue {
    /// Returns the names and texts of the files, `service.yaml` first.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut files = Vec::new();
        files.extend(self.service.as_ref().map(|service| &service.file));
        files.extend(self.groups.iter().map(|group| &group.file));
        files.into_iter().map(|file| (file.name.as_str(), file.text.as_str()))
    }

    /// Returns `true` if no file breaks the format.
    #[doc(hidden)]
    pub fn is_valid(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Returns the content of `service.yaml`, if it can be read, and the content of the other files with their module
    /// names.
    #[doc(hidden)]
    pub fn into_spec(self) -> (Option<spec::Service>, Vec<(String, spec::Group)>) {
        let mut groups = Vec::new();
        for group in self.groups {
            groups.push((group.module().to_owned(), group.spec));
        }
        (self.service.map(|service| service.spec), groups)
    }
}

/// A file, and the content that was read from it.
#[derive(Debug)]
pub(crate) struct Document<T> {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) spec: T,
}

impl<T> Document<T> {
    /// The module name of a group, which is the stem of its file name.
    pub(crate) fn module(&self) -> &str {
        self.file.name.strip_suffix(".yaml").unwrap_or(&self.file.name)
    }
}

/// Reads every `.yaml` file of a folder.
pub fn load(dir: &Path) -> Catalogue {
    let mut reader = CatalogueReader::default();
    let mut sources = None;
    match file_names(dir) {
        Ok(names) => {
            let mut read = Vec::new();
            for name in names {
                read.extend(read_file(&mut reader, dir, name));
            }
            sources = Some(read);
        }
        Err(error) => reader.diagnostics.push(Diagnostic::of_file("unreadable/folder", "", &[&error])),
    }
    read_sources(reader, sources)
}

/// Reads files from memory, given as pairs of name and text.
pub fn load_texts(files: &[(&str, &str)]) -> Catalogue {
    let mut sources = Vec::new();
    for (name, text) in files {
        sources.push(SourceFile::new((*name).to_owned(), without_byte_order_mark(text)));
    }
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    read_sources(CatalogueReader::default(), Some(sources))
}

/// Reads files; `None` if their folder cannot be read, so that it is unknown whether a file is missing.
fn read_sources(mut reader: CatalogueReader, sources: Option<Vec<SourceFile>>) -> Catalogue {
    let mut service = None;
    let mut groups = Vec::new();
    if let Some(sources) = &sources
        && !sources.iter().any(|source| source.name == SERVICE_FILE)
    {
        reader.diagnostics.push(Diagnostic::of_file("missing-file", SERVICE_FILE, &[]));
    }
    for source in sources.into_iter().flatten() {
        reader.file = Arc::new(source);
        if reader.file.name == SERVICE_FILE {
            service = read_document(&mut reader);
        } else {
            groups.extend(read_document(&mut reader));
        }
    }
    let CatalogueReader { diagnostics, warnings, dropped, .. } = reader;
    Catalogue { service, groups, diagnostics, warnings, dropped }
}

const SERVICE_FILE: &str = "service.yaml";

/// The names of the entries of a folder, sorted.
fn file_names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn read_file(reader: &mut CatalogueReader, dir: &Path, name: String) -> Option<SourceFile> {
    let path = dir.join(&name);
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_yaml = extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml");
    if !name.starts_with('.') && (path.is_dir() || (is_yaml && !is_catalogue_file(&name))) {
        reader.diagnostics.push(Diagnostic::of_file("misplaced-file", name, &[]));
        return None;
    }
    if !is_catalogue_file(&name) {
        return None;
    }
    let error = match fs::read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => return Some(SourceFile::new(name, without_byte_order_mark(&text))),
        Ok(Err(error)) => not_utf8(name, error.as_bytes(), error.utf8_error().valid_up_to()),
        Err(error) => Diagnostic::of_file("unreadable/file", name, &[&error]),
    };
    reader.diagnostics.push(error);
    None
}

fn read_document<T: Read>(reader: &mut CatalogueReader) -> Option<Document<T>> {
    let file = Arc::clone(&reader.file);
    match yaml_parser::parse(&file.text) {
        Ok(root) => Some(Document { spec: T::read(&root, &ROOT, reader)?, file }),
        Err(SyntaxError { message, span, help }) => {
            let location = Location::new(&file, span);
            reader.diagnostics.push(Diagnostic::new("yaml-syntax", &location, &[&message, &help]));
            None
        }
    }
}

/// Returns `true` if a file belongs to the catalogue. Hidden files are ignored, because they belong to editors and
/// tools.
pub fn is_catalogue_file(name: &str) -> bool {
    !name.starts_with('.') && Path::new(name).extension() == Some(OsStr::new("yaml"))
}

/// Removes the byte order mark that some editors write.
fn without_byte_order_mark(text: &str) -> String {
    text.trim_start_matches('\u{feff}').to_owned()
}

/// Returns the error about a file that is not UTF-8, located at the first invalid byte.
fn not_utf8(name: String, bytes: &[u8], valid: usize) -> Diagnostic {
    let start = String::from_utf8_lossy(&bytes[..valid]).chars().count();
    let file = Arc::new(SourceFile::new(name, String::from_utf8_lossy(bytes).into_owned()));
    let location = Location::new(&file, start..start + 1);
    Diagnostic::new("unreadable/encoding", &location, &[])
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
