//! What values are: records and their fields, and named types.

use super::{Evidence, TimeUnit};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    pub min: Option<f64>,
    pub max: Option<f64>,
}

impl Range {
    pub fn is_all(self) -> bool {
        self.min.is_none() && self.max.is_none()
    }
}

/// A record, by the path of its type from the crate's root.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordRef {
    /// The group's module, or `None` for a record of `service.yaml`.
    pub module: Option<String>,
    pub ident: String,
}

impl RecordRef {
    /// A record of `service.yaml`.
    pub fn shared(ident: &str) -> Self {
        Self { module: None, ident: ident.to_owned() }
    }
}

/// An object with known fields.
#[derive(Debug)]
pub struct Record {
    pub ident: String,
    pub summary: String,
    /// What its fields inherit.
    pub evidence: Evidence,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub ident: String,
    pub wire_name: String,
    pub ty: Type,
    pub optional: bool,
    /// Whether it is the time field of the envelope, which is emitted once as a constant.
    pub is_envelope_time: bool,
    pub range: Range,
    /// A value that was seen, or is like those that were.
    pub example: Option<String>,
    pub unit: String,
    pub summary: String,
    pub notes: String,
    pub evidence: Evidence,
}

impl Field {
    /// An absent list is an empty one: nobody can use the difference.
    pub fn is_defaulted(&self) -> bool {
        self.optional && matches!(self.ty, Type::List(_))
    }

    /// Whether its type is an `Option`.
    pub fn is_option(&self) -> bool {
        self.optional && !self.is_defaulted()
    }
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    String,
    Integer,
    Count,
    Number,
    Boolean,
    /// Counted in this unit on the wire.
    Timestamp(TimeUnit),
    Any,
    Named(String),
    Record(RecordRef),
    List(Box<Type>),
}

impl Type {
    /// Whether it is a primitive type of Rust: one of the numbers, or `bool`.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Self::Integer | Self::Count | Self::Number | Self::Boolean)
    }
}

/// A named type.
#[derive(Debug)]
pub struct NamedType {
    pub ident: String,
    pub summary: String,
    pub evidence: Evidence,
    /// Whether it is an identifier, open to any value.
    pub open: bool,
    pub values: Vec<Value>,
    pub shapes: Option<Shapes>,
}

#[derive(Debug, PartialEq)]
pub struct Value {
    /// The variant or constant.
    pub ident: String,
    pub value: String,
    pub summary: String,
    pub evidence: Evidence,
}

/// How an identifier is built: a part, then a suffix that answers a question.
#[derive(Debug)]
pub struct Shapes {
    pub part: String,
    pub question: String,
    /// The enum of the answers.
    pub answers: String,
    pub suffixes: Vec<Suffix>,
}

#[derive(Debug, PartialEq)]
pub struct Suffix {
    pub suffix: String,
    pub answer: Option<String>,
    pub summary: String,
    pub evidence: Evidence,
}
