//! Writes texts in YAML that all readers parse in the same way, including readers of YAML 1.1.
//!
//! Readers of YAML 1.1 parse `on` as a boolean, `12:30` as a number and `2024-01-01` as a date, but in YAML 1.2 these
//! are texts. The YAML library quotes only texts that it would itself parse wrongly, so this module quotes the texts
//! that readers of YAML 1.1 would parse wrongly.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::catalogue_reader::is_invisible;
use crate::yaml_parser::{self, Kind, Node};

/// Texts that a reader of YAML 1.1 parses as a boolean, null, a number, a date or a time.
static MISREAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"(---|\.\.\.)( .*)?|y|n|yes|no|on|off|true|false|null|~|=|<<|[-+]?\.inf|\.nan";
    let numbers = r"[-+.]?[0-9][-+.0-9_:tz ]*|[-+.]?[0-9][0-9._]*e[-+]?[0-9]+|[-+]?0(x[0-9a-f_]+|o[0-7_]+|b[01_]+)";
    Regex::new(&format!("^(?i:{words}|{numbers})$")).ok()
});

/// Returns `true` if a text can be written without quotes.
pub fn is_plain(text: &str) -> bool {
    !text.contains(is_escaped) && !is_misread(text) && is_read_as_written(text)
}

fn is_misread(text: &str) -> bool {
    match &*MISREAD {
        Some(misread) => misread.is_match(text),
        None => true,
    }
}

fn is_read_as_written(text: &str) -> bool {
    let Ok(Node { kind: Kind::Map(entries), .. }) = yaml_parser::parse(&format!("a: {text}\n")) else { return false };
    match entries.as_slice() {
        [(_, value)] => value.text() == Some(text),
        _ => false,
    }
}

/// Writes a text in double quotes, with escapes for invisible characters.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            character if is_escaped(character) => escaped.push_str(&format!("\\U{:08x}", u32::from(character))),
            character => escaped.push(character),
        }
    }
    format!("\"{escaped}\"")
}

fn is_escaped(character: char) -> bool {
    character.is_control() || is_invisible(character)
}
