//! Params that select a time range, and the endpoints that have them.
//!
//! A service declares these params once. An endpoint has a history if it accepts them and returns a time series. The
//! module `history` fetches the records.

use std::time::Duration;

use super::{BodyInfo, EndpointInfo, Evidence, ServiceInfo};

/// Params that select a time range, by their wire names. A name is empty if there is no such param; `from` or `to` is
/// not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryInfo {
    /// Param that sets the beginning of the range.
    pub from: &'static str,
    /// Param that sets the end of the range.
    pub to: &'static str,
    /// Param that sets the maximum number of records.
    pub limit: &'static str,
    /// Param that sets the interval between records; the type of the param declares the durations of the values. Empty
    /// if the interval is always `every`, and for events, which have any times.
    pub step: &'static str,
    /// The interval between records, if there is no `step`; `None` for events.
    pub every: Option<Duration>,
    /// The maximum age of records; `None` if it is unknown. A history starts no earlier.
    pub oldest: Option<Duration>,
    /// Param that sets the order of records, and its value for ascending time; `None` if there is no such param.
    pub sort: Option<(&'static str, &'static str)>,
    /// Source of these params.
    pub evidence: Evidence,
}

/// Where the params of an endpoint's history are declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistorySource {
    /// The service declares the params. The endpoint has a history if it accepts them.
    #[default]
    Service,
    /// The endpoint declares the params.
    Endpoint(&'static HistoryInfo),
    /// The params are unknown. The endpoint has no history, even if it accepts the params that the service declares.
    Unknown,
}

impl EndpointInfo {
    /// Returns the params of this endpoint's history; `None` if it has none.
    pub fn history(&self, service: &'static ServiceInfo) -> Option<&'static HistoryInfo> {
        if !matches!(self.body, BodyInfo::Series { time: Some(_), .. }) {
            return None;
        }
        match self.history_source {
            HistorySource::Endpoint(info) => Some(info),
            HistorySource::Unknown => None,
            HistorySource::Service => {
                let info = service.history.as_ref()?;
                let needed = [info.from, info.to, info.limit, info.step];
                needed.iter().all(|name| name.is_empty() || self.param(name).is_some()).then_some(info)
            }
        }
    }
}
