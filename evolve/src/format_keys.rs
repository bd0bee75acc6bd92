//! Looks up the keys that the catalogue format allows at a path in a file, in the order of the format.

use codegen::catalogue_format::{self, GROUP, Map};

use super::yaml_edit::Step;
use super::yaml_tree::Tree;

/// The name of the file with the facts that all groups share.
pub(crate) const SERVICE: &str = "service.yaml";

/// Returns the keys that the format allows in the map at a path.
pub(crate) fn map_at(file: &str, path: &[Step], map: &Tree) -> Option<&'static Map> {
    let mut maps = vec![if file == SERVICE { catalogue_format::SERVICE } else { GROUP }];
    for step in path {
        if let Step::Key(name) = step {
            let keys = maps.iter().flat_map(|map| map.keys.iter().filter(|key| key.name == *name));
            maps = keys.flat_map(|key| key.shape.maps()).collect();
        }
    }
    // An entry of `params` may be a reference (a `use` entry) or a definition.
    let is_use = |known: &Map| known.keys.iter().any(|key| key.name == "use");
    maps.into_iter().find(|known| is_use(known) == map.get("use").is_some())
}
