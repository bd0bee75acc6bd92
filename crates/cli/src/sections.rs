//! Sections of text for a terminal: a title, and names with their descriptions in lines that fit.

use std::fmt::Write as _;

use textwrap::{Options, WordSplitter, fill};

use crate::stdout;

/// Adds a title and rows of names with their descriptions.
pub(crate) fn section(out: &mut String, title: &str, rows: &[[String; 2]], name_width: usize, width: usize) {
    let bold = stdout::HEADING;
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = if title.is_empty() { write!(out, "{gap}") } else { writeln!(out, "{gap}{bold}{title}{bold:#}") };
    for [name, text] in rows {
        let first = format!("  {name:name_width$}  ");
        out.push_str(&wrapped(text, [&first, &" ".repeat(name_width + 4)], width.saturating_sub(2)));
    }
}

/// Breaks a text into lines of at most this width, which begin with the first and the second of these texts. A longer
/// word is a line.
pub(crate) fn wrapped(text: &str, [first, others]: [&str; 2], width: usize) -> String {
    let options = Options::new(width).initial_indent(first).subsequent_indent(others).break_words(false);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = fill(&text, options.word_splitter(WordSplitter::NoHyphenation));
    // `fill` does not indent an empty text.
    format!("{}\n", if text.is_empty() { first } else { &lines }.trim_end())
}
