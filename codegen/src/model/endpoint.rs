//! Groups and their endpoints: params and bodies.

use super::{Evidence, History, ListFormat, Range, Record, RecordRef, TimeForm, Type};

/// A group: one file of the catalogue, one module of the client.
#[derive(Debug)]
pub struct Group {
    /// The file's name in the catalogue.
    pub file: String,
    /// Module and accessor.
    pub ident: String,
    /// The handle's type.
    pub handle: String,
    pub title: String,
    pub summary: String,
    pub aliases: Vec<String>,
    pub notes: String,
    pub records: Vec<Record>,
    pub endpoints: Vec<Endpoint>,
}

impl Group {
    /// The endpoints with a path, which become methods.
    pub fn methods(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter().filter(|endpoint| endpoint.path.is_some())
    }

    /// The endpoints without one.
    pub fn known_by_name(&self) -> impl Iterator<Item = &Endpoint> {
        self.endpoints.iter().filter(|endpoint| endpoint.path.is_none())
    }
}

/// An endpoint; it becomes a method if its path is known.
#[derive(Debug)]
pub struct Endpoint {
    pub name: String,
    /// The method on the handle.
    pub ident: String,
    /// The marker type.
    pub type_ident: String,
    pub aliases: Vec<String>,
    pub path: Option<String>,
    pub evidence: Evidence,
    pub summary: String,
    pub notes: String,
    pub deprecated: Option<String>,
    /// The param set that its params begin with.
    pub param_set: Option<usize>,
    /// All of them, those of the set first; `None` if unknown.
    pub params: Option<Vec<EndpointParam>>,
    pub body: Body,
    pub history: HistorySource,
    /// Whether it has a history, by its own entry or the service's.
    pub has_history: bool,
    /// How many requests the service counts a request as.
    pub weight: u32,
}

/// The pagination of an endpoint's history.
#[derive(Debug, Default, PartialEq)]
pub enum HistorySource {
    /// The service's, if the endpoint has the params.
    #[default]
    Service,
    /// The endpoint's own.
    Endpoint(History),
    /// Unknown.
    Unknown,
}

/// A named list of shared params, emitted once as a constant.
#[derive(Debug)]
pub struct ParamSet {
    /// The constant's name.
    pub constant: String,
    /// Indices of shared params.
    pub params: Vec<usize>,
}

/// A param as one endpoint takes it.
#[derive(Clone, Debug)]
pub struct EndpointParam {
    pub param: Param,
    /// The index of the shared param, and whether the endpoint overrides something.
    pub shared: Option<(usize, bool)>,
}

/// A param of `service.yaml`, emitted once as a constant.
#[derive(Debug)]
pub struct SharedParam {
    /// The constant's name.
    pub constant: String,
    pub param: Param,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub ident: String,
    pub wire_name: String,
    pub ty: Type,
    /// The setter that takes several.
    pub list_setter: Option<String>,
    /// How it writes them.
    pub list_as: ListFormat,
    /// The value that every request sends; then it has no setter.
    pub const_value: Option<String>,
    pub in_path: bool,
    pub required: Option<Evidence>,
    pub default: Option<String>,
    pub range: Range,
    /// The only values that public clients were served.
    pub allowed_values: Vec<String>,
    /// Values that are known to work, which others may too.
    pub tested_values: Vec<String>,
    /// Values that the service is known to reject.
    pub rejected_values: Vec<String>,
    /// A value for sample requests, not known to fail here.
    pub example: Option<String>,
    /// The evidence that only one value is accepted.
    pub single_value: Option<Evidence>,
    pub unit: String,
    pub summary: String,
    pub notes: String,
    pub evidence: Evidence,
}

impl Param {
    /// Whether a request has a setter for it.
    pub fn is_set(&self) -> bool {
        !self.is_argument() && self.const_value.is_none()
    }

    /// Whether the method takes it as an argument instead of the request as a setter.
    pub fn is_argument(&self) -> bool {
        self.in_path || self.required.is_some_and(Evidence::is_enforced)
    }

    /// What takes it: an argument, or the setter for several values where there is one, as that does for one value too.
    pub fn argument(&self) -> &str {
        self.list_setter.as_ref().unwrap_or(&self.ident)
    }

    /// How that argument is passed.
    pub fn passing(&self) -> Passing {
        Passing { several: self.list_setter.is_some(), exact: self.ty.is_primitive() }
    }
}

/// How a caller hands over what a method or a setter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Whether the setter accepts several values, or one.
    pub several: bool,
    /// Whether the argument has the type itself, so that a bare number literal is inferred. With `Into`, which accepts
    /// many number types, the type of `100` in `limit(100)` would be ambiguous.
    pub exact: bool,
}

/// A setter on requests.
#[derive(Debug)]
pub struct Setter {
    pub ident: String,
    /// The trait of the endpoints that take it.
    pub takes: String,
    /// The trait's associated type, where endpoints differ.
    pub type_ident: String,
    pub wire_name: String,
    pub summary: String,
    pub unit: String,
    pub range: Range,
    pub default: Option<String>,
    pub allowed_values: Vec<String>,
    /// How it is known, if that is the same everywhere; so are unit, range, default and what is served.
    pub evidence: Option<Evidence>,
    pub notes: String,
    /// The one type it takes, or `None` where endpoints differ.
    pub ty: Option<Type>,
    /// Whether it takes several.
    pub several: bool,
    /// How it writes them, if that is the same everywhere.
    pub list_as: Option<ListFormat>,
}

impl Setter {
    /// The kind of its argument. Where endpoints differ, it has no single type.
    pub fn passing(&self) -> Passing {
        Passing { several: self.several, exact: self.ty.as_ref().is_some_and(Type::is_primitive) }
    }
}

/// A response body.
#[derive(Debug, PartialEq)]
pub enum Body {
    Series {
        record: Option<RecordRef>,
        time: Option<String>,
        /// The form of the time if no field declares it.
        time_form: Option<TimeForm>,
        evidence: Evidence,
    },
    Object {
        record: RecordRef,
        evidence: Evidence,
    },
    Unknown,
}

impl Body {
    /// The record whose fields are known.
    pub fn record(&self) -> Option<&RecordRef> {
        match self {
            Self::Series { record, .. } => record.as_ref(),
            Self::Object { record, .. } => Some(record),
            Self::Unknown => None,
        }
    }
}
