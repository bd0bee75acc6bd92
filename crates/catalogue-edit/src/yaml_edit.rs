//! Edits the text of a catalogue file to match a tree. Comments, order and layout are preserved.
//!
//! The text is compared with the trees before and after the edit. Each difference becomes a splice, which replaces a
//! range of the text in the layout of the adjacent values. Then the text is parsed again. If the result differs from the tree, the edit fails.
//! Values whose layout cannot be preserved are left unchanged and reported.

mod comments;
mod splices;

use std::ops::Range;

use catalogue::yaml_parser::{self, Kind, Node};

use crate::yaml_layout;

/// A range of the old text, and the new text that replaces it.
struct Splice {
    range: Range<usize>,
    text: String,
}

impl Splice {
    fn insert(at: usize, text: String) -> Self {
        Self { range: at..at, text }
    }
}

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
        let mut old: &[Node] = &[];
        if let Some(before) = before
            && let Kind::List(items) = &before.kind
        {
            old = items;
        }
        let mut result = Vec::new();
        for (index, (node, wanted)) in known.iter().zip(items).enumerate() {
            self.path.push(format!("item {}", index + 1));
            result.push(self.value(node, old.get(index), wanted, None));
            self.path.pop();
        }
        let new = &items[known.len()..];
        if !new.is_empty() {
            self.append(node, known, new);
            result.extend_from_slice(new);
        }
        Kind::List(result).into()
    }

    /// Edits a map. Existing keys keep their order, and each new key is inserted after its predecessor in the tree.
    fn map(&mut self, node: &Node, entries: &[(Node, Node)], before: Option<&Node>, after: &Node) -> Node {
        let mut result = Vec::new();
        for (index, (key, value)) in entries.iter().enumerate() {
            let name = key.text().unwrap_or_default();
            let old = value_of(before, name);
            self.path.push(format!("`{name}`"));
            if let Some(after) = after.get(name) {
                let block_key = if self.is_flow(node) { None } else { Some(key) };
                result.push((key.clone(), self.value(value, old, after, block_key)));
            } else {
                let is_removed = old.is_some() && self.remove(node, entries, index);
                if !is_removed {
                    result.push((key.clone(), value.clone()));
                }
            }
            self.path.pop();
        }
        result.extend(self.insert_new(node, entries, before, after));
        Kind::Map(result).into()
    }

    /// Inserts the new keys of a map, and returns their entries.
    fn insert_new(
        &mut self,
        node: &Node,
        entries: &[(Node, Node)],
        before: Option<&Node>,
        after: &Node,
    ) -> Vec<(Node, Node)> {
        let mut inserted = Vec::new();
        let mut predecessor = None;
        // The new keys after the predecessor.
        let mut new: Vec<(Node, Node)> = Vec::new();
        let Kind::Map(pairs) = &after.kind else { return inserted };
        for (key, value) in pairs {
            let name = key.text().unwrap_or_default();
            if let Some(index) = entries.iter().position(|(known, _)| known.text() == key.text()) {
                self.insert(node, entries, predecessor, &new);
                inserted.append(&mut new);
                predecessor = Some(index);
            } else if value_of(before, name) != Some(value) || value.text() == Some("unknown") {
                // An edited map gets the value `unknown`, which may be required now.
                new.push((key.clone(), value.clone()));
            }
        }
        self.insert(node, entries, predecessor, &new);
        inserted.append(&mut new);
        inserted
    }

    /// Leaves the current value unchanged and reports it.
    fn skip(&mut self, why: &str) {
        self.unchanged.push(format!("{} {why}", self.path.join(", ")));
    }

    fn spliced(&mut self) -> String {
        // At the same position, an insertion must precede a removal. In the reverse order, the removed text would be
        // copied after the insertion.
        self.splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        let mut text = String::new();
        let mut copied = 0;
        for Splice { range, text: new } in &self.splices {
            text.extend(&self.text[copied.min(range.start)..range.start]);
            text += new;
            copied = range.end;
        }
        text.extend(&self.text[copied..]);
        text
    }
}

/// The value of a key in a map.
fn value_of<'n>(map: Option<&'n Node>, key: &str) -> Option<&'n Node> {
    map?.get(key)
}

/// `true` if a node matches a tree, regardless of the order of keys.
fn is_equal(node: &Node, wanted: &Node) -> bool {
    match (&node.kind, &wanted.kind) {
        (Kind::List(known), Kind::List(items)) => {
            known.len() == items.len() && known.iter().zip(items).all(|(node, wanted)| is_equal(node, wanted))
        }
        (Kind::Map(entries), Kind::Map(pairs)) => entries.len() == pairs.len() && has_all(node, pairs),
        (kind, wanted) => kind == wanted,
    }
}

/// `true` if a map has all of these entries.
fn has_all(map: &Node, entries: &[(Node, Node)]) -> bool {
    for (name, wanted) in entries {
        match map.get(name.text().unwrap_or_default()) {
            Some(node) if is_equal(node, wanted) => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests;
