//! Field with the time of a series' records, and its unit.
//!
//! A record with a table has the units of its fields; the unit here is for records whose fields are unknown.

use super::{BodyInfo, EndpointInfo, ServiceInfo, TimeUnit};

/// Where the records of a series have their time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeField {
    /// The field's name on the wire.
    pub(crate) name: &'static str,
    /// The unit of the time, where no known field names it.
    pub(crate) unit: TimeUnit,
}

impl TimeField {
    /// The one that the envelope names.
    pub(crate) fn of_service(service: &'static ServiceInfo) -> Option<Self> {
        let name = service.envelope.as_ref()?.time?;
        Some(Self { name, unit: service.time_unit })
    }

    /// The one that an endpoint names.
    pub(crate) fn of_endpoint(endpoint: &EndpointInfo, service: &ServiceInfo) -> Option<Self> {
        match endpoint.body {
            BodyInfo::Series { time, time_unit, .. } => {
                Some(Self { name: time?, unit: time_unit.unwrap_or(service.time_unit) })
            }
            _ => None,
        }
    }
}
