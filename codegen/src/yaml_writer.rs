//! Writes YAML that all readers parse in the same way, including readers of YAML 1.1.
//!
//! Readers of YAML 1.1 parse `on` as a boolean, `12:30` as a number and `2024-01-01` as a date, but in YAML 1.2 these
//! are texts. The YAML library quotes only texts that it would itself parse wrongly, so this module quotes the texts
//! that readers of YAML 1.1 would parse wrongly.

use std::iter;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_yaml::Value;

use crate::catalogue_reader::is_invisible;
use crate::yaml_parser::{self, Kind};

/// Texts that a reader of YAML 1.1 parses as a boolean, null, a number, a date or a time.
static MISREAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"(---|\.\.\.)( .*)?|y|n|yes|no|on|off|true|false|null|~|=|<<|[-+]?\.inf|\.nan";
    let numbers = r"[-+.]?[0-9][-+.0-9_:tz ]*|[-+.]?[0-9][0-9._]*e[-+]?[0-9]+|[-+]?0(x[0-9a-f_]+|o[0-7_]+|b[01_]+)";
    Regex::new(&format!("^(?i:{words}|{numbers})$")).ok()
});

/// Formats a value as a YAML document in block style.
pub fn document(value: &Value) -> String {
    lines(value).join("\n") + "\n"
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Mapping(entries) if !entries.is_empty() => {
            entries.iter().flat_map(|(key, value)| entry(key, value)).collect()
        }
        Value::Sequence(items) if !items.is_empty() => items.iter().flat_map(|item| self::item(lines(item))).collect(),
        value => vec![scalar(value)],
    }
}

fn entry(key: &Value, value: &Value) -> Vec<String> {
    let key = scalar(key) + ":";
    let (head, below) = match value {
        Value::Mapping(entries) if !entries.is_empty() => (key, lines(value)),
        Value::Sequence(items) if !items.is_empty() => (key, lines(value)),
        Value::String(text) if is_block(text) => (key + " |-", text.split('\n').map(str::to_owned).collect()),
        value => return vec![key + " " + &scalar(value)],
    };
    iter::once(head).chain(below.into_iter().map(indent)).collect()
}

/// Returns `true` if a text can be written as a literal block: it has several lines, and no character needs an escape.
fn is_block(text: &str) -> bool {
    let is_shown = |line: &str| !line.contains(is_escaped) && line.trim_end() == line;
    text.contains('\n') && text.split('\n').all(is_shown) && text.trim() == text
}

/// Formats an item of a list: a dash before the first line, and an indent before all others.
fn item(lines: Vec<String>) -> impl Iterator<Item = String> {
    let mut lines = lines.into_iter();
    let first = lines.next().map(|first| "- ".to_owned() + &first);
    first.into_iter().chain(lines.map(indent))
}

fn indent(line: String) -> String {
    if line.is_empty() { line } else { "  ".to_owned() + &line }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => escaped(text),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Sequence(_) => "[]".to_owned(),
        Value::Mapping(_) => "{}".to_owned(),
        Value::Null | Value::Tagged(_) => "null".to_owned(),
    }
}

/// Returns `true` if a text can be written without quotes.
pub fn is_plain(text: &str) -> bool {
    let is_text = || match yaml_parser::parse(&format!("a: {text}\n")).map(|node| node.kind) {
        Ok(Kind::Map(entries)) => entries.len() == 1 && entries[0].1.text() == Some(text),
        _ => false,
    };
    let is_misread = || MISREAD.as_ref().is_none_or(|misread| misread.is_match(text));
    !text.contains(is_escaped) && !is_misread() && is_text()
}

/// Writes a text in double quotes, with escapes for invisible characters.
pub fn escaped(text: &str) -> String {
    let escape = |character: char| match character {
        '"' | '\\' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        character if is_escaped(character) => format!("\\U{:08x}", u32::from(character)),
        character => character.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

fn is_escaped(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_document_reads_back_equal() {
        let json =
            r#"{"a": [[1, -0.5], [], {"b": {}, "c": [true, null]}], "d": "e\n\n  f: #g\nh", "i": "\nj", "k": "l\n"}"#;
        let value: Value = serde_yaml::from_str(json).expect("JSON is YAML");
        let yaml = document(&value);
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).expect(&yaml), value, "{yaml}");
        let expected = "a:\n  - - 1\n    - -0.5\n  - []\n  - b: {}\n    c:\n      - true\n      - null\n\
            d: |-\n  e\n\n    f: #g\n  h\ni: \"\\nj\"\nk: \"l\\n\"\n";
        assert_eq!(yaml, expected);
    }
}
