//! Converts the tree of one file to the types of `spec`, by the declarations of the format.
//!
//! Each mismatch becomes a diagnostic. An invalid list item is dropped, and a required key that is missing or invalid
//! gets a placeholder value, so that the other entries can still be checked.

mod text;

mod value;

use std::collections::HashSet;
use std::fmt::Display;
use std::sync::Arc;

use crate::catalogue_format::{Condition, Form, Key, KeyRule, Map, RuleName, Shape};
use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::yaml_parser::{Kind, Node};
pub use text::INVISIBLE;
pub use text::{is_invisible, is_line, is_prose, repeats_name};

/// A type that can be read from a node, and written to one.
pub(crate) trait Read: Sized {
    /// The shape of the nodes that `read` accepts.
    const SHAPE: Shape;
    /// `true` if an optional key is written even if it has the default value of the type.
    const SHOWS_DEFAULT: bool = false;

    /// Reads a node. If the node is invalid, reports an error and returns `None`.
    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self>;

    /// A placeholder for a required value that is missing or invalid; `None` if the type has no placeholder. A
    /// placeholder breaks no rule, and no entry refers to it.
    fn placeholder(_at: &Location) -> Option<Self> {
        None
    }

    /// The node from which the value would be read.
    fn write(&self, key: &Key) -> Node;
}

/// Reads a `T` from an empty map, and discards the errors.
pub(crate) fn of_nothing<T: Read>(at: &Location) -> Option<T> {
    let nothing = Node { span: at.span(), kind: Kind::Map(Vec::new()) };
    T::read(&nothing, &ROOT, &mut CatalogueReader::new(at.source()))
}

/// The entry of a map with this key and value; `None` if the entry is omitted, because the key is optional and the
/// value is its default.
pub(crate) fn written<T: Read + Default + PartialEq>(key: &Key, value: &T) -> Option<(Node, Node)> {
    let is_shown = key.required || T::SHOWS_DEFAULT || *value != T::default();
    if !is_shown {
        return None;
    }
    Some((Kind::Text(key.name.to_owned()).into(), value.write(key)))
}

/// The key that is passed to `read` for the root of a file, because the root is not the value of any key.
pub(crate) static ROOT: Key =
    Key { name: "", required: true, shape: Shape::Flag, form: Form::Line, about: "The file." };

/// The file that is read, and the errors of all files that were read so far.
#[derive(Debug, Default)]
pub(crate) struct CatalogueReader {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) diagnostics: Diagnostics,
    /// Errors about summaries that only repeat a name.
    pub(crate) warnings: Diagnostics,
    /// Names of entries that were dropped because of errors; a reference to one of them is not reported as unknown.
    pub(crate) dropped: HashSet<String>,
}

/// The values of a map by their keys.
pub(crate) struct Entries<'n> {
    what: &'static str,
    /// The location that is marked for an error about the entire map.
    head: Location,
    values: Vec<(&'static str, &'n Node, &'n Node)>,
}

impl<'n> Entries<'n> {
    /// The nodes of a key and of its value.
    fn get(&self, name: &str) -> Option<(&'n Node, &'n Node)> {
        let (_, key, value) = self.values.iter().find(|(known, ..)| *known == name)?;
        Some((*key, *value))
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn value(&self, name: &str) -> Option<&'n Node> {
        let (_, value) = self.get(name)?;
        Some(value)
    }

    fn text(&self, name: &str) -> Option<&'n str> {
        self.value(name)?.text()
    }

    /// The items of a list; none if the key is missing, or if its value is not a list.
    fn items(&self, name: &str) -> &'n [Node] {
        match self.value(name) {
            Some(Node { kind: Kind::List(items), .. }) => items,
            _ => &[],
        }
    }

    fn first_present(&self, keys: &[&'static str]) -> Option<&'static str> {
        keys.iter().copied().find(|key| self.has(key))
    }

    fn fulfills(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Has(key) => self.has(key),
            Condition::HasAny(keys) => self.first_present(keys).is_some(),
            Condition::HasNotOne(keys) => keys.iter().filter(|key| self.has(key)).count() != 1,
            Condition::Lacks(key) => !self.has(key),
            Condition::ListsNothing(key) => {
                let is_list = matches!(self.value(key), Some(Node { kind: Kind::List(_), .. }));
                !self.has(key) || (is_list && self.items(key).is_empty())
            }
            Condition::Lists(key, word) => self.items(key).iter().any(|item| item.text() == Some(word)),
            Condition::Is(key, word) => self.text(key) == Some(word),
            Condition::IsNot(key, word) => self.has(key) && self.text(key) != Some(word),
        }
    }
}

impl CatalogueReader {
    pub(crate) fn new(file: &Arc<SourceFile>) -> Self {
        Self { file: Arc::clone(file), ..Self::default() }
    }

    /// Reads the keys of a map; `None` if the node is not a map, or if all its keys are invalid and no key is required.
    pub(crate) fn entries<'n>(&mut self, node: &'n Node, map: &'static Map, key: &Key) -> Option<Entries<'n>> {
        let Kind::Map(written) = &node.kind else {
            self.report_mismatch(node, &Shape::Map(map));
            return None;
        };
        let mut entries = Entries { what: map.what, head: self.location(node), values: Vec::new() };
        for (name, value) in written {
            let Some(key) = self.key(name, map) else { continue };
            if let Some((first, _)) = entries.get(key.name) {
                let error = Diagnostic::new("duplicate-key", &self.location(name), &[&key.name, &map.what]);
                self.diagnostics.push(error.earlier(&self.location(first), "first here"));
            } else {
                entries.values.push((key.name, name, value));
            }
        }
        // The rules are checked only if every key is known and occurs once. Otherwise, for example, a misspelt key
        // would also be reported as missing.
        let is_whole = entries.values.len() == written.len();
        if is_whole {
            for rule in map.rules {
                self.check_rule(rule, &entries);
            }
        }
        if let Form::With(other, rule) = &key.form
            && !entries.has(other)
        {
            self.report_map(rule, &entries, "");
        }
        self.warn_about_summary(&entries);
        // A map is not read if all its keys are invalid and none is required, because the resulting empty map could
        // cause a second error.
        let has_required = map.keys.iter().any(|key| key.required);
        if is_whole || has_required || !entries.values.is_empty() { Some(entries) } else { None }
    }

    fn warn_about_summary(&mut self, entries: &Entries<'_>) {
        let Some(name) = entries.value("name") else { return };
        if let (Some(text), Some(summary)) = (name.text(), entries.text("summary"))
            && repeats_name(summary, text)
        {
            self.warnings.push(Diagnostic::new("summary-repeats-name", &self.location(name), &[&text]));
        }
    }

    /// Looks up a key in the declaration of a map, and reports an unknown key.
    fn key(&mut self, name: &Node, map: &'static Map) -> Option<&'static Key> {
        let text = name.text().unwrap_or_default();
        let key = map.keys.iter().find(|key| key.name == text);
        if key.is_none() {
            let written = self.file.slice(name.span.start..name.span.end.min(name.span.start + 40));
            let help = wording::did_you_mean(text, map.keys.iter().map(|key| key.name));
            let error = Diagnostic::new("unknown-key", &self.location(name), &[&written, &map.what, &names(map)]);
            self.diagnostics.push(error.suggest(help));
        }
        key
    }

    fn check_rule(&mut self, rule: &KeyRule, entries: &Entries<'_>) {
        if !rule.never.iter().all(|condition| entries.fulfills(condition)) {
            return;
        }
        let mut marked = rule.at;
        for condition in rule.never {
            if let Condition::HasAny(keys) = condition
                && let Some(key) = entries.first_present(keys)
            {
                marked = key;
                break;
            }
        }
        self.report_map(rule.name, entries, marked);
    }

    /// Reports an error about a map. The error is located at the value of the key `at` or, if `at` is empty, at the
    /// `id` or `name` of the map. If the map does not have the key, the error is located at the start of the map.
    fn report_map(&mut self, rule: RuleName, entries: &Entries<'_>, at: &str) {
        let label = entries.value("id").or(entries.value("name"));
        let text = label.and_then(Node::text).unwrap_or_default();
        let marked = if at.is_empty() { label } else { entries.value(at) };
        let location = match marked {
            Some(node) => self.location(node),
            None => entries.head.clone(),
        };
        self.diagnostics.push(Diagnostic::new(rule, &location, &[&text]));
    }

    /// Reads the value of an optional key.
    #[expect(clippy::unnecessary_wraps, reason = "the macro `map` calls `may` and `must` in the same way")]
    pub(crate) fn may<T: Read + Default>(&mut self, entries: &Entries<'_>, key: &Key) -> Option<T> {
        Some(self.value(entries, key).unwrap_or_default())
    }

    /// Reads the value of a required key.
    pub(crate) fn must<T: Read>(&mut self, entries: &Entries<'_>, key: &Key) -> Option<T> {
        if !entries.has(key.name) {
            let values: [&dyn Display; 3] = [&key.name, &entries.what, &expected(&key.shape)];
            self.diagnostics.push(Diagnostic::new("missing-key", &entries.head, &values));
        }
        if let Some(value) = self.value(entries, key) {
            return Some(value);
        }
        self.dropped.insert(text::placeholder_text(&entries.head));
        T::placeholder(&entries.head)
    }

    fn value<T: Read>(&mut self, entries: &Entries<'_>, key: &Key) -> Option<T> {
        let (name, value) = entries.get(key.name)?;
        if value.kind != Kind::Null {
            return T::read(value, key, self);
        }
        // An empty value has no text to mark, so the key is marked instead.
        let marked = if value.span.is_empty() { name } else { value };
        let rule = if has_list(&key.shape) {
            "wrong-type/no-list"
        } else if key.required {
            "wrong-type/no-value"
        } else {
            "wrong-type/no-optional-value"
        };
        self.report(marked, rule, &[&key.name, &expected(&key.shape)]);
        None
    }

    /// Checks that a node has a shape.
    pub(crate) fn has_shape(&mut self, node: &Node, shape: &Shape) -> bool {
        fits(node, shape) || self.report_mismatch(node, shape)
    }

    /// Reports a node that does not have a shape, and returns `false`.
    fn report_mismatch(&mut self, node: &Node, shape: &Shape) -> bool {
        let words = words(shape);
        let text = node.text().filter(|_| !words.is_empty());
        let help = wording::did_you_mean(text.unwrap_or_default(), words).or_else(|| other_shape(node, shape));
        match text {
            Some(text) => self.report_with_help(node, "wrong-value", &[&expected(shape), &text], help),
            None => self.report_with_help(node, "wrong-type", &[&expected(shape), &node.describe()], help),
        }
    }

    /// Reports an error, and returns `false`.
    fn report(&mut self, node: &Node, rule: RuleName, values: &[&dyn Display]) -> bool {
        self.report_with_help(node, rule, values, None)
    }

    /// Reports an error with this help, if there is any, and returns `false`.
    fn report_with_help(&mut self, node: &Node, rule: RuleName, values: &[&dyn Display], help: Option<String>) -> bool {
        self.diagnostics.push(Diagnostic::new(rule, &self.location(node), values).suggest(help));
        false
    }

    /// The location that is marked for a node. For a map it is the first key, for a list the first item.
    fn location(&self, node: &Node) -> Location {
        match &node.kind {
            Kind::Map(entries) if !entries.is_empty() => self.location(&entries[0].0),
            Kind::List(items) if !items.is_empty() => self.location(&items[0]),
            _ => Location::new(&self.file, node.span.clone()),
        }
    }
}

/// The help for a node that does not have a shape.
fn other_shape(node: &Node, shape: &Shape) -> Option<String> {
    match (node.text(), shape.maps().as_slice()) {
        (Some(text), _) if has_list(shape) => Some(format!("write `[{text}]`")),
        (_, [map, ..]) => Some(format!("{} has the keys {}", map.what, names(map))),
        _ => None,
    }
}

/// `true` if a node has a shape. The form of the value is checked separately.
fn fits(node: &Node, shape: &Shape) -> bool {
    match (shape, &node.kind) {
        (Shape::Word(words), Kind::Text(text)) => words.iter().any(|(word, _)| word == text),
        (Shape::Either(shapes), _) => shapes.iter().any(|shape| fits(node, shape)),
        (Shape::Text, Kind::Text(_))
        | (Shape::Whole | Shape::Number, Kind::Number(_))
        | (Shape::Flag, Kind::Flag(_))
        | (Shape::List(_), Kind::List(_))
        | (Shape::Map(_) | Shape::UseOr(..), Kind::Map(_)) => true,
        _ => false,
    }
}

/// `true` if a shape accepts a list.
fn has_list(shape: &Shape) -> bool {
    shape.choices().into_iter().any(|shape| matches!(shape, Shape::List(_)))
}

/// The words that a shape accepts.
fn words(shape: &Shape) -> Vec<&'static str> {
    match shape {
        Shape::Word(words) => words.iter().map(|(word, _)| *word).collect(),
        Shape::Either(shapes) => shapes.iter().flat_map(words).collect(),
        _ => Vec::new(),
    }
}

/// Describes the values that a shape accepts, for a message.
pub fn expected(shape: &Shape) -> String {
    let mut choices: Vec<_> = shape.choices().into_iter().flat_map(expected_choice).collect();
    match (choices.pop(), choices.as_slice()) {
        (Some(last), []) => last,
        (Some(last), others) => format!("{} or {last}", others.join(", ")),
        (None, _) => String::new(),
    }
}

fn expected_choice(shape: &Shape) -> Vec<String> {
    let one = match shape {
        Shape::Text => "text",
        Shape::Whole => "a non-negative integer",
        Shape::Number => "a number",
        Shape::Flag => "`true` or `false`",
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::UseOr(..) => "a map",
        Shape::Word(_) | Shape::Either(_) => return words(shape).iter().map(|word| format!("`{word}`")).collect(),
    };
    vec![one.to_owned()]
}

/// The names of the keys of a map.
fn names(map: &Map) -> String {
    let names: Vec<_> = map.keys.iter().map(|key| format!("`{}`", key.name)).collect();
    names.join(", ")
}
