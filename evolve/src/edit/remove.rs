//! What is taken out of a file, and what stays where it stood.
//!
//! The lines or the pair of one key go. Comments beside it stay, or the edit is refused: nobody can tell whose they are.

use std::ops::Range;

use codegen::marked::{Kind, Node};

use super::{Draft, Refused, Step, at, missed, said};
use crate::tree::Tree;

impl Draft {
    /// Takes a key out of a map that has others; a comment behind it stays.
    pub(crate) fn remove(&mut self, path: &[Step], key: &str) -> Result<(), Refused> {
        let mut wanted = self.tree();
        let map = self.node(path)?;
        let (Kind::Map(entries), Some(Tree::Map(pairs))) = (&map.kind, at(&mut wanted, path)) else {
            return Err(missed(path));
        };
        let Some(index) = pairs.iter().position(|(name, _)| name == key) else { return Err(missed(path)) };
        pairs.remove(index);
        let (name, value) = &entries[index];
        let before = index.checked_sub(1).map(|before| &entries[before].1);
        let has_comment = |range: Range<usize>| self.text.get(range).is_some_and(|between| between.contains(&'#'));
        let refused = || Err(Refused(format!("{} has a comment beside `{key}`; change it by hand", said(path))));
        if has_comment(name.span.end..value.span.start) {
            return refused();
        }
        let range = match (before, entries.get(index + 1)) {
            (None, None) => return Err(missed(path)),
            (before, after) if self.is_flow(map) => {
                let start = before.map_or(name.span.start, |before| before.span.end);
                let end = after.filter(|_| before.is_none()).map_or(value.span.end, |(after, _)| after.span.start);
                if has_comment(start..name.span.start) || has_comment(value.span.end..end) {
                    return refused();
                }
                start..end
            }
            (None, Some(_)) => name.span.start..self.blank_end(value.span.end),
            (Some(_), _) => self.lines_of(name, value),
        };
        self.apply(vec![(range, String::new())], &wanted)
    }

    /// The lines of a key and its value, except for a comment behind them.
    fn lines_of(&self, name: &Node, value: &Node) -> Range<usize> {
        let start = name.span.start - self.column(name.span.start);
        let end = self.line_end(value.span.end);
        let blank_end = self.blank_end(value.span.end);
        if blank_end < end {
            return name.span.start..blank_end;
        }
        match self.text[end..] {
            // Of the last line the break before it goes, so that the one before is the last.
            [] => {
                let breaks = self.text[..start].iter().rev().take_while(|before| matches!(before, '\r' | '\n'));
                start - breaks.count()..end
            }
            ['\r', '\n', ..] => start..end + 2,
            [_, ..] => start..end + 1,
        }
    }

    /// Where something stands again.
    fn blank_end(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|character| character.is_whitespace()).count()
    }
}
