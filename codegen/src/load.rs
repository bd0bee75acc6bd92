//! A folder of YAML in, a [`Catalogue`] out.
//!
//! Every file is walked along the table of the format: unknown and missing keys and wrong types become
//! findings, and what they spoil is cut out, so that `check` still sees the rest and one run tells all.
//! Nothing here compares one place with another.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_yaml::{Mapping, Value};

use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::format::{self, Key, Map, Shape};
use crate::marked::{self, Kind, Node};
use crate::spec;
use crate::suggest::did_you_mean;

/// What was read, with what was wrong with it.
#[derive(Debug)]
pub struct Catalogue {
    pub(crate) service: Option<Document<spec::Service>>,
    /// Sorted by file name.
    pub(crate) groups: Vec<Document<spec::Group>>,
    pub(crate) diagnostics: Diagnostics,
    /// Names of entries that were cut out: they exist, whatever is wrong with them.
    pub(crate) cut: HashSet<String>,
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
        files.iter().map(|(name, text)| SourceFile { name: (*name).to_owned(), text: (*text).to_owned() }).collect();
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
    if !has_service {
        let finding = Diagnostic::of_file("missing-file", SERVICE_FILE, "there is no `service.yaml`");
        loader.diagnostics.push(finding.help("say there what all endpoints share"));
    }
    Catalogue { service, groups, diagnostics: loader.diagnostics, cut: loader.cut }
}

const SERVICE_FILE: &str = "service.yaml";

#[derive(Default)]
struct Loader {
    diagnostics: Diagnostics,
    cut: HashSet<String>,
}

impl Loader {
    /// The YAML files of a folder, sorted by name.
    fn read_folder(&mut self, dir: &Path) -> Vec<SourceFile> {
        let mut names = match names_in(dir) {
            Ok(names) => names,
            Err(error) => {
                let message = format!("cannot read the catalogue: {error}");
                self.diagnostics.push(Diagnostic::of_file("unreadable", "", message));
                return Vec::new();
            }
        };
        names.sort();
        names.into_iter().filter_map(|name| self.read_file(dir, name)).collect()
    }

    fn read_file(&mut self, dir: &Path, name: String) -> Option<SourceFile> {
        let path = dir.join(&name);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if path.is_dir() || extension == "yml" {
            let finding = Diagnostic::of_file("misplaced-file", name, "this is not read as a part of the catalogue");
            self.diagnostics.push(finding.help("the catalogue is `.yaml` files in one folder"));
            return None;
        }
        if extension != "yaml" {
            return None;
        }
        match fs::read_to_string(&path) {
            Ok(text) => {
                Some(SourceFile { name, text: text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text) })
            }
            Err(error) => {
                let message = format!("cannot read the file: {error}");
                self.diagnostics.push(Diagnostic::of_file("unreadable", name, message));
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
        let mut walk = Walk { file: &file, loader: self };
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

fn names_in(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = fs::read_dir(dir)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Compares one tree with the table.
///
/// Each method says whether the node can be used, and has cut out what cannot.
struct Walk<'a> {
    file: &'a Arc<SourceFile>,
    loader: &'a mut Loader,
}

impl Walk<'_> {
    fn shape(&mut self, node: &mut Node, shape: &'static Shape) -> bool {
        match shape {
            Shape::Text => self.text(node),
            Shape::Scalar => self.scalar(node),
            Shape::Whole => self.whole(node),
            Shape::Number => matches!(node.kind, Kind::Number(_)) || self.wrong(node, "a number", ""),
            Shape::Flag => matches!(node.kind, Kind::Flag(_)) || self.wrong(node, "`true` or `false`", ""),
            Shape::Word(words) => self.word(node, words),
            Shape::List(item) => self.list(node, item),
            Shape::Map(map) => self.map(node, map),
            Shape::UseOr(entry, other) => {
                let map = if node.get("use").is_some() { entry } else { other };
                self.map(node, map)
            }
            Shape::Either(shapes) => self.either(node, shapes),
        }
    }

    fn text(&mut self, node: &Node) -> bool {
        let Some(text) = node.text() else {
            let help = match &node.kind {
                Kind::Number(written) => format!("quote it: \"{written}\""),
                Kind::Flag(flag) => format!("quote it: \"{flag}\""),
                _ => String::new(),
            };
            return self.wrong(node, "text", &help);
        };
        if let Some(character) = text.chars().find(|character| is_invisible(*character)) {
            let message = format!("the text has the invisible character U+{:04X}", u32::from(character));
            return self.finding(node, "invisible-character", message, "remove it");
        }
        if text.trim().is_empty() {
            return self.finding(node, "empty-text", "the text is empty", "write something, or leave the key out");
        }
        true
    }

    /// Text that YAML may have read as something else stays as it is written.
    fn scalar(&mut self, node: &mut Node) -> bool {
        match &node.kind {
            Kind::Number(written) => node.kind = Kind::Text(written.clone()),
            Kind::Flag(flag) => node.kind = Kind::Text(flag.to_string()),
            _ => {}
        }
        self.text(node)
    }

    fn whole(&mut self, node: &Node) -> bool {
        match &node.kind {
            Kind::Number(written) if written.parse::<u32>().is_ok() => true,
            _ => self.wrong(node, "a whole number that is not negative", ""),
        }
    }

    fn word(&mut self, node: &Node, words: &[&str]) -> bool {
        let expected = either(words.iter().map(|word| format!("`{word}`")).collect());
        match node.text() {
            Some(text) if words.contains(&text) => true,
            Some(text) => {
                let help = did_you_mean(text, words.iter().copied());
                self.finding(node, "wrong-value", format!("expected {expected}, found `{text}`"), &help)
            }
            None => self.wrong(node, &expected, ""),
        }
    }

    fn list(&mut self, node: &mut Node, item: &'static Shape) -> bool {
        let Kind::List(items) = &mut node.kind else {
            let help = node.text().map_or(String::new(), |text| format!("write `[{text}]`"));
            return self.wrong(node, "a list", &help);
        };
        items.retain_mut(|node| {
            let usable = self.shape(node, item);
            if !usable {
                let names = ["name", "id"].into_iter().filter_map(|key| node.get(key)?.text());
                self.loader.cut.extend(names.map(str::to_owned));
            }
            usable
        });
        true
    }

    fn either(&mut self, node: &mut Node, shapes: &'static [Shape]) -> bool {
        let fitting = shapes.iter().find(|shape| {
            matches!(
                (shape, &node.kind),
                (Shape::Text | Shape::Word(_), Kind::Text(_))
                    | (Shape::List(_), Kind::List(_))
                    | (Shape::Map(_) | Shape::UseOr(..), Kind::Map(_))
            )
        });
        let expected = || either(shapes.iter().map(expected).collect());
        match (fitting, node.text()) {
            (Some(Shape::Word(words)), Some(text)) if !words.contains(&text) => {
                let message = format!("expected {}, found `{text}`", expected());
                self.finding(node, "wrong-value", message, &did_you_mean(text, words.iter().copied()))
            }
            (Some(shape), _) => self.shape(node, shape),
            (None, _) => self.wrong(node, &expected(), ""),
        }
    }

    fn map(&mut self, node: &mut Node, map: &'static Map) -> bool {
        let Kind::Map(entries) = &mut node.kind else {
            return self.wrong(node, "a map", &format!("{} has {}", map.what, names(map)));
        };
        let mut usable = true;
        let mut seen: Vec<(&str, std::ops::Range<usize>)> = Vec::new();
        entries.retain_mut(|(name, value)| {
            let Some(key) = self.key(name, map) else {
                return false;
            };
            if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == key.name) {
                let earlier = Location::new(self.file, first.clone());
                let message = format!("the key `{}` stands twice in {}", key.name, map.what);
                let finding = Diagnostic::new("duplicate-key", Location::of(self.file, name), message);
                self.loader.diagnostics.push(finding.earlier(earlier, "first here").help("keep one of them"));
                return false;
            }
            seen.push((key.name, name.span.clone()));
            let fits = self.shape(value, &key.shape);
            usable &= fits || !key.required;
            fits
        });
        for key in map.keys.iter().filter(|key| key.required && !seen.iter().any(|(seen, _)| *seen == key.name)) {
            let message = format!("{} has no `{}`", map.what, key.name);
            let help = format!("add `{}:` and {}", key.name, expected(&key.shape));
            self.finding(&head(node), "missing-key", message, &help);
            usable = false;
        }
        usable
    }

    fn key(&mut self, name: &Node, map: &'static Map) -> Option<&'static Key> {
        let text = name.text().unwrap_or_default();
        let key = map.keys.iter().find(|key| key.name == text);
        if key.is_none() {
            let written = self.file.text.chars().skip(name.span.start).take(name.span.len().min(40));
            let message = format!("{} has no key `{}`", map.what, written.collect::<String>());
            let mut help = did_you_mean(text, map.keys.iter().map(|key| key.name));
            if help.is_empty() {
                help = format!("it has {}", names(map));
            }
            self.finding(name, "unknown-key", message, &help);
        }
        key
    }

    fn wrong(&mut self, node: &Node, expected: &str, help: &str) -> bool {
        let message = format!("expected {expected}, found {}", node.describe());
        self.finding(&head(node), "wrong-type", message, help)
    }

    fn finding(&mut self, node: &Node, rule: &'static str, message: impl Into<String>, help: &str) -> bool {
        let finding = Diagnostic::new(rule, Location::of(self.file, node), message);
        self.loader.diagnostics.push(finding.help(help));
        false
    }
}

/// What is marked when a whole node is meant: a map's first key or the start of a list, not all its lines.
fn head(node: &Node) -> Node {
    match &node.kind {
        Kind::Map(entries) if !entries.is_empty() => entries[0].0.clone(),
        Kind::List(items) if !items.is_empty() => head(&items[0]),
        _ => node.clone(),
    }
}

fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Text | Shape::Scalar => "text".to_owned(),
        Shape::Whole | Shape::Number => "a number".to_owned(),
        Shape::Flag => "`true` or `false`".to_owned(),
        Shape::Word(words) => either(words.iter().map(|word| format!("`{word}`")).collect()),
        Shape::List(_) => "a list".to_owned(),
        Shape::Map(_) | Shape::UseOr(..) => "a map".to_owned(),
        Shape::Either(shapes) => either(shapes.iter().map(expected).collect()),
    }
}

/// `a`, `b` or `c`.
fn either(mut choices: Vec<String>) -> String {
    match (choices.pop(), choices.as_slice()) {
        (Some(last), []) => last,
        (Some(last), others) => format!("{} or {last}", others.join(", ")),
        (None, _) => String::new(),
    }
}

/// The keys of a map.
fn names(map: &Map) -> String {
    map.keys.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ")
}

/// Control characters other than line breaks, and marks that reorder or hide text.
fn is_invisible(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
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
