//! Edits that fill in what was unknown, each key where the format has it.

use super::compare::{Edit, Fill};
use super::{Builder, SERVICE};
use crate::evolve::change::Refusal;
use crate::evolve::edit::Step;
use crate::evolve::tree::Tree;
use crate::format::{self, Map, Shape};

impl Builder<'_> {
    /// Makes edits; one that the layout of the file does not allow is told, and left to a person.
    pub(super) fn fill(&mut self, fills: Vec<Fill>) {
        for Fill { file, path, edit, what } in fills {
            if let Err(why) = self.fill_one(&file, &path, edit) {
                self.desk.say(format!("{what} was to be filled in: {why}"));
            }
        }
    }

    fn fill_one(&mut self, file: &str, path: &[Step], edit: Edit) -> Result<(), Refusal> {
        match edit {
            Edit::Replace(value) => self.desk.replace(file, path, value),
            Edit::Extend(items) => self.desk.extend(file, path, items),
            Edit::Insert(key, value) => self.insert(file, path, key, value),
        }
    }

    /// Gives a map one more key.
    pub(super) fn insert(&mut self, file: &str, path: &[Step], key: &'static str, value: Tree) -> Result<(), Refusal> {
        let tree = self.desk.tree(file)?;
        let at = tree.at(path);
        // An empty list and `false` are as good as none.
        if at.is_some_and(|at| at.get(key).is_some()) {
            return self.desk.replace(file, &[path, &[Step::Key(key)]].concat(), value);
        }
        let is_use = at.is_some_and(|at| at.get("use").is_some());
        let root = if file == SERVICE { &format::SERVICE } else { &format::GROUP };
        let map = map_in(root, path, is_use).ok_or_else(|| Refusal::new("there is no place for it"))?;
        self.desk.insert(file, path, map, key, &value)
    }
}

/// The keys of the map that stands at the end of a way.
fn map_in(map: &'static Map, path: &[Step], is_use: bool) -> Option<&'static Map> {
    match path {
        [Step::Key(key), rest @ ..] => {
            let key = map.keys.iter().find(|known| known.name == *key)?;
            map_of(&key.shape, rest, is_use)
        }
        [] => Some(map),
        [Step::Item(_), ..] => None,
    }
}

fn map_of(shape: &'static Shape, path: &[Step], is_use: bool) -> Option<&'static Map> {
    match (shape, path) {
        (Shape::Either(shapes), _) => shapes.iter().find_map(|shape| map_of(shape, path, is_use)),
        (Shape::UseOr(of_use, other), _) => map_in(if is_use { of_use } else { other }, path, is_use),
        (Shape::Map(map), _) => map_in(map, path, is_use),
        (Shape::List(item), [Step::Item(_), rest @ ..]) => map_of(item, rest, is_use),
        _ => None,
    }
}
