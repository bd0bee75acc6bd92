//! Groups and their endpoints: what a method takes, and what comes back.

use super::{Evidence, Range, Record, RecordRef, TimeUnit, Type};

/// A group: one file of the catalogue, one module of the client.
#[derive(Debug)]
pub(crate) struct Group {
    /// The file's name in the catalogue.
    pub(crate) file: String,
    /// Module and accessor.
    pub(crate) ident: String,
    /// The handle's type.
    pub(crate) handle: String,
    pub(crate) title: String,
    pub(crate) summary: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) records: Vec<Record>,
    pub(crate) endpoints: Vec<Endpoint>,
}

/// An endpoint; it becomes a method if its path is known.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) name: String,
    /// The method on the handle.
    pub(crate) ident: String,
    /// The marker type.
    pub(crate) type_ident: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) path: Option<String>,
    pub(crate) evidence: Evidence,
    pub(crate) summary: String,
    pub(crate) notes: String,
    pub(crate) deprecated: Option<String>,
    /// The param set that its params begin with.
    pub(crate) param_set: Option<usize>,
    /// All of them, those of the set first; `None` if unknown.
    pub(crate) params: Option<Vec<EndpointParam>>,
    pub(crate) body: Body,
}

/// A named list of shared params, emitted once as a constant.
#[derive(Debug)]
pub(crate) struct ParamSet {
    /// The constant's name.
    pub(crate) constant: String,
    /// Indices of shared params.
    pub(crate) params: Vec<usize>,
}

/// A param as one endpoint takes it.
#[derive(Clone, Debug)]
pub(crate) struct EndpointParam {
    pub(crate) param: Param,
    /// The shared param it is, and whether something is said anew.
    pub(crate) shared: Option<(usize, bool)>,
}

/// A param of `service.yaml`, emitted once as a constant.
#[derive(Debug)]
pub(crate) struct SharedParam {
    /// The constant's name.
    pub(crate) constant: String,
    pub(crate) param: Param,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Param {
    pub(crate) ident: String,
    pub(crate) wire_name: String,
    pub(crate) ty: Type,
    /// The setter that takes several.
    pub(crate) list: Option<String>,
    pub(crate) in_path: bool,
    pub(crate) required: Option<Evidence>,
    pub(crate) default: Option<String>,
    pub(crate) range: Range,
    /// The only values that public clients were served.
    pub(crate) served: Vec<String>,
    pub(crate) unit: String,
    pub(crate) summary: String,
    pub(crate) notes: String,
    pub(crate) evidence: Evidence,
}

impl Param {
    /// Whether the method takes it as an argument instead of the request as a setter.
    pub(crate) fn is_argument(&self) -> bool {
        self.in_path || self.required.is_some_and(Evidence::is_enforced)
    }

    /// What takes it: an argument, or the setter for several values where there is one, as that does for one value too.
    pub(crate) fn argument(&self) -> &str {
        self.list.as_ref().unwrap_or(&self.ident)
    }

    /// How that argument is passed.
    pub(crate) fn passing(&self) -> Passing {
        Passing { several: self.list.is_some(), exact: self.ty.is_primitive() }
    }
}

/// How a caller hands over what a method or a setter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passing {
    /// Whether several values are taken, or one.
    pub(crate) several: bool,
    /// Whether a value has to be of the type itself, so that a bare number becomes one of it; by `Into`, which takes
    /// many types of numbers, `limit(100)` would not say which one `100` is of.
    pub(crate) exact: bool,
}

/// A setter on requests.
#[derive(Debug)]
pub(crate) struct Setter {
    pub(crate) ident: String,
    /// The trait of the endpoints that take it.
    pub(crate) takes: String,
    /// The trait's associated type, where endpoints differ.
    pub(crate) type_ident: String,
    pub(crate) wire_name: String,
    pub(crate) summary: String,
    pub(crate) unit: String,
    pub(crate) range: Range,
    pub(crate) default: Option<String>,
    pub(crate) served: Vec<String>,
    /// How it is known, if that is the same everywhere; so are unit, range, default and what is served.
    pub(crate) evidence: Option<Evidence>,
    pub(crate) notes: String,
    /// The one type it takes, or `None` where endpoints differ.
    pub(crate) ty: Option<Type>,
    /// Whether it takes several.
    pub(crate) several: bool,
}

impl Setter {
    /// How its argument is passed. Where endpoints differ, there is no one type for it to be of.
    pub(crate) fn passing(&self) -> Passing {
        Passing { several: self.several, exact: self.ty.as_ref().is_some_and(Type::is_primitive) }
    }
}

/// What comes back.
#[derive(Debug, PartialEq)]
pub(crate) enum Body {
    Series {
        record: Option<RecordRef>,
        time: Option<String>,
        /// The unit of the time where no field says it.
        time_unit: Option<TimeUnit>,
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
    pub(crate) fn record(&self) -> Option<&RecordRef> {
        match self {
            Self::Series { record, .. } => record.as_ref(),
            Self::Object { record, .. } => Some(record),
            Self::Unknown => None,
        }
    }
}
