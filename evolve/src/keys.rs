//! The maps of the catalogue's files as the format declares them: which keys may stand at a place, and in which order.

use codegen::format::{self, GROUP, Map, Shape};

use super::edit::Step;
use super::tree::Tree;

/// The file of what all groups share.
pub(crate) const SERVICE: &str = "service.yaml";

/// What the format says of the map that stands at a place.
pub(crate) fn map_at(file: &str, path: &[Step], map: &Tree) -> Option<&'static Map> {
    let root = if file == SERVICE { format::SERVICE } else { GROUP };
    map_in(root, path, map.get("use").is_some())
}

/// The map that stands at the end of a way.
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
