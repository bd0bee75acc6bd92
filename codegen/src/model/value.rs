//! What values are: records and their fields, and named types.

use super::{Evidence, TimeUnit};

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
    /// The same field in another unit of time, if one is given.
    pub(crate) fn counted_in(self, unit: Option<TimeUnit>) -> Self {
        let Some(unit) = unit else { return self };
        let ty = self.ty.counted_in(unit);
        Self { ty, unit: unit.word().to_owned(), is_envelope_time: false, ..self }
    }

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
    /// Counted in this unit on the wire.
    Timestamp(TimeUnit),
    Any,
    Named(String),
    Record(RecordRef),
    List(Box<Type>),
}

impl Type {
    /// The same type; if it is a moment, or a list of moments, in this unit.
    pub(crate) fn counted_in(self, unit: TimeUnit) -> Self {
        match self {
            Self::Timestamp(_) => Self::Timestamp(unit),
            Self::List(item) => Self::List(Box::new(item.counted_in(unit))),
            other => other,
        }
    }

    /// Whether it is a point in time, or a list of such.
    pub(crate) fn is_moment(&self) -> bool {
        match self {
            Self::List(item) => item.is_moment(),
            other => matches!(other, Self::Timestamp(_)),
        }
    }

    /// Whether it is a primitive type of Rust: one of the numbers, or `bool`.
    pub(crate) fn is_primitive(&self) -> bool {
        matches!(self, Self::Integer | Self::Count | Self::Number | Self::Boolean)
    }
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
    /// How long the step is that it names.
    pub(crate) seconds: Option<u64>,
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
