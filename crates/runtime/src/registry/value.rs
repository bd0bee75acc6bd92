//! Types of fields and params: records, named types, and other JSON values, with the sources of the facts about them.
//!
//! The decoder uses these tables to read records. Summaries, units and evidence are for users.

use std::fmt;

use super::evidence::Evidence;
use super::step::Step;
use super::time_unit::TimeUnit;

entry! {
    /// The type of the records of a series, or of any other object with known fields.
    #[derive(Debug)]
    pub struct RecordInfo {
        /// The name of the Rust type.
        pub name: &'static str,
        /// The known fields of the record.
        pub fields: &'static [FieldInfo],
        ..
        /// Meaning of the record.
        pub summary: &'static str = "",
        /// Layout on the wire.
        pub layout: RecordLayout = RecordLayout::Object,
        /// True if a field has other names on the wire.
        #[doc(hidden)]
        pub has_other_names: bool = have_other_names(fields),
        /// The position of the field for members that are not in the table, if there is one.
        #[doc(hidden)]
        pub others: Option<usize> = index_of_others(fields),
    }
}

/// Layout of a record on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordLayout {
    /// An object whose keys are the names of the fields.
    Object,
    /// A list of the values in the order of the fields, without names.
    Positional,
    /// As `Object`, but a series is one object with a list for each field, a column, in which the values of a record have
    /// the same index.
    Columns,
    /// A list of values without names. The body has the names of the values in a list at this JSON path; if the records
    /// have labels, each group has it.
    Named(&'static str),
    /// The value of the record's only field, without an object or a list around it.
    Value,
}

entry! {
    /// One known field of a record.
    #[derive(Clone, Copy, Debug)]
    #[allow(clippy::struct_excessive_bools, reason = "each is an independent fact about the field")]
    pub struct FieldInfo {
        /// The name of the Rust field.
        pub ident: &'static str,
        /// The name on the wire.
        pub wire_name: &'static str,
        /// Type of the value.
        pub ty: ValueType,
        /// Source of the field.
        pub evidence: Evidence,
        ..
        /// True if JSON escapes a character of `wire_name`, so that the name cannot be compared byte by byte.
        #[doc(hidden)]
        pub is_escaped: bool = is_escaped_in_json(wire_name),
        /// Other names on the wire under which the service sends the value.
        pub also_named: &'static [&'static str] = &[],
        /// The part of a response that contains the value.
        pub source: FieldSource = FieldSource::Record,
        /// Texts that stand for a missing value, such as `.` or `-`; the field is then null.
        pub nulls: &'static [&'static str] = &[],
        /// True if the number or timestamp is in quotes on the wire.
        pub quoted: bool = false,
        /// True if the field can be absent or null.
        pub optional: bool = false,
        /// Minimum and maximum of the value.
        pub range: Range = Range::ALL,
        /// An example of the value as on the wire: an observed value, or a value that is similar to observed values.
        pub example: Option<&'static str> = None,
        /// The unit as text; empty if there is none.
        pub unit: &'static str = "",
        /// Meaning of the field.
        pub summary: &'static str = "",
        /// Further notes; may be empty.
        pub notes: &'static str = "",
        /// Facts about the field that are unknown, for example `the unit`.
        pub unknown: &'static [&'static str] = &[],
    }
}

/// The part of a response that contains the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldSource {
    /// The record.
    Record,
    /// A label: the group of records to which the record belongs. The text is the JSON path of the value in the group, or
    /// `*` for the key of the group.
    Group(&'static str),
    /// The names of two other fields of the record: a year, and a period within that year, such as `M01` or `Q1`.
    Period(&'static str, &'static str),
    /// The members of the record that are not in its table and have the type of the field's values. The type of the field
    /// is a map.
    Others,
}

impl FieldSource {
    /// Returns whether a record on the wire does not contain the value itself.
    pub const fn is_derived(self) -> bool {
        matches!(self, Self::Group(_) | Self::Period(..))
    }
}

/// Type of a value.
// The decoder reads the tag for each field. Without the attribute, the compiler hides the tag in the text of a time zone,
// and each read of it takes several instructions more.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum ValueType {
    /// Text.
    String,
    /// A number without fraction.
    Integer,
    /// A number without fraction that cannot be negative.
    Count,
    /// Any number.
    Number,
    /// A number with all its digits.
    Decimal,
    /// True or false.
    Boolean,
    /// A timestamp, as a number in a unit or as text.
    Timestamp(TimeUnit),
    /// A value of any kind.
    Any,
    /// A value of a named type; values that are not in the catalogue are valid too.
    Named(&'static TypeInfo),
    /// An object with known fields.
    Record(&'static RecordInfo),
    /// A record in a list or map, which contains records of its own type again.
    Recursive(RecursiveRecord),
    /// A list of values.
    List(&'static ValueType),
    /// An object with arbitrary keys, whose values have this type.
    Map(&'static ValueType),
    /// A value that may be null, in a list or a map.
    Option(&'static ValueType),
}

/// A record that contains records of its own type. Its description is found when it is needed, because a table cannot
/// contain itself.
#[derive(Clone, Copy)]
pub struct RecursiveRecord(&'static (dyn Fn() -> &'static RecordInfo + Send + Sync));

impl RecursiveRecord {
    /// Creates the type of a record from a function that finds its description.
    pub const fn new(find: &'static (dyn Fn() -> &'static RecordInfo + Send + Sync)) -> Self {
        Self(find)
    }

    /// Returns the description of the record.
    pub fn record(self) -> &'static RecordInfo {
        (self.0)()
    }
}

/// Prints only the name of the record, because its description is endless.
impl fmt::Debug for RecursiveRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RecursiveRecord").field(&self.record().name).finish()
    }
}

impl FieldInfo {
    /// `true` if the field has this name on the wire. The field for other members has none: a member that is called like
    /// it is one of these members.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.has_name() && self.wire_name == name
    }

    /// `true` if a key on the wire is the name of the field if both have the same bytes.
    #[inline]
    pub(crate) fn is_comparable(&self) -> bool {
        !self.is_escaped && self.has_name()
    }

    #[inline]
    fn has_name(&self) -> bool {
        !matches!(self.source, FieldSource::Others)
    }
}

impl RecordInfo {
    /// The index of the field that has this name on the wire, or in other responses.
    pub(crate) fn index_of_name(&self, name: &str) -> Option<usize> {
        let index = self.fields.iter().position(|field| field.is_named(name));
        index.or_else(|| self.index_of_other_name(name))
    }

    /// The index of the field that has this name in other responses.
    pub(crate) fn index_of_other_name(&self, name: &str) -> Option<usize> {
        if !self.has_other_names {
            return None;
        }
        self.fields.iter().position(|field| field.also_named.contains(&name))
    }
}

const fn have_other_names(fields: &[FieldInfo]) -> bool {
    let mut index = 0;
    while index < fields.len() {
        if !fields[index].also_named.is_empty() {
            return true;
        }
        index += 1;
    }
    false
}

const fn index_of_others(fields: &[FieldInfo]) -> Option<usize> {
    let mut index = 0;
    while index < fields.len() {
        if matches!(fields[index].source, FieldSource::Others) {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// `true` if JSON escapes a character of a name.
const fn is_escaped_in_json(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if matches!(bytes[index], b'"' | b'\\' | ..b' ') {
            return true;
        }
        index += 1;
    }
    false
}

entry! {
    /// A named type of the catalogue.
    #[derive(Debug)]
    pub struct TypeInfo {
        /// The name of the Rust type.
        pub name: &'static str,
        /// The known values.
        pub values: &'static [ValueInfo],
        ..
        /// Meaning of the type.
        pub summary: &'static str = "",
        /// True if the service may use values that are not in `values`.
        pub open: bool = false,
        /// The names of the attributes that values have. For each attribute, the Rust type has a method of the same name.
        pub attributes: &'static [&'static str] = &[],
    }
}

impl TypeInfo {
    /// Returns the attribute `name` of a known value; `None` if the value or its attribute is unknown.
    pub fn attribute(&self, value: &str, name: &str) -> Option<&'static str> {
        let index = self.attributes.iter().position(|attribute| *attribute == name)?;
        self.values.iter().find(|known| known.value == value)?.attributes.get(index).copied()
    }
}

entry! {
    /// A known value of a named type.
    #[derive(Debug)]
    pub struct ValueInfo {
        /// The value as on the wire.
        pub value: &'static str,
        /// Meaning of the value; empty if it is obvious.
        pub summary: &'static str,
        /// Source of the value.
        pub evidence: Evidence,
        ..
        /// The step that the value denotes, such as one hour for `1h`; `None` if the value does not denote a step.
        pub step: Option<Step> = None,
        /// Attributes of the value, in the order of [`TypeInfo::attributes`]; the attributes at the end of the list may be
        /// omitted.
        pub attributes: &'static [&'static str] = &[],
    }
}

/// The range of a value, which includes the minimum and the maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The minimum, if there is one.
    pub min: Option<f64>,
    /// The maximum, if there is one.
    pub max: Option<f64>,
}

impl Range {
    /// The range without a minimum and without a maximum.
    pub const ALL: Self = Self { min: None, max: None };

    /// Returns whether a value is within the range.
    pub fn contains(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_values_have_attributes() {
        const VALUES: [ValueInfo; 2] = [
            ValueInfo { attributes: &["one", "perp"], ..ValueInfo::new("one_perp", "", Evidence::Documented) },
            ValueInfo { attributes: &["two"], ..ValueInfo::new("two_other", "", Evidence::Documented) },
        ];
        let ty = TypeInfo { attributes: &["house", "kind"], ..TypeInfo::new("Market", &VALUES) };
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
