//! The catalogue as its author wrote it: YAML's words, defaults not filled in, references not followed.
//!
//! Only `load` makes these and only `check` and `lower` read them. `spec/README.md` says what each key means.

mod group;
mod service;
mod value;

pub(crate) use crate::evidence::Evidence;
pub(crate) use group::{Body, Endpoint, Fields, Group, Known, ParamEntry};
pub(crate) use service::{ErrorBody, Limit, Metadata, ParamSet, Service, Shapes, Status, Type, TypeKind, Value};
pub(crate) use value::{Field, Param, ParamLocation, Range, Record, Use};
