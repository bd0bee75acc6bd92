//! A service that no catalogue describes, for whoever tries the decoder.
//!
//! It has a field of every type, so that what holds of it holds of any service.

use super::EnvelopeRest;
use super::record::{Item, Record, Row, UnknownFields};
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, TimeUnit, TypeInfo, ValueType};
use crate::values::wire::NamedType;
use crate::values::{Timestamp, Value};

/// A record with a field of every type.
#[derive(Debug, PartialEq)]
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
    FieldInfo::new(wire_name, wire_name, ty, Evidence::Document)
}

impl Record for Every {
    const INFO: &'static RecordInfo = &RecordInfo {
        name: "Every",
        summary: "",
        fields: &[
            field("time", ValueType::Timestamp(TimeUnit::Seconds)),
            field("number", ValueType::Number),
            field("integer", ValueType::Integer),
            field("count", ValueType::Count),
            field("flag", ValueType::Boolean),
            field("text", ValueType::String),
            field("side", ValueType::named::<Side>()),
            field("maybe", ValueType::Number),
            field("any", ValueType::Any),
            field("levels", ValueType::List(&ValueType::record::<Level>())),
            field("best", ValueType::record::<Level>()),
            field("grid", ValueType::List(&ValueType::List(&ValueType::Number))),
            field("a\\n", ValueType::Boolean),
        ],
    };

    fn from_row(row: &mut Row<'_>) -> Self {
        Self {
            time: row.take(0),
            number: row.take(1),
            integer: row.take(2),
            count: row.take(3),
            flag: row.take(4),
            text: row.take(5),
            side: row.take(6),
            maybe: row.take(7),
            any: row.take(8),
            levels: row.take_or_default(9),
            best: row.take(10),
            grid: row.take_or_default(11),
            escaped: row.take(12),
            unknown_fields: row.unknown_fields(),
        }
    }
}

#[derive(Debug, PartialEq)]
pub(crate) struct Level {
    pub(crate) price: f64,
    pub(crate) unknown_fields: UnknownFields,
}

impl Record for Level {
    const INFO: &'static RecordInfo =
        &RecordInfo { name: "Level", summary: "", fields: &[field("price", ValueType::Number)] };

    fn from_row(row: &mut Row<'_>) -> Self {
        Self { price: row.take(0), unknown_fields: row.unknown_fields() }
    }
}

#[derive(Debug, PartialEq)]
pub(crate) struct Side(pub(crate) String);

impl From<&str> for Side {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl NamedType for Side {
    const INFO: &'static TypeInfo = &TypeInfo { name: "Side", summary: "", open: false, values: &[], suffixes: &[] };

    fn as_str(&self) -> &str {
        &self.0
    }
}

const ENVELOPE: &EnvelopeInfo = &EnvelopeInfo { data: "data", metadata: Some("metadata"), time: None };

/// What stands beside the records.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) exchanges: Vec<String>,
}

impl Record for About {
    const INFO: &'static RecordInfo =
        &RecordInfo { name: "About", summary: "", fields: &[field("exchanges", ValueType::List(&ValueType::String))] };

    fn from_row(row: &mut Row<'_>) -> Self {
        Self { exchanges: row.take_or_default(0) }
    }
}

/// A whole envelope.
#[derive(Debug)]
pub(crate) struct Whole<T> {
    pub(crate) data: Vec<T>,
    pub(crate) metadata: About,
    pub(crate) unknown_fields: UnknownFields,
}

/// Decodes a series of whatever kind.
pub(crate) fn series_of<T: Item>(text: &str) -> Result<Whole<T>, String> {
    let mut data: Vec<T> = Vec::new();
    let rest = super::series::<About>(text, Some(ENVELOPE), T::INFO, &mut data);
    let EnvelopeRest { metadata, unknown_fields, .. } = rest.map_err(|error| error.to_string())?;
    Ok(Whole { data, metadata, unknown_fields })
}
