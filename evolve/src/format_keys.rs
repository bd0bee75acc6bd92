//! Finds the map of the format for a path in a file, to know its keys and their order.

use codegen::catalogue_format::{self, GROUP, Map, Shape};

use super::yaml_edit::Step;
use super::yaml_tree::Tree;

/// The name of the file with the facts that groups share.
pub(crate) const SERVICE: &str = "service.yaml";

/// The map of the format at a path.
pub(crate) fn map_at(file: &str, path: &[Step], map: &Tree) -> Option<&'static Map> {
    let root = if file == SERVICE { catalogue_format::SERVICE } else { GROUP };
    map_in(root, path, map.get("use").is_some())
}

/// The map at the end of a path.
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
