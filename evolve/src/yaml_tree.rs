//! Values of the catalogue: a tree without positions in a file, and its layout as YAML.
//!
//! The layout is that of a hand-written catalogue: a value in braces if it fits on one line, otherwise one line for
//! each key. There are quotes only where YAML needs them.

use codegen::catalogue_format::Map;
use codegen::yaml_parser::{self, Kind, Node};
use codegen::{is_invisible, yaml_writer};

use super::yaml_edit::Step;

/// The maximum line length, unless a single value is longer.
const WIDTH: usize = 118;

/// A value of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Null,
    Text(String),
    Flag(bool),
    /// A number, as written.
    Number(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

impl Tree {
    /// Creates an empty map.
    pub(crate) fn map() -> Self {
        Self::Map(Vec::new())
    }

    /// Adds a key to the map.
    pub(crate) fn with(self, key: &str, value: impl Into<Tree>) -> Self {
        let mut entries = if let Self::Map(entries) = self { entries } else { Vec::new() };
        entries.push((key.to_owned(), value.into()));
        Self::Map(entries)
    }

    /// Adds a key to the map, if `value` is not `None`.
    pub(crate) fn with_some(self, key: &str, value: Option<impl Into<Tree>>) -> Self {
        let Some(value) = value else { return self };
        self.with(key, value)
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Tree> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// Returns the value at a path.
    pub(crate) fn at(&self, path: &[Step]) -> Option<&Tree> {
        path.iter().try_fold(self, |tree, step| match (step, tree) {
            (Step::Key(key), tree) => tree.get(key),
            (Step::Item(index), Self::List(items)) => items.get(*index),
            _ => None,
        })
    }

    /// Returns a mutable reference to the value at a path.
    pub(crate) fn at_mut(&mut self, path: &[Step]) -> Option<&mut Tree> {
        path.iter().try_fold(self, |tree, step| match (step, tree) {
            (Step::Key(key), tree) => tree.get_mut(key),
            (Step::Item(index), Self::List(items)) => items.get_mut(*index),
            _ => None,
        })
    }

    /// Returns a mutable reference to the value of a key.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Tree> {
        let Self::Map(entries) = self else { return None };
        entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets a key, in the order of the format. `None` removes the key.
    pub(crate) fn set(&mut self, map: &Map, key: &str, value: Option<impl Into<Tree>>) {
        let Some(value) = value else { return self.remove(key) };
        self.put(key, value.into(), &map.before(key));
    }

    /// Sets a key. A new key is inserted after the last of the keys in `before`, which precede it in the format.
    pub(crate) fn put(&mut self, key: &str, value: Tree, before: &[&str]) {
        if let Some(known) = self.get_mut(key) {
            *known = value;
        } else if let Self::Map(entries) = self {
            let after = entries.iter().rposition(|(name, _)| before.contains(&name.as_str()));
            entries.insert(after.map_or(0, |index| index + 1), (key.to_owned(), value));
        }
    }

    /// Removes a key.
    pub(crate) fn remove(&mut self, key: &str) {
        if let Self::Map(entries) = self {
            entries.retain(|(name, _)| name != key);
        }
    }

    /// Adds those keys of another map that are missing in this map. Nested maps are treated in the same way.
    pub(crate) fn or(mut self, other: Self) -> Self {
        let Self::Map(others) = other else { return self };
        for (key, value) in others {
            match self.get_mut(&key) {
                Some(own @ Self::Map(_)) => *own = std::mem::replace(own, Self::Null).or(value),
                Some(_) => {}
                None => self = self.with(&key, value),
            }
        }
        self
    }

    /// Sorts the keys of the map in the order of the format.
    pub(crate) fn ordered(mut self, map: &Map) -> Self {
        if let Self::Map(entries) = &mut self {
            entries.sort_by_key(|(name, _)| map.keys.iter().position(|key| key.name == name));
        }
        self
    }

    /// Returns the items of the list under a key.
    pub(crate) fn entries(&self, key: &str) -> &[Tree] {
        if let Some(Self::List(items)) = self.get(key) { items } else { &[] }
    }

    /// Returns the text of a text value.
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns a text or a number, as written.
    pub(crate) fn scalar(&self) -> Option<&str> {
        if let Self::Text(written) | Self::Number(written) = self { Some(written) } else { None }
    }

    /// Converts a parsed node to a tree.
    pub(crate) fn of(node: &Node) -> Self {
        match &node.kind {
            Kind::Null => Self::Null,
            Kind::Text(text) => Self::Text(text.clone()),
            Kind::Flag(flag) => Self::Flag(*flag),
            Kind::Number(written) => Self::Number(written.clone()),
            Kind::List(items) => Self::List(items.iter().map(Self::of).collect()),
            Kind::Map(entries) => {
                let entry = |(key, value): &(Node, Node)| (key.text().unwrap_or_default().to_owned(), Self::of(value));
                Self::Map(entries.iter().map(entry).collect())
            }
        }
    }

    /// Returns the value on one line, in braces or brackets.
    pub(crate) fn inline(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Flag(flag) => flag.to_string(),
            Self::Number(written) => written.clone(),
            Self::Text(text) => scalar(text, true),
            Self::List(items) => format!("[{}]", items.iter().map(Self::inline).collect::<Vec<_>>().join(", ")),
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{}: {}", scalar(key, true), value.inline()));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Returns `true` if the value is shallow and fits on one line after an indent.
    pub(crate) fn fits(&self, indent: usize) -> bool {
        self.is_shallow() && self.is_short(indent)
    }

    /// Returns `true` if the value fits on one line after an indent.
    pub(crate) fn is_short(&self, indent: usize) -> bool {
        indent + self.inline().chars().count() <= WIDTH
    }

    /// Returns `true` if the value is a scalar, a list of scalars, or a map with little nesting.
    pub(crate) fn is_shallow(&self) -> bool {
        match self {
            Self::List(items) => items.iter().all(|item| !matches!(item, Self::Map(_) | Self::List(_))),
            Self::Map(entries) => entries.iter().all(|(_, value)| match value {
                Self::List(_) => false,
                Self::Map(inner) => inner.iter().all(|(_, value)| !matches!(value, Self::Map(_) | Self::List(_))),
                _ => true,
            }),
            _ => true,
        }
    }

    /// Returns the lines of the value in block style, without the indent of the parent.
    pub(crate) fn block(&self, indent: usize) -> Vec<String> {
        match self {
            Self::Map(entries) if !entries.is_empty() => {
                entries.iter().flat_map(|(key, value)| value.entry_lines(key, indent)).collect()
            }
            Self::List(items) if !items.is_empty() => {
                items.iter().flat_map(|item| item.item(indent, item.fits(indent + 2))).collect()
            }
            Self::Text(text) => vec![scalar(text, false)],
            _ => vec![self.inline()],
        }
    }

    /// Returns the lines of a map entry: a key with this value.
    pub(crate) fn entry_lines(&self, key: &str, indent: usize) -> Vec<String> {
        let key = scalar(key, false);
        if let Self::Text(text) = self {
            let line = format!("{key}: {}", scalar(text, false));
            return if indent + line.chars().count() <= WIDTH { vec![line] } else { folded(&key, text, indent) };
        }
        if self.is_empty() || self.fits(indent + key.chars().count() + 2) {
            return vec![format!("{key}: {}", self.inline())];
        }
        std::iter::once(format!("{key}:")).chain(self.below(indent)).collect()
    }

    /// Returns the lines of the value below its key. The items of a list have the same indent as the key, and the keys
    /// of a map have a larger indent.
    pub(crate) fn below(&self, indent: usize) -> Vec<String> {
        let inner = if matches!(self, Self::List(_)) { 0 } else { 2 };
        let lines = self.block(indent + inner).into_iter();
        lines.map(|line| " ".repeat(inner) + &line).collect()
    }

    /// Returns the lines of the value as a list item.
    pub(crate) fn item(&self, indent: usize, is_inline: bool) -> Vec<String> {
        if is_inline {
            return vec![format!("- {}", self.inline())];
        }
        let lines = self.block(indent + 2).into_iter().enumerate();
        lines.map(|(index, line)| if index == 0 { format!("- {line}") } else { format!("  {line}") }).collect()
    }

    /// Returns the text of a file, with blank lines between the endpoints of a group.
    pub(crate) fn file(&self) -> String {
        let Self::Map(entries) = self else { return String::new() };
        let lines = entries.iter().map(|(key, value)| match (key.as_str(), value) {
            ("endpoints", Self::List(items)) if !items.is_empty() => {
                let items = items.iter().map(|item| item.item(0, false).join("\n") + "\n");
                format!("{key}:\n{}", items.collect::<Vec<_>>().join("\n"))
            }
            _ => value.entry_lines(key, 0).join("\n") + "\n",
        });
        lines.collect()
    }

    /// Returns `true` if the value is a scalar, or an empty list or map.
    fn is_empty(&self) -> bool {
        match self {
            Self::List(items) => items.is_empty(),
            Self::Map(entries) => entries.is_empty(),
            _ => true,
        }
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Tree {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Tree {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Vec<Tree>> for Tree {
    fn from(items: Vec<Tree>) -> Self {
        Self::List(items)
    }
}

/// Returns a text without quotes if every YAML parser reads it as this text, otherwise in quotes.
pub(crate) fn scalar(text: &str, in_braces: bool) -> String {
    if is_word(text) {
        return text.to_owned();
    }
    let is_plain = !text.contains(['\n', '\r', '\t']) && yaml_writer::is_plain(text) && {
        let shown = if in_braces { format!("{{a: {text}}}") } else { format!("a: {text}\n") };
        yaml_parser::parse(&shown).is_ok_and(|node| Tree::of(&node) == Tree::map().with("a", text))
    };
    if is_plain && !text.is_empty() {
        return text.to_owned();
    }
    let needs_escapes = |character: char| character.is_control() || is_invisible(character);
    if text.contains(needs_escapes) { yaml_writer::escaped(text) } else { format!("'{}'", text.replace('\'', "''")) }
}

/// Returns `true` if a text obviously needs no quotes for any YAML parser, so that it does not have to be parsed.
fn is_word(text: &str) -> bool {
    // YAML 1.1 parsers read these as a boolean or null.
    const READ_OTHERWISE: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || " _-./".contains(character))
        && !text.ends_with(' ')
        && !READ_OTHERWISE.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns the lines of a long text below its key.
fn folded(key: &str, text: &str, indent: usize) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let is_prose = words.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace));
    if !is_prose {
        return vec![format!("{key}: {}", scalar(text, false))];
    }
    let mut lines = vec![format!("{key}: >-")];
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && indent + 2 + line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("  {line}"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(format!("  {line}"));
    lines
}

#[cfg(test)]
mod tests;
