//! The format of the catalogue, and the types for its content as written: defaults are not filled in, and references
//! are not resolved.
//!
//! Each map is declared once, with its keys, their values, the errors about invalid values, and the documentation.
//! `load` creates values of these types, and `resolve` reads them.

mod value;

mod pages;

mod history;

mod group;

mod service;

use crate::catalogue_format::Map;
pub use crate::evidence::Evidence;
pub use crate::known::Known;
pub use crate::spanned::{Spanned, Text};

pub use group::*;
pub use history::*;
pub use pages::*;
pub use service::*;
pub use value::*;

/// Returns all maps, each once. A map is followed by the maps that its keys accept.
pub fn all_maps() -> Vec<&'static Map> {
    let mut maps = Vec::<&Map>::new();
    let mut next = vec![&SERVICE, &GROUP];
    while let Some(map) = next.pop() {
        if !maps.iter().any(|known| std::ptr::eq(*known, map)) {
            maps.push(map);
            next.extend(map.keys.iter().flat_map(|key| key.shape.maps()).rev());
        }
    }
    maps
}
