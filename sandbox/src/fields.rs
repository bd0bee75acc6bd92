//! Which fields the records of an endpoint have: those of the registry, or invented ones where it has none.
//!
//! Values are computed in other files.

use std::borrow::Cow;

use generated_client::registry::{BodyInfo, EndpointInfo, FieldInfo, Range, RecordForm, RecordInfo, ValueType};
use generated_client::{SERVICE, Value};

use crate::invented;

/// One field of a reply.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Cow<'static, str>,
    pub(crate) ty: ValueType,
    pub(crate) range: Range,
    pub(crate) unit: &'static str,
    /// A value that was seen.
    pub(crate) example: Option<&'static str>,
}

impl Field {
    fn new(name: impl Into<Cow<'static, str>>, ty: ValueType) -> Self {
        Self { name: name.into(), ty, range: Range::ALL, unit: "", example: None }
    }
}

impl From<&FieldInfo> for Field {
    fn from(info: &FieldInfo) -> Self {
        let FieldInfo { ty, range, unit, example, .. } = *info;
        Self { name: Cow::Borrowed(info.wire_name), ty, range, unit, example }
    }
}

/// The fields of the endpoint's series, in alphabetical order as the published examples have them; `None` if
/// its body is no series.
pub(crate) fn of_series(endpoint: &EndpointInfo) -> Option<Vec<Field>> {
    let BodyInfo::Series { record, time, time_unit, .. } = endpoint.body else {
        return None;
    };
    let mut fields = match record {
        Some(record) => of_record(record),
        None => invented::names(endpoint).into_iter().map(|name| Field::new(name, ValueType::Number)).collect(),
    };
    if let Some(time) = time
        && fields.iter().all(|field| field.name != time)
    {
        fields.push(Field::new(time, ValueType::Timestamp(time_unit.unwrap_or(SERVICE.time_unit))));
    }
    if record.is_none_or(|record| record.form == RecordForm::Object) {
        fields.sort_by(|field, other| field.name.cmp(&other.name));
    }
    Some(fields)
}

pub(crate) fn of_record(record: &RecordInfo) -> Vec<Field> {
    record.fields.iter().map(Field::from).collect()
}

/// Where the records are, and where the metadata is, if a series comes in an envelope.
pub(crate) fn envelope() -> Option<(&'static str, Option<&'static str>)> {
    SERVICE.envelope.as_ref().map(|envelope| (envelope.data, envelope.metadata))
}

/// The value at a place of a body: keys with dots between them.
pub(crate) fn at<'b>(body: &'b mut Value, place: &str) -> Option<&'b mut Value> {
    place.split('.').try_fold(body, |value, key| value.get_mut(key))
}
