//! A series that is written: a request that has a history, and its path in a data set.
//!
//! A request comes in with all its params; params that a history sets itself are no part of the path.

use std::time::Duration;

use runtime::history::History;
use runtime::registry::{BodyInfo, EndpointInfo, TimeUnit};
use runtime::{Dynamic, Request};

use crate::error::Error;
use crate::layout;

/// A series of records in time: an endpoint with its params.
///
/// ```
/// # fn demo(request: runtime::Request<runtime::Dynamic>) -> Result<(), tables::Error> {
/// let series = tables::SeriesRequest::new(request)?;
/// println!("{}", series.path()); // orderflow.volume_ratio/exchange=…/coin=BTC/timeframe=1h
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SeriesRequest {
    request: Request<Dynamic>,
    path: String,
    step: Duration,
    time: TimeColumn,
}

/// Where a record has its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeColumn {
    pub(crate) name: &'static str,
    pub(crate) unit: TimeUnit,
}

impl SeriesRequest {
    /// The series of a request, unless its endpoint has no history or a param is missing or wrong.
    pub fn new(request: impl Into<Request<Dynamic>>) -> Result<Self, Error> {
        let request = request.into();
        let plan = History::new(request.clone(), 0..0).plan()?;
        let time = time(&request).ok_or_else(|| {
            Error::invalid_input(format!("{}: the records of this endpoint have no time", request.endpoint()))
        })?;
        Ok(Self { path: path(&request), step: plan.step, time, request })
    }

    /// The request, without a range.
    pub fn request(&self) -> &Request<Dynamic> {
        &self.request
    }

    /// The endpoint, as the catalogue describes it.
    pub fn endpoint(&self) -> &'static EndpointInfo {
        self.request.endpoint()
    }

    /// The path that tells this series from any other: the endpoint and its params, as folders of a data set are named.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How far apart its records are.
    pub fn step(&self) -> Duration {
        self.step
    }

    /// The params by which series of this endpoint can differ, in a fixed order.
    pub(crate) fn params(&self) -> impl Iterator<Item = &'static str> {
        let endpoint = self.endpoint();
        let (own, step) = own_params(&self.request);
        let params = endpoint.params.unwrap_or_default().iter().filter(move |param| !own.contains(&param.wire_name));
        let mut params: Vec<_> = params.collect();
        params.sort_by_key(|param| (param.wire_name == step, param.required.is_some()));
        params.into_iter().map(|param| param.wire_name)
    }

    pub(crate) fn time(&self) -> TimeColumn {
        self.time
    }
}

fn time(request: &Request<Dynamic>) -> Option<TimeColumn> {
    match request.endpoint().body {
        BodyInfo::Series { time, time_unit, .. } => {
            Some(TimeColumn { name: time?, unit: time_unit.unwrap_or(request.service().time_unit) })
        }
        _ => None,
    }
}

/// The params that a history sets, and the one of the step.
fn own_params(request: &Request<Dynamic>) -> ([&'static str; 4], &'static str) {
    let history = request.endpoint().history(request.service());
    let own =
        history.map_or([""; 4], |info| [info.from, info.to, info.limit, info.sort.map_or("", |(param, _)| param)]);
    (own, history.map_or("", |info| info.step))
}

/// The endpoint, then the params by which its series differ: the optional ones, the required ones, the step.
fn path(request: &Request<Dynamic>) -> String {
    let endpoint = request.endpoint();
    let (own, step) = own_params(request);
    let mut params: Vec<_> = request.params().filter(|(name, _)| !own.contains(name)).collect();
    let is_needed = |name: &str| endpoint.param(name).is_some_and(|param| param.required.is_some());
    params.sort_by_key(|(name, _)| (*name == step, is_needed(name)));
    let folders = params.into_iter().map(|(name, value)| layout::folder(name, value));
    std::iter::once(endpoint.to_string()).chain(folders).collect::<Vec<_>>().join("/")
}
