//! How a range of time is walked: which params do that, and which endpoints have them.
//!
//! The service says it once; an endpoint has a history if it takes these params and answers with a series in time.
//! Asking is the job of `history`.

use super::{BodyInfo, EndpointInfo, Evidence, ServiceInfo};

/// The params that a range of time is walked by, each by its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryInfo {
    /// Where a range begins.
    pub from: &'static str,
    /// Where it ends.
    pub to: &'static str,
    /// How many records are wanted at most.
    pub limit: &'static str,
    /// How far apart records are, by a type whose values say how long they are.
    pub step: &'static str,
    /// The order of the records, and its value for the oldest first; `None` if there is no such param.
    pub sort: Option<(&'static str, &'static str)>,
    /// Where data begins, in Unix seconds, if that is known.
    pub since: Option<i64>,
    /// How it is known.
    pub evidence: Evidence,
}

/// How the history of an endpoint is walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryOf {
    /// As the service says, if the endpoint takes the params.
    #[default]
    Service,
    /// In a way of its own.
    Own(&'static HistoryInfo),
    /// Unknown, whatever params the endpoint takes.
    Unknown,
}

impl HistoryInfo {
    /// The params by which a range is walked.
    #[doc(hidden)]
    pub const fn new(
        from: &'static str,
        to: &'static str,
        limit: &'static str,
        step: &'static str,
        evidence: Evidence,
    ) -> Self {
        Self { from, to, limit, step, sort: None, since: None, evidence }
    }

    #[doc(hidden)]
    pub const fn sort(self, param: &'static str, oldest_first: &'static str) -> Self {
        Self { sort: Some((param, oldest_first)), ..self }
    }

    #[doc(hidden)]
    pub const fn since(self, seconds: i64) -> Self {
        Self { since: Some(seconds), ..self }
    }
}

impl EndpointInfo {
    /// How the history of this endpoint is walked; `None` if it has none.
    pub fn history(&self, service: &'static ServiceInfo) -> Option<&'static HistoryInfo> {
        if !matches!(self.body, BodyInfo::Series { time: Some(_), .. }) {
            return None;
        }
        match self.history {
            HistoryOf::Own(info) => Some(info),
            HistoryOf::Unknown => None,
            HistoryOf::Service => {
                let info = service.history.as_ref()?;
                let needed = [info.from, info.to, info.limit, info.step];
                needed.iter().all(|name| self.param(name).is_some()).then_some(info)
            }
        }
    }
}
