//! The splices that remove, insert and replace values in the layout of the adjacent values.

use std::ops::Range;

use catalogue::yaml_parser::{Kind, Node};

use super::{FileEdit, Splice};
use crate::yaml_layout;

impl FileEdit {
    /// Removes a key from a map with other keys: its lines, or its pair in brackets. Adjacent comments stay. If a
    /// comment would have to be removed, the key is not removed, because the comment may belong to another key.
    pub(super) fn remove(&mut self, map: &Node, entries: &[(Node, Node)], index: usize) -> bool {
        if let Some(range) = self.range_of_entry(map, entries, index) {
            self.splices.push(Splice { range, text: String::new() });
            return true;
        }
        self.skip("cannot be removed automatically; remove it by hand");
        false
    }

    /// The range of an entry that can be removed.
    fn range_of_entry(&self, map: &Node, entries: &[(Node, Node)], index: usize) -> Option<Range<usize>> {
        let (name, value) = &entries[index];
        if entries.len() == 1 || self.has_comment(name.span.end..value.span.start) {
            return None;
        }
        if self.is_flow(map) {
            return self.range_of_pair(entries, index);
        }
        if index == 0 {
            return Some(name.span.start..self.blank_end(value.span.end));
        }
        Some(self.lines_of(name, value))
    }

    /// The range of a pair in brackets, with the comma before it, or after it if it is the first.
    fn range_of_pair(&self, entries: &[(Node, Node)], index: usize) -> Option<Range<usize>> {
        let (name, value) = &entries[index];
        let mut start = name.span.start;
        let mut end = value.span.end;
        if index > 0 {
            start = entries[index - 1].1.span.end;
        } else {
            end = entries[index + 1].0.span.start;
        }
        if self.has_comment(start..name.span.start) || self.has_comment(value.span.end..end) {
            return None;
        }
        Some(start..end)
    }

    fn has_comment(&self, range: Range<usize>) -> bool {
        self.text.get(range).is_some_and(|between| between.contains(&'#'))
    }

    /// Inserts new keys after an existing key, or before the first key.
    pub(super) fn insert(&mut self, map: &Node, entries: &[(Node, Node)], after: Option<usize>, new: &[(Node, Node)]) {
        if new.is_empty() || entries.is_empty() {
            return;
        }
        let start = entries[0].0.span.start;
        let column = self.column(start);
        let splice = match after {
            Some(index) if self.is_flow(map) => after_flow(&entries[index].1, &Kind::Map(new.to_vec()).into()),
            Some(index) => {
                let end = self.below(entries[index].1.span.end, column);
                Splice::insert(end, self.lines(&lines_of_entries(new, column), column))
            }
            None if self.is_flow(map) => {
                let pairs = yaml_layout::inline(&Kind::Map(new.to_vec()).into());
                Splice::insert(start, format!("{}, ", &pairs[1..pairs.len() - 1]))
            }
            None => {
                // The first of the new lines begins where the first key began.
                let lines = self.lines(&lines_of_entries(new, column), column);
                let first_break = self.eol().len() + column;
                Splice::insert(start, format!("{}{}{}", &lines[first_break..], self.eol(), " ".repeat(column)))
            }
        };
        self.splices.push(splice);
    }

    /// Replaces a value that is written on one line. Any other value is left unchanged and reported.
    pub(super) fn replace(&mut self, node: &Node, wanted: &Node, key: Option<&Node>) -> Node {
        let old = node.span.clone();
        if self.has_lines(old.clone()) {
            let wanted = yaml_layout::inline(wanted);
            self.skip(&format!("is written on several lines; replace the value with `{wanted}` by hand"));
            return node.clone();
        }
        match key {
            Some(key) if self.has_lines(key.span.end..old.start) => self.replace_below_key(old, wanted),
            Some(key) if !yaml_layout::fits(wanted, self.column(old.start)) => self.replace_by_block(key, old, wanted),
            _ => self.splices.push(Splice { range: old, text: yaml_layout::inline(wanted) }),
        }
        wanted.clone()
    }

    /// Replaces a value on a line below its key.
    fn replace_below_key(&mut self, old: Range<usize>, wanted: &Node) {
        let column = self.column(old.start);
        let lines = if yaml_layout::fits(wanted, column) {
            vec![yaml_layout::inline(wanted)]
        } else {
            yaml_layout::block(wanted, column)
        };
        let line_break = format!("{}{}", self.eol(), " ".repeat(column));
        self.splices.push(Splice { range: old, text: lines.join(&line_break) });
    }

    /// Replaces a value after its key by lines below the key. The old value and the white space before it are removed.
    /// The block begins on the next line, so that a comment stays on this line.
    fn replace_by_block(&mut self, key: &Node, old: Range<usize>, wanted: &Node) {
        let column = self.column(key.span.start);
        let end_of_line = self.line_end(old.end);
        let mut after_colon = key.span.end;
        while after_colon < old.start && self.text[after_colon] != ':' {
            after_colon += 1;
        }
        after_colon += 1;
        let lines = self.lines(&yaml_layout::below(wanted, column), column);
        self.splices.push(Splice { range: after_colon..old.end, text: String::new() });
        self.splices.push(Splice::insert(end_of_line, lines));
    }

    /// Appends items to a list that is not empty.
    pub(super) fn append(&mut self, node: &Node, known: &[Node], new: &[Node]) {
        let Some(last) = known.last() else { return };
        let splice = if self.is_flow(node) {
            after_flow(last, &Kind::List(new.to_vec()).into())
        } else {
            self.below_items(node, known, last, new)
        };
        self.splices.push(splice);
    }

    /// The splice that appends items to a block list. Blank lines separate the new items if a blank line separates the
    /// last two items of the list.
    fn below_items(&self, node: &Node, known: &[Node], last: &Node, items: &[Node]) -> Splice {
        let column = self.column(node.span.start);
        let has_flow_items = known.iter().any(|item| self.is_flow(item));
        let mut blank_lines = String::new();
        if let [.., before, _] = known {
            blank_lines = self.eol().repeat(self.blank_lines(before.span.end, last.span.start));
        }
        let mut text = String::new();
        for item in items {
            let is_scalar = matches!(item.kind, Kind::Text(_) | Kind::Number(_));
            let is_inline = is_scalar || has_flow_items && yaml_layout::fits(item, column + 2);
            let lines = yaml_layout::item(item, column, is_inline);
            text += &blank_lines;
            text += &self.lines(&lines, column);
        }
        Splice::insert(self.below(last.span.end, column), text)
    }
}

fn lines_of_entries(entries: &[(Node, Node)], indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, value) in entries {
        lines.extend(yaml_layout::entry_lines(key, value, indent));
    }
    lines
}

/// The splice that inserts items or pairs in brackets after the last existing item or pair.
fn after_flow(last: &Node, new: &Node) -> Splice {
    let new = yaml_layout::inline(new);
    Splice::insert(last.span.end, format!(", {}", &new[1..new.len() - 1]))
}
