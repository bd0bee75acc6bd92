//! The keys of the catalogue's files as the format lists them: which may stand at a place, and in which order.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use codegen::format::{self, GROUP, Map, Shape};

use super::edit::Step;
use super::tree::Tree;

/// The file of what all groups share.
pub(crate) const SERVICE: &str = "service.yaml";

/// The keys that stand before another one in a map at a place.
pub(crate) fn before(file: &str, path: &[Step], map: &Tree, key: &str) -> Vec<&'static str> {
    let root = if file == SERVICE { format::SERVICE } else { GROUP };
    map_in(root, path, map.get("use").is_some()).map(|map| map.before(key)).unwrap_or_default()
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

/// A key as the format has it.
pub(crate) fn named(key: &str) -> Option<&'static str> {
    ALL.get(key).copied()
}

static ALL: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let mut all = BTreeSet::new();
    for map in [format::SERVICE, GROUP] {
        collect(map, &mut all);
    }
    all
});

fn collect(map: &'static Map, all: &mut BTreeSet<&'static str>) {
    for key in map.keys {
        all.insert(key.name);
        for map in key.shape.maps() {
            collect(map, all);
        }
    }
}
