//! The field that contains the time of a record, and its unit.
//!
//! A known field has its own unit. The unit here applies to records whose fields are unknown.

use super::{BodyInfo, EndpointInfo, ServiceInfo, TimeUnit};

/// The field that contains the time of each record of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeField {
    /// The field's name on the wire.
    pub(crate) name: &'static str,
    /// The unit of the time if the fields are unknown.
    pub(crate) unit: TimeUnit,
}

impl TimeField {
    /// Returns the time field of the envelope.
    pub(crate) fn of_service(service: &'static ServiceInfo) -> Option<Self> {
        let name = service.envelope.as_ref()?.time?;
        Some(Self { name, unit: service.time_unit })
    }

    /// Returns the time field of an endpoint.
    pub(crate) fn of_endpoint(endpoint: &EndpointInfo, service: &ServiceInfo) -> Option<Self> {
        match endpoint.body {
            BodyInfo::Series { time, time_unit, .. } => {
                Some(Self { name: time?, unit: time_unit.unwrap_or(service.time_unit) })
            }
            _ => None,
        }
    }
}
