//! YAML text in, a tree whose every node knows where it stands out.
//!
//! It keeps what a plain YAML value loses: positions, the order of keys and keys written twice.
//! It refuses what the catalogue has no use for: anchors, tags and several documents.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Where it stands, in characters from the start of the text.
    pub(crate) span: std::ops::Range<usize>,
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
    pub(crate) span: std::ops::Range<usize>,
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
    let mut builder = Builder::default();
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| SyntaxError { message: error.info().to_owned(), span: at(*error.marker()) })?;
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

fn at(marker: Marker) -> std::ops::Range<usize> {
    marker.index()..marker.index() + 1
}

fn refuse(what: &str, span: Span) -> SyntaxError {
    SyntaxError {
        message: format!("the catalogue does not use {what}"),
        span: span.start.index()..span.end.index().max(span.start.index() + 1),
    }
}

/// Collections that are open, innermost last, and the finished root.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
}

struct Open {
    start: usize,
    is_map: bool,
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
                self.finish(Node { span: span.start.index()..span.end.index(), kind });
            }
            Event::SequenceStart(..) => self.start(false, span)?,
            Event::MappingStart(..) => self.start(true, span)?,
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, is_map: bool, span: Span) -> Result<(), SyntaxError> {
        if self.open.len() == MAX_DEPTH {
            return Err(refuse("nesting as deep as this", span));
        }
        self.open.push(Open { start: span.start.index(), is_map, children: Vec::new() });
        Ok(())
    }

    fn end(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        let kind = if open.is_map { Kind::Map(pairs(open.children)) } else { Kind::List(open.children) };
        self.finish(Node { span: open.start..span.end.index(), kind });
    }

    fn finish(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.root = Some(node),
        }
    }
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
