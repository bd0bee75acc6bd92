//! The content of a description in catalogue terms, before Rust names are chosen: types and records have numbers as
//! names, and every field has its evidence.

use std::collections::BTreeMap;

use crate::merge::WantedName;
use crate::yaml_tree::Tree;

/// The content to merge into the catalogue.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) types: Vec<Named>,
    pub(super) records: Vec<DraftRecord>,
    /// Params that operations refer to.
    pub(super) shared: Vec<Tree>,
    /// Endpoints, each with the stem of its group's file; their bodies refer to records by number.
    pub(super) endpoints: Vec<(String, Tree)>,
    /// Groups by module, with their facts.
    pub(super) groups: BTreeMap<String, Tree>,
    /// The path of the description's server, if the paths of the catalogue begin with it.
    pub(super) prefix: String,
    /// The records that describe the metadata of the envelope.
    pub(super) metadata: Vec<usize>,
}

/// A type or record that needs a name.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) tree: Tree,
    pub(super) wanted: WantedName,
}

#[derive(Debug)]
pub(super) struct DraftRecord {
    pub(super) named: Named,
    /// The number of fields that refer to it.
    pub(super) uses: usize,
}

impl DraftRecord {
    /// Returns whether its fields are positional.
    pub(super) fn is_positional(&self) -> bool {
        self.named.tree.get("positional").is_some()
    }

    /// A field by its wire name.
    pub(super) fn field(&self, name: &str) -> Option<&Tree> {
        self.named.tree.entries("fields").iter().find(|field| field.text("name") == Some(name))
    }
}
