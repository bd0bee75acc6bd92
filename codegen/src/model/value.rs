//! What values are: records and their fields, and named types.

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
    /// What its fields inherit.
    pub evidence: Evidence,
    pub fields: Vec<Field>,
    pub form: RecordLayout,
}

/// How a record is written on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordLayout {
    /// As an object, whose keys are the names of the fields.
    #[default]
    Object,
    /// As a list, with the fields in their order and without their names.
    Positional,
    /// As the value of its one field: a body of a type.
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
    /// A value that was seen, or is like those that were.
    pub example: Option<String>,
    pub unit: String,
    pub summary: String,
    pub notes: String,
    pub evidence: Evidence,
}

impl Field {
    /// The same field with its timestamps in another form, if one is passed.
    pub(crate) fn timed_in(self, form: Option<TimeForm>) -> Self {
        let Some(form) = form else { return self };
        let unit = form.unit().map_or("", |unit| unit.word()).to_owned();
        Self { ty: self.ty.timed_in(form), unit, is_envelope_time: false, ..self }
    }

    /// An absent list or map is an empty one: no caller needs the difference.
    pub fn is_defaulted(&self) -> bool {
        self.optional && matches!(self.ty, Type::List(_) | Type::Map(_))
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
    /// In this form on the wire.
    Timestamp(TimeForm),
    Any,
    Named(String),
    Record(RecordRef),
    List(Box<Type>),
    /// An object whose keys are data.
    Map(Box<Type>),
    /// A value of a list or a map that can be null.
    Option(Box<Type>),
}

impl Type {
    /// The same type with its timestamps, if any, in this form.
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

    /// What it is a list or a map of, however deep that is; the type itself if it is neither.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Map(item) | Self::Option(item) => item.innermost(),
            other => other,
        }
    }

    /// Whether it is or contains a timestamp.
    pub fn is_moment(&self) -> bool {
        matches!(self.innermost(), Self::Timestamp(_))
    }

    /// Whether its values are texts on the wire.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::String | Self::Any | Self::Named(_) | Self::Timestamp(TimeForm::Written(_)))
    }

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
    /// The methods that return attributes of its values.
    pub attributes: Vec<String>,
}

#[derive(Debug, PartialEq)]
pub struct Value {
    /// The variant or constant.
    pub ident: String,
    pub value: String,
    pub summary: String,
    /// How long the step is that it names.
    pub seconds: Option<u64>,
    /// In the order of the type's; the last ones may be missing.
    pub attributes: Vec<String>,
    pub evidence: Evidence,
}
