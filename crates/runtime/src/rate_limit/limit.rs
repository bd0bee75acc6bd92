//! Rate limits: requests per window, and requests in flight.
//!
//! A limit is built from the limit sets of the catalogue or from the user's numbers. A rate limiter enforces it.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use super::window::Window;
use crate::error::Error;
use crate::registry::{EndpointInfo, LimitInfo};

/// The maximum rate of the requests of a client.
///
/// ```
/// # use generated_client_runtime::RateLimit;
/// use std::time::Duration;
///
/// let second = RateLimit::new(5, Duration::from_secs(1), 5);
/// let both = second.clone().and(RateLimit::new(200, Duration::from_secs(60), 10));
/// assert_ne!(both, second);
/// assert_eq!(second.clone().and(RateLimit::none()), second);
/// ```
#[must_use = "a limit has no effect until it is passed to a builder or a rate limiter"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    windows: Cow<'static, [LimitWindow]>,
    concurrent: Option<usize>,
}

/// A window of a limit. It counts the requests of all endpoints, or only those of certain endpoints.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LimitWindow {
    /// The groups or paths of the endpoints; empty if every request counts.
    pub(super) endpoints: &'static [&'static str],
    window: Window,
}

impl LimitWindow {
    /// Creates a window of this many requests in this many seconds, for these endpoints.
    pub const fn of(requests: u32, seconds: u32, endpoints: &'static [&'static str]) -> Self {
        let length = Duration::from_secs(seconds as u64);
        Self { endpoints, window: Window { requests: requests as usize, length } }
    }

    /// Returns whether the window counts the requests of an endpoint.
    pub fn counts(&self, endpoint: &EndpointInfo) -> bool {
        self.endpoints.is_empty() || endpoint.is_one_of(self.endpoints)
    }

    /// Returns the window as a separate limit that counts every request, for a queue that only the window's endpoints
    /// use.
    pub fn alone(self) -> RateLimit {
        RateLimit { windows: vec![Self { endpoints: &[], ..self }].into(), concurrent: None }
    }
}

impl RateLimit {
    /// Creates a limit of `requests` in any interval of the length `window`, and of `concurrent` requests in flight at
    /// once.
    ///
    /// The client counts a request when it is sent, and the service counts it when it arrives. The delay between these
    /// times varies, so each window is extended by 1 %, and further for a while after a 429.
    ///
    /// A request counts as sent when the transport reports that the request was written to a connection. If the
    /// transport cannot report this, the request counts as sent when the transport is called. The response time does
    /// not affect the rate while fewer than `concurrent` requests are in flight.
    ///
    /// An idle client sends up to ten requests at once; queued requests are sent evenly.
    ///
    /// Zero is treated as one, because a limit of 0 would block forever.
    pub fn new(requests: u32, window: Duration, concurrent: u32) -> Self {
        let window = Window { requests: at_least_one(requests), length: window };
        let windows = vec![LimitWindow { endpoints: &[], window }];
        Self { windows: windows.into(), concurrent: Some(at_least_one(concurrent)) }
    }

    /// Creates a limit from its description in the catalogue.
    #[doc(hidden)]
    pub const fn set(windows: &'static [LimitWindow], concurrent: Option<usize>) -> Self {
        Self { windows: Cow::Borrowed(windows), concurrent }
    }

    /// Returns a limit that satisfies every limit set of a service, because it is unknown which of them applies.
    #[doc(hidden)]
    pub fn all(sets: &[LimitInfo]) -> Self {
        let mut all = Self::none();
        for set in sets {
            all = all.and(Self::from(set));
        }
        all
    }

    /// Returns the limit of the limit set with this name. The error for an unknown name lists the known names.
    #[doc(hidden)]
    pub fn named(name: &str, sets: &[LimitInfo]) -> Result<Self, Error> {
        if let Some(set) = sets.iter().find(|set| set.name == name) {
            return Ok(Self::from(set));
        }
        let known: Vec<_> = sets.iter().map(|set| format!("`{}`", set.name)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(Error::build(format!("unknown limit set {name:?}")).with_hint(format!("known: {known}")))
    }

    /// Creates a value that imposes no limit. After a 429, the rate limiter still pauses.
    pub const fn none() -> Self {
        Self::set(&[], None)
    }

    /// Returns a limit that satisfies both limits.
    pub fn and(mut self, other: Self) -> Self {
        // The windows are sorted, so that limits combined in another order are equal.
        let mut windows = [self.windows, other.windows].concat();
        windows.sort_unstable();
        windows.dedup();
        self.windows = windows.into();
        self.concurrent = match (self.concurrent, other.concurrent) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }

    /// Returns the minimum time between the first and the last request, given the number of requests for each endpoint,
    /// and the time for which a request is in flight.
    pub fn min_duration(&self, requests: &[(u64, &EndpointInfo)], latency: Duration) -> Duration {
        let mut count = 0_u64;
        for (requests, _) in requests {
            count = count.saturating_add(*requests);
        }
        let concurrent = self.concurrent.unwrap_or(usize::MAX);
        let mut longest = rounds(count, concurrent, latency);
        for limit in self.windows.iter() {
            let mut counted = 0_u64;
            for (requests, endpoint) in requests {
                if limit.counts(endpoint) {
                    counted = counted.saturating_add(requests.saturating_mul(endpoint.weight.max(1).into()));
                }
            }
            // A window admits its number of requests at once; each further batch waits for one window length.
            longest = longest.max(rounds(counted, limit.window.requests, limit.window.length));
        }
        longest
    }

    /// Removes and returns the windows that count only some endpoints.
    #[doc(hidden)]
    pub fn take_of_some(&mut self) -> Vec<LimitWindow> {
        let mut of_all = Vec::new();
        let mut of_some = Vec::new();
        for window in self.windows.iter() {
            if window.endpoints.is_empty() {
                of_all.push(*window);
            } else {
                of_some.push(*window);
            }
        }
        self.windows = of_all.into();
        of_some
    }

    /// Returns the windows, all of which must count every request, and the maximum number of requests in flight.
    pub(super) fn into_parts(self) -> (Vec<Window>, Option<usize>) {
        (self.windows.iter().map(|window| window.window).collect(), self.concurrent)
    }
}

/// Formats the limit, for example as `10 in 1s and 20 in flight`.
impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for LimitWindow { endpoints, window } in self.windows.iter() {
            let mut part = format!("{} in {:?}", window.requests, window.length);
            if !endpoints.is_empty() {
                part.push_str(&format!(" of `{}`", endpoints.join("`, `")));
            }
            parts.push(part);
        }
        if let Some(concurrent) = self.concurrent {
            parts.push(format!("{concurrent} in flight"));
        }
        match parts.as_slice() {
            [] => f.write_str("no limit"),
            [only] => f.write_str(only),
            [first @ .., last] => write!(f, "{} and {last}", first.join(", ")),
        }
    }
}

impl From<&LimitInfo> for RateLimit {
    fn from(info: &LimitInfo) -> Self {
        let window = LimitWindow::of(info.requests.max(1), info.seconds, info.endpoints);
        Self { windows: vec![window].into(), concurrent: info.concurrent.map(at_least_one) }
    }
}

/// The time between the first and the last of these requests, if `at_once` of them are possible in each `interval`.
fn rounds(requests: u64, at_once: usize, interval: Duration) -> Duration {
    let at_once = u64::try_from(at_once).unwrap_or(u64::MAX);
    let rounds = requests.saturating_sub(1) / at_once.max(1);
    interval.saturating_mul(u32::try_from(rounds).unwrap_or(u32::MAX))
}

fn at_least_one(number: u32) -> usize {
    usize::try_from(number.max(1)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Evidence;

    const SETS: &[LimitInfo] = &[
        LimitInfo {
            name: "A",
            requests: 10,
            seconds: 1,
            concurrent: Some(20),
            evidence: Evidence::Documented,
            scope: None,
            endpoints: &[],
        },
        LimitInfo {
            name: "B",
            requests: 600,
            seconds: 60,
            concurrent: Some(10),
            evidence: Evidence::Documented,
            scope: None,
            endpoints: &[],
        },
    ];

    #[test]
    fn combined_limit_satisfies_every_set() {
        let all = RateLimit::all(SETS);
        for info in SETS {
            assert!(RateLimit::from(info).windows.iter().all(|window| all.windows.contains(window)));
            assert!(all.concurrent <= RateLimit::from(info).concurrent);
        }
        assert_eq!(RateLimit::all(&[]), RateLimit::none());
    }

    #[test]
    fn limit_is_displayed_as_text() {
        let second = RateLimit::new(10, Duration::from_secs(1), 20);
        assert_eq!(RateLimit::none().to_string(), "no limit");
        assert_eq!(RateLimit::set(const { &[LimitWindow::of(5, 2, &[])] }, None).to_string(), "5 in 2s");
        assert_eq!(second.to_string(), "10 in 1s and 20 in flight");
        assert_eq!(RateLimit::set(const { &[LimitWindow::of(10, 1, &[])] }, Some(20)), second);
        assert_eq!(RateLimit::all(SETS).to_string(), "10 in 1s, 600 in 60s and 10 in flight");
    }

    #[test]
    fn a_set_of_some_endpoints_counts_no_others() {
        let info = |group, path| EndpointInfo { path: Some(path), ..EndpointInfo::new(group, "x", "X") };
        let set = LimitInfo {
            name: "C",
            requests: 6,
            seconds: 60,
            concurrent: None,
            evidence: Evidence::Documented,
            scope: None,
            endpoints: &["/book", "orders"],
        };
        let limit = RateLimit::all(SETS).and(RateLimit::from(&set));
        assert_eq!(
            RateLimit::from(&set),
            RateLimit::set(const { &[LimitWindow::of(6, 60, &["/book", "orders"])] }, None)
        );
        let words = "10 in 1s, 600 in 60s, 6 in 60s of `/book`, `orders` and 10 in flight";
        assert_eq!(limit.to_string(), words);
        let of_some = [&limit, &RateLimit::all(SETS)].map(|limit| limit.clone().take_of_some().len());
        assert_eq!(of_some, [1, 0]);
        let minutes = |endpoint: EndpointInfo| limit.min_duration(&[(61, &endpoint)], Duration::ZERO).as_secs() / 60;
        assert_eq!(minutes(info("market", "/book")), 10);
        assert_eq!(minutes(info("orders", "/open")), 10);
        assert_eq!(minutes(EndpointInfo { weight: 2, ..info("orders", "/open") }), 20);
        assert_eq!(minutes(info("market", "/booking")), 0);
        assert!(
            set.counts(Some(&info("orders", "/open"))) && !set.counts(Some(&info("book", "/x"))) && !set.counts(None)
        );
    }

    #[test]
    fn combining_limits_is_commutative() {
        let one = RateLimit::new(10, Duration::from_secs(1), 20);
        let other = RateLimit::new(600, Duration::from_secs(60), 10);
        assert_eq!(one.clone().and(other.clone()), other.and(one));
    }

    #[test]
    fn unknown_limit_set_lists_the_known_ones() {
        assert_eq!(RateLimit::named("B", SETS).ok(), Some(RateLimit::from(&SETS[1])));
        let check = |sets| RateLimit::named("C", sets).map(drop).map_err(|error| error.to_string());
        assert_eq!(check(SETS), Err("unknown limit set \"C\"; known: `A`, `B`".to_owned()));
        assert_eq!(check(&[]), Err("unknown limit set \"C\"; known: none".to_owned()));
    }
}
