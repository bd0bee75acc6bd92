//! The format of the catalogue, and what its author wrote: YAML's words, defaults not filled in, references not
//! followed.
//!
//! Each map is declared once: its keys, what stands there, what to say where it does not, and what people are told of
//! it. Only `load` makes these and only `resolve` reads them.

mod group;
mod service;
mod value;

pub(crate) use crate::evidence::Evidence;
pub(crate) use group::{BODY, Body, Endpoint, Fields, GROUP, Group, Known, ParamEntry};
pub(crate) use service::{
    ApiKey, ClientCredentials, ENVELOPE, Envelope, ErrorBody, METADATA, Metadata, SERVICE, Service, Shapes, Status,
    Suffix, Type, TypeKind,
};
pub(crate) use value::{FIELD, Field, Param, ParamLocation, Range, Record, Use};
