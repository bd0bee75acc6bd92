//! A series to write: a request that has a history, and its path in a data set.
//!
//! The path contains all params of the request except those that a history sets.

use std::time::Duration;

use runtime::history::History;
use runtime::registry::{BodyInfo, EndpointInfo};
use runtime::{Dynamic, Request, Timestamp};

use crate::error::Error;
use crate::path_names;

/// Names of columns that every table has.
const RESERVED: [&str; 2] = ["endpoint", "unknown_fields"];

/// A time series of records: an endpoint with its params.
///
/// ```
/// # fn demo(request: runtime::Request<runtime::Dynamic>) -> Result<(), generated_client_tables::Error> {
/// let series = generated_client_tables::SeriesRequest::new(request)?;
/// println!("{}", series.path()); // orderflow.volume_ratio/exchange=…/coin=BTC/timeframe=1h
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SeriesRequest {
    request: Request<Dynamic>,
    path: String,
    step: Duration,
    time: &'static str,
}

impl SeriesRequest {
    /// Creates the series of a request. Returns an error if its endpoint has no history, or if a param is missing or
    /// invalid.
    pub fn new(request: impl Into<Request<Dynamic>>) -> Result<Self, Error> {
        let request = request.into();
        let plan =
            History::new(request.clone(), Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(0)).plan()?;
        let BodyInfo::Series { time: Some(time), .. } = request.endpoint().body else {
            let endpoint = request.endpoint();
            return Err(Error::invalid_input(format!("{endpoint}: the records of this endpoint have no time field")));
        };
        if request.endpoint().history(request.service()).is_some_and(|info| info.step.is_empty()) {
            let endpoint = request.endpoint();
            return Err(Error::invalid_input(format!("{endpoint}: its records have no interval, which a table needs")));
        }
        let path = path(&request);
        if let Some((name, _)) = path_names::params(&path).find(|(name, _)| RESERVED.contains(&&**name) || name == time)
        {
            let endpoint = request.endpoint();
            return Err(Error::invalid_input(format!(
                "{endpoint}: the param `{name}` has the name of another column of a table; omit it"
            )));
        }
        Ok(Self { path, step: plan.step, time, request })
    }

    /// Returns the request without a range.
    pub fn request(&self) -> &Request<Dynamic> {
        &self.request
    }

    /// Returns the endpoint's description in the catalogue.
    pub fn endpoint(&self) -> &'static EndpointInfo {
        self.request.endpoint()
    }

    /// Returns the path that identifies this series: the endpoint and its params, as in the folder names of a data set.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the interval between the records.
    pub fn step(&self) -> Duration {
        self.step
    }

    /// Returns the params that can distinguish series of this endpoint, in a fixed order.
    pub fn params(&self) -> impl Iterator<Item = &'static str> {
        let is_column = |name: &&str| *name != self.time && !RESERVED.contains(name);
        params(&self.request).into_iter().filter(is_column)
    }

    /// Returns the name of the interval in file names: the value of the param, or the length of the interval if the
    /// param is not set or if another value could differ from it only in upper and lower case.
    pub(crate) fn interval(&self) -> String {
        let name = self.request.endpoint().history(self.request.service()).map_or("", |info| info.step);
        let value = path_names::params(&self.path).find(|(known, _)| known == name).map(|(_, value)| value);
        let value = value.filter(|value| !value.contains(|letter: char| letter.is_uppercase()));
        value.map_or_else(
            || format!("{}s", self.step.as_secs()),
            |value| path_names::encoded(&value).replace('-', "%2D"),
        )
    }

    /// Returns the time field of a record.
    pub(crate) fn time(&self) -> &'static str {
        self.time
    }
}

/// Returns the params that can distinguish series of an endpoint: first the optional params, then the required params,
/// then the interval.
fn params(request: &Request<Dynamic>) -> Vec<&'static str> {
    let history = request.endpoint().history(request.service());
    let own = history.map(|info| [info.from, info.to, info.limit, info.sort.map_or("", |(param, _)| param)]);
    let params = request.endpoint().params.unwrap_or_default().iter();
    let mut params: Vec<_> = params.filter(|param| own.is_none_or(|own| !own.contains(&param.wire_name))).collect();
    let step = history.map_or("", |info| info.step);
    params.sort_by_key(|param| (param.wire_name == step, param.required.is_some()));
    params.into_iter().map(|param| param.wire_name).collect()
}

/// Returns the path of a series: the endpoint, and then the params that are set. Params that are not in the catalogue
/// precede all other params.
fn path(request: &Request<Dynamic>) -> String {
    let known = params(request);
    let position = |name: &str| known.iter().position(|known| *known == name);
    let is_own = |name: &str| position(name).is_some() || request.endpoint().param(name).is_none();
    let mut params: Vec<_> = request.params().filter(|(name, _)| is_own(name)).collect();
    params.sort_by_key(|(name, _)| position(name));
    // In folder names, an empty value means that the param is not set.
    params.retain(|(_, value)| !value.is_empty());
    let folders = params.chunk_by(|one, next| one.0 == next.0).map(|same| {
        let values: Vec<_> = same.iter().map(|(_, value)| *value).collect();
        path_names::param(same[0].0, &values.join(","))
    });
    std::iter::once(request.endpoint().to_string()).chain(folders).collect::<Vec<_>>().join("/")
}
