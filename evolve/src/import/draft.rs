//! The content of a description in the words of the catalogue, before Rust names are chosen: types and records are
//! called by numbers, and every field has its evidence.

use crate::fill::WantedName;
use crate::yaml_tree::Tree;

/// Everything that is to be in the catalogue.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) types: Vec<Named>,
    pub(super) records: Vec<DraftRecord>,
    /// Params that operations refer to, each with its index among the components.
    pub(super) shared: Vec<(usize, Tree)>,
    /// Endpoints by group, whose file has this name without its ending; their bodies name records by number.
    pub(super) endpoints: Vec<(String, Tree)>,
    /// Modules, with the facts about their groups.
    pub(super) groups: Vec<(String, Tree)>,
    /// The path of the description's server, which the paths of the catalogue begin with.
    pub(super) prefix: String,
    /// The records that the envelope's metadata is described as.
    pub(super) metadata: Vec<usize>,
}

/// A type or a record, which is to get a name.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) tree: Tree,
    pub(super) wanted: WantedName,
    /// Its index among the components.
    pub(super) rank: usize,
}

#[derive(Debug)]
pub(super) struct DraftRecord {
    pub(super) named: Named,
    /// How many fields refer to it.
    pub(super) uses: usize,
}

impl DraftRecord {
    /// Whether its fields are positional.
    pub(super) fn is_positional(&self) -> bool {
        self.named.tree.get("positional").is_some()
    }

    /// A field by its wire name.
    pub(super) fn field(&self, name: &str) -> Option<&Tree> {
        self.named.tree.entries("fields").iter().find(|field| field.text("name") == Some(name))
    }
}
