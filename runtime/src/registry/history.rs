//! Params that select a time range, and the endpoints that have them.
//!
//! A service declares these params once; an endpoint has a history if it has them and returns a time series. The module
//! `history` fetches the records.

use super::{BodyInfo, EndpointInfo, Evidence, ServiceInfo};

/// Params that select a time range, by their wire names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryInfo {
    /// Param for the beginning of the range.
    pub from: &'static str,
    /// Param for the end of the range.
    pub to: &'static str,
    /// Param for the maximum number of records.
    pub limit: &'static str,
    /// Param for the interval between records; the values of its type have durations.
    pub step: &'static str,
    /// Param for the order of the records, and its value for oldest first; `None` without such a param.
    pub sort: Option<(&'static str, &'static str)>,
    /// Source of these params.
    pub evidence: Evidence,
}

/// Source of an endpoint's history params.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistorySource {
    /// The params of the service, if the endpoint has them.
    #[default]
    Service,
    /// The endpoint declares its own params.
    Endpoint(&'static HistoryInfo),
    /// Unknown, regardless of the endpoint's params.
    Unknown,
}

#[doc(hidden)]
impl HistoryInfo {
    /// Creates the params that select a time range.
    pub const fn new(
        from: &'static str,
        to: &'static str,
        limit: &'static str,
        step: &'static str,
        evidence: Evidence,
    ) -> Self {
        Self { from, to, limit, step, sort: None, evidence }
    }

    pub const fn sort(self, param: &'static str, oldest_first: &'static str) -> Self {
        Self { sort: Some((param, oldest_first)), ..self }
    }
}

impl EndpointInfo {
    /// Returns the params of this endpoint's history; `None` if it has none.
    pub fn history(&self, service: &'static ServiceInfo) -> Option<&'static HistoryInfo> {
        if !matches!(self.body, BodyInfo::Series { time: Some(_), .. }) {
            return None;
        }
        match self.history {
            HistorySource::Endpoint(info) => Some(info),
            HistorySource::Unknown => None,
            HistorySource::Service => {
                let info = service.history.as_ref()?;
                let needed = [info.from, info.to, info.limit, info.step];
                needed.iter().all(|name| self.param(name).is_some()).then_some(info)
            }
        }
    }
}
