//! The tree of a YAML file.

use std::ops::Range;

use saphyr_parser::Span;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The position, in characters from the start of the text.
    pub span: Range<usize>,
    /// The kind of node, with its content.
    pub kind: Kind,
}

/// The kind of a node, with its content.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An empty value, `~` or `null`.
    Null,
    /// A text scalar, quoted or not.
    Text(String),
    /// A boolean.
    Flag(bool),
    /// A number, as written.
    Number(String),
    /// A list.
    List(Vec<Node>),
    /// A map, with its keys in the order of the text. Keys may repeat.
    Map(Vec<(Node, Node)>),
}

/// A YAML syntax error.
#[derive(Debug)]
pub struct SyntaxError {
    /// The message, in lower case.
    pub message: String,
    /// The position, in characters from the start of the text.
    pub span: Range<usize>,
    /// The remedy.
    pub help: String,
}

impl From<Kind> for Node {
    /// Creates a node without a position.
    fn from(kind: Kind) -> Self {
        Self { span: 0..0, kind }
    }
}

impl Node {
    /// Returns the value of a key; `None` if the node is not a map, or does not have the key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns the nodes of a key and of its value; `None` if the node is not a map, or does not have the key.
    pub fn entry(&self, key: &str) -> Option<&(Node, Node)> {
        let Kind::Map(entries) = &self.kind else { return None };
        entries.iter().find(|(name, _)| name.text() == Some(key))
    }

    /// Returns the text of a text scalar; `None` for any other node.
    pub fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// Returns a number as written; `None` for any other node.
    pub fn number(&self) -> Option<&str> {
        if let Kind::Number(written) = &self.kind { Some(written) } else { None }
    }

    /// Describes the node for messages.
    pub fn describe(&self) -> String {
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

pub(super) fn refuse(what: &str, help: &str, span: Span) -> SyntaxError {
    SyntaxError {
        message: format!("catalogues cannot contain {what}"),
        span: span.start.index()..span.end.index().max(span.start.index() + 1),
        help: help.to_owned(),
    }
}
