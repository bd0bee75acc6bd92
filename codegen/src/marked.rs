//! YAML text in, a tree whose every node knows where it stands out.
//!
//! It keeps what a plain YAML value loses: positions, the order of keys and keys written twice.
//! It refuses what the catalogue has no use for: anchors, tags and several documents.

use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Where it stands, in characters from the start of the text.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// A scalar that is text, quoted or not.
    Text(String),
    /// A boolean.
    Flag(bool),
    /// A number, as written.
    Number(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order written, with keys that may repeat.
    Map(Vec<(Node, Node)>),
}

/// Why a text is not a tree.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    /// What is wrong, in lower case.
    pub(crate) message: String,
    /// Where, in characters from the start of the text.
    pub(crate) span: Range<usize>,
}

/// Nothing in the format is nested nearly as deep.
const MAX_DEPTH: usize = 32;

impl Node {
    /// The value of a key, if this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, value)| value)
    }

    /// A key and its value, if this is a map that has it.
    pub(crate) fn entry(&self, key: &str) -> Option<&(Node, Node)> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|(name, _)| name.text() == Some(key)),
            _ => None,
        }
    }

    /// The text of a text scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What stands here, in words.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Text(_) => "text".to_owned(),
            Kind::Flag(flag) => format!("the boolean `{flag}`"),
            Kind::Number(written) => format!("the number `{written}`"),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a map".to_owned(),
        }
    }
}

/// Reads one document.
pub(crate) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let mut builder = Builder { text: text.chars().collect(), open: Vec::new(), root: None };
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let span = place(&builder.text, error.info(), *error.marker());
            SyntaxError { message: error.info().to_owned(), span }
        })?;
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
            if documents > 1 {
                return Err(refuse("a second document", span));
            }
        }
        builder.event(event, span)?;
    }
    Ok(builder.root.unwrap_or(Node { span: 0..0, kind: Kind::Null }))
}

/// Where an error is; the parser tells of a tab where the text before it begins.
fn place(text: &[char], message: &str, marker: Marker) -> Range<usize> {
    let mut at = marker.index();
    if message.contains("tab") {
        at += text.iter().skip(at).position(|character| *character == '\t').unwrap_or_default();
    }
    at..at + 1
}

fn refuse(what: &str, span: Span) -> SyntaxError {
    SyntaxError {
        message: format!("the catalogue does not use {what}"),
        span: span.start.index()..span.end.index().max(span.start.index() + 1),
    }
}

/// Collections that are open, innermost last, and the finished root.
struct Builder {
    text: Vec<char>,
    open: Vec<Open>,
    root: Option<Node>,
}

struct Open {
    start: usize,
    is_map: bool,
    /// Whether it stands in brackets.
    is_flow: bool,
    children: Vec<Node>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), SyntaxError> {
        let tagged = match &event {
            Event::Alias(_) => return Err(refuse("aliases", span)),
            Event::Scalar(_, _, anchor, tag) | Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
                (*anchor, tag.is_some())
            }
            _ => (0, false),
        };
        match tagged {
            (0, false) => {}
            (0, true) => return Err(refuse("tags", span)),
            _ => return Err(refuse("anchors", span)),
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let kind = scalar(&text, style);
                self.finish(Node { span: self.scalar_span(style, span), kind });
            }
            Event::SequenceStart(..) => self.start(false, span)?,
            Event::MappingStart(..) => self.start(true, span)?,
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, is_map: bool, span: Span) -> Result<(), SyntaxError> {
        if self.open.len() == MAX_DEPTH {
            return Err(refuse("nesting as deep as this", span));
        }
        let start = span.start.index();
        // What opens in block style is told by what comes first in it, and has no length of its own.
        let is_flow = span.end.index() > start && matches!(self.text.get(start), Some('[' | '{'));
        self.open.push(Open { start, is_map, is_flow, children: Vec::new() });
        Ok(())
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let inner = open.children.last().map_or(open.start + 1, |last| last.span.end);
        let end = if open.is_flow { self.bracket(inner) } else { inner };
        let start = if open.is_flow || open.is_map { open.start } else { self.dash(open.start) };
        let kind = if open.is_map { Kind::Map(pairs(open.children)) } else { Kind::List(open.children) };
        self.finish(Node { span: start..end, kind });
    }

    /// Where a scalar stands, without the space and the comments that the parser counts as part of some.
    fn scalar_span(&self, style: ScalarStyle, span: Span) -> Range<usize> {
        let (start, end) = (span.start.index(), span.end.index());
        let written = self.text.get(start..end).unwrap_or_default();
        let length = match style {
            ScalarStyle::SingleQuoted => closing(written, '\'', '\''),
            ScalarStyle::DoubleQuoted => closing(written, '"', '\\'),
            _ => written.iter().rposition(|character| !character.is_whitespace()).map_or(0, |last| last + 1),
        };
        start..start + length
    }

    /// The end of a bracket that closes after the last of its children.
    fn bracket(&self, mut at: usize) -> usize {
        while at < self.text.len() {
            match self.text[at] {
                ']' | '}' => return at + 1,
                '#' => at += self.text[at..].iter().take_while(|character| **character != '\n').count(),
                _ => at += 1,
            }
        }
        at
    }

    /// Where a block list begins: at its first dash, wherever the parser puts it.
    fn dash(&self, start: usize) -> usize {
        let before = self.text.get(..start).unwrap_or_default();
        let spaces = before.iter().rev().take_while(|character| **character == ' ').count();
        match before.get(..start - spaces) {
            Some([.., '-']) if spaces > 0 => start - spaces - 1,
            _ => start,
        }
    }

    fn finish(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.root = Some(node),
        }
    }
}

/// How long quoted text is, with its quotes; `escape` makes the character behind it a plain one.
fn closing(written: &[char], quote: char, escape: char) -> usize {
    let mut at = 1;
    while at < written.len() {
        match written[at] {
            found if found == escape && (escape != quote || written.get(at + 1) == Some(&quote)) => at += 2,
            found if found == quote => return at + 1,
            _ => at += 1,
        }
    }
    written.len()
}

fn pairs(children: Vec<Node>) -> Vec<(Node, Node)> {
    let mut children = children.into_iter();
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (children.next(), children.next()) {
        pairs.push((key, value));
    }
    pairs
}

/// YAML 1.2's core schema: only a plain scalar can be anything but text.
fn scalar(text: &str, style: ScalarStyle) -> Kind {
    if style != ScalarStyle::Plain {
        return Kind::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Flag(true),
        "false" | "False" | "FALSE" => Kind::Flag(false),
        _ if is_number(text) => Kind::Number(text.to_owned()),
        _ => Kind::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    // Rust also parses `inf`, `nan` and `infinity`, which are text in YAML.
    let digits = text.trim_start_matches(['-', '+', '.']);
    digits.starts_with(|first: char| first.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &Kind) {
        assert_eq!(&parse(text).expect(text).kind, expected, "{text}");
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        for text in ["1d", "1h", "yes", "no", "nan", "inf", "infinity", "-x", "1_000", "'1'", "\"true\""] {
            check(text, &Kind::Text(text.trim_matches(['\'', '"']).to_owned()));
        }
        for text in ["50", "-1", "0.5", "1e3"] {
            check(text, &Kind::Number(text.to_owned()));
        }
        check("true", &Kind::Flag(true));
        check("~", &Kind::Null);
    }

    #[test]
    fn keys_keep_their_order_and_their_doubles() {
        let node = parse("b: 1\na: 2\nb: 3\n").expect("a map");
        let Kind::Map(entries) = node.kind else { panic!("a map") };
        let keys: Vec<_> = entries.iter().filter_map(|(key, _)| key.text()).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(entries[2].0.span, 10..11);
    }

    /// Every node as it is written, outer ones first.
    fn written(text: &str) -> Vec<String> {
        fn visit(node: &Node, text: &[char], all: &mut Vec<String>) {
            all.push(text[node.span.clone()].iter().collect());
            match &node.kind {
                Kind::List(items) => items.iter().for_each(|item| visit(item, text, all)),
                Kind::Map(entries) => entries.iter().for_each(|(_, value)| visit(value, text, all)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        visit(&parse(text).expect(text), &text.chars().collect::<Vec<_>>(), &mut all);
        all
    }

    #[test]
    fn a_node_ends_where_its_text_does() {
        for (text, expected) in [
            ("{a: 1, b: [2, ], }  # c\n", vec!["{a: 1, b: [2, ], }", "1", "[2, ]", "2"]),
            ("[ # ]\n1, # }\n]\n", vec!["[ # ]\n1, # }\n]", "1"]),
            ("- 'it''s'  # c\n\n# d\n", vec!["- 'it''s'", "'it''s'"]),
            ("- \"a \\\" b\" # c\n- {c: 1}\n", vec!["- \"a \\\" b\" # c\n- {c: 1}", "\"a \\\" b\"", "{c: 1}", "1"]),
            ("- {c: 1} # d\n", vec!["- {c: 1}", "{c: 1}", "1"]),
            ("a:\n  - >-\n    x\n    y\n\n# c\n", vec!["a:\n  - >-\n    x\n    y", "- >-\n    x\n    y", "x\n    y"]),
            (
                "a:\n- b: x\n  c: y z # d\n# e\n",
                vec!["a:\n- b: x\n  c: y z", "- b: x\n  c: y z", "b: x\n  c: y z", "x", "y z"],
            ),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn a_tab_is_found_where_it_stands() {
        assert_eq!(parse("a:\n  b: 1\n\tc: 2\n").expect_err("a tab").span, 10..11);
    }

    #[test]
    fn what_the_catalogue_does_not_use_is_refused() {
        let deep = "[".repeat(100);
        for (text, expected) in [
            ("a: &x 1", "the catalogue does not use anchors"),
            ("a: *x", "while parsing node, found unknown anchor"),
            ("a: !!str 1", "the catalogue does not use tags"),
            ("a: 1\n---\nb: 1", "the catalogue does not use a second document"),
            (deep.as_str(), "the catalogue does not use nesting as deep as this"),
        ] {
            assert_eq!(parse(text).expect_err(text).message, expected, "{text}");
        }
    }
}
