//! How emitted code builds the registry: what a fact needs first, then one call for each thing known besides.
//!
//! Everything is evaluated at compile time. What is not said keeps the value that means it is not known.

#![allow(dead_code)] // Which of these are called depends on the catalogue.

use super::{
    BodyInfo, EndpointInfo, Evidence, FieldInfo, GroupInfo, ParamInfo, ParamList, ParamLocation, Range, RecordInfo,
    StatusInfo, SuffixInfo, ValueInfo, ValueType,
};

impl GroupInfo {
    /// A group without endpoints.
    pub(crate) const fn new(ident: &'static str, title: &'static str) -> Self {
        Self { ident, title, summary: "", aliases: &[], endpoints: &[] }
    }

    pub(crate) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) const fn endpoints(self, endpoints: &'static [&'static EndpointInfo]) -> Self {
        Self { endpoints, ..self }
    }
}

impl EndpointInfo {
    /// An endpoint of which only the name is known.
    pub(crate) const fn new(group: &'static str, ident: &'static str, name: &'static str) -> Self {
        Self {
            group,
            ident,
            name,
            aliases: &[],
            summary: "",
            path: None,
            evidence: Evidence::Document,
            params: None,
            body: BodyInfo::Unknown,
            notes: "",
            deprecated: None,
        }
    }

    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// How the name is known.
    pub(crate) const fn named_by(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    pub(crate) const fn path(self, path: &'static str, evidence: Evidence) -> Self {
        Self { path: Some(path), evidence, ..self }
    }

    pub(crate) const fn params(self, set: &'static [ParamInfo], own: &'static [ParamInfo]) -> Self {
        Self { params: Some(ParamList { set, own }), ..self }
    }

    pub(crate) const fn series(
        self,
        record: Option<&'static RecordInfo>,
        time: Option<&'static str>,
        evidence: Evidence,
    ) -> Self {
        Self { body: BodyInfo::Series { record, time, evidence }, ..self }
    }

    pub(crate) const fn object(self, record: &'static RecordInfo, evidence: Evidence) -> Self {
        Self { body: BodyInfo::Object { record, evidence }, ..self }
    }

    pub(crate) const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    pub(crate) const fn deprecated(self, deprecated: &'static str) -> Self {
        Self { deprecated: Some(deprecated), ..self }
    }
}

impl ParamInfo {
    /// An optional query param of any value.
    pub(crate) const fn new(ident: &'static str, wire_name: &'static str, ty: ValueType, evidence: Evidence) -> Self {
        Self {
            ident,
            wire_name,
            location: ParamLocation::Query,
            ty,
            list: None,
            required: None,
            default: None,
            served: &[],
            range: Range::ALL,
            unit: "",
            summary: "",
            notes: "",
            evidence,
        }
    }

    pub(crate) const fn in_path(self) -> Self {
        Self { location: ParamLocation::Path, ..self }
    }

    pub(crate) const fn list(self, setter: &'static str) -> Self {
        Self { list: Some(setter), ..self }
    }

    pub(crate) const fn required(self, evidence: Evidence) -> Self {
        Self { required: Some(evidence), ..self }
    }

    pub(crate) const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(crate) const fn range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    pub(crate) const fn served(self, served: &'static [&'static str]) -> Self {
        Self { served, ..self }
    }

    pub(crate) const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub(crate) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    /// How it is known that this endpoint takes it.
    pub(crate) const fn known_by(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }
}

/// Whether a key needs no escapes in JSON.
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

impl FieldInfo {
    /// A field that is always there, of any value.
    pub(crate) const fn new(ident: &'static str, wire_name: &'static str, ty: ValueType, evidence: Evidence) -> Self {
        let plain = is_plain(wire_name);
        Self {
            ident,
            wire_name,
            plain,
            ty,
            optional: false,
            range: Range::ALL,
            unit: "",
            summary: "",
            notes: "",
            evidence,
        }
    }

    /// Absent or null at times.
    pub(crate) const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    pub(crate) const fn range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    pub(crate) const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub(crate) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }
}

impl StatusInfo {
    /// A status without a label.
    pub(crate) const fn new(status: u16, evidence: Evidence) -> Self {
        Self { status, label: None, summary: "", advice: "", notes: "", evidence }
    }

    pub(crate) const fn label(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }

    pub(crate) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) const fn advice(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    pub(crate) const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }
}

impl ValueInfo {
    /// A value and what it means.
    pub(crate) const fn new(value: &'static str, summary: &'static str, evidence: Evidence) -> Self {
        Self { value, summary, evidence }
    }
}

impl SuffixInfo {
    /// An ending and what it says.
    pub(crate) const fn new(suffix: &'static str, summary: &'static str, evidence: Evidence) -> Self {
        Self { suffix, summary, evidence }
    }
}
