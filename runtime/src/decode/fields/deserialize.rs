//! Deserialization of records and series from their wire form, with any deserializer of serde.
//!
//! The input is converted to JSON, and the decoder reads that JSON like a response: with the same tolerance and the
//! same errors, and without code that is compiled for each record.

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer};

use crate::decode::record::{Record, UnknownFields};
use crate::decode::{self, DecodeError};
use crate::values::json_text;

/// Converts the input into JSON, and returns the value that `decode` reads from it.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    decode: impl FnOnce(&str) -> Result<T, DecodeError>,
) -> Result<T, D::Error> {
    decode(&json_text(deserializer)?).map_err(D::Error::custom)
}

impl<'de> Deserialize<'de> for UnknownFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, |json| decode::object(json, Self::INFO).map(|mut row| row.unknown_fields()))
    }
}
