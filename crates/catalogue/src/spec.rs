//! The format of the catalogue, and the types for its content as written: defaults are not filled in, and references
//! are not resolved.
//!
//! Each map is declared once, with its keys, their values, the errors about invalid values, and the documentation.
//! `load` creates values of these types, and `resolve` reads them.

mod group;
mod service;
mod value;

pub use crate::evidence::Evidence;
pub use crate::spanned::{Spanned, Text};
pub use group::*;
pub use service::*;
pub use value::*;
