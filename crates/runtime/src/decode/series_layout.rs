//! Where the records and the metadata of a series are in its body.

use crate::registry::EnvelopeInfo;

/// The JSON paths of a series in its body, and the field with the time of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeriesLayout {
    /// The path of the records; `None` if the body is the list.
    pub(super) records: Option<&'static str>,
    /// The path of the metadata, if there is any.
    pub(super) metadata: Option<&'static str>,
    /// The time field that the envelope declares for all records.
    pub(super) time: Option<&'static str>,
    /// True if the records can be missing or null.
    pub(super) is_optional: bool,
}

/// The keys that lead to the records and to the metadata; `None` for a path that a body does not have.
#[derive(Clone, Debug)]
pub(crate) struct Paths<'k> {
    pub(super) records: Option<Vec<&'k str>>,
    pub(super) metadata: Option<Vec<&'k str>>,
}

impl SeriesLayout {
    /// The layout of a body in the service's envelope; `records` is the endpoint's own path of the records.
    pub(crate) fn in_envelope(envelope: Option<&EnvelopeInfo>, records: Option<&'static str>) -> Self {
        let mut layout = Self { records, metadata: None, time: None, is_optional: false };
        if let Some(envelope) = envelope {
            layout.records = records.or(Some(envelope.data));
            layout.metadata = envelope.metadata;
            layout.time = envelope.time;
        }
        // A body that is the list has no place for metadata.
        if matches!(layout.records, None | Some(".")) {
            layout.records = None;
            layout.metadata = None;
        }
        layout
    }

    /// Sets whether the records can be missing or null.
    pub(crate) fn optional(self, is_optional: bool) -> Self {
        Self { is_optional, ..self }
    }

    /// The paths in one body. `key` is the name in the body for which `*` stands.
    pub(crate) fn paths<'k>(&self, key: Option<&'k str>) -> Paths<'k> {
        Paths { records: self.records.map(|path| keys(path, key)), metadata: self.metadata.map(|path| keys(path, key)) }
    }
}

fn keys<'k>(path: &'static str, key: Option<&'k str>) -> Vec<&'k str> {
    let mut keys: Vec<&'k str> = path.split('.').collect();
    if let Some(key) = key {
        for part in &mut keys {
            if *part == "*" {
                *part = key;
            }
        }
    }
    keys
}
