//! Edits the text of a catalogue file to match a tree. Comments, order and layout are preserved.
//!
//! The text is compared with the trees before and after the edit. Each difference becomes a splice, which replaces a range of the text in the
//! layout of the adjacent values. Then the text is parsed again. If the result differs from the tree, the edit fails.
//! Values whose layout cannot be preserved are left unchanged and reported.

mod comments;

use std::ops::Range;

use catalogue::yaml_parser::{self, Kind, Node};

use super::yaml_layout;

/// A range of the old text, and the new text that replaces it.
type Splice = (Range<usize>, String);

/// A file that is being edited.
struct FileEdit {
    text: Vec<char>,
    splices: Vec<Splice>,
    unchanged: Vec<String>,
    /// The path to the current node, for messages.
    path: Vec<String>,
}

/// Applies the difference between two trees to a text, from which the first tree was read. Returns the new text, and
/// messages about the changes that have to be made by hand.
pub(crate) fn rewrite(text: &str, before: &Node, after: &Node) -> Result<(String, Vec<String>), String> {
    let root = yaml_parser::parse(text).map_err(|error| error.message)?;
    let mut edit =
        FileEdit { text: text.chars().collect(), splices: Vec::new(), unchanged: Vec::new(), path: Vec::new() };
    let result = edit.value(&root, Some(before), after, None);
    let text = edit.spliced();
    match yaml_parser::parse(&text) {
        Ok(node) if is_equal(&node, &result) => Ok((text, edit.unchanged)),
        _ => Err("the layout of this file is too unusual to be edited; change it by hand".to_owned()),
    }
}

impl FileEdit {
    /// Edits one value, as far as its layout allows, and returns the resulting tree. The text may contain values that
    /// the trees omit, such as an empty list; they are kept. `key` is the key of the value, if the value is in a block
    /// map.
    fn value(&mut self, node: &Node, before: Option<&Node>, after: &Node, key: Option<&Node>) -> Node {
        match (&node.kind, &after.kind) {
            _ if before == Some(after) || node.kind == after.kind => node.clone(),
            _ if self.needs_block(node, after, key) => self.replace(node, after, key),
            (Kind::Map(entries), Kind::Map(_)) if !entries.is_empty() => self.map(node, entries, before, after),
            (Kind::List(known), Kind::List(items)) if !known.is_empty() && items.len() >= known.len() => {
                self.list(node, known, before, items)
            }
            _ => self.replace(node, after, key),
        }
    }

    /// `true` if a value in brackets has to be rewritten in block style.
    fn needs_block(&self, node: &Node, wanted: &Node, key: Option<&Node>) -> bool {
        let is_list_on_a_line =
            matches!(wanted.kind, Kind::List(_)) && yaml_layout::is_short(wanted, self.column(node.span.start));
        let gets_deeper = yaml_layout::is_shallow(node) && !yaml_layout::is_shallow(wanted);
        self.is_flow(node) && key.is_some() && gets_deeper && !is_list_on_a_line
    }

    fn list(&mut self, node: &Node, known: &[Node], before: Option<&Node>, items: &[Node]) -> Node {
        let old = if let Some(Kind::List(old)) = before.map(|before| &before.kind) { old.as_slice() } else { &[] };
        let mut result = Vec::new();
        for (index, (node, wanted)) in known.iter().zip(items).enumerate() {
            self.path.push(format!("item {}", index + 1));
            result.push(self.value(node, old.get(index), wanted, None));
            self.path.pop();
        }
        let new = &items[known.len()..];
        if let (Some(last), false) = (known.last(), new.is_empty()) {
            let splice = if self.is_flow(node) {
                after_flow(last, &Kind::List(new.to_vec()).into())
            } else {
                self.below_items(node, known, last, new)
            };
            self.splices.push(splice);
        }
        result.extend(new.iter().cloned());
        Kind::List(result).into()
    }

    /// Edits a map. Existing keys keep their order, and each new key is inserted after its predecessor in the tree.
    fn map(&mut self, node: &Node, entries: &[(Node, Node)], before: Option<&Node>, after: &Node) -> Node {
        let old = |key: &Node| before.and_then(|before| before.get(key.text()?));
        let mut result = Vec::new();
        for (index, (key, value)) in entries.iter().enumerate() {
            let name = key.text().unwrap_or_default();
            self.path.push(format!("`{name}`"));
            match after.get(name) {
                Some(after) => {
                    let block_key = (!self.is_flow(node)).then_some(key);
                    result.push((key.clone(), self.value(value, old(key), after, block_key)));
                }
                None if old(key).is_some() && self.remove(node, entries, index) => {}
                None => result.push((key.clone(), value.clone())),
            }
            self.path.pop();
        }
        let (mut predecessor, mut new) = (None, Vec::new());
        let Kind::Map(pairs) = &after.kind else { return Kind::Map(result).into() };
        for (key, value) in pairs {
            if let Some(index) = entries.iter().position(|(known, _)| known.text() == key.text()) {
                self.insert(node, entries, predecessor, &std::mem::take(&mut new));
                predecessor = Some(index);
            } else if old(key) != Some(value) || value.text() == Some("unknown") {
                // An edited map gets the value `unknown`, which may be required now.
                new.push((key.clone(), value.clone()));
                result.extend(new.last().cloned());
            }
        }
        self.insert(node, entries, predecessor, &new);
        Kind::Map(result).into()
    }

    /// Removes a key from a map with other keys: its lines, or its pair in brackets. Adjacent comments stay. If a
    /// comment would have to be removed, the key is not removed, because the comment may belong to another key.
    fn remove(&mut self, map: &Node, entries: &[(Node, Node)], index: usize) -> bool {
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

    /// Inserts new keys after an existing key, or before the first key.
    fn insert(&mut self, map: &Node, entries: &[(Node, Node)], after: Option<usize>, new: &[(Node, Node)]) {
        let Some((first, _)) = entries.first().filter(|_| !new.is_empty()) else { return };
        let (start, column) = (first.span.start, self.column(first.span.start));
        let lines: Vec<String> =
            new.iter().flat_map(|(key, value)| yaml_layout::entry_lines(key, value, column)).collect();
        let splice = match after.map(|index| &entries[index].1) {
            Some(before) if self.is_flow(map) => after_flow(before, &Kind::Map(new.to_vec()).into()),
            Some(before) => {
                let end = self.below(before.span.end, column);
                (end..end, self.lines(&lines, column))
            }
            None if self.is_flow(map) => {
                let pairs = yaml_layout::inline(&Kind::Map(new.to_vec()).into());
                (start..start, format!("{}, ", &pairs[1..pairs.len() - 1]))
            }
            None => {
                let lines = self.lines(&lines, column);
                let (_, lines) = lines.split_at(self.eol().len() + column);
                (start..start, format!("{lines}{}{}", self.eol(), " ".repeat(column)))
            }
        };
        self.splices.push(splice);
    }

    /// Replaces a value that is written on one line. Any other value is left unchanged and reported.
    fn replace(&mut self, node: &Node, wanted: &Node, key: Option<&Node>) -> Node {
        let old = node.span.clone();
        if self.has_lines(old.clone()) {
            let wanted = yaml_layout::inline(wanted);
            self.skip(&format!("is written on several lines; replace the value with `{wanted}` by hand"));
            return node.clone();
        }
        let splices = match key {
            Some(key) if self.has_lines(key.span.end..old.start) => {
                let column = self.column(old.start);
                let lines = if yaml_layout::fits(wanted, column) {
                    vec![yaml_layout::inline(wanted)]
                } else {
                    yaml_layout::block(wanted, column)
                };
                vec![(old, lines.join(&format!("{}{}", self.eol(), " ".repeat(column))))]
            }
            Some(key) if !yaml_layout::fits(wanted, self.column(old.start)) => {
                let column = self.column(key.span.start);
                let end = self.line_end(old.end);
                let between = self.text[key.span.end..old.start].iter();
                let colon = key.span.end + between.take_while(|character| **character != ':').count() + 1;
                // The old value and the white space before it are removed. The block begins on the next line, so that a
                // comment stays on this line.
                vec![
                    (colon..old.end, String::new()),
                    (end..end, self.lines(&yaml_layout::below(wanted, column), column)),
                ]
            }
            _ => vec![(old, yaml_layout::inline(wanted))],
        };
        self.splices.extend(splices);
        wanted.clone()
    }

    /// The splice that appends items to a block list. Blank lines separate the new items if a blank line separates the
    /// last two items of the list.
    fn below_items(&self, list: &Node, known: &[Node], newest: &Node, items: &[Node]) -> Splice {
        let column = self.column(list.span.start);
        let end = self.below(newest.span.end, column);
        let is_inline = known.iter().any(|item| self.is_flow(item));
        let gap = if let [.., before, _] = known { self.blank_lines(before.span.end, newest.span.start) } else { 0 };
        let text = items.iter().map(|item| {
            let is_scalar = matches!(item.kind, Kind::Text(_) | Kind::Number(_));
            let is_inline = is_scalar || is_inline && yaml_layout::fits(item, column + 2);
            let lines = yaml_layout::item(item, column, is_inline);
            self.eol().repeat(gap) + &self.lines(&lines, column)
        });
        (end..end, text.collect())
    }

    /// Leaves the current value unchanged and reports it.
    fn skip(&mut self, why: &str) {
        self.unchanged.push(format!("{} {why}", self.path.join(", ")));
    }

    fn spliced(&mut self) -> String {
        // At the same position, an insertion must precede a removal. In the reverse order, the removed text would be
        // copied after the insertion.
        self.splices.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut text, mut from) = (String::new(), 0);
        for (range, new) in &self.splices {
            text.extend(&self.text[from.min(range.start)..range.start]);
            text += new;
            from = range.end;
        }
        text.extend(&self.text[from..]);
        text
    }
}

/// `true` if a node matches a tree, regardless of the order of keys.
fn is_equal(node: &Node, wanted: &Node) -> bool {
    match (&node.kind, &wanted.kind) {
        (Kind::List(known), Kind::List(items)) => {
            known.len() == items.len() && known.iter().zip(items).all(|(node, wanted)| is_equal(node, wanted))
        }
        (Kind::Map(entries), Kind::Map(pairs)) => {
            let is_entry = |(name, wanted): &(Node, Node)| {
                node.get(name.text().unwrap_or_default()).is_some_and(|node| is_equal(node, wanted))
            };
            entries.len() == pairs.len() && pairs.iter().all(is_entry)
        }
        (kind, wanted) => kind == wanted,
    }
}

/// The splice that inserts items or pairs in brackets after the last existing item or pair.
fn after_flow(last: &Node, new: &Node) -> Splice {
    let new = yaml_layout::inline(new);
    let end = last.span.end;
    (end..end, format!(", {}", &new[1..new.len() - 1]))
}

#[cfg(test)]
mod tests;
