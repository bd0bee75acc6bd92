//! Checks texts for line breaks, blank content and invisible characters, and finds a summary that only repeats a name.

use std::collections::HashSet;
use std::sync::LazyLock;

use heck::ToSnakeCase;

use crate::diagnostic::Location;

/// Ranges (first and last character) of characters that are invisible, or that reorder or hide text. Control characters
/// are checked separately.
pub static INVISIBLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut ranges = Vec::new();
    for line in include_str!("invisible_characters.txt").lines() {
        ranges.extend(range(line));
    }
    ranges
});

/// The range in a line such as `200b 200f`.
fn range(line: &str) -> Option<(char, char)> {
    let (first, last) = line.split_once(' ')?;
    Some((character(first)?, character(last)?))
}

fn character(hexadecimal: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(hexadecimal, 16).ok()?)
}

/// Returns `true` if a text is one line that is not blank and has no invisible characters.
pub fn is_line(text: &str) -> bool {
    is_prose(text) && !has_lines(text)
}

/// Returns `true` if a text is not blank and has no invisible characters.
pub fn is_prose(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(is_invisible)
}

pub(super) fn has_lines(text: &str) -> bool {
    text.contains(['\n', '\r', '\t'])
}

/// Returns `true` if a character is invisible, or a control character other than a line break or a tab.
pub fn is_invisible(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
        || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

/// The placeholder for a text that is missing or invalid.
pub(super) fn placeholder_text(at: &Location) -> String {
    format!("Unknown{}", at.span().start)
}

/// Words that add nothing to a name.
const FILLERS: &str = "a all an and are as at be by each every for from how in is it its like metric name of on one \
                       or other over per record some that the their these this to value what when where which with";

/// Returns `true` if all words of a summary are words of the name, or words that add nothing.
pub fn repeats_name(summary: &str, name: &str) -> bool {
    let known: HashSet<_> = words(name).into_iter().chain(words(FILLERS)).collect();
    words(summary).iter().all(|word| known.contains(word))
}

/// Splits a text or a name into words, in lower case and without endings such as a plural `s`.
fn words(text: &str) -> Vec<String> {
    text.to_snake_case().split('_').map(stem).collect()
}

fn stem(word: &str) -> String {
    for ending in ["ed", "ing", "es", "s", "e"] {
        match word.strip_suffix(ending) {
            Some("") => return word.to_owned(),
            Some(stem) => return stem.to_owned(),
            None => {}
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {

    #[test]
    fn summary_that_repeats_a_name_is_a_warning() {
        let group = concat!(
            "{title: Market, summary: The market., endpoints: [{name: Buy Volume, path: /buyVolume, evidence: documented, ",
            "summary: The volume of buys., params: [{name: limit, type: count, summary: Maximum number of records.}], body: {series: [",
            "{name: lastPrice, type: number, summary: Prices that are last.}, {name: trades, type: count, summary: Number of trades.}, ",
            "{name: size, type: number}]}}]}",
        );
        let service = "title: A\nversion: v1\nenv_prefix: A\ntime: {unit: seconds, evidence: documented}\n";
        let catalogue = crate::load_texts(&[("service.yaml", service), ("market.yaml", group)]);
        let warnings = crate::check(&catalogue).expect("no error").warnings.render_warnings("", false);
        for name in ["Buy Volume", "lastPrice"] {
            assert!(warnings.contains(&format!("the summary of `{name}` only repeats the name")), "{warnings}");
        }
        assert!(warnings.ends_with("warning: 2 warnings in the catalogue\n"), "{warnings}");
    }
}
