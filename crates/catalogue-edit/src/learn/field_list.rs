//! The facts that apply to all fields of a known list.

use catalogue::spec::{Evidence, Fields, Known};

use super::endpoint_reader::EndpointReader;
use crate::content::{Content, FieldListPosition};

/// The facts that apply to all fields of a known list of fields.
#[derive(Default)]
pub(super) struct FieldList {
    /// The evidence that fields of the list inherit.
    pub(super) evidence: Evidence,
    /// The fields whose types must not change.
    pub(super) fixed: Vec<FixedField>,
    /// The text that precedes the name of a field in messages.
    pub(super) within: String,
    /// The type of the members that are not listed, if it is declared.
    pub(super) others: Option<String>,
    /// `true` if several bodies share this list. New fields are then optional, because other bodies may lack them.
    pub(super) is_shared: bool,
}

/// A field whose type must not change.
pub(super) struct FixedField {
    pub(super) name: String,
    pub(super) why: &'static str,
}

impl EndpointReader<'_> {
    /// The facts that apply to all fields at a position.
    pub(super) fn list(&self, at: &FieldListPosition) -> FieldList {
        let content = &self.editor.content;
        match at {
            FieldListPosition::Body(_) => self.list_of_body(),
            FieldListPosition::Record(at) => {
                let record = &content.records(&at.module)[at.index];
                FieldList {
                    evidence: record.evidence,
                    fixed: times_of_record(content, &record.name),
                    within: format!("{}.", record.name),
                    others: record.others.as_ref().map(ToString::to_string),
                    is_shared: true,
                }
            }
            FieldListPosition::Metadata => self.list_of_metadata().unwrap_or_else(|| self.list_of_body()),
        }
    }

    fn list_of_body(&self) -> FieldList {
        let others = self.listed().and_then(|listed| listed.others).map(|others| others.to_string());
        FieldList { evidence: self.known_evidence(), others, ..FieldList::default() }
    }

    fn list_of_metadata(&self) -> Option<FieldList> {
        let envelope = self.editor.content.service.envelope.as_ref()?;
        let metadata = envelope.metadata.as_ref()?;
        let mut fixed = Vec::new();
        if let Some(name) = &metadata.unsupported {
            let why = "`envelope.metadata.unsupported` declares it as a list";
            fixed.push(FixedField { name: name.to_string(), why });
        }
        let within = format!("{}.", metadata.name);
        Some(FieldList { evidence: envelope.evidence, fixed, within, others: None, is_shared: true })
    }
}

/// The fields of a record that must remain timestamps, because a series uses them as its time.
fn times_of_record(content: &Content, record: &str) -> Vec<FixedField> {
    let of_envelope = content.service.envelope_time().map(|time| &time.name);
    let mut fixed = Vec::new();
    for (_, endpoint) in content.endpoints() {
        let Some(body) = endpoint.body.known() else { continue };
        let Some(Known::Known(Fields::Record(name))) = &body.series else { continue };
        if name.as_str() == record
            && let Some(time) = body.time.as_ref().or(of_envelope)
        {
            let why = "it is the time of a series; set `time: none` in the body, then learn again";
            fixed.push(FixedField { name: time.to_string(), why });
        }
    }
    fixed
}
