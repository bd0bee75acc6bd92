//! The part of the model for types of values: records with their fields, and named types.

use runtime::registry::Step;

use super::{Builtin, Evidence, TimeForm, UnknownFact};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    pub min: Option<f64>,
    pub max: Option<f64>,
}

impl Range {
    pub fn contains(self, number: f64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }
}

/// A reference to a record: the module and the name of its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordRef {
    /// The module of the group that declares the record; `None` for a record of `service.yaml`.
    pub module: Option<String>,
    pub ident: String,
}

impl RecordRef {
    /// Creates a reference to a record of `service.yaml`.
    pub fn shared(ident: &str) -> Self {
        Self { module: None, ident: ident.to_owned() }
    }
}

/// A record and its fields.
#[derive(Debug)]
pub struct Record {
    pub ident: String,
    pub summary: String,
    /// The default evidence, for fields that do not set their own.
    pub evidence: Evidence,
    pub fields: Vec<Field>,
    pub layout: RecordLayout,
    /// The JSON path of the names of the values, for the layout [`RecordLayout::Named`]; otherwise empty.
    pub column_names: String,
}

/// The layout of a record on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordLayout {
    /// An object whose keys are the names of the fields.
    #[default]
    Object,
    /// A list with the values of the fields, in the order of the fields.
    Positional,
    /// As `Object`, but the body of a series is one object with a list for each field, a column.
    Columns,
    /// A list of values, whose names are in another list of the response.
    Named,
    /// The value of the record's single field; used for a body that is a single value.
    Value,
}

/// The part of a response that contains the value of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FieldSource {
    #[default]
    Record,
    /// A label: the group of the record. The text is the JSON path in the group, or `*` for the key of the group.
    Group(String),
    /// Two other fields of the record: a year, and a period in it.
    Period(String, String),
    /// The members of the record that are not listed.
    Others,
}

#[derive(Clone, Debug, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent fact about the field")]
pub struct Field {
    pub ident: String,
    pub wire_name: String,
    /// Other names on the wire.
    pub also_named: Vec<String>,
    pub ty: Type,
    /// The part of a response that contains the value.
    pub source: FieldSource,
    /// Texts that stand for a missing value.
    pub nulls: Vec<String>,
    /// `true` if the number or timestamp is in quotes on the wire.
    pub quoted: bool,
    pub optional: bool,
    /// `true` for the time field of the envelope, which is emitted once as a constant.
    pub is_envelope_time: bool,
    pub range: Range,
    /// An example value, either copied from a response or similar to the values in responses.
    pub example: Option<String>,
    pub unit: String,
    pub summary: String,
    pub notes: String,
    pub unknown: Vec<UnknownFact>,
    pub evidence: Evidence,
}

impl Field {
    /// Returns the field with the given format of timestamps; without a format, the field is unchanged.
    pub fn timed_in(self, form: Option<TimeForm>) -> Self {
        let Some(form) = form else { return self };
        let unit = form.unit().map_or("", |unit| unit.word()).to_owned();
        Self { ty: self.ty.timed_in(form), unit, is_envelope_time: false, ..self }
    }

    /// Returns `true` if a missing value becomes an empty list or map, because users need not distinguish a missing
    /// value from an empty one.
    pub fn is_defaulted(&self) -> bool {
        self.optional && matches!(self.ty, Type::List(_) | Type::Map(_))
    }

    /// Returns `true` if the type of the field is an `Option`.
    pub fn is_option(&self) -> bool {
        self.optional && !self.is_defaulted()
    }
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Builtin(Builtin),
    Named(String),
    Record(RecordRef),
    /// A record that contains itself, in a list or a map.
    Recursive(RecordRef),
    List(Box<Type>),
    /// An object with arbitrary keys, such as the names of coins.
    Map(Box<Type>),
    /// An item that can be null, in a list or a map.
    Option(Box<Type>),
}

/// The type of a value whose type is unknown.
impl Default for Type {
    fn default() -> Self {
        Self::Builtin(Builtin::Any)
    }
}

impl Type {
    /// Sets the format of the timestamp that the type is or contains. A type without a timestamp is unchanged.
    #[must_use]
    pub fn timed_in(mut self, form: TimeForm) -> Self {
        if let Self::Builtin(Builtin::Timestamp(known)) = self.innermost_mut() {
            *known = form;
        }
        self
    }

    pub fn innermost_mut(&mut self) -> &mut Self {
        match self {
            Self::List(item) | Self::Map(item) | Self::Option(item) => item.innermost_mut(),
            other => other,
        }
    }

    /// Returns the innermost item type of a list, map or option; any other type is returned unchanged.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Map(item) | Self::Option(item) => item.innermost(),
            other => other,
        }
    }

    /// Returns the built-in type that the type is; `None` for any other type.
    pub fn builtin(&self) -> Option<Builtin> {
        if let Self::Builtin(builtin) = self { Some(*builtin) } else { None }
    }

    /// Returns the record that the type is or contains.
    pub fn record(&self) -> Option<&RecordRef> {
        match self.innermost() {
            Self::Record(record) | Self::Recursive(record) => Some(record),
            Self::Builtin(_) | Self::Named(_) | Self::List(_) | Self::Map(_) | Self::Option(_) => None,
        }
    }

    /// Returns the format of the timestamp that the type is or contains.
    pub fn time_form(&self) -> Option<TimeForm> {
        self.innermost().builtin()?.time_form()
    }

    /// Returns `true` if values of the type can be in quotes on the wire although they are not text.
    pub fn can_be_quoted(&self) -> bool {
        self.innermost().builtin().is_some_and(Builtin::can_be_quoted)
    }

    /// Returns `true` if a text can be a value of the type. Only numbers, booleans and timestamps are checked.
    pub fn is_written(&self, text: &str) -> bool {
        self.builtin().is_none_or(|builtin| builtin.is_written(text))
    }

    /// Returns `true` if the type is a number, or a list or map of numbers. A number can have a range and a unit.
    pub fn is_numeric(&self) -> bool {
        self.innermost().builtin().is_some_and(Builtin::is_numeric)
    }

    /// Returns `true` if values of the type are strings on the wire.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Named(_)) || self.builtin().is_some_and(Builtin::is_text)
    }

    /// Returns `true` if the type is a number or `bool` in Rust.
    pub fn is_primitive(&self) -> bool {
        self.builtin().is_some_and(Builtin::is_primitive)
    }
}

/// A named type.
#[derive(Debug)]
pub struct NamedType {
    pub ident: String,
    pub summary: String,
    pub evidence: Evidence,
    /// `true` for an identifier, which accepts any value; `false` for an enum.
    pub open: bool,
    pub values: Vec<Value>,
    /// The names of the attributes of the values. Each attribute becomes a method.
    pub attributes: Vec<String>,
}

impl NamedType {
    /// Returns `true` if a value is an interval with a fixed length.
    pub fn has_durations(&self) -> bool {
        self.values.iter().filter_map(|value| value.step).any(|step| step.length().is_some())
    }
}

#[derive(Debug, PartialEq)]
pub struct Value {
    /// The name of the variant or constant.
    pub ident: String,
    pub value: String,
    pub summary: String,
    /// The step, if the value denotes an interval such as `1h`.
    pub step: Option<Step>,
    /// The attributes of the value, in the order of the type's attribute names. The last attributes may be missing.
    pub attributes: Vec<String>,
    pub evidence: Evidence,
}
