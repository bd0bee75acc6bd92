//! Builds the tree of nodes, with their exact positions, from the events of the parser.

use std::ops::Range;

use saphyr_parser::{Event, ScalarStyle, Span};

use super::explain::FIRST_CHARACTER;
use super::node::{Kind, Node, SyntaxError, refuse};

/// The maximum nesting depth. Real catalogues are nested far less deeply.
const MAX_DEPTH: usize = 32;

/// Builds the tree. Contains the collections that have not ended yet, the innermost last, and the finished root.
pub(super) struct Builder {
    pub(super) text: Vec<char>,
    open: Vec<Open>,
    pub(super) root: Option<Node>,
}

struct Open {
    start: usize,
    is_map: bool,
    /// `true` if the collection is written in brackets or braces.
    is_flow: bool,
    children: Vec<Node>,
}

impl Builder {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.chars().collect(), open: Vec::new(), root: None }
    }

    pub(super) fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), SyntaxError> {
        let unsupported = match &event {
            Event::Alias(_) => Some("aliases"),
            Event::Scalar(_, _, 1.., _) | Event::SequenceStart(1.., _) | Event::MappingStart(1.., _) => Some("anchors"),
            Event::Scalar(.., Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                Some("tags")
            }
            _ => None,
        };
        if let Some(what) = unsupported {
            return Err(refuse(what, FIRST_CHARACTER, span));
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
            return Err(refuse("more than 32 nested levels", "nest lists and maps less deeply", span));
        }
        let start = span.start.index();
        // For a block collection, the parser reports an empty span at the first item. That item may begin with a
        // bracket, so the length of the span is checked too.
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

    /// The position of a scalar. For some scalars, the parser's span includes white space and comments after the
    /// scalar; these are cut off.
    fn scalar_span(&self, style: ScalarStyle, span: Span) -> Range<usize> {
        let start = span.start.index();
        let written = self.text.get(start..span.end.index()).unwrap_or_default();
        let length = match style {
            ScalarStyle::SingleQuoted => closing(written, '\'', '\''),
            ScalarStyle::DoubleQuoted => closing(written, '"', '\\'),
            _ => written.iter().rposition(|character| !character.is_whitespace()).map_or(0, |last| last + 1),
        };
        start..start + length
    }

    /// The position after the bracket that closes the collection; the search begins at `at`, the end of the last child.
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

    /// The start of a block list, which is its first dash. For some lists, the parser reports the first item instead.
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

/// The length of a quoted text, including its quotes. A character after `escape` does not end the text.
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
    std::iter::from_fn(|| children.next().zip(children.next())).collect()
}

/// Parses a scalar by the core schema of YAML 1.2. A quoted scalar is always text.
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

pub(crate) fn is_number(text: &str) -> bool {
    // Rust also parses `inf`, `nan` and `infinity`, which are text in YAML.
    let digits = text.trim_start_matches(['-', '+', '.']);
    digits.starts_with(|first: char| first.is_ascii_digit()) && text.parse::<f64>().is_ok()
}
