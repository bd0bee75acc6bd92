//! Tests that parsers of every YAML version read the texts that this crate writes.

use catalogue::yaml_parser::{self, Kind, Node};
use serde_yaml::{Mapping, Value};

use super::{block, file, inline};

fn text(text: &str) -> Node {
    Kind::Text(text.to_owned()).into()
}

fn map<const N: usize>(pairs: [(&str, Node); N]) -> Node {
    Kind::Map(pairs.into_iter().map(|(key, value)| (text(key), value)).collect()).into()
}

/// `true` if a YAML text is a map with this key and this value.
fn has(yaml: &str, key: &str) -> bool {
    let node = yaml_parser::parse(yaml).expect(yaml);
    node.get(key).and_then(Node::text) == Some(key)
}

/// Texts, separated by bars, that at least one parser does not read as a string.
const MISREAD: &str = "on|Off|OFF|yes|No|y|N|true|False|~|null|NULL||=|<<|2024-01-01|2024-1-1|2024-01-01T00:00:00Z|\
    2024-01-01 00:00:00|12:30|1:30:59|-1:30|12:30.5|0777|0o7|0x1F|0b11|1_000|.5|5.|+1|-1|1e3|\
    1.5E+3|.inf|-.INF|.nan|1__0|- a|a: b|a #b|#a|&a|*a|!a|%a|@a|`a|[a|{a|a:|---| a|a ";

/// Texts that every parser reads as a string.
const PLAIN: &[&str] = &["a", "only", "yesterday", "1m", "1h", "1d", "24h", "v2", "a.b", "a-b", "a_b", "/a/b", "größe"];

/// A map with one key and the same text as its value: as written, and as a parser of YAML 1.1 should read it.
fn written(key: &str) -> (String, Value) {
    let pair: Mapping = [(Value::from(key), Value::from(key))].into_iter().collect();
    (block(&map([(key, text(key))]), 0).join("\n") + "\n", Value::from(pair))
}

#[test]
fn ambiguous_scalars_are_quoted() {
    for text in MISREAD.split('|') {
        let (yaml, value) = written(text);
        assert!(yaml.starts_with(['"', '\'']) && yaml.trim_end().ends_with(['"', '\'']), "{yaml}");
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).expect(&yaml), value, "{yaml}");
        assert!(has(&yaml, text), "{yaml}");
        let inline = inline(&map([(text, self::text(text))]));
        assert!(inline.starts_with("{'") && inline.ends_with("'}"), "{inline}");
    }
}

#[test]
fn invisible_characters_are_escaped() {
    for text in ["a\nb", "a\tb", "a\r", "\u{1}", "a\u{7f}", "a\u{85}b", "a\u{2028}b", "\u{feff}a", "a\n\"'\\"] {
        let (yaml, value) = written(text);
        assert!(yaml.is_ascii(), "{yaml:?}");
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).expect(&yaml), value, "{yaml}");
        assert!(has(&yaml, text), "{yaml}");
    }
}

#[test]
fn unambiguous_text_is_not_quoted() {
    for text in PLAIN {
        assert_eq!(written(text).0, format!("{text}: {text}\n"));
    }
}

#[test]
fn endpoints_of_a_new_file_are_separated() {
    let list = |items: Vec<Node>| Node::from(Kind::List(items));
    let endpoint = |name: &str| map([("name", text(name)), ("params", list(Vec::new())), ("body", text("unknown"))]);
    let group = |endpoints: Vec<Node>| {
        map([("title", text("Market")), ("summary", text("What: it does.")), ("endpoints", list(endpoints))])
    };
    let expected = "\
title: Market
summary: 'What: it does.'
endpoints:
- name: A
  params: []
  body: unknown

- name: B
  params: []
  body: unknown
";
    assert_eq!(file(&group(vec![endpoint("A"), endpoint("B")])), expected);
    assert_eq!(file(&group(Vec::new())), "title: Market\nsummary: 'What: it does.'\nendpoints: []\n");
}
