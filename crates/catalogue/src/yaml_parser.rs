//! Parses YAML text into a tree whose nodes have positions.
//!
//! Unlike a plain YAML value, the tree keeps positions, the order of keys, and duplicate keys. Anchors, aliases, tags
//! and several documents are rejected, because catalogues must not contain them.

// The modules, lowest layer first.
mod node;

mod explain;

mod builder;

use std::ops::Range;

use builder::Builder;
pub(crate) use builder::is_number;
use node::refuse;
pub use node::{Kind, Node, SyntaxError};
use saphyr_parser::{Event, Marker, Parser};

/// Parses one YAML document.
pub fn parse(text: &str) -> Result<Node, SyntaxError> {
    if let Some(error) = misread(text) {
        return Err(error);
    }
    let mut builder = Builder::new(text);
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            explain::explained(text, error.info(), error_span(&builder.text, error.info(), *error.marker()))
        })?;
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
            if documents > 1 {
                return Err(refuse("a second document", "remove `---` and `...`", span));
            }
        }
        builder.event(event, span)?;
    }
    Ok(builder.root.unwrap_or(Node { span: 0..0, kind: Kind::Null }))
}

/// Finds the first line that the parser would misread: a conflict marker of a git merge, or a no-break space in the
/// indentation or after a key.
fn misread(text: &str) -> Option<SyntaxError> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let length = line.chars().count();
        let is_marker = ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|marker| line.starts_with(marker));
        if is_marker || line.trim_end() == "=======" {
            let message = "an unresolved merge conflict".to_owned();
            let help = "keep the right lines, and delete this marker".to_owned();
            return Some(SyntaxError { message, span: start..start + length.saturating_sub(1), help });
        }
        let key =
            line.trim_start_matches([' ', '-']).trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let key = key.strip_prefix(':').unwrap_or(key);
        if key.starts_with('\u{a0}') {
            let at = start + length - key.chars().count();
            let help = "write a space instead of the no-break space".to_owned();
            return Some(SyntaxError { message: "a no-break space".to_owned(), span: at..at + 1, help });
        }
        start += length;
    }
    None
}

/// The position of an error. For an error about a tab, the parser reports a position near the tab, so this function
/// returns the first tab of the line or after it.
fn error_span(text: &[char], message: &str, marker: Marker) -> Range<usize> {
    let mut at = marker.index();
    if message.contains("tab") {
        let line = text[..at].iter().rposition(|character| *character == '\n').map_or(0, |newline| newline + 1);
        at = text[line..].iter().position(|character| *character == '\t').map_or(at, |tab| line + tab);
    }
    at..at + 1
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
    fn merge_conflict_is_reported_as_one() {
        let error = parse("a: é\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n").expect_err("a conflict");
        assert!(error.message.starts_with("an unresolved merge conflict"), "{error:?}");
        assert_eq!(error.span, 5..17);
        for text in ["a: 1\n=======\n", "a: 1\n=======\r\n", "||||||| base\n"] {
            let error = parse(text).expect_err(text);
            assert!(error.message.starts_with("an unresolved merge conflict"), "{error:?}");
        }
        assert!(parse("a: |\n  <<<<<<< is text\n").is_ok());
    }

    #[test]
    fn keys_keep_order_and_duplicates() {
        let node = parse("b: 1\na: 2\nb: 3\n").expect("a map");
        let Kind::Map(entries) = node.kind else { panic!("a map") };
        let keys: Vec<_> = entries.iter().filter_map(|(key, _)| key.text()).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(entries[2].0.span, 10..11);
    }

    /// The texts of all nodes, outer nodes first.
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
    fn node_ends_with_its_text() {
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
    fn tab_is_reported_at_its_position() {
        assert_eq!(parse("a:\n  b: 1\n\tc: 2\n").expect_err("a tab").span, 10..11);
    }

    #[test]
    fn unsupported_yaml_is_rejected() {
        let deep = "[".repeat(100);
        for (text, expected) in [
            ("a: &x 1", "catalogues cannot contain anchors"),
            ("a: *x", "catalogues cannot contain aliases"),
            ("a: !!str 1", "catalogues cannot contain tags"),
            ("a: 1\n---\nb: 1", "catalogues cannot contain a second document"),
            (deep.as_str(), "catalogues cannot contain more than 32 nested levels"),
        ] {
            assert_eq!(parse(text).expect_err(text).message, expected, "{text}");
        }
    }
}
