//! Edits of one file of the catalogue that keep its comments, its order and its layout.
//!
//! An edit is a splice of the text at a place that the marked tree knows, laid out as the neighbours are.
//! Afterwards the text is read again: if it does not say exactly what was wanted, the edit is refused.

mod remove;

use std::ops::Range;

use codegen::marked::{self, Kind, Node};

use super::tree::Tree;

/// A step on the way to a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Key(&'static str),
    Item(usize),
}

/// One file in the making.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    text: Vec<char>,
    root: Node,
}

/// Why an edit was not made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refused(pub(crate) String);

/// Text that goes where other text was.
type Splice = (Range<usize>, String);

impl Draft {
    /// Reads a file.
    pub(crate) fn read(text: &str) -> Result<Self, Refused> {
        let root = marked::parse(text).map_err(|error| Refused(error.message))?;
        Ok(Self { text: text.chars().collect(), root })
    }

    /// The text with all edits.
    pub(crate) fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// What it says.
    pub(crate) fn tree(&self) -> Tree {
        Tree::of(&self.root)
    }

    /// Adds items at the end of a list.
    pub(crate) fn extend(&mut self, path: &[Step], items: Vec<Tree>) -> Result<(), Refused> {
        let Kind::List(known) = &self.node(path)?.kind else { return Err(missed(path)) };
        if items.is_empty() {
            return Ok(());
        }
        let mut wanted = self.tree();
        match at(&mut wanted, path) {
            Some(Tree::List(list)) => list.extend(items.iter().cloned()),
            _ => return Err(missed(path)),
        }
        let list = self.node(path)?;
        let splices = match known.last() {
            None => return self.replace(path, &Tree::List(items)),
            Some(end) if self.is_flow(list) => vec![behind_flow(end, &Tree::List(items))],
            Some(end) => vec![self.below_items(list, known, end, &items)],
        };
        self.apply(splices, &wanted)
    }

    /// Adds a key to a map, behind the last of the keys that have to stand before it.
    pub(crate) fn insert(&mut self, path: &[Step], before: &[&str], key: &str, value: &Tree) -> Result<(), Refused> {
        let mut wanted = self.tree();
        let map = self.node(path)?;
        let (Kind::Map(entries), Some(Tree::Map(pairs))) = (&map.kind, at(&mut wanted, path)) else {
            return Err(missed(path));
        };
        let is_before = |(name, _): &(Node, Node)| name.text().is_some_and(|name| before.contains(&name));
        let behind = entries.iter().rposition(is_before).map(|index| &entries[index].1);
        let index = entries.iter().rposition(is_before).map_or(0, |index| index + 1);
        pairs.insert(index, (key.to_owned(), value.clone()));
        let splice = match (behind, entries.first()) {
            (Some(value_before), _) if self.is_flow(map) => {
                behind_flow(value_before, &Tree::map().with(key, value.clone()))
            }
            (None, Some((first, _))) if self.is_flow(map) => {
                let pair = Tree::map().with(key, value.clone()).inline();
                (first.span.start..first.span.start, format!("{}, ", &pair[1..pair.len() - 1]))
            }
            (Some(value_before), Some((first, _))) => {
                let column = self.column(first.span.start);
                let end = self.line_end(value_before.span.end);
                (end..end, self.lines(&value.behind(key, column), column))
            }
            (None, Some((first, _))) => {
                let column = self.column(first.span.start);
                let lines = value.behind(key, column).join(&format!("{}{}", self.eol(), " ".repeat(column)));
                (first.span.start..first.span.start, format!("{lines}{}{}", self.eol(), " ".repeat(column)))
            }
            (_, None) => return Err(missed(path)),
        };
        self.apply(vec![splice], &wanted)
    }

    /// Puts a value in the place of another one, which stands on one line.
    pub(crate) fn replace(&mut self, path: &[Step], value: &Tree) -> Result<(), Refused> {
        let mut wanted = self.tree();
        *at(&mut wanted, path).ok_or_else(|| missed(path))? = value.clone();
        let old = self.node(path)?.span.clone();
        let has_lines = |range: Range<usize>| self.text[range].contains(&'\n');
        let refused = || Err(Refused(format!("{} stands on several lines; change it by hand", said(path))));
        if has_lines(old.clone()) {
            return refused();
        }
        let map = path.split_last().and_then(|(last, above)| match last {
            Step::Key(_) => self.node(above).ok().filter(|map| !self.in_flow(above) && !self.is_flow(map)),
            Step::Item(_) => None,
        });
        let inline = value.inline();
        let key = map.and_then(|map| match &map.kind {
            Kind::Map(entries) => entries.iter().find(|(_, value)| value.span == old).map(|(key, _)| key),
            _ => None,
        });
        let splices = match key {
            Some(key) if !value.fits(self.column(old.start)) => {
                let column = self.column(key.span.start);
                let end = self.line_end(old.end);
                let colon = key.span.end + 1;
                // What stands between the key and its value may be a comment.
                if has_lines(colon..old.start) {
                    return refused();
                }
                vec![(colon..old.end, String::new()), (end..end, self.lines(&value.below(column), column))]
            }
            _ => vec![(old, inline)],
        };
        self.apply(splices, &wanted)
    }

    /// A node by the way to it.
    fn node(&self, path: &[Step]) -> Result<&Node, Refused> {
        path.iter()
            .try_fold(&self.root, |node, step| match (step, &node.kind) {
                (Step::Key(key), _) => node.get(key),
                (Step::Item(index), Kind::List(items)) => items.get(*index),
                (Step::Item(_), _) => None,
            })
            .ok_or_else(|| missed(path))
    }

    /// Whether a list or map stands in brackets.
    fn is_flow(&self, node: &Node) -> bool {
        matches!((&node.kind, self.text.get(node.span.start)), (Kind::Map(_) | Kind::List(_), Some('{' | '[')))
    }

    /// Whether anything on the way to a node stands in brackets.
    fn in_flow(&self, path: &[Step]) -> bool {
        (0..=path.len()).any(|length| self.node(&path[..length]).is_ok_and(|node| self.is_flow(node)))
    }

    /// New items of a block list, as far apart as the last two are.
    fn below_items(&self, list: &Node, known: &[Node], newest: &Node, items: &[Tree]) -> Splice {
        let column = self.column(list.span.start);
        let end = self.line_end(newest.span.end);
        let is_inline = known.iter().any(|item| self.is_flow(item));
        let gap = match known {
            [.., before, _] => self.blank_lines(before.span.end, newest.span.start),
            _ => 0,
        };
        let text = items.iter().map(|item| {
            let lines = item.item(column, is_inline && item.fits(column + 2) || !is_nested(item));
            self.eol().repeat(gap) + &self.lines(&lines, column)
        });
        (end..end, text.collect())
    }

    /// How many blank lines stand between two places.
    fn blank_lines(&self, from: usize, to: usize) -> usize {
        let between: String = self.text[from..to].iter().collect();
        let count = between.lines().skip(1).filter(|line| line.trim().is_empty()).count();
        count.min(1)
    }

    /// Lines to put behind the end of another line.
    fn lines(&self, lines: &[String], column: usize) -> String {
        let pad = " ".repeat(column);
        lines.iter().flat_map(|line| [self.eol(), &pad, line]).collect()
    }

    fn eol(&self) -> &'static str {
        match self.text.iter().position(|character| *character == '\n') {
            Some(end) if end > 0 && self.text[end - 1] == '\r' => "\r\n",
            _ => "\n",
        }
    }

    fn column(&self, at: usize) -> usize {
        self.text[..at].iter().rev().take_while(|character| **character != '\n').count()
    }

    /// The end of a line, before its line break.
    fn line_end(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|character| !matches!(character, '\r' | '\n')).count()
    }

    /// Makes an edit if the text then says what is wanted.
    fn apply(&mut self, mut splices: Vec<Splice>, wanted: &Tree) -> Result<(), Refused> {
        let mut text = self.text.clone();
        // From the back, so that the places of the others stay.
        splices.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, new) in splices {
            text.splice(range, new.chars());
        }
        let draft = Self::read(&text.iter().collect::<String>());
        match draft {
            Ok(draft) if draft.tree() == *wanted => {
                *self = draft;
                Ok(())
            }
            _ => Err(Refused("the layout of this file is too unusual to be edited; change it by hand".to_owned())),
        }
    }
}

/// New items or pairs in brackets, behind the last one that is there.
fn behind_flow(last: &Node, new: &Tree) -> Splice {
    let new = new.inline();
    let end = last.span.end;
    (end..end, format!(", {}", &new[1..new.len() - 1]))
}

fn is_nested(tree: &Tree) -> bool {
    matches!(tree, Tree::Map(_) | Tree::List(_))
}

/// A part of a tree by the way to it.
fn at<'t>(tree: &'t mut Tree, path: &[Step]) -> Option<&'t mut Tree> {
    path.iter().try_fold(tree, |tree, step| match (step, tree) {
        (Step::Key(key), Tree::Map(entries)) => {
            entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
        }
        (Step::Item(index), Tree::List(items)) => items.get_mut(*index),
        _ => None,
    })
}

fn missed(path: &[Step]) -> Refused {
    Refused(format!("there is no {} to be edited", said(path)))
}

/// The way to a node in words.
fn said(path: &[Step]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => format!("`{key}`"),
        Step::Item(index) => format!("item {}", index + 1),
    });
    steps.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
