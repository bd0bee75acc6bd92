//! Converts text of the catalogue to Markdown for Rust documentation and pages: escapes it, and breaks lines between words.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::quote;
use wording::enumerated;

/// The maximum length of a line of documentation, without the slashes.
const WIDTH: usize = 110;

/// Converts paragraphs of Markdown to `#[doc]` attributes.
pub(super) fn doc<S: AsRef<str>>(paragraphs: impl IntoIterator<Item = S>) -> TokenStream {
    let mut lines = wrap(&joined_by("\n\n", paragraphs));
    for line in &mut lines {
        if !line.is_empty() {
            line.insert(0, ' ');
        }
    }
    quote!(#(#[doc = #lines])*)
}

/// Breaks paragraphs into lines.
pub(super) fn wrap(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, paragraph) in text.split("\n\n").enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        // The items of a list are separate lines of one paragraph.
        for (at, item) in paragraph.split("\n- ").enumerate() {
            if at > 0 {
                wrap_line(item, "-", " ", &mut lines);
            } else if let Some(item) = item.strip_prefix("- ") {
                wrap_line(item, "-", " ", &mut lines);
            } else {
                wrap_line(item, "", "", &mut lines);
            }
        }
    }
    lines
}

/// Breaks a paragraph or a list item into lines, the first of which begins with the bullet, and the others with the
/// indent.
fn wrap_line(text: &str, bullet: &str, indent: &str, lines: &mut Vec<String>) {
    let mut line = bullet.to_owned();
    for word in words(text) {
        let length = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && length > WIDTH && may_begin_line(word) {
            lines.push(line);
            line = String::from(indent);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
}

/// Splits a paragraph into words. Code in backticks is one word, because a part of it at the start of a line could be
/// read as Markdown.
fn words(paragraph: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (index, character) in paragraph.char_indices() {
        if character == '`' && !paragraph[..index].ends_with('\\') {
            in_code = !in_code;
        } else if character.is_whitespace() && !in_code {
            words.push(&paragraph[start..index]);
            start = index + character.len_utf8();
        }
    }
    words.push(&paragraph[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Converts a text to a Markdown code span, whose fence is longer than any sequence of backticks in the text.
pub(super) fn code(text: &str) -> String {
    let mut longest = 0;
    for backticks in text.split(|character| character != '`') {
        longest = longest.max(backticks.len());
    }
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// `true` if a word can begin a line without starting a Markdown list, heading or rule.
fn may_begin_line(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    !word.starts_with(['-', '+', '=', '#', '|', ':', '>', '<', '*', '~'])
        && (number.len() == word.len() || !number.starts_with(['.', ')']))
}

/// Converts text of the catalogue to Markdown that displays exactly this text; code in backticks stays code.
pub(super) fn prose(text: &str) -> String {
    let balanced = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut markdown = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            markdown += if balanced { "`" } else { "\\`" };
        }
        if balanced && index % 2 == 1 {
            markdown += part;
        } else {
            escape(part, &mut markdown);
        }
    }
    if !may_begin_line(&markdown) {
        // Without the backslash, the punctuation would begin a list, a heading or a rule.
        let at = markdown.find(|c: char| !c.is_ascii_digit()).unwrap_or_default();
        markdown.insert(at, '\\');
    }
    markdown
}

fn escape(text: &str, markdown: &mut String) {
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_entity =
            character == '&' && rest.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '#');
        // Rustdoc warns about bare URLs; an escaped colon looks the same and avoids the warning.
        let is_scheme = character == ':' && rest.peek() == Some(&'/');
        if is_entity || is_scheme || "\\<>[]*_~|".contains(character) {
            markdown.push('\\');
        }
        markdown.push(character);
    }
}

/// Joins sentences with spaces; empty sentences are omitted.
pub(super) fn joined(sentences: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    joined_by(" ", sentences)
}

/// Joins the texts that are not empty.
pub(super) fn joined_by(separator: &str, texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut joined = String::new();
    for text in texts {
        let text = text.as_ref();
        if !joined.is_empty() && !text.is_empty() {
            joined += separator;
        }
        joined += text;
    }
    joined
}

/// Converts text to a sentence with a capital letter and a full stop; empty text stays empty.
pub(super) fn sentence(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with(['.', '!', '?']) { "" } else { "." };
    capital(text) + end
}

/// Converts the first character to upper case.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().to_string() + rest.as_str(),
        None => String::new(),
    }
}

/// Formats values as a list of code spans, in the given order.
pub(super) fn codes(values: &[impl ToString]) -> String {
    let codes: Vec<_> = values.iter().map(|value| code(&value.to_string())).collect();
    enumerated(&codes, "and")
}

/// Escapes each unescaped `|` of Markdown in a table cell, because it would end the cell.
pub(super) fn cell(markdown: impl AsRef<str>) -> String {
    markdown.as_ref().replace("\\|", "|").replace('|', "\\|")
}

/// Converts a text to a code span in a table cell.
pub(super) fn code_cell(text: impl Display) -> String {
    cell(code(&text.to_string()))
}

/// Converts the first letter of a sentence to lower case, for use after a colon.
pub(super) fn lower_first(text: &str) -> String {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return String::new() };
    // An acronym keeps its capitals.
    let is_acronym = rest.clone().next().is_some_and(char::is_uppercase);
    if is_acronym { text.to_owned() } else { first.to_lowercase().to_string() + rest.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_escaped_for_markdown() {
        for (text, expected) in [
            ("Plain words.", "Plain words."),
            ("Code in `backticks<T>` stays.", "Code in `backticks<T>` stays."),
            ("One ` alone", "One \\` alone"),
            ("```rust panic!()```", "\\`\\`\\`rust panic!()\\`\\`\\`"),
            ("<script>x</script>", "\\<script\\>x\\</script\\>"),
            ("a [link](x) and *stars*", "a \\[link\\](x) and \\*stars\\*"),
            ("Longs & Shorts", "Longs & Shorts"),
            ("&lt;", "\\&lt;"),
            ("# heading", "\\# heading"),
            ("- item", "\\- item"),
            ("1. item", "1\\. item"),
            ("~~~rust", "\\~\\~\\~rust"),
            ("*/ }", "\\*/ }"),
            ("see https://x.test", "see https\\://x.test"),
        ] {
            assert_eq!(prose(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_wrapped_and_no_line_begins_a_list() {
        let words = "word ".repeat(19) + "- minus";
        let lines = wrap(&words);
        assert!(lines.iter().all(|line| !line.starts_with('-')), "{lines:?}");
        assert_eq!(wrap("a\n\nb"), ["a", "", "b"]);
    }

    #[test]
    fn code_spans_are_not_escaped() {
        for (text, expected) in [("coin", "`coin`"), ("a`<b>", "`` a`<b> ``"), ("``", "``` `` ```")] {
            assert_eq!(code(text), expected);
        }
        let long = "word ".repeat(21) + "`<script>alert(1) and so on</script>`";
        assert!(wrap(&long).iter().any(|line| line.contains("`<script>alert(1) and so on</script>`")), "{long}");
    }

    #[test]
    fn bars_are_escaped_in_cells() {
        assert_eq!([code_cell("a|b"), cell(prose("c | d"))], ["`a\\|b`", "c \\| d"]);
    }
}
