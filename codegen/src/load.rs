//! A folder of YAML in, a [`Catalogue`] out.
//!
//! Every file is walked along the table of the format, and what it can still be used for goes on to `check`,
//! so that one run tells all. Nothing here compares one place with another.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_yaml::{Mapping, Value};

use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::format::{self, Map};
use crate::marked::{self, Kind, Node};
use crate::spec;
use crate::walk::Walk;

/// What was read, with what was wrong with it.
#[derive(Debug)]
pub struct Catalogue {
    pub(crate) service: Document<spec::Service>,
    /// Whether `service` only stands in for one that cannot be read, so that names are not looked up in it.
    pub(crate) is_blind: bool,
    /// Sorted by file name.
    pub(crate) groups: Vec<Document<spec::Group>>,
    pub(crate) diagnostics: Diagnostics,
    /// Names of entries that were cut out: they exist, whatever is wrong with them.
    pub(crate) cut: HashSet<String>,
}

impl Catalogue {
    /// The names and texts of its files, `service.yaml` first.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let groups = self.groups.iter().map(|group| &group.file);
        [&self.service.file].into_iter().chain(groups).map(|file| (file.name.as_str(), file.text.as_str()))
    }
}

/// A file, its tree and what it says; the last two have the same lists.
#[derive(Debug)]
pub(crate) struct Document<T> {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) root: Node,
    pub(crate) spec: T,
}

/// Reads every `.yaml` file of a folder.
pub fn load(dir: &Path) -> Catalogue {
    let mut loader = Loader::default();
    let sources = loader.read_folder(dir);
    load_sources(loader, sources)
}

/// The same for files already read: pairs of name and text.
pub fn load_texts(files: &[(&str, &str)]) -> Catalogue {
    let mut sources: Vec<_> =
        files.iter().map(|(name, text)| SourceFile::new((*name).to_owned(), (*text).to_owned())).collect();
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
            service = loader.document(file, &format::SERVICE);
        } else if let Some(group) = loader.document(file, &format::GROUP) {
            groups.push(group);
        }
    }
    // Of a folder that cannot be read, that is all there is to say.
    if !has_service && !loader.is_blind {
        let finding = Diagnostic::of_file("missing-file", SERVICE_FILE, "there is no `service.yaml`");
        loader.diagnostics.push(finding.help("say there what all endpoints share"));
    }
    let is_blind = service.is_none();
    let service = service.unwrap_or_else(stand_in);
    Catalogue { service, is_blind, groups, diagnostics: loader.diagnostics, cut: loader.cut }
}

/// A service of which nothing is known.
fn stand_in() -> Document<spec::Service> {
    let file = Arc::new(SourceFile::new(SERVICE_FILE.to_owned(), String::new()));
    Document { file, root: Node { span: 0..0, kind: Kind::Null }, spec: spec::Service::unknown() }
}

const SERVICE_FILE: &str = "service.yaml";

#[derive(Default)]
struct Loader {
    diagnostics: Diagnostics,
    cut: HashSet<String>,
    /// Whether not even the names of the files could be read.
    is_blind: bool,
}

impl Loader {
    /// The YAML files of a folder, sorted by name.
    fn read_folder(&mut self, dir: &Path) -> Vec<SourceFile> {
        let mut names = match names_in(dir) {
            Ok(names) => names,
            Err(error) => {
                let message = format!("cannot read the catalogue: {error}");
                self.is_blind = true;
                self.diagnostics
                    .push(Diagnostic::of_file("unreadable", "", message).help("name the folder of a catalogue"));
                return Vec::new();
            }
        };
        names.sort();
        names.into_iter().filter_map(|name| self.read_file(dir, name)).collect()
    }

    fn read_file(&mut self, dir: &Path, name: String) -> Option<SourceFile> {
        // What begins so belongs to an editor or a tool.
        if name.starts_with('.') {
            return None;
        }
        let path = dir.join(&name);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_yaml = extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml");
        if path.is_dir() || (is_yaml && extension != "yaml") {
            let finding = Diagnostic::of_file("misplaced-file", name, "this is not read as a part of the catalogue");
            self.diagnostics.push(finding.help("the catalogue is `.yaml` files in one folder"));
            return None;
        }
        if extension != "yaml" {
            return None;
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("cannot read the file: {error}");
                self.diagnostics.push(Diagnostic::of_file("unreadable", name, message));
                return None;
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) => Some(SourceFile::new(name, text.trim_start_matches('\u{feff}').to_owned())),
            Err(error) => {
                self.diagnostics.push(not_utf8(name, error.as_bytes(), error.utf8_error().valid_up_to()));
                None
            }
        }
    }

    fn document<T: DeserializeOwned>(&mut self, file: Arc<SourceFile>, map: &'static Map) -> Option<Document<T>> {
        let mut root = match marked::parse(&file.text) {
            Ok(root) => root,
            Err(error) => {
                let location = Location::new(&file, error.span);
                self.diagnostics.push(Diagnostic::new("yaml-syntax", location, error.message));
                return None;
            }
        };
        let mut walk = Walk { file: &file, diagnostics: &mut self.diagnostics, cut: &mut self.cut };
        if !walk.map(&mut root, map) {
            return None;
        }
        match serde_yaml::from_value(to_value(&root)) {
            Ok(spec) => Some(Document { file, root, spec }),
            Err(error) => {
                // The walk found nothing, so the table and the types disagree: still a finding, never a panic.
                let finding = Diagnostic::of_file("format", &file.name, error.to_string());
                self.diagnostics.push(finding);
                None
            }
        }
    }
}

/// A finding about a file in another encoding, at the first byte that shows it.
fn not_utf8(name: String, bytes: &[u8], valid: usize) -> Diagnostic {
    let start = String::from_utf8_lossy(&bytes[..valid]).chars().count();
    let file = Arc::new(SourceFile::new(name, String::from_utf8_lossy(bytes).into_owned()));
    let location = Location::new(&file, start..start + 1);
    Diagnostic::new("unreadable", location, "the file is not UTF-8").help("save it as UTF-8")
}

fn names_in(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = fs::read_dir(dir)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn to_value(node: &Node) -> Value {
    match &node.kind {
        Kind::Null => Value::Null,
        Kind::Flag(flag) => Value::Bool(*flag),
        Kind::Number(written) => match written.parse::<i64>() {
            Ok(integer) => Value::from(integer),
            Err(_) => Value::from(written.parse::<f64>().unwrap_or_default()),
        },
        Kind::Text(text) => Value::String(text.clone()),
        Kind::List(items) => Value::Sequence(items.iter().map(to_value).collect()),
        Kind::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (to_value(key), to_value(value)));
            Value::Mapping(entries.collect::<Mapping>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_utf8_is_marked() {
        for bytes in [&b"title: \xc3\xa9\xff\xfe\n"[..], b"title: \xc3\xa9\xe2\x82"] {
            let error = std::str::from_utf8(bytes).expect_err("another encoding");
            let mut findings = Diagnostics::default();
            findings.push(not_utf8("a.yaml".to_owned(), bytes, error.valid_up_to()));
            let finding = findings.to_string();
            assert!(finding.starts_with("error[unreadable]: the file is not UTF-8\n --> a.yaml:1:9\n"), "{finding}");
        }
    }
}
