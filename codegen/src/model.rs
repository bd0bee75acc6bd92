//! The client to be emitted, in Rust's words: every name decided, every reference followed, every default filled in.
//!
//! `lower` makes it and the emitters read it. Nothing here knows YAML, and nothing here can be wrong:
//! what the author could have got wrong was found before.

pub(crate) use crate::evidence::Evidence;

/// The whole client.
#[derive(Debug)]
pub struct Api {
    pub(crate) service: Service,
    pub(crate) types: Vec<NamedType>,
    /// Records of `service.yaml`, `Metadata` among them.
    pub(crate) records: Vec<Record>,
    /// Params of `service.yaml`, to which endpoints refer by index.
    pub(crate) shared_params: Vec<SharedParam>,
    /// Param sets of `service.yaml`, to which endpoints refer by index.
    pub(crate) param_sets: Vec<ParamSet>,
    /// Setters of a request, one a method name, whichever endpoints take it.
    pub(crate) setters: Vec<Setter>,
    pub(crate) groups: Vec<Group>,
}

impl Api {
    /// The setter of a name; they are sorted.
    pub(crate) fn setter(&self, ident: &str) -> Option<&Setter> {
        let index = self.setters.binary_search_by(|setter| setter.ident.as_str().cmp(ident)).ok()?;
        self.setters.get(index)
    }

    /// The field of the metadata that lists what was asked for and is not covered.
    pub(crate) fn unsupported(&self) -> Option<&Field> {
        let ident = self.service.envelope.as_ref()?.unsupported.as_ref()?;
        let metadata = self.records.iter().find(|record| record.ident == "Metadata")?;
        metadata.fields.iter().find(|field| field.ident == *ident)
    }
}

/// What is said of something of which nobody knows what it means.
pub(crate) const UNKNOWN_MEANING: &str = "Its meaning is unknown.";

/// What all endpoints share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) summary: String,
    pub(crate) env_prefix: String,
    pub(crate) base_url_suffix: String,
    pub(crate) base_url_evidence: Option<Evidence>,
    pub(crate) milliseconds: bool,
    pub(crate) time_evidence: Evidence,
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) client_credentials: Option<ClientCredentials>,
    pub(crate) errors: Vec<Status>,
    pub(crate) error_body: ErrorBody,
    pub(crate) limits: Vec<Limit>,
    pub(crate) envelope: Option<Envelope>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct ApiKey {
    /// In lower case, as HTTP compares it.
    pub(crate) header: String,
    pub(crate) evidence: Evidence,
}

/// Where a body that says what went wrong says it; each place is keys with dots between them.
#[derive(Debug, PartialEq)]
pub(crate) struct ErrorBody {
    pub(crate) message: Vec<String>,
    pub(crate) code: Vec<String>,
    /// `None` where no place is known.
    pub(crate) evidence: Option<Evidence>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct ClientCredentials {
    pub(crate) path: String,
    pub(crate) label: String,
    pub(crate) evidence: Evidence,
    pub(crate) reply: Vec<Field>,
    pub(crate) errors: Vec<Status>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Status {
    pub(crate) status: u16,
    pub(crate) label: Option<String>,
    pub(crate) summary: String,
    pub(crate) advice: String,
    pub(crate) notes: String,
    pub(crate) evidence: Evidence,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    pub(crate) name: String,
    /// The constant of `RateLimit`.
    pub(crate) constant: String,
    pub(crate) requests: u32,
    pub(crate) seconds: u32,
    pub(crate) concurrent: u32,
    pub(crate) applies_to: Option<String>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Envelope {
    pub(crate) data: String,
    pub(crate) metadata: Option<String>,
    /// The Rust field of the metadata that lists what was asked for and is not covered.
    pub(crate) unsupported: Option<String>,
    pub(crate) time: Option<Field>,
    pub(crate) evidence: Evidence,
}

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
        self.in_path || matches!(self.required, Some(Evidence::Document | Evidence::Published))
    }
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

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Range {
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

impl Range {
    pub(crate) fn is_all(self) -> bool {
        self.min.is_none() && self.max.is_none()
    }
}

/// What comes back.
#[derive(Debug, PartialEq)]
pub(crate) enum Body {
    Series { record: Option<RecordRef>, time: Option<String>, evidence: Evidence },
    Object { record: RecordRef, evidence: Evidence },
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

/// A record, by the path of its type from the crate's root.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RecordRef {
    /// The group's module, or `None` for a record of `service.yaml`.
    pub(crate) module: Option<String>,
    pub(crate) ident: String,
}

impl RecordRef {
    /// A record of `service.yaml`.
    pub(crate) fn shared(ident: &str) -> Self {
        Self { module: None, ident: ident.to_owned() }
    }
}

/// An object with known fields.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) ident: String,
    pub(crate) summary: String,
    /// What its fields inherit.
    pub(crate) evidence: Evidence,
    pub(crate) fields: Vec<Field>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) ident: String,
    pub(crate) wire_name: String,
    pub(crate) ty: Type,
    pub(crate) optional: bool,
    /// Whether it is the time field of the envelope, which is emitted once as a constant.
    pub(crate) is_envelope_time: bool,
    pub(crate) range: Range,
    pub(crate) unit: String,
    pub(crate) summary: String,
    pub(crate) notes: String,
    pub(crate) evidence: Evidence,
}

impl Field {
    /// An absent list is an empty one: nobody can use the difference.
    pub(crate) fn is_defaulted(&self) -> bool {
        self.optional && matches!(self.ty, Type::List(_))
    }

    /// Whether its type is an `Option`.
    pub(crate) fn is_option(&self) -> bool {
        self.optional && !self.is_defaulted()
    }
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Integer,
    Count,
    Number,
    Boolean,
    Timestamp,
    Any,
    Named(String),
    Record(RecordRef),
    List(Box<Type>),
}

/// A named type.
#[derive(Debug)]
pub(crate) struct NamedType {
    pub(crate) ident: String,
    pub(crate) summary: String,
    pub(crate) evidence: Evidence,
    /// Whether it is an identifier, open to any value.
    pub(crate) open: bool,
    pub(crate) values: Vec<Value>,
    pub(crate) shapes: Option<Shapes>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Value {
    /// The variant or constant.
    pub(crate) ident: String,
    pub(crate) value: String,
    pub(crate) summary: String,
    pub(crate) evidence: Evidence,
}

/// How an identifier is built: a part, then a suffix that answers a question.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) part: String,
    pub(crate) question: String,
    /// The enum of the answers.
    pub(crate) answers: String,
    pub(crate) suffixes: Vec<Suffix>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Suffix {
    pub(crate) suffix: String,
    pub(crate) answer: Option<String>,
    pub(crate) summary: String,
    pub(crate) evidence: Evidence,
}
