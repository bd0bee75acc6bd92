//! From a request and a range to the course of a walk, or why there can be none.
//!
//! What the request says and what the catalogue knows of its endpoint come in; steps, page size and the range of what
//! can be there by now go out. Nothing is sent here.

use std::borrow::Cow;
use std::time::Duration;

use super::grid::{Grid, Span};
use super::verdict::Course;
use crate::client::Untyped;
use crate::error::Error;
use crate::registry::{HistoryInfo, ParamInfo, TimeUnit, ValueType};
use crate::values::Timestamp;

/// A page of one record has no place for what may come beside it.
const LEAST_PAGE: usize = 2;

/// A request whose history is walked.
#[derive(Clone)]
pub(super) struct Template {
    request: Untyped,
    info: &'static HistoryInfo,
    grid: Grid,
    page_size: usize,
}

impl Template {
    /// A request that says all that its history does not.
    pub(super) fn new(request: &Untyped) -> Result<Self, Error> {
        Self::read(request).map_err(|error| request.about(error))
    }

    fn read(request: &Untyped) -> Result<Self, Error> {
        let Some(info) = request.target().endpoint().history(request.service()) else {
            return Err(Error::build("the catalogue does not know how the history of this endpoint is walked"));
        };
        let own = [Some(info.from), Some(info.to), info.sort.map(|(param, _)| param)];
        if let Some(set) = own.into_iter().flatten().find(|name| request.target().sets(name)) {
            let error = Error::build(format!("`{set}` is set, which a history sets itself"));
            return Err(error.with_hint("leave it out; the range says what is asked for"));
        }
        let grid = step(request, info)?;
        let page_size = page_size(request, info)?;
        let mut request = request.clone();
        if !request.target().sets(info.limit) {
            request = request.set(Cow::Borrowed(info.limit), Some(page_size.to_string()));
        }
        if let Some((param, oldest_first)) = info.sort
            && request.target().endpoint().param(param).is_some()
        {
            request = request.set(Cow::Borrowed(param), Some(oldest_first.to_owned()));
        }
        request.target().check()?;
        Ok(Self { request, info, grid, page_size })
    }

    pub(super) fn grid(&self) -> Grid {
        self.grid
    }

    pub(super) fn page_size(&self) -> usize {
        self.page_size
    }

    /// The request as it is for every window.
    pub(super) fn line(&self) -> String {
        self.request.target().to_string()
    }

    /// Says which request an error is about.
    pub(super) fn about(&self, error: Error) -> Error {
        self.request.about(error)
    }

    /// Where data begins, if that is known.
    pub(super) fn since(&self) -> Option<Timestamp> {
        self.info.since.map(Timestamp::from_unix_seconds)
    }

    /// What walks over a range.
    pub(super) fn course(&self, range: Span, ahead: usize, attempts: u32, is_live: bool) -> Course {
        let units = [self.info.from, self.info.to].map(|name| self.request.time_unit(name));
        let margin = if units.contains(&TimeUnit::Seconds) { Duration::from_secs(1) } else { Duration::from_millis(1) };
        Course { grid: self.grid, range, margin, page_size: self.page_size, ahead, attempts, is_live }
    }

    /// The request for a window, whose ends lie right outside of it: it makes no difference then whether the service
    /// has a record of the very end or leaves it out.
    pub(super) fn request(&self, window: Span) -> Untyped {
        let unit = |name| self.request.time_unit(name);
        let before = |time: Timestamp, unit| (time - Duration::from_nanos(1)).wire(unit);
        let from = before(window.from, unit(self.info.from));
        let to = before(window.to, unit(self.info.to)).saturating_add(1);
        let request = self.request.clone().set(Cow::Borrowed(self.info.from), Some(from.to_string()));
        request.set(Cow::Borrowed(self.info.to), Some(to.to_string()))
    }
}

/// How far apart the records are that are asked for.
fn step(request: &Untyped, info: &HistoryInfo) -> Result<Grid, Error> {
    let name = info.step;
    let param = request.target().endpoint().param(name);
    let Some(value) = request.target().value(name).or(param.and_then(|param| param.default)) else {
        return Err(Error::build(format!("`{name}` is not set, and a history has to know how far apart records are"))
            .with_hint(steps(param)));
    };
    let known = named(param).and_then(|mut values| values.find(|(known, _)| *known == value));
    let duration = known.map(|(_, duration)| duration);
    duration.and_then(Grid::of).ok_or_else(|| {
        let message = format!("`{name}` is `{value}`, and nobody knows how long that is");
        Error::build(message).with_hint(steps(param))
    })
}

/// The values of a step, each with its length.
fn named(param: Option<&ParamInfo>) -> Option<impl Iterator<Item = (&'static str, Duration)>> {
    match param?.ty {
        ValueType::Named(named) => Some(named.values.iter().filter_map(|value| Some((value.value, value.duration?)))),
        _ => None,
    }
}

fn steps(param: Option<&ParamInfo>) -> String {
    let values: Vec<_> = named(param).into_iter().flatten().map(|(value, _)| format!("`{value}`")).collect();
    format!("known are {}", values.join(", "))
}

/// The page size that is set, or else the largest that is known to be served.
fn page_size(request: &Untyped, info: &HistoryInfo) -> Result<usize, Error> {
    let name = info.limit;
    let size = match request.target().value(name) {
        Some(value) => value.parse().ok(),
        None => request.target().endpoint().param(name).and_then(largest),
    };
    match size {
        Some(size) if size >= LEAST_PAGE => Ok(size),
        Some(_) => Err(Error::build(format!("`{name}` is too small for a history"))
            .with_hint(format!("set it to {LEAST_PAGE} at least, or leave it out"))),
        None => Err(Error::build("nobody knows how many records a page may have").with_hint(format!("set `{name}`"))),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It stops at the ends.
fn largest(param: &'static ParamInfo) -> Option<usize> {
    let served = param.served.iter().filter_map(|size| size.parse().ok()).max();
    let allowed = param.range.max.map(|most| most as usize);
    served.or(allowed).or_else(|| param.default?.parse().ok())
}
