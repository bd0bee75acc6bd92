//! The types of values: records with their fields, and named types.

use super::{Evidence, TimeForm};

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
    /// The evidence that its fields inherit.
    pub evidence: Evidence,
    pub fields: Vec<Field>,
    pub form: RecordLayout,
}

/// The layout of a record on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordLayout {
    /// An object whose keys are the names of the fields.
    #[default]
    Object,
    /// A list of the values of the fields, in their order and without names.
    Positional,
    /// The value of its single field: a body of one type.
    Value,
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
    /// A value from a response, or one like it.
    pub example: Option<String>,
    pub unit: String,
    pub summary: String,
    pub notes: String,
    pub evidence: Evidence,
}

impl Field {
    /// Returns the field with its timestamps in another format, if one is given.
    pub(crate) fn timed_in(self, form: Option<TimeForm>) -> Self {
        let Some(form) = form else { return self };
        let unit = form.unit().map_or("", |unit| unit.word()).to_owned();
        Self { ty: self.ty.timed_in(form), unit, is_envelope_time: false, ..self }
    }

    /// Returns whether an absent value becomes an empty list or map, as callers do not need the difference.
    pub fn is_defaulted(&self) -> bool {
        self.optional && matches!(self.ty, Type::List(_) | Type::Map(_))
    }

    /// Returns whether the type of the field is an `Option`.
    pub fn is_option(&self) -> bool {
        self.optional && !self.is_defaulted()
    }
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    String,
    Integer,
    Count,
    Number,
    Boolean,
    /// A timestamp, in this format on the wire.
    Timestamp(TimeForm),
    Any,
    Named(String),
    Record(RecordRef),
    List(Box<Type>),
    /// An object whose keys are data.
    Map(Box<Type>),
    /// A value of a list or map that can be null.
    Option(Box<Type>),
}

impl Type {
    /// Returns the type with its timestamps, if any, in this format.
    #[must_use]
    pub fn timed_in(self, form: TimeForm) -> Self {
        match self {
            Self::Timestamp(_) => Self::Timestamp(form),
            Self::List(item) => Self::List(Box::new(item.timed_in(form))),
            Self::Map(item) => Self::Map(Box::new(item.timed_in(form))),
            Self::Option(item) => Self::Option(Box::new(item.timed_in(form))),
            other => other,
        }
    }

    /// The innermost item type of a list or map; the type itself if it is neither.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Map(item) | Self::Option(item) => item.innermost(),
            other => other,
        }
    }

    /// Returns whether the type is or contains a timestamp.
    pub fn is_moment(&self) -> bool {
        matches!(self.innermost(), Self::Timestamp(_))
    }

    /// Returns whether its values are texts on the wire.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::String | Self::Any | Self::Named(_) | Self::Timestamp(TimeForm::Written(_)))
    }

    /// Returns whether it is a primitive type in Rust: a number or `bool`.
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
    /// Whether it is an identifier, which accepts any value.
    pub open: bool,
    pub values: Vec<Value>,
    /// The methods that return attributes of its values.
    pub attributes: Vec<String>,
}

#[derive(Debug, PartialEq)]
pub struct Value {
    /// The name of the variant or constant.
    pub ident: String,
    pub value: String,
    pub summary: String,
    /// The duration of the step that the value names.
    pub seconds: Option<u64>,
    /// The attributes, in the order of those of the type; trailing ones may be missing.
    pub attributes: Vec<String>,
    pub evidence: Evidence,
}
