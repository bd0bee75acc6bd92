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
        let (mut end, mut undecided) = (own, None);
        while let Some(start) = self.next_line(end) {
            end = self.line_end(start);
            let indent = self.text[start..end].iter().take_while(|character| **character == ' ').count();
            match self.text[start..end].get(indent) {
                Some('#') if indent > column => (own, undecided) = (end, None),
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
        (start < self.text.len()).then_some(start)
    }

    /// `true` if the line before the line that begins at `start` is blank.
    fn is_after_blank(&self, start: usize) -> bool {
        let above = self.text[..start].iter().rev().skip(1).take_while(|character| **character != '\n');
        above.into_iter().all(|character| character.is_whitespace())
    }

    /// The number of blank lines between two positions, at most 1.
    pub(super) fn blank_lines(&self, from: usize, to: usize) -> usize {
        let between: String = self.text[from..to].iter().collect();
        usize::from(between.lines().skip(1).any(|line| line.trim().is_empty()))
    }

    /// The text that adds these lines after the end of another line.
    pub(super) fn lines(&self, lines: &[String], column: usize) -> String {
        let pad = " ".repeat(column);
        lines.iter().flat_map(|line| [self.eol(), &pad, line]).collect()
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
        self.text[..at].iter().rev().take_while(|character| **character != '\n').count()
    }

    /// The end of a line, before its line break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|character| !matches!(character, '\r' | '\n')).count()
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
                let breaks = self.text[..start].iter().rev().take_while(|before| matches!(before, '\r' | '\n'));
                start - breaks.count()..end
            }
            ['\r', '\n', ..] => start..end + 2,
            [_, ..] => start..end + 1,
        }
    }

    /// The end of the white space that begins at a position.
    pub(super) fn blank_end(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|character| character.is_whitespace()).count()
    }
}
