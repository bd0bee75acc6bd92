//! The format of the catalogue, and the types for its content as written: defaults are not filled in, references not
//! followed.
//!
//! Each map is declared once: its keys, their values, the errors about other values, and its documentation. `load`
//! creates the types and `resolve` reads them.

mod credentials;
mod group;
mod named_type;
mod service;
mod value;

pub use crate::evidence::Evidence;
pub use crate::spanned::{Spanned, Text};
pub use credentials::*;
pub use group::*;
pub use named_type::*;
pub use service::*;
pub use value::*;
