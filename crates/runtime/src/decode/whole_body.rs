//! Decodes the entire body of an endpoint by the tables of a registry, for programs without a client.

use super::any_record::AnyRecord;
use super::bad_record::BadRecords;
use super::envelope::series;
use super::error::DecodeError;
use super::read_row::object;
use super::record::Item;
use super::scanner::any;
use super::series_layout::SeriesLayout;
use super::text_records::as_json;
use super::unknown_fields::UnknownFields;
use crate::registry::{BodyInfo, EndpointInfo, RecordInfo, ServiceInfo};

/// The body of an endpoint.
#[derive(Debug)]
pub struct DecodedBody {
    /// The records of a series, or one object; none if the body is unknown.
    pub records: Vec<AnyRecord>,
    /// The number of values that do not fit undocumented fields.
    pub misfits: usize,
}

impl DecodedBody {
    /// Decodes a body by the same rules as a client. `text` is the body as it was sent.
    pub fn of(service: &ServiceInfo, endpoint: &EndpointInfo, text: &str) -> Result<Self, DecodeError> {
        match endpoint.body {
            BodyInfo::Series { record, .. } => {
                let json = as_json(text, endpoint, &service.error_body)?;
                let layout = SeriesLayout::in_envelope(service.envelope.as_ref(), endpoint.data)
                    .optional(endpoint.data_optional);
                let mut records: Vec<AnyRecord> = Vec::new();
                let (_, rest) = series::<UnknownFields>(&json, layout, record, BadRecords::Rejected, &mut records)?;
                Ok(Self { records, misfits: rest.misfits })
            }
            BodyInfo::Object { record, .. } => Self::of_record(record, text),
            BodyInfo::Unknown => any(text).map(|_| Self { records: Vec::new(), misfits: 0 }),
        }
    }

    /// Decodes one object by its table.
    pub fn of_record(record: &'static RecordInfo, text: &str) -> Result<Self, DecodeError> {
        let mut row = object(text, record)?;
        let misfits = row.misfits;
        Ok(Self { records: vec![AnyRecord::from_row(&mut row)], misfits })
    }
}
