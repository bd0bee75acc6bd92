//! Explains syntax errors: finds the mistake near the position that the parser reports, and adds a help.

use std::ops::Range;

use super::SyntaxError;

/// The number of lines before the reported one that are searched for the mistake.
const LINES_BEFORE: usize = 3;

/// A mistake in a line: its columns in characters, and the help.
type Mistake = (Range<usize>, String);

/// Returns the error with a help and with the position of the mistake, if it is a known one.
pub(super) fn explained(text: &str, mut error: SyntaxError) -> SyntaxError {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if start > error.span.start {
            break;
        }
        lines.push((start, line));
        start += line.chars().count() + 1;
    }
    if error.message.contains("trailing content") {
        "text follows the closing quote".clone_into(&mut error.message);
    }
    let mut near = lines.iter().rev().take(LINES_BEFORE + 1);
    let found = near.find_map(|(start, line)| Some((start, mistake(line, &error.message)?)));
    if let Some((start, (columns, help))) = found {
        error.span = start + columns.start..start + columns.end;
        error.help = help;
    } else if let Some((_, line)) = lines.last() {
        help(line, &error.message).clone_into(&mut error.help);
    }
    error
}

/// Finds a mistake that the parser may report in a later line.
fn mistake(line: &str, message: &str) -> Option<Mistake> {
    let column = |byte: usize| line[..byte].chars().count();
    let at = |text: &str| line.find(text).map(|byte| column(byte)..column(byte + text.len()));
    let entry = line.trim_start_matches([' ', '-', '{', '[']);
    let key: String = entry.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let value = entry[key.len()..].strip_prefix(':').filter(|value| !value.is_empty() && !value.starts_with(' '));
    if let Some(value) = value.filter(|_| !key.is_empty()) {
        let begin = column(line.len() - entry.len());
        let help = format!("write a space after the colon: `{key}: {}`", value.trim());
        return Some((begin..begin + key.len() + 1, help));
    }
    let brace = at("{{").map(|columns| (columns, "write one brace".to_owned()));
    let comment = at(" #").filter(|_| message.contains("flow"));
    brace.or(comment.map(|columns| (columns, "quote the text, because ` #` begins a comment".to_owned())))
}

/// Returns the help for a mistake in the line that the parser reports; empty if the mistake is not a known one.
fn help(line: &str, message: &str) -> &'static str {
    match message {
        _ if message.contains("tab") => "indent with spaces",
        _ if message.contains("closing quote") && line.contains('\'') => {
            "write `''` for an apostrophe in single quotes, or use double quotes"
        }
        _ if message.contains("closing quote") => "quote the entire text",
        _ if message.contains("unexpected character") => "quote the text, because of its first character",
        _ if line.matches(": ").count() > 1 && !message.contains("block") => "quote the text, because it contains `: `",
        _ if message.contains("not allowed") || message.contains("block") => "indent the keys of a map alike",
        _ if message.contains("quoted scalar") => "close the quote",
        _ if message.contains("flow") || message.contains("illegal placement") => "close the bracket or brace",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn common_mistakes_have_a_place_and_a_help() {
        for (text, marked, help) in [
            ("- name: A\n  path:/bvol\n  b: x\n", "path:", "write a space after the colon: `path: /bvol`"),
            ("- {name: a, params: [{{use: x, b: c}]}\n", "{{", "write one brace"),
            ("summary: Note: x\nb: 1\n", ":", "quote the text, because it contains `: `"),
            ("a: 'It's new.'\n", "s", "write `''` for an apostrophe in single quotes, or use double quotes"),
            ("a:\n\tb: 1\n", "\t", "indent with spaces"),
            ("a:\u{a0}1\n", "\u{a0}", "write a space instead of the no-break space"),
            ("- {summary: Rank #1 of}\nb: 2\n", " #", "quote the text, because ` #` begins a comment"),
            ("a: @x\n", "@", "quote the text, because of its first character"),
        ] {
            let error = parse(text).expect_err(text);
            let found: String = text.chars().skip(error.span.start).take(error.span.len()).collect();
            assert_eq!((found.as_str(), error.help.as_str()), (marked, help), "{text}: {error:?}");
        }
    }
}
