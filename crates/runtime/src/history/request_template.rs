//! A request whose history is fetched, or the error if the request has no history.
//!
//! The template combines the request with the facts in the catalogue: the step, the page size, and the params for range and
//! order. Nothing is sent here.

use std::borrow::Cow;
use std::time::Duration;

use super::checkpoint::{Checkpoint, CheckpointKind};
use super::time_grid::{Span, TimeGrid};
use crate::client::Untyped;
use crate::error::Error;
use crate::registry::{HistoryInfo, ParamInfo, Step, TimeUnit, ValueType};
use crate::request::check;
use crate::send::Estimate;
use crate::values::wire::ToWire;
use crate::values::{Interval, Timestamp};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

/// The number of steps of a window whose pages are all requested, if the number of records on a page is unknown.
const STEPS_OF_WINDOW: usize = 1000;

/// The number of windows of a range of events.
const EVENT_WINDOWS: u32 = 100;

/// The minimum length of such a window in units of the params. A request covers a unit more at each end, so shorter windows
/// would mostly request the records of others.
const UNITS_OF_WINDOW: u32 = 8;

/// 3000-01-01 in Unix seconds.
const YEAR_3000: i64 = 32_503_680_000;

/// A request whose history is fetched.
#[derive(Clone)]
pub(super) struct RequestTemplate {
    pub(super) request: Untyped,
    /// The request without the params for range, page size and order; it identifies the request in a checkpoint.
    identity: String,
    /// The base URL of the endpoint; it identifies the service in a checkpoint.
    base_url: String,
    pub(super) info: &'static HistoryInfo,
    /// The time units of the params for the start and the end of a range.
    pub(super) units: [TimeUnit; 2],
    pub(super) grid: TimeGrid,
    /// The maximum number of records on a page; `usize::MAX` if it is unknown.
    pub(super) page_size: usize,
    /// The maximum number of records on a page that are outside of its window.
    pub(super) outside: usize,
}

impl RequestTemplate {
    /// Collects the facts about a request, or returns an error if the request has no history.
    pub(super) fn new(request: &Untyped) -> Result<Self, Error> {
        Self::read(request).map_err(|error| request.describe_in(error))
    }

    fn read(request: &Untyped) -> Result<Self, Error> {
        let Some(info) = request.endpoint().history(request.connection().service) else {
            return Err(Error::build("the catalogue defines no history for this endpoint"));
        };
        let mut varying = Vec::new();
        varying.extend(named(info.from));
        varying.extend(named(info.to));
        if let Some((sort, _)) = info.sort {
            varying.push(sort);
        }
        require_unset(request, &varying)?;
        let grid = step(request, info)?;
        let grid = if info.time_is_end { grid.of_ends() } else { grid };
        let units = [info.from, info.to].map(|name| request.time_unit(name));
        let outside = if has_windows(info) { outside(units, grid) } else { 0 };
        let page_size = page_size(request, info, outside)?;
        let mut request = request.clone();
        if let Some(limit) = named(info.limit) {
            if page_size < usize::MAX && request.value(limit).is_none() {
                request = request.set(Cow::Borrowed(limit), Some(page_size.to_string()));
            }
            varying.push(limit);
        }
        let mut identity = request.clone();
        for param in varying {
            identity = identity.set(Cow::Borrowed(param), None);
        }
        let identity = identity.to_string();
        if let Some((name, oldest_first)) = info.sort {
            if request.endpoint().param(name).is_some() {
                request = request.set(Cow::Borrowed(name), Some(oldest_first.to_owned()));
            }
        }
        let base_url = request.base_url()?.to_owned();
        let template = Self { request, identity, base_url, info, units, grid, page_size, outside };
        let now = Timestamp::now();
        template.request(Span { from: now, to: now }).check()?;
        Ok(template)
    }

    /// Returns the maximum number of steps of one request.
    pub(super) fn page_steps(&self) -> usize {
        self.page_size - self.outside
    }

    /// The number of steps that a full page covers; `None` if a window whose records fit on a page cannot be requested.
    pub(super) fn steps_of_a_full_page(&self) -> Option<usize> {
        let is_known = has_windows(self.info) && self.page_size < usize::MAX;
        if is_known { Some(self.page_steps().max(1)) } else { None }
    }

    /// Returns whether a request can select both ends of a range.
    pub(super) fn has_both_ends(&self) -> bool {
        !self.info.from.is_empty() && !self.info.to.is_empty()
    }

    /// Returns the maximum number of records of a range: one for each step that begins in it or, if the service counts the
    /// times of its records from the start of the range, one for each step from there.
    pub(super) fn records_of(&self, range: Span) -> u64 {
        let from = if self.info.includes_start { range.from } else { self.grid.ceil(range.from).min(range.to) };
        self.grid.touched(Span { from, to: range.to })
    }

    /// Returns the number of steps of a window, if all pages of a window are requested; otherwise `None`. A window whose
    /// pages fail is requested again as a whole, so it has few pages.
    pub(super) fn all_pages_of(&self, range: Span) -> Option<usize> {
        self.request.endpoint().pages?;
        if !self.grid.has_steps() {
            let grain = self.units[0].grain().max(self.units[1].grain());
            let window = range.range().end.abs_diff(range.from) / EVENT_WINDOWS;
            let window = window.max(DAY).max(grain.saturating_mul(UNITS_OF_WINDOW));
            return Some(usize::try_from(window.as_nanos()).unwrap_or(usize::MAX));
        }
        Some(if self.page_size < usize::MAX { self.page_steps() } else { STEPS_OF_WINDOW })
    }

    /// Creates the checkpoint at the beginning of a range.
    pub(super) fn checkpoint(&self, range: Span) -> Checkpoint {
        Checkpoint {
            host: self.base_url.clone(),
            request: self.identity.clone(),
            range,
            next: range.from,
            open_since: None,
            missing: None,
            records: 0,
            byte_offset: 0,
        }
    }

    /// Returns the checkpoint, or an error if it belongs to another request or host.
    pub(super) fn resumed<'c>(&self, checkpoint: &'c Checkpoint) -> Result<&'c Checkpoint, Error> {
        self.require_same("request", &self.identity, &checkpoint.request, "use its request")?;
        let moved = "if the service has moved, change the checkpoint with `Checkpoint::with_base_url`";
        self.require_same("host", &self.base_url, &checkpoint.host, moved)?;
        Ok(checkpoint)
    }

    /// Returns an error if the checkpoint of a history has another start.
    pub(super) fn require_start(&self, own: Timestamp, checkpoint: &Checkpoint) -> Result<(), Error> {
        let other = checkpoint.range.from.to_string();
        self.require_same("start", &own.to_string(), &other, "use its start")
    }

    /// Returns an error if a follower made the checkpoint, from which a history cannot continue.
    pub(super) fn require_history(&self, checkpoint: &Checkpoint) -> Result<(), Error> {
        if checkpoint.kind() == CheckpointKind::History {
            return Ok(());
        }
        let next = checkpoint.next;
        let error = Error::build("the checkpoint is that of a follower, and a history cannot continue from it");
        let hint = format!("resume it with `follow` of the same request; all records before {next} were returned");
        Err(self.request.describe_in(error.with_hint(hint)))
    }

    /// Returns an error if a value of a checkpoint (`other`) differs from that of this run (`own`).
    fn require_same(&self, what: &str, own: &str, other: &str, remedy: &str) -> Result<(), Error> {
        if own == other {
            return Ok(());
        }
        let error = Error::build(format!("the checkpoint belongs to another {what}: {other} instead of {own}"));
        Err(self.request.describe_in(error.with_hint(format!("{remedy}, or start without the checkpoint"))))
    }

    /// Returns the start of a range or, if the service does not have records of this age, the time from which it has
    /// records: `margin` after that of the oldest record.
    pub(super) fn available(&self, from: Timestamp, now: Timestamp, margin: Duration) -> Timestamp {
        // The start that is sent can be one unit of the param earlier.
        let margin = margin + self.units[0].grain();
        match self.info.oldest {
            Some(oldest) => from.max(self.grid.ceil(now - oldest + margin)),
            None => from,
        }
    }

    /// Returns a range with the times around it of which a response may have records: a request can begin and end a
    /// unit of its params outside of the range, and a service may round each end to a step. An end that no param sets can
    /// have any records behind it.
    pub(super) fn surroundings(&self, range: Span) -> Span {
        let [from, to] = self.units;
        let mut around = Span {
            from: self.grid.before(range.from - from.grain(), 1),
            to: self.grid.after(self.grid.ceil(range.to + last(to)), 1),
        };
        if self.info.from.is_empty() {
            around.from = Timestamp::MIN;
        }
        if self.info.to.is_empty() {
            around.to = Timestamp::MAX;
        }
        around
    }

    /// Creates the request for a window. The start and the end that are sent are outside of the window, so the
    /// result is the same whether the service includes or excludes them. A service with `includes_start` gets the start of
    /// the window itself, because it can count the times of its records from it.
    pub(super) fn request(&self, window: Span) -> Untyped {
        let [from, to] = self.units;
        let start = if self.info.includes_start { from.floor(window.from) } else { before(window.from, from) };
        let begin = start.to_wire(from);
        let end = to.after(before(window.to, to)).to_wire(to);
        let mut request = self.request.clone();
        if self.info.from == self.info.to {
            return request.set_list(Cow::Borrowed(self.info.from), Some([begin, end]));
        }
        for (name, time) in [(self.info.from, begin), (self.info.to, end)] {
            if !name.is_empty() {
                request = request.set(Cow::Borrowed(name), Some(time));
            }
        }
        request
    }
}

/// Returns the latest time before `time` that can be sent in a unit.
fn before(time: Timestamp, unit: TimeUnit) -> Timestamp {
    unit.floor(time - Duration::from_nanos(1))
}

/// Returns an error if the start of a range is obviously a mistake, such as milliseconds that were read as seconds, or
/// the time of a machine whose clock is ahead.
pub(super) fn require_past(request: &Untyped, from: Timestamp, clock: Estimate) -> Result<(), Error> {
    let time = clock.time();
    let machine = clock.wall;
    let is_past_here = from <= machine;
    let (allowed, name) = if is_past_here { (HOUR, "hour") } else { (DAY, "day") };
    let error = if from.unix_seconds() >= YEAR_3000 {
        let seconds = from.unix_seconds();
        Error::build(format!("the start was read as {seconds} Unix seconds, which is after the year 3000"))
            .with_hint("if that is a number of milliseconds, divide it by 1000")
    } else if from > time + allowed && !clock.is_disputed() {
        let error = Error::build(format!("the start was read as {from}, which is more than one {name} in the future"));
        let machine = machine.floor(Duration::from_secs(1));
        let time = time.floor(Duration::from_secs(1));
        if machine.abs_diff(time) <= Duration::from_secs(5) {
            error.with_hint(format!("it is {machine} by the clock of this machine"))
        } else {
            error.with_hint(format!("check the clock of this machine: it is at {machine}, and the service at {time}"))
        }
    } else {
        return Ok(());
    };
    Err(request.describe_in(error))
}

/// Returns an error if one of the params that a history sets is already set. A required param is an argument of the
/// method, so it is always set, and the history replaces its value.
fn require_unset(request: &Untyped, set_by_history: &[&'static str]) -> Result<(), Error> {
    for name in set_by_history {
        let is_required = request.endpoint().param(name).is_some_and(check::is_required);
        if !is_required && request.value(name).is_some() {
            let error = Error::build(format!("`{name}` is set, but a history sets this param itself"));
            return Err(error.with_hint("do not set this param"));
        }
    }
    Ok(())
}

/// `true` if a request can select a window whose records fit on a page.
pub(super) fn has_windows(info: &HistoryInfo) -> bool {
    info.has_interval() && [info.from, info.to, info.limit].iter().all(|name| !name.is_empty())
}

/// Returns the name of a param, if there is such a param.
fn named(name: &'static str) -> Option<&'static str> {
    if name.is_empty() { None } else { Some(name) }
}

/// Returns the maximum time from the end of a window to the last record on its page. If the unit is a day or another
/// period, the service may include the entire period at the end of the range.
fn last(unit: TimeUnit) -> Duration {
    let is_exact = unit.grain() <= Duration::from_secs(1);
    unit.grain().saturating_mul(if is_exact { 1 } else { 2 })
}

/// Returns the maximum number of records on a page that are outside its window. For times in seconds and steps of two
/// seconds or longer, the number is 1, because such a page cannot have records both before and after its window.
fn outside([from, to]: [TimeUnit; 2], grid: TimeGrid) -> usize {
    let around = (from.grain() + last(to)).as_nanos().div_ceil(grid.interval.shortest().as_nanos());
    usize::try_from(around).unwrap_or(usize::MAX)
}

/// Reads the interval between the requested records.
fn step(request: &Untyped, info: &HistoryInfo) -> Result<TimeGrid, Error> {
    let Some(name) = named(info.step) else {
        return Ok(match info.every {
            Some(every) => TimeGrid::new(interval(every, info)),
            None => TimeGrid::EVENTS,
        });
    };
    let param = request.endpoint().param(name);
    let default = param.and_then(|param| param.default);
    let Some(value) = request.value(name).or(default) else {
        let error = Error::build(format!("a history needs `{name}`, the interval between its records"));
        return Err(error.with_hint(steps(param)));
    };
    let Some((_, step)) = known_steps(param).into_iter().find(|(known, _)| *known == value) else {
        let error = Error::build(format!("`{name}` is `{value}`, an interval of unknown length"));
        return Err(error.with_hint(steps(param)));
    };
    Ok(TimeGrid::new(interval(step, info)))
}

/// The intervals of a step, with the anchor of the catalogue.
fn interval(step: Step, info: &HistoryInfo) -> Interval {
    let intervals = Interval::new(step);
    match info.anchor {
        Some(seconds) => intervals.anchored(Timestamp::from_unix_seconds(seconds)),
        None => intervals,
    }
}

/// The allowed values of the step param, each with its step.
fn known_steps(param: Option<&ParamInfo>) -> Vec<(&'static str, Step)> {
    let Some(ParamInfo { ty: ValueType::Named(named), .. }) = param else { return Vec::new() };
    let mut steps = Vec::new();
    for value in named.values {
        if let Some(step) = value.step {
            steps.push((value.value, step));
        }
    }
    steps
}

fn steps(param: Option<&ParamInfo>) -> String {
    let mut values = Vec::new();
    for (value, _) in known_steps(param) {
        values.push(format!("`{value}`"));
    }
    format!("known values: {}", values.join(", "))
}

/// Returns the page size of the request, or else the largest page size that the service is known to support.
fn page_size(request: &Untyped, info: &HistoryInfo, outside: usize) -> Result<usize, Error> {
    let name = info.limit;
    let size = match request.value(name) {
        Some(value) => value.parse().ok(),
        None => request.endpoint().param(name).and_then(ParamInfo::largest),
    };
    match size {
        Some(size) if size > outside => Ok(size),
        Some(_) => Err(Error::build(format!("`{name}` is too small for a history"))
            .with_hint(format!("set it to at least {}, or omit it", outside.saturating_add(1)))),
        None if !has_windows(info) || request.endpoint().pages.is_some() => Ok(usize::MAX),
        None => Err(Error::build("the largest page size is unknown").with_hint(format!("set `{name}`"))),
    }
}
