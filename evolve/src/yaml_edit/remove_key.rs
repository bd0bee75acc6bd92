//! Removes keys from a file.
//!
//! The lines of the key, or its pair in brackets, are removed. Adjacent comments stay. If a comment would have to be
//! removed, the key is not removed, because the comment may belong to another key.

use std::ops::Range;

use codegen::yaml_parser::Node;

use super::FileEdit;

impl FileEdit {
    /// Removes a key from a map with other keys, if possible. A comment after the key stays.
    pub(super) fn remove(&mut self, map: &Node, entries: &[(Node, Node)], index: usize) -> bool {
        let (name, value) = &entries[index];
        let before = index.checked_sub(1).map(|before| &entries[before].1);
        let has_comment = |range: Range<usize>| self.text.get(range).is_some_and(|between| between.contains(&'#'));
        let range = match (before, entries.get(index + 1)) {
            _ if has_comment(name.span.end..value.span.start) => None,
            (None, None) => None,
            (before, after) if self.is_flow(map) => {
                let start = before.map_or(name.span.start, |before| before.span.end);
                let end = after.filter(|_| before.is_none()).map_or(value.span.end, |(after, _)| after.span.start);
                let is_bare = !has_comment(start..name.span.start) && !has_comment(value.span.end..end);
                is_bare.then_some(start..end)
            }
            (None, Some(_)) => Some(name.span.start..self.blank_end(value.span.end)),
            (Some(_), _) => Some(self.lines_of(name, value)),
        };
        if let Some(range) = range {
            self.splices.push((range, String::new()));
            return true;
        }
        self.skip("cannot be removed automatically; remove it by hand");
        false
    }

    /// Returns the range of the lines of a key and its value, without a comment after them.
    fn lines_of(&self, name: &Node, value: &Node) -> Range<usize> {
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

    /// Returns the end of the white space that begins at a position.
    fn blank_end(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|character| character.is_whitespace()).count()
    }
}
