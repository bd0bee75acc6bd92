//! Explains syntax errors: finds the mistake near the position that the parser reports, and describes it in a sentence
//! with a help.

use std::ops::Range;

use super::node::SyntaxError;

/// The number of lines before the reported one that are searched for the mistake.
const LINES_BEFORE: usize = 3;

/// The error for a message that the parser reports at a position: a sentence, a help and, if the mistake is a
/// known one, its position.
pub(super) fn explained(text: &str, reported: &str, span: Range<usize>) -> SyntaxError {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if start > span.start {
            break;
        }
        lines.push((start, line));
        start += line.chars().count() + 1;
    }
    for (start, line) in lines.iter().rev().take(LINES_BEFORE + 1) {
        if let Some(Mistake { columns, message, help }) = mistake(line, reported) {
            let span = start + columns.start..start + columns.end;
            return SyntaxError { message: message.to_owned(), span, help };
        }
    }
    let is_closing = matches!(text.chars().nth(span.start), Some(']' | '}'));
    let reported = if is_closing && reported.contains("flow") { "mismatch" } else { reported };
    let last_line = match lines.last() {
        Some((_, line)) => line,
        None => "",
    };
    let (message, help) = sentence(last_line, reported);
    SyntaxError { message: message.to_owned(), span, help: help.to_owned() }
}

/// A known mistake in a line.
struct Mistake {
    /// Its columns in characters.
    columns: Range<usize>,
    message: &'static str,
    help: String,
}

/// Finds a mistake that the parser may report in a later line.
fn mistake(line: &str, reported: &str) -> Option<Mistake> {
    if let Some(mistake) = missing_space(line) {
        return Some(mistake);
    }
    if let Some(columns) = columns_of(line, "{{") {
        return Some(Mistake { columns, message: "two braces begin a map", help: "write one brace".to_owned() });
    }
    if !reported.contains("flow") {
        return None;
    }
    let columns = columns_of(line, " #")?;
    let help = "quote the text, because ` #` begins a comment".to_owned();
    Some(Mistake { columns, message: "a comment hides the end of the list or map", help })
}

/// A key whose value follows the colon without a space.
fn missing_space(line: &str) -> Option<Mistake> {
    let entry = line.trim_start_matches([' ', '-', '{', '[']);
    let value = entry.trim_start_matches(|character: char| character.is_ascii_alphanumeric() || character == '_');
    let key = &entry[..entry.len() - value.len()];
    let value = value.strip_prefix(':')?;
    if key.is_empty() || value.is_empty() || value.starts_with(' ') {
        return None;
    }
    let begin = column(line, line.len() - entry.len());
    let help = format!("write a space after the colon: `{key}: {}`", value.trim());
    Some(Mistake { columns: begin..begin + key.len() + 1, message: "no space follows the colon of the key", help })
}

fn column(line: &str, byte: usize) -> usize {
    line[..byte].chars().count()
}

fn columns_of(line: &str, text: &str) -> Option<Range<usize>> {
    let byte = line.find(text)?;
    Some(column(line, byte)..column(line, byte + text.len()))
}

/// The sentence for a message of the parser about a line, and the help.
fn sentence(line: &str, reported: &str) -> (&'static str, &'static str) {
    if reported.contains("trailing content") && line.contains('\'') {
        let help = "write `''` for an apostrophe in single quotes, or use double quotes";
        return ("text follows the closing quote", help);
    }
    if reported.contains("mapping") && !reported.contains("block") && line.matches(": ").count() > 1 {
        return ("a text without quotes contains `: `", "quote the text, because it contains `: `");
    }
    for section in include_str!("syntax_errors.txt").split("\n[") {
        let Some((part, texts)) = section.split_once("]\n") else { continue };
        if reported.contains(part)
            && let Some((sentence, help)) = texts.split_once('\n')
        {
            return (sentence, help.trim_end());
        }
    }
    ("this line is not valid YAML", "quote texts with special characters")
}

/// The help for a character that begins something that catalogues do not use, such as an anchor.
pub(super) const FIRST_CHARACTER: &str = "quote the text, because of its first character";

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn common_mistakes_have_a_place_and_a_help() {
        for (text, marked, message, help) in [
            (
                "- name: A\n  path:/bvol\n  b: x\n",
                "path:",
                "no space follows the colon of the key",
                "write a space after the colon: `path: /bvol`",
            ),
            ("- {name: a, params: [{{use: x, b: c}]}\n", "{{", "two braces begin a map", "write one brace"),
            (
                "summary: Note: x\nb: 1\n",
                ":",
                "a text without quotes contains `: `",
                "quote the text, because it contains `: `",
            ),
            (
                "a: 'It's new.'\n",
                "s",
                "text follows the closing quote",
                "write `''` for an apostrophe in single quotes, or use double quotes",
            ),
            ("a:\n\tb: 1\n", "\t", "a tab is not allowed here", "indent with spaces"),
            ("a:\u{a0}1\n", "\u{a0}", "a no-break space", "write a space instead of the no-break space"),
            (
                "- {summary: Rank #1 of}\nb: 2\n",
                " #",
                "a comment hides the end of the list or map",
                "quote the text, because ` #` begins a comment",
            ),
            (
                "a: @x\n",
                "@",
                "a text cannot begin with this character",
                "quote the text, because of its first character",
            ),
            (
                "a: \"\\q\"\n",
                "\"",
                "a text in double quotes has an unknown escape",
                "write `\\\\` for a backslash, or use single quotes",
            ),
            ("name: A\npath\nb: 1\n", "b", "no colon follows the key", "write the key, a colon, a space and the value"),
            ("a: 'x\nb: 1\n", "'", "the closing quote is missing", "close the quote"),
            ("a: [1\nb: 1\n", ":", "the list or map is not closed", "close the bracket or brace"),
            (
                "- {name: a, body: {series: {name: b, unit: c}]}\n",
                "]",
                "this bracket or brace does not match the open one",
                "write the bracket or brace that is missing",
            ),
            ("a: ]\n", "]", "this bracket or brace closes nothing", "remove it, or quote the text"),
            ("a: [\n", "", "a value is missing", "write the value, or close the bracket or brace"),
            ("a: - b\n", "-", "a list begins on the line of its key", "write each item on its own line"),
            ("a: *x\n", "*", "catalogues cannot contain aliases", "quote the text, because of its first character"),
            (
                "a: &x 1\n",
                "&x 1",
                "catalogues cannot contain anchors",
                "quote the text, because of its first character",
            ),
            ("a: x # c\n  y\n", "#", "a comment interrupts the text", "move the comment, or quote the text"),
            (
                "name: A\n path: b\n",
                ":",
                "the line is not indented like the lines before it",
                "indent the keys of a map alike",
            ),
        ] {
            let error = parse(text).expect_err(text);
            let found: String = text.chars().skip(error.span.start).take(error.span.len()).collect();
            let described = (found.as_str(), error.message.as_str(), error.help.as_str());
            assert_eq!(described, (marked, message, help), "{text}");
        }
    }

    /// Each sentence is about a mistake of an author, so it has a help and does not repeat the parser's message.
    #[test]
    fn every_syntax_error_has_a_sentence_and_a_help() {
        for text in [
            "{a: 1}\nb: 2\n",
            "%YAML 1.3\n",
            "a: \"\\xzz\"\n",
            "a: }\n",
            "a: ,\n",
            "a: [b\n",
            "a: |0\n  x\n",
            "a: !t 1\n",
            "a: 1\n---\nb: 1\n",
            "\u{0}a: 1\n",
            "- a\nb: c\n",
            "a: 1\n<<<<<<< x\n",
        ] {
            let error = parse(text).expect_err(text);
            assert!(!error.help.is_empty() && !error.message.contains("expected"), "{text}: {error:?}");
        }
    }
}
