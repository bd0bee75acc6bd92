//! A path in the catalogue: a file, and the keys and indices from the root of the file to a value.

use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::yaml_edit::Step;
use crate::yaml_tree::Tree;

/// The path of a value in a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct YamlPath {
    pub(crate) file: String,
    pub(crate) path: Vec<Step>,
}

impl YamlPath {
    /// Returns the path of an entire file.
    pub(crate) fn file(name: &str) -> Self {
        Self { file: name.to_owned(), path: Vec::new() }
    }

    /// Returns the path of `service.yaml`.
    pub(crate) fn service() -> Self {
        Self::file(SERVICE)
    }

    /// Returns the path of the envelope of every series.
    pub(crate) fn envelope() -> Self {
        Self::service().key("envelope")
    }

    /// Returns the module of the group that the file of this path describes.
    pub(crate) fn module(&self) -> &str {
        self.file.trim_end_matches(".yaml")
    }

    /// Returns the path of a key in the map at this path.
    pub(crate) fn key(&self, key: &'static str) -> Self {
        self.step(Step::Key(key))
    }

    /// Returns the path of an item in the list at this path.
    pub(crate) fn item(&self, index: usize) -> Self {
        self.step(Step::Item(index))
    }

    fn step(&self, step: Step) -> Self {
        Self { path: [self.path.as_slice(), &[step]].concat(), ..self.clone() }
    }

    /// Returns the path of the map that contains this value, and the key of the value in the map; `None` for an item of
    /// a list.
    pub(crate) fn parent(&self) -> Option<(Self, &'static str)> {
        let (Step::Key(key), path) = self.path.split_last()? else { return None };
        Some((Self { path: path.to_vec(), ..self.clone() }, key))
    }

    /// Returns the value at this path.
    pub(crate) fn tree<'d>(&self, editor: &'d Editor) -> &'d Tree {
        editor.tree(&self.file).at(&self.path).unwrap_or(&Tree::Null)
    }

    /// Returns all items of the list at this path, each with its path.
    pub(crate) fn items<'d>(&self, editor: &'d Editor) -> Vec<(Self, &'d Tree)> {
        let items = editor.entries(self).iter().enumerate();
        items.map(|(index, item)| (self.item(index), item)).collect()
    }
}
