//! The content of a description in the format of the catalogue, before Rust names are chosen. Types and records have
//! provisional names with numbers.

use std::collections::BTreeMap;

use crate::merge::WantedName;
use crate::yaml_tree::Tree;

/// The content to merge into the catalogue.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) types: Vec<Named>,
    pub(super) records: Vec<Named>,
    /// Params that operations refer to.
    pub(super) shared: Vec<Tree>,
    /// The endpoints, each with the module of its group. The bodies of the endpoints refer to records by number.
    pub(super) endpoints: Vec<(String, Tree)>,
    /// The title and summary of each group, by module.
    pub(super) groups: BTreeMap<String, Tree>,
    /// The records that describe the metadata of the envelope.
    pub(super) metadata: Vec<usize>,
}

/// A type or record that needs a name.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) tree: Tree,
    pub(super) wanted: WantedName,
    /// For a record, the number of references from fields and from types of bodies; 0 for a type.
    pub(super) uses: usize,
}

impl Named {
    pub(super) fn new(tree: Tree, name: &str, owner: String) -> Self {
        Self { tree, wanted: WantedName { name: name.to_owned(), owner, is_chosen: false }, uses: 0 }
    }

    /// Returns the field with a wire name.
    pub(super) fn field(&self, name: &str) -> Option<&Tree> {
        self.tree.entries("fields").iter().find(|field| field.text("name") == Some(name))
    }
}
