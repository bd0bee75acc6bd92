//! The content of a description in catalogue terms, before Rust names are chosen: types and records have numbers as
//! names, and every field has its evidence.

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
    /// Endpoints, each with the stem of its group's file; their bodies refer to records by number.
    pub(super) endpoints: Vec<(String, Tree)>,
    /// Groups by module, with their facts.
    pub(super) groups: BTreeMap<String, Tree>,
    /// The records that describe the metadata of the envelope.
    pub(super) metadata: Vec<usize>,
}

/// A type or record that needs a name.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) tree: Tree,
    pub(super) wanted: WantedName,
    /// The number of fields that refer to a record; 0 for a type.
    pub(super) uses: usize,
}

impl Named {
    pub(super) fn new(tree: Tree, name: &str, owner: String) -> Self {
        Self { tree, wanted: WantedName { name: name.to_owned(), owner, is_chosen: false }, uses: 0 }
    }

    /// A field by its wire name.
    pub(super) fn field(&self, name: &str) -> Option<&Tree> {
        self.tree.entries("fields").iter().find(|field| field.text("name") == Some(name))
    }
}
