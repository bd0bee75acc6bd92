//! Builders of records, fields and named types.
//!
//! `new` takes the required facts; each optional fact has a setter.

use std::time::Duration;

use crate::registry::{Evidence, FieldInfo, Range, RecordInfo, RecordLayout, TypeInfo, ValueInfo, ValueType};

#[doc(hidden)]
impl RecordInfo {
    /// Creates a record from its name and fields.
    pub const fn new(name: &'static str, fields: &'static [FieldInfo]) -> Self {
        Self { name, summary: "", fields, form: RecordLayout::Object }
    }

    /// Marks the record as one that is a list on the wire, with each value at the position of its field.
    pub const fn positional(mut self) -> Self {
        self.form = RecordLayout::Positional;
        self
    }

    /// Marks the record as one that is only the value of its single field on the wire.
    pub const fn value(mut self) -> Self {
        self.form = RecordLayout::Value;
        self
    }

    set! { summary: &'static str }
}

#[doc(hidden)]
impl TypeInfo {
    /// Creates a type from its name and known values.
    pub const fn new(name: &'static str, values: &'static [ValueInfo]) -> Self {
        Self { name, summary: "", open: false, values, attributes: &[] }
    }

    /// Marks the type as one that may have unknown values.
    pub const fn open(mut self) -> Self {
        self.open = true;
        self
    }

    set! {
        summary: &'static str,
        attributes: &'static [&'static str],
    }
}

#[doc(hidden)]
impl FieldInfo {
    /// Creates a required field without further facts.
    pub const fn new(ident: &'static str, wire_name: &'static str, ty: ValueType, evidence: Evidence) -> Self {
        let plain = is_plain(wire_name);
        Self {
            ident,
            wire_name,
            plain,
            ty,
            optional: false,
            range: Range::ALL,
            example: None,
            unit: "",
            summary: "",
            notes: "",
            evidence,
        }
    }

    /// Marks the field as one that may be absent or null.
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    set! {
        range: Range,
        unit: &'static str,
        summary: &'static str,
        notes: &'static str,
    }

    set_some! { example: &'static str }
}

#[doc(hidden)]
impl ValueInfo {
    /// Creates a value with its meaning.
    pub const fn new(value: &'static str, summary: &'static str, evidence: Evidence) -> Self {
        Self { value, summary, duration: None, attributes: &[], evidence }
    }

    /// Sets the duration of the interval that the value names.
    pub const fn duration(mut self, seconds: u64) -> Self {
        self.duration = Some(Duration::from_secs(seconds));
        self
    }

    set! { attributes: &'static [&'static str] }
}

/// Returns whether a key needs no escapes in JSON.
const fn is_plain(wire_name: &str) -> bool {
    let mut rest = wire_name.as_bytes();
    while let [byte, others @ ..] = rest {
        if matches!(byte, b'"' | b'\\' | ..0x20) {
            return false;
        }
        rest = others;
    }
    true
}
