//! A mock service without a catalogue, for tests of the decoder.
//!
//! Its record has a field of every type, so that the tests cover the fields of any service.

#![allow(dead_code, unreachable_pub, reason = "has the same methods as emitted records")]

use std::borrow::Cow;

use super::{BadRecord, BadRecords, EnvelopeRest, Item, Record, SeriesLayout, UnknownFields};
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, TimeUnit, TypeInfo, ValueType};
use crate::values::wire::NamedType;
use crate::values::{Timestamp, Value};

/// A record with a field of every type.
pub(crate) struct Every {
    pub(crate) time: Timestamp,
    pub(crate) number: f64,
    pub(crate) integer: i64,
    pub(crate) count: u64,
    pub(crate) flag: bool,
    pub(crate) text: String,
    pub(crate) side: Side,
    pub(crate) maybe: Option<f64>,
    pub(crate) any: Option<Value>,
    pub(crate) levels: Vec<Level>,
    pub(crate) best: Option<Level>,
    pub(crate) grid: Vec<Vec<f64>>,
    pub(crate) escaped: Option<bool>,
    pub(crate) unknown_fields: UnknownFields,
}

const fn field(wire_name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(wire_name, wire_name, ty, Evidence::Documented)
}

impl Record for Every {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "Every",
        &[
            field("time", ValueType::Timestamp(TimeUnit::Seconds)),
            field("number", ValueType::Number),
            field("integer", ValueType::Integer),
            field("count", ValueType::Count),
            field("flag", ValueType::Boolean),
            field("text", ValueType::String),
            field("side", ValueType::named::<Side>()),
            FieldInfo { optional: true, ..field("maybe", ValueType::Number) },
            FieldInfo { optional: true, ..field("any", ValueType::Any) },
            FieldInfo { optional: true, ..field("levels", ValueType::List(&ValueType::record::<Level>())) },
            FieldInfo { optional: true, ..field("best", ValueType::record::<Level>()) },
            FieldInfo { optional: true, ..field("grid", ValueType::List(&ValueType::List(&ValueType::Number))) },
            FieldInfo { optional: true, ..field("a\\n", ValueType::Boolean) },
        ],
    );
}

crate::fields!(
    Every => time = 0, number = 1, integer = 2, count = 3, flag = 4, text = 5, side = 6, maybe = 7, any = 8,
    levels = 9, best = 10, grid = 11, escaped = 12
);

pub(crate) struct Level {
    pub(crate) price: f64,
    pub(crate) unknown_fields: UnknownFields,
}

impl Record for Level {
    const INFO: &'static RecordInfo = &RecordInfo::new("Level", &[field("price", ValueType::Number)]);
}

crate::fields!(Level => price = 0);

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side(pub(crate) Cow<'static, str>);

crate::named_type!(identifier Side);

impl NamedType for Side {
    const INFO: &'static TypeInfo = &TypeInfo::new("Side", &[]);
}

const ENVELOPE: &EnvelopeInfo = &EnvelopeInfo { data: "data", metadata: Some("metadata"), time: None };

/// Metadata of the series.
pub(crate) struct About {
    pub(crate) exchanges: Vec<String>,
    pub(crate) unknown_fields: UnknownFields,
}

impl Record for About {
    const INFO: &'static RecordInfo = &RecordInfo::new(
        "About",
        &[FieldInfo { optional: true, ..field("exchanges", ValueType::List(&ValueType::String)) }],
    );
}

crate::fields!(About => exchanges = 0);

/// A decoded response: the records, and the rest of the envelope.
#[derive(Debug)]
pub(crate) struct Whole<T> {
    pub(crate) data: Vec<T>,
    pub(crate) metadata: About,
    pub(crate) unknown_fields: UnknownFields,
    pub(crate) bad_records: Vec<BadRecord>,
}

/// An envelope whose records and metadata are in nested objects.
pub(crate) const DEEP: &EnvelopeInfo =
    &EnvelopeInfo { data: "result.page.rows", metadata: Some("result.about"), time: None };

/// Decodes a series of any kind.
pub(crate) fn series_of<T: Item>(text: &str) -> Result<Whole<T>, String> {
    read_as(text, ENVELOPE, BadRecords::Rejected)
}

/// Decodes a series, and skips its bad records.
pub(crate) fn good_of<T: Item>(text: &str) -> Result<Whole<T>, String> {
    read_as(text, ENVELOPE, BadRecords::Skipped)
}

/// Decodes a series with the envelope [`DEEP`].
pub(crate) fn deep_of<T: Item>(text: &str, bad_records: BadRecords) -> Result<Whole<T>, String> {
    read_as(text, DEEP, bad_records)
}

fn read_as<T: Item>(text: &str, envelope: &'static EnvelopeInfo, bad_records: BadRecords) -> Result<Whole<T>, String> {
    let mut data: Vec<T> = Vec::new();
    let rest =
        super::series::<About>(text, SeriesLayout::in_envelope(Some(envelope), None), T::INFO, bad_records, &mut data);
    let (metadata, rest) = rest.map_err(|error| error.to_string())?;
    let EnvelopeRest { unknown_fields, bad_records, .. } = rest;
    Ok(Whole { data, metadata, unknown_fields, bad_records })
}
