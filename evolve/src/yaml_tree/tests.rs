//! Tests that parsers of every YAML version read the texts that `codegen` and this crate write.

use codegen::yaml_parser;
use codegen::yaml_writer::document;
use serde_yaml::{Mapping, Value};

use super::Tree;

/// Texts, separated by bars, that at least one parser does not read as a string.
const MISREAD: &str = "on|Off|OFF|yes|No|y|N|true|False|~|null|NULL||=|<<|2024-01-01|2024-1-1|2024-01-01T00:00:00Z|\
    2024-01-01 00:00:00|12:30|1:30:59|-1:30|12:30.5|0777|0o7|0x1F|0b11|1_000|.5|5.|+1|-1|1e3|\
    1.5E+3|.inf|-.INF|.nan|1__0|- a|a: b|a #b|#a|&a|*a|!a|%a|@a|`a|[a|{a|a:|---| a|a ";

/// Texts that every parser reads as a string.
const PLAIN: &[&str] = &["a", "only", "yesterday", "1m", "1h", "1d", "24h", "v2", "a.b", "a-b", "a_b", "/a/b", "größe"];

fn both(text: &str) -> [(String, Value); 2] {
    let map: Mapping = [(Value::from(text), Value::from(text))].into_iter().collect();
    let value = Value::from(map);
    let tree = Tree::map().with(text, text);
    [(document(&value), value.clone()), (tree.block(0).join("\n") + "\n", value)]
}

#[test]
fn ambiguous_scalars_are_quoted() {
    for text in MISREAD.split('|') {
        for (yaml, value) in both(text) {
            assert!(yaml.starts_with(['"', '\'']) && yaml.trim_end().ends_with(['"', '\'']), "{yaml}");
            assert_eq!(serde_yaml::from_str::<Value>(&yaml).expect(&yaml), value, "{yaml}");
            assert_eq!(Tree::of(&yaml_parser::parse(&yaml).expect(&yaml)), Tree::map().with(text, text), "{yaml}");
        }
        let inline = Tree::map().with(text, text).inline();
        assert!(inline.starts_with("{'") && inline.ends_with("'}"), "{inline}");
    }
}

#[test]
fn invisible_characters_are_escaped() {
    for text in ["a\nb", "a\tb", "a\r", "\u{1}", "a\u{7f}", "a\u{85}b", "a\u{2028}b", "\u{feff}a", "a\n\"'\\"] {
        for (yaml, value) in both(text) {
            assert!(yaml.is_ascii(), "{yaml:?}");
            assert_eq!(serde_yaml::from_str::<Value>(&yaml).expect(&yaml), value, "{yaml}");
            assert_eq!(Tree::of(&yaml_parser::parse(&yaml).expect(&yaml)), Tree::map().with(text, text), "{yaml}");
        }
    }
}

#[test]
fn unambiguous_text_is_not_quoted() {
    for text in PLAIN {
        for (yaml, _) in both(text) {
            assert_eq!(yaml, format!("{text}: {text}\n"));
        }
    }
}

#[test]
fn endpoints_of_a_new_file_are_separated() {
    let endpoint = |name: &str| Tree::map().with("name", name).with("params", Vec::new()).with("body", "unknown");
    let head = Tree::map().with("title", "Market").with("summary", "What: it does.");
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
    assert_eq!(head.clone().with("endpoints", vec![endpoint("A"), endpoint("B")]).file(), expected);
    assert_eq!(head.with("endpoints", vec![]).file(), "title: Market\nsummary: 'What: it does.'\nendpoints: []\n");
}
