//! Finds positions in the text: lines, columns, and the end of a node including the comments that belong to it.

use std::ops::Range;

use catalogue::yaml_parser::{Kind, Node};

use super::FileEdit;

impl FileEdit {
    /// `true` if a list or map is written in brackets.
    pub(super) fn is_flow(&self, node: &Node) -> bool {
        matches!((&node.kind, self.text.get(node.span.start)), (Kind::Map(_) | Kind::List(_), Some('{' | '[')))
    }

    /// The end of a node: the end of its last line, or of the last comment below that belongs to the node.
    ///
    /// A comment belongs to the node if its indent is larger than `column`. If the indent is equal, the comment belongs
    /// to the node, unless the comment could describe another node below it.
    pub(super) fn below(&self, at: usize, column: usize) -> usize {
        let mut own = self.line_end(at);
        let mut end = own;
        let mut undecided = None;
        while let Some(start) = self.next_line(end) {
            end = self.line_end(start);
            let indent = count_first(&self.text[start..end], |character| character == ' ');
            match self.text[start..end].get(indent) {
                Some('#') if indent > column => {
                    own = end;
                    undecided = None;
                }
                Some('#') if indent == column && !self.is_after_blank(start) => undecided = Some(end),
                None if undecided.is_none() => {}
                Some(character) if *character != '#' && indent >= column => return own,
                _ => break,
            }
        }
        undecided.unwrap_or(own)
    }

    fn next_line(&self, end: usize) -> Option<usize> {
        let start = end + self.text[end..].iter().position(|character| *character == '\n')? + 1;
        if start < self.text.len() { Some(start) } else { None }
    }

    /// `true` if the line before the line that begins at `start` is blank.
    fn is_after_blank(&self, start: usize) -> bool {
        let end = start - 1;
        let begin = end - self.column(end);
        self.text[begin..end].iter().all(|character| character.is_whitespace())
    }

    /// The number of blank lines between two positions, at most 1.
    pub(super) fn blank_lines(&self, from: usize, to: usize) -> usize {
        let between: String = self.text[from..to].iter().collect();
        let has_blank = between.lines().skip(1).any(|line| line.trim().is_empty());
        usize::from(has_blank)
    }

    /// The text that adds these lines after the end of another line.
    pub(super) fn lines(&self, lines: &[String], column: usize) -> String {
        let pad = " ".repeat(column);
        let mut text = String::new();
        for line in lines {
            text += self.eol();
            text += &pad;
            text += line;
        }
        text
    }

    pub(super) fn eol(&self) -> &'static str {
        match self.text.iter().position(|character| *character == '\n') {
            Some(end) if end > 0 && self.text[end - 1] == '\r' => "\r\n",
            _ => "\n",
        }
    }

    pub(super) fn has_lines(&self, range: Range<usize>) -> bool {
        self.text[range].contains(&'\n')
    }

    pub(super) fn column(&self, at: usize) -> usize {
        count_last(&self.text[..at], |character| character != '\n')
    }

    /// The end of a line, before its line break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        at + count_first(&self.text[at..], |character| !is_line_break(character))
    }

    /// The range of the lines of a key and its value, without a comment after them.
    pub(super) fn lines_of(&self, name: &Node, value: &Node) -> Range<usize> {
        let start = name.span.start - self.column(name.span.start);
        let end = self.line_end(value.span.end);
        let blank_end = self.blank_end(value.span.end);
        // A comment after the value stays on its line.
        if blank_end < end {
            return name.span.start..blank_end;
        }
        match self.text[end..] {
            // No line break follows the last line, so the line break before the last line is removed.
            [] => {
                let breaks = count_last(&self.text[..start], is_line_break);
                start - breaks..end
            }
            ['\r', '\n', ..] => start..end + 2,
            [_, ..] => start..end + 1,
        }
    }

    /// The end of the white space that begins at a position.
    pub(super) fn blank_end(&self, at: usize) -> usize {
        at + count_first(&self.text[at..], char::is_whitespace)
    }
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\r' | '\n')
}

/// The number of characters at the start of a text that fulfil a condition.
fn count_first(text: &[char], is_counted: impl Fn(char) -> bool) -> usize {
    text.iter().position(|character| !is_counted(*character)).unwrap_or(text.len())
}

/// The number of characters at the end of a text that fulfil a condition.
fn count_last(text: &[char], is_counted: impl Fn(char) -> bool) -> usize {
    match text.iter().rposition(|character| !is_counted(*character)) {
        Some(last) => text.len() - last - 1,
        None => text.len(),
    }
}
