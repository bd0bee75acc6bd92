//! One tree against the table of the format.
//!
//! Unknown and missing keys and wrong types become findings. What they spoil is cut out, and what has to be
//! there is made up, so that the rest of the tree can still be checked by the rules that come later.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
use crate::format::{Key, Map, Shape};
use crate::marked::{Kind, Node};
use crate::suggest::did_you_mean;

/// Compares one tree with the table.
///
/// Each method says whether the node can be used, and has cut out what cannot.
pub(crate) struct Walk<'a> {
    pub(crate) file: &'a Arc<SourceFile>,
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// Names of entries that were cut out.
    pub(crate) cut: &'a mut HashSet<String>,
}

impl Walk<'_> {
    fn shape(&mut self, node: &mut Node, shape: &'static Shape) -> bool {
        match shape {
            Shape::Text | Shape::Like(_) | Shape::Type => self.line(node),
            Shape::Prose => self.text(node),
            Shape::Scalar => self.scalar(node),
            Shape::Whole { .. } => self.whole(node),
            Shape::Number => self.number(node),
            Shape::Flag => matches!(node.kind, Kind::Flag(_)) || self.wrong(node, "`true` or `false`", ""),
            Shape::Word(words) => self.word(node, words),
            Shape::List(item) => self.list(node, item),
            Shape::Map(map) | Shape::MapWith(map, _) => self.map(node, map),
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
            return self.finding(
                node,
                "empty-text",
                "the text is empty",
                "write something, or leave out what need not be there",
            );
        }
        true
    }

    /// Text that becomes a name, or a part of a line.
    fn line(&mut self, node: &Node) -> bool {
        if !self.text(node) {
            return false;
        }
        if node.text().is_some_and(has_lines) {
            return self.finding(node, "line-break", "the text has a line break or a tab", "write it on one line");
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
        self.line(node)
    }

    fn whole(&mut self, node: &Node) -> bool {
        match &node.kind {
            Kind::Number(written) if written.parse::<u32>().is_ok() => true,
            _ => self.wrong(node, "a whole number that is not negative", ""),
        }
    }

    fn number(&mut self, node: &Node) -> bool {
        match &node.kind {
            Kind::Number(written) if written.parse::<f64>().is_ok_and(f64::is_finite) => true,
            _ => self.wrong(node, "a number", ""),
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
                self.cut.extend(names.map(str::to_owned));
            }
            usable
        });
        true
    }

    fn either(&mut self, node: &mut Node, shapes: &'static [Shape]) -> bool {
        let fitting = shapes.iter().find(|shape| {
            matches!(
                (shape, &node.kind),
                (Shape::Text | Shape::Like(_) | Shape::Word(_), Kind::Text(_))
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

    pub(crate) fn map(&mut self, node: &mut Node, map: &'static Map) -> bool {
        let start = node.span.start;
        let head = head(node);
        let Kind::Map(entries) = &mut node.kind else {
            return self.wrong(node, "a map", &format!("{} has {}", map.what, names(map)));
        };
        let was_empty = entries.is_empty();
        let mut seen: Vec<(&str, Range<usize>)> = Vec::new();
        entries.retain_mut(|(name, value)| {
            let Some(key) = self.key(name, map) else {
                return false;
            };
            if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == key.name) {
                let earlier = Location::new(self.file, first.clone());
                let message = format!("the key `{}` stands twice in {}", key.name, map.what);
                let finding = Diagnostic::new("duplicate-key", Location::of(self.file, name), message);
                self.diagnostics.push(finding.earlier(earlier, "first here").help("keep one of them"));
                return false;
            }
            seen.push((key.name, name.span.clone()));
            self.value(name, value, key)
        });
        for key in map.keys.iter().filter(|key| key.required) {
            if !seen.iter().any(|(seen, _)| *seen == key.name) {
                let message = format!("{} has no `{}`", map.what, key.name);
                let help = format!("add `{}:` and {}", key.name, expected(&key.shape));
                self.finding(&head, "missing-key", message, &help);
            }
            if !entries.iter().any(|(name, _)| name.text() == Some(key.name)) {
                let Some(value) = stand_in(key, start) else { return false };
                let name = Node { span: head.span.clone(), kind: Kind::Text(key.name.to_owned()) };
                entries.push((name, value));
            }
        }
        // Nothing that was said is left, which is no reason to say that nothing was.
        was_empty || !entries.is_empty()
    }

    /// The value of a key; where it is empty, the key is what can be marked.
    fn value(&mut self, name: &Node, value: &mut Node, key: &'static Key) -> bool {
        if value.span.is_empty() {
            value.span = name.span.clone();
        }
        self.shape(value, &key.shape)
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
        self.diagnostics.push(finding.help(help));
        false
    }
}

/// What a required key is taken to say where it says nothing of use, so that the rest can still be checked.
///
/// Nothing refers to it and no rule objects to it. `None` if there is no such value.
fn stand_in(key: &Key, start: usize) -> Option<Node> {
    let text = |text: String| Some(Kind::Text(text));
    let kind = match (&key.shape, key.name) {
        (Shape::Type, _) => text("any".to_owned()),
        (Shape::Like(_), "path") => text(format!("/unknown{start}")),
        (Shape::Like(_), "env_prefix") => text("UNKNOWN".to_owned()),
        (Shape::Text | Shape::Like(_), "name" | "value") => text(format!("Unknown{start}")),
        (Shape::Text | Shape::Prose, "title" | "version" | "summary" | "label" | "data") | (Shape::Either(_), _) => {
            text("unknown".to_owned())
        }
        (Shape::Word(words), _) => text((*words.first()?).to_owned()),
        (Shape::List(_), _) => Some(Kind::List(Vec::new())),
        (Shape::Map(map), _) => {
            let keys = map.keys.iter().filter(|key| key.required);
            let entries = keys.map(|key| {
                let name = Node { span: start..start, kind: Kind::Text(key.name.to_owned()) };
                Some((name, stand_in(key, start)?))
            });
            Some(Kind::Map(entries.collect::<Option<_>>()?))
        }
        _ => None,
    };
    Some(Node { span: start..start, kind: kind? })
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
        Shape::Text | Shape::Prose | Shape::Like(_) | Shape::Type | Shape::Scalar => "text".to_owned(),
        Shape::Whole { .. } | Shape::Number => "a number".to_owned(),
        Shape::Flag => "`true` or `false`".to_owned(),
        Shape::Word(words) => either(words.iter().map(|word| format!("`{word}`")).collect()),
        Shape::List(_) => "a list".to_owned(),
        Shape::Map(_) | Shape::MapWith(..) | Shape::UseOr(..) => "a map".to_owned(),
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

/// Whether a text can be a name of the catalogue, or stand within a line.
pub fn is_line(text: &str) -> bool {
    is_prose(text) && !has_lines(text)
}

/// Whether a text says something, and all of it can be seen.
pub fn is_prose(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(is_invisible)
}

fn has_lines(text: &str) -> bool {
    text.contains(['\n', '\r', '\t'])
}

/// Control characters other than line breaks, and marks that reorder or hide text.
pub fn is_invisible(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}
