//! The paths of the named items in a catalogue, by name.

use std::collections::{HashMap, HashSet};

use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// The paths of records, types and shared params by their names.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The paths of records, by file and name.
    records: HashMap<String, HashMap<String, YamlPath>>,
    types: HashMap<String, YamlPath>,
    /// The paths of shared params, by the name with which entries of `params` refer to a shared param.
    params: HashMap<String, YamlPath>,
    /// The paths of shared params, by wire name.
    by_wire_name: HashMap<String, Vec<YamlPath>>,
    /// The entries of each param set.
    sets: HashMap<String, Vec<String>>,
}

impl Index {
    /// Builds the index of the current catalogue.
    pub(crate) fn of(editor: &Editor) -> Self {
        let mut index = Self::default();
        let list = |file: &str, key| YamlPath::file(file).key(key).items(editor);
        for file in editor.groups().chain([SERVICE]) {
            let records = list(file, "records").into_iter().map(|(at, record)| (name(record), at));
            index.records.insert(file.to_owned(), records.collect());
        }
        index.types = list(SERVICE, "types").into_iter().map(|(at, ty)| (name(ty), at)).collect();
        for (at, param) in list(SERVICE, "params") {
            index.by_wire_name.entry(name(param)).or_default().push(at.clone());
            index.params.insert(id(param).to_owned(), at);
        }
        for set in editor.tree(SERVICE).entries("param_sets") {
            let ids = set.entries("params").iter().filter_map(Tree::as_text).map(str::to_owned);
            index.sets.insert(name(set), ids.collect());
        }
        index
    }

    /// Returns the path of the record with this name in a file or, if the file has no such record, in `service.yaml`.
    pub(super) fn record(&self, file: &str, name: &str) -> Option<&YamlPath> {
        [file, SERVICE].into_iter().find_map(|file| self.records.get(file)?.get(name))
    }

    /// Returns the path of a named type.
    pub(super) fn ty(&self, name: &str) -> Option<&YamlPath> {
        self.types.get(name)
    }

    /// Returns the shared params that have a wire name.
    pub(super) fn params_sent_as(&self, name: &str) -> &[YamlPath] {
        self.by_wire_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the shared params to which a name in `params` refers: one param, or all params of a set.
    pub(super) fn shared(&self, name: &str) -> Vec<YamlPath> {
        match self.sets.get(name) {
            Some(ids) => ids.iter().filter_map(|id| self.params.get(id)).cloned().collect(),
            None => self.params.get(name).into_iter().cloned().collect(),
        }
    }

    /// Returns the definitions of an endpoint's params, each once; `None` if the params are unknown. References and
    /// sets are resolved.
    pub(crate) fn params_of(&self, endpoint: &YamlPath, editor: &Editor) -> Option<Vec<YamlPath>> {
        let Tree::List(entries) = endpoint.tree(editor).get("params")? else { return None };
        let mut all = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match entry.as_text().or(entry.text("use")) {
                Some(name) => all.extend(self.shared(name)),
                None => all.push(endpoint.key("params").item(index)),
            }
        }
        let mut seen = HashSet::new();
        all.retain(|at| seen.insert(at.clone()));
        Some(all)
    }
}

/// Returns the name by which entries of `params` refer to a shared param.
pub(super) fn id(param: &Tree) -> &str {
    param.text("id").or(param.text("name")).unwrap_or_default()
}

fn name(entry: &Tree) -> String {
    entry.text("name").unwrap_or_default().to_owned()
}
