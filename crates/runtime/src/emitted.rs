//! Everything that emitted code calls or implements, hidden from users.
//!
//! These names may change with any release: an emitted crate depends on the exact version of the runtime it was
//! generated for.

pub use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::client::{BlockingFeature, ClientType, Core, Marker, Request, Untyped};
pub use crate::decode::{AsFieldValue, Fields};
pub use crate::rate_limit::limit::LimitWindow;
pub use crate::send::{MetadataRecord, SeriesBody};
pub use crate::values::named_type::{Text, duration};

use std::borrow::Cow;

/// The names that emitted files import.
pub mod prelude {
    pub use std::borrow::Cow;

    pub use super::LimitWindow;
    pub use crate::history::HasHistory;
    pub use crate::record::{Record, UnknownFields};
    pub use crate::registry::{
        BaseUrlInfo, BodyFormat, BodyInfo, ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, ErrorBodyInfo, Evidence,
        FieldInfo, FieldSource, GroupInfo, HistoryInfo, HistorySource, LimitInfo, ListFormat, PagesInfo, ParamInfo,
        ParamLocation, Range, RateLimitHeadersInfo, RecordInfo, RecordLayout, Registry, ResetUnit, ServiceInfo,
        StatusInfo, TimeUnit, TypeInfo, ValueInfo, ValueType,
    };
    pub use crate::wire::{IntoParam, IntoParamList, NamedType, ToWire, UnknownValue};
    pub use crate::{
        Decimal, Endpoint, Error, RateLimit, Timestamp, Value, define_client, fields, marker, named_type, takes,
    };
}

use crate::decode::{self, Record, Row};

/// Deserializes a record from its wire form, in any self-describing format.
pub fn deserialize_record<'de, R: Record, D: Deserializer<'de>>(deserializer: D) -> Result<R, D::Error> {
    decode::deserialize(deserializer, |text| decode::object(text, R::INFO).map(|mut row| R::from_row(&mut row)))
}

/// Deserializes a value of a named type.
pub fn deserialize_text<'de, T: Text, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Cow::<str>::deserialize(deserializer).map(|text| T::from(&text))
}

/// Creates the default record.
pub fn default_record<R: Record>() -> R {
    R::from_row(&mut Row::of(R::INFO))
}
