//! The part of the model for groups and their endpoints, with params and bodies.

use std::sync::Arc;

use super::{BodyFormat, Evidence, ListFormat, Pages, Range, Record, RecordRef, Type};
use crate::spec::{self, ParamLocation};

/// A group, which is one file of the catalogue and one module of the client.
#[derive(Debug)]
pub struct Group {
    /// The name of the group's file in the catalogue.
    pub file: String,
    /// The name of the module, and of the method of `Client` that returns the handle.
    pub ident: String,
    /// The type name of the handle, which has the methods for the endpoints.
    pub handle: String,
    pub title: String,
    pub summary: String,
    pub aliases: Vec<String>,
    pub notes: String,
    /// The base URL, if the endpoints are on another host than those of the service.
    pub base_url: Option<spec::GroupBaseUrl>,
    pub records: Vec<Record>,
    pub endpoints: Vec<Endpoint>,
}

impl Group {
    /// Returns the endpoints with a path, which become methods.
    pub fn methods(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter().filter(|endpoint| endpoint.path.is_some())
    }
}

/// An endpoint; it becomes a method if its path is known.
#[derive(Debug)]
pub struct Endpoint {
    /// The declaration without its params and its body.
    pub declared: spec::Endpoint,
    /// The name of the method on the handle.
    pub ident: String,
    /// The name of the marker type.
    pub type_ident: String,
    pub path: Option<String>,
    /// The index of the param set whose params are at the start of `params`, if there is one.
    pub param_set: Option<usize>,
    /// All params, starting with the params of the param set; `None` if the params are unknown.
    pub params: Option<Vec<EndpointParam>>,
    pub body: Body,
    /// `true` if the endpoint has a history, declared by the endpoint itself or by the service.
    pub has_history: bool,
    /// The way from each page of records to the next; `None` if a response has all records.
    pub pages: Option<Pages>,
    /// The number of requests that rate limits count for one request to the endpoint.
    pub weight: u32,
}

impl Endpoint {
    /// Returns the params with their overrides; none if the params are unknown.
    pub fn known_params(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().flatten().map(|param| &*param.param)
    }

    /// Returns the params that are arguments of the method.
    pub fn arguments(&self) -> impl Iterator<Item = &Param> {
        self.known_params().filter(|param| param.is_argument())
    }
}

/// A named list of shared params, emitted once as a constant.
#[derive(Debug)]
pub struct ParamSet {
    /// The name of the constant.
    pub constant: String,
    /// Indices of shared params.
    pub params: Vec<usize>,
}

/// A param of one endpoint. For a shared param, the overrides of the endpoint are applied.
#[derive(Clone, Debug)]
pub struct EndpointParam {
    /// The same value for all endpoints that use a shared param without overrides.
    pub param: Arc<Param>,
    /// `None` for the endpoint's own param.
    pub shared: Option<SharedUse>,
}

/// The use of a shared param by an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedUse {
    /// The index of the shared param.
    pub index: usize,
    /// `true` if the endpoint overrides a fact of the shared param, so that its constant alone is not sufficient.
    pub is_overridden: bool,
}

impl EndpointParam {
    /// Returns `true` if the param is a shared param, and the endpoint overrides none of its facts.
    pub fn is_unchanged(&self) -> bool {
        self.shared.is_some_and(|shared| !shared.is_overridden)
    }
}

/// A param of `service.yaml`, emitted once as a constant.
#[derive(Debug)]
pub struct SharedParam {
    /// The name of the constant.
    pub constant: String,
    pub param: Arc<Param>,
}

/// A param. The values in its declaration are written as the client sends them, and its example is never a value that
/// the endpoint is known to reject.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub declared: spec::Param,
    pub ident: String,
    pub ty: Type,
    pub range: Range,
    pub unit: String,
    pub evidence: Evidence,
}

impl Param {
    /// Returns `true` if the path contains the param.
    pub fn in_path(&self) -> bool {
        self.declared.location == ParamLocation::Path
    }

    /// Returns `true` if requests have a setter for the param.
    pub fn is_set(&self) -> bool {
        !self.is_argument() && self.declared.const_value.is_none()
    }

    /// Returns `true` if the param is an argument of the method and has no setter.
    pub fn is_argument(&self) -> bool {
        self.in_path() || self.declared.required.is_some_and(Evidence::is_enforced)
    }

    /// Returns `true` if examples in docs and help set the param: if it is required, or if the catalogue says so.
    pub fn is_in_examples(&self) -> bool {
        self.in_path() || self.declared.required.is_some() || self.declared.in_examples
    }

    /// Returns the default, as the client sends it.
    pub fn default_value(&self) -> Option<&str> {
        Some(self.declared.default.as_ref()?.as_str())
    }

    /// Returns the example, as the client sends it.
    pub fn example(&self) -> Option<&str> {
        Some(self.declared.example.as_ref()?.as_str())
    }

    /// Returns the name of the argument: the name of the setter for several values if there is one, otherwise `ident`.
    pub fn argument(&self) -> &str {
        self.declared.list_setter.as_deref().unwrap_or(&self.ident)
    }

    /// Returns the names of the setters, each with `true` if the setter accepts several values.
    pub fn setters(&self) -> impl Iterator<Item = (&String, bool)> {
        std::iter::once((&self.ident, false)).chain(self.declared.list_setter.iter().map(|list| (&**list, true)))
    }

    /// Returns the kind of the argument of the method.
    pub fn passing(&self) -> Passing {
        Passing { several: self.declared.list_setter.is_some(), exact: self.ty.is_primitive() }
    }
}

/// The kind of the argument of a method or setter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// `true` if the argument accepts several values.
    pub several: bool,
    /// `true` if the argument has exactly the type of the param, so that Rust can infer the type of a number literal.
    /// With `impl Into`, the type of `100` in `limit(100)` would be ambiguous, because several number types convert to
    /// the type of the param.
    pub exact: bool,
}

/// A setter on requests.
#[derive(Debug)]
pub struct Setter {
    pub ident: String,
    /// The name of the trait that endpoints with this setter implement.
    pub takes: String,
    /// The name of the associated type of the trait, for a setter whose type differs between endpoints.
    pub type_ident: String,
    /// The param of an endpoint that has the setter. The facts that differ between endpoints are cleared: `unit`,
    /// `range`, `default`, `allowed_values`, `notes`, `unknown` and, if it is not `documented`, `evidence`.
    pub param: Param,
    /// The type, or `None` if it differs between endpoints.
    pub ty: Option<Type>,
    /// `true` if the setter accepts several values.
    pub several: bool,
    /// The format of several values, if it is the same on all endpoints.
    pub list_as: Option<ListFormat>,
}

impl Setter {
    /// Returns the kind of the setter's argument, which is not `exact` if the type differs between endpoints.
    pub fn passing(&self) -> Passing {
        Passing { several: self.several, exact: self.ty.as_ref().is_some_and(Type::is_primitive) }
    }
}

/// A response body.
#[derive(Debug, Default, PartialEq)]
pub enum Body {
    Series {
        record: Option<RecordRef>,
        /// The format of the body; `None` for JSON.
        format: Option<BodyFormat>,
        /// The JSON path of the records, if it differs from that of the envelope; `.` if the body is the list.
        data: Option<String>,
        /// `true` if the list of records can be missing or null.
        is_optional: bool,
        time: Option<String>,
        /// The fields that identify a record in addition to its time.
        key: Vec<String>,
        evidence: Evidence,
    },
    Object {
        record: RecordRef,
        evidence: Evidence,
    },
    #[default]
    Unknown,
}

impl Body {
    /// Returns the record of the body, if its fields are known.
    pub fn record(&self) -> Option<&RecordRef> {
        match self {
            Self::Series { record, .. } => record.as_ref(),
            Self::Object { record, .. } => Some(record),
            Self::Unknown => None,
        }
    }

    /// Returns the evidence of the fields; `None` if the fields are unknown.
    pub fn evidence(&self) -> Option<Evidence> {
        match self {
            Self::Series { record: Some(_), evidence, .. } | Self::Object { evidence, .. } => Some(*evidence),
            Self::Series { record: None, .. } | Self::Unknown => None,
        }
    }
}
