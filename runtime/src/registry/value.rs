//! Types of fields and params: records, named types, and other JSON values.
//!
//! The decoder fills its rows by these tables; summaries, units and evidence are for people.

use std::time::Duration;

use super::{Evidence, Range, TimeUnit};

/// One object of a series, or any other object with known fields.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordInfo {
    /// The Rust type.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Its known fields.
    pub fields: &'static [FieldInfo],
    /// How it is written.
    pub form: RecordLayout,
}

/// How a record is written on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordLayout {
    /// As an object, whose keys are the names of the fields.
    Object,
    /// As a list, with the fields in their order and without their names.
    Positional,
    /// As the value of its one field.
    Value,
}

/// One known key of a record.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FieldInfo {
    /// The Rust field.
    pub ident: &'static str,
    /// The name on the wire.
    pub wire_name: &'static str,
    /// Whether JSON writes that name without escapes, so that it can be compared byte by byte.
    pub(crate) plain: bool,
    /// What its value is.
    pub ty: ValueType,
    /// Whether it can be absent or null.
    pub optional: bool,
    /// The smallest and the largest value.
    pub range: Range,
    /// A value that was seen, or is like those that were, as on the wire.
    pub example: Option<&'static str>,
    /// The unit, in words; empty if it has none.
    pub unit: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ValueType {
    /// Text.
    String,
    /// A number without fraction.
    Integer,
    /// A number without fraction that cannot be negative.
    Count,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A point in time, counted in a unit or written as text.
    Timestamp(TimeUnit),
    /// Anything.
    Any,
    /// One of a named type's values, or one that is not known yet.
    Named(&'static TypeInfo),
    /// An object with known fields.
    Record(&'static RecordInfo),
    /// A list of values.
    List(&'static ValueType),
    /// An object whose keys are data, with a value for each.
    Map(&'static ValueType),
    /// A value of a list or a map that can be null.
    Option(&'static ValueType),
}

/// A named type of the catalogue.
#[derive(Debug)]
#[non_exhaustive]
pub struct TypeInfo {
    /// The Rust type.
    pub name: &'static str,
    /// Meaning of the value.
    pub summary: &'static str,
    /// Whether values beyond the known ones are to be expected.
    pub open: bool,
    /// The known values.
    pub values: &'static [ValueInfo],
    /// The names of the values' attributes, each a method of the Rust type.
    pub attributes: &'static [&'static str],
}

impl TypeInfo {
    /// An attribute of a known value, if it has this one.
    pub fn attribute(&self, value: &str, name: &str) -> Option<&'static str> {
        let index = self.attributes.iter().position(|attribute| *attribute == name)?;
        self.values.iter().find(|known| known.value == value)?.attributes.get(index).copied()
    }
}

/// A known value of a named type.
#[derive(Debug)]
#[non_exhaustive]
pub struct ValueInfo {
    /// As on the wire.
    pub value: &'static str,
    /// What it means; empty if it speaks for itself.
    pub summary: &'static str,
    /// How long the step is that it names; `None` if it names none, or one whose length differs, like a month.
    pub duration: Option<Duration>,
    /// Its attributes in the order of [`TypeInfo::attributes`]; the last ones may be missing.
    pub attributes: &'static [&'static str],
    /// How it is known.
    pub evidence: Evidence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_values_have_attributes() {
        const VALUES: [ValueInfo; 2] = [
            ValueInfo::new("one_perp", "", Evidence::Documented).attributes(&["one", "perp"]),
            ValueInfo::new("two_other", "", Evidence::Documented).attributes(&["two"]),
        ];
        let ty = TypeInfo::new("Market", &VALUES).attributes(&["house", "kind"]);
        for (value, attribute, expected) in [
            ("one_perp", "house", Some("one")),
            ("one_perp", "kind", Some("perp")),
            ("two_other", "house", Some("two")),
            ("two_other", "kind", None),
            ("three_perp", "kind", None),
            ("one_perp", "size", None),
        ] {
            assert_eq!(ty.attribute(value, attribute), expected, "{attribute} of {value}");
        }
    }
}
