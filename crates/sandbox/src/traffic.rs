//! Counts requests, and enforces limits.
//!
//! Each request is recorded with its arrival time and is in flight until its slot is dropped. The limits are those of
//! the registry: a maximum number of requests in any window, and a maximum number of requests in flight. A request
//! beyond these limits is rejected and appears in the counts, but does not use up the limits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runtime::registry::{EndpointInfo, LimitInfo};

/// The counts of a sandbox, returned by [`Sandbox::counts`](crate::Sandbox::counts).
///
/// The counts include token requests, requests to unknown paths and rejected requests, but not requests for the page at
/// `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Number of requests that arrived.
    pub requests: u64,
    /// Number of requests beyond the limits, which got a 429 response.
    pub rate_limited: u64,
    /// Number of tokens issued.
    pub tokens_issued: u64,
    /// The highest number of requests in flight at once. A request is in flight until its response is written.
    pub peak_in_flight: usize,
    /// For each limit set of the registry, enforced or not, the highest number of requests that arrived in any window.
    pub peaks: Vec<Peak>,
}

impl Counts {
    /// Returns the highest number of requests that arrived in any window of this limit set; `None` if the set is
    /// unknown.
    pub fn peak(&self, limit_set: &str) -> Option<usize> {
        let peak = self.peaks.iter().find(|peak| peak.limit_set == limit_set)?;
        Some(peak.requests)
    }
}

/// The highest number of requests that arrived in any window of one limit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Peak {
    /// The limit set of the window.
    pub limit_set: &'static str,
    /// The length of the window.
    pub window: Duration,
    /// The number of requests that arrived in the window.
    pub requests: usize,
}

/// Counts requests, and enforces limits.
#[derive(Debug)]
pub(crate) struct Traffic {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    requests: u64,
    rate_limited: u64,
    in_flight: usize,
    peak_in_flight: usize,
    /// For each limit set of the registry, the requests that arrived within the last window of the set.
    arrived: Vec<LimitWindow>,
    /// For each enforced limit set, the requests that were admitted within the last window of the set.
    admitted: Vec<LimitWindow>,
}

impl Traffic {
    /// Creates counters for all limit sets of the registry, and enforces the sets in `enforced`.
    pub(crate) fn new(all: &'static [LimitInfo], enforced: Vec<&'static LimitInfo>) -> Self {
        let state = State {
            requests: 0,
            rate_limited: 0,
            in_flight: 0,
            peak_in_flight: 0,
            arrived: all.iter().map(LimitWindow::new).collect(),
            admitted: enforced.into_iter().map(LimitWindow::new).collect(),
        };
        Self { state: Mutex::new(state) }
    }

    /// Admits a request, or returns the time to wait before a retry.
    pub(crate) fn admit(self: &Arc<Self>, now: Instant, request: WeightedRequest<'_>) -> Result<Slot, Duration> {
        let mut state = self.state();
        // The weight is capped at the largest limit, because a window stores an entry for each unit of weight.
        let weight = request.weight.min(state.max_requests());
        let request = WeightedRequest { weight, ..request };
        state.requests += 1;
        // A request that is rejected below is in flight too, until its response is written.
        state.peak_in_flight = state.peak_in_flight.max(state.in_flight + 1);
        for arrived in &mut state.arrived {
            arrived.window.count(now, request.weight_for(arrived.limit));
        }
        if let Some(wait) = state.wait(now, request) {
            state.rate_limited += 1;
            return Err(wait);
        }
        for admitted in &mut state.admitted {
            admitted.window.count(now, request.weight_for(admitted.limit));
        }
        state.in_flight += 1;
        Ok(Slot { traffic: Arc::clone(self) })
    }

    /// The number of requests beyond the limits.
    pub(crate) fn rate_limited(&self) -> u64 {
        self.state().rate_limited
    }

    pub(crate) fn counts(&self, tokens_issued: u64) -> Counts {
        let state = self.state();
        let mut peaks = Vec::new();
        for LimitWindow { limit, window } in &state.arrived {
            peaks.push(Peak { limit_set: limit.name, window: window.length, requests: window.peak });
        }
        Counts {
            requests: state.requests,
            rate_limited: state.rate_limited,
            tokens_issued,
            peak_in_flight: state.peak_in_flight,
            peaks,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request with the weight that limits count.
#[derive(Clone, Copy)]
pub(crate) struct WeightedRequest<'e> {
    /// `None` for a token request and for an unknown path.
    pub(crate) endpoint: Option<&'e EndpointInfo>,
    pub(crate) weight: u32,
}

impl WeightedRequest<'_> {
    /// The weight of this request for a limit: 0 if the limit does not count the endpoint.
    fn weight_for(self, limit: &LimitInfo) -> usize {
        if limit.counts(self.endpoint) { to_usize(self.weight) } else { 0 }
    }
}

impl State {
    /// The number of requests that the largest limit of the registry admits in a window.
    fn max_requests(&self) -> u32 {
        self.arrived.iter().map(|arrived| arrived.limit.requests).max().unwrap_or(1)
    }

    /// The time to wait until the limits admit a request; `None` if they admit it now.
    fn wait(&mut self, now: Instant, request: WeightedRequest<'_>) -> Option<Duration> {
        let mut longest = None;
        for LimitWindow { limit, window } in &mut self.admitted {
            if !limit.counts(request.endpoint) {
                continue;
            }
            let mut wait = window.wait(now, to_usize(limit.requests.saturating_sub(request.weight)));
            let is_busy = limit.concurrent.is_some_and(|concurrent| self.in_flight >= to_usize(concurrent));
            if wait.is_none() && is_busy {
                // It is unknown when a request in flight ends, so the wait is one second, the minimum of `Retry-After`.
                wait = Some(Duration::from_secs(1));
            }
            longest = longest.max(wait);
        }
        longest
    }
}

fn to_usize(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The slot of one request in flight; dropping it marks the response as complete.
#[derive(Debug)]
pub(crate) struct Slot {
    traffic: Arc<Traffic>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.traffic.state().in_flight -= 1;
    }
}

/// The requests within the last window of a limit set.
#[derive(Debug)]
struct LimitWindow {
    limit: &'static LimitInfo,
    window: Window,
}

impl LimitWindow {
    fn new(limit: &'static LimitInfo) -> Self {
        Self { limit, window: Window::new(Duration::from_secs(limit.seconds.into())) }
    }
}

/// The arrival times within the last window.
#[derive(Debug)]
struct Window {
    length: Duration,
    arrivals: VecDeque<Instant>,
    peak: usize,
}

impl Window {
    fn new(length: Duration) -> Self {
        Self { length, arrivals: VecDeque::new(), peak: 0 }
    }

    /// Counts a request by its weight.
    fn count(&mut self, now: Instant, weight: usize) {
        self.forget_old(now);
        self.arrivals.extend(std::iter::repeat_n(now, weight));
        self.peak = self.peak.max(self.arrivals.len());
    }

    /// The time until at most `max` requests are in the window; `None` if that is already true.
    fn wait(&mut self, now: Instant, max: usize) -> Option<Duration> {
        self.forget_old(now);
        let last_to_leave = self.arrivals.len().checked_sub(max + 1)?;
        let arrival = self.arrivals.get(last_to_leave)?;
        Some(self.length.saturating_sub(now.saturating_duration_since(*arrival)))
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some(oldest) = self.arrivals.front()
            && now.saturating_duration_since(*oldest) >= self.length
        {
            self.arrivals.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use runtime::registry::Evidence;

    use super::*;

    static LIMITS: [LimitInfo; 2] = [
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

    /// A request that belongs to no endpoint.
    const OTHER: WeightedRequest<'static> = WeightedRequest { endpoint: None, weight: 1 };

    fn traffic(names: &[&str]) -> Arc<Traffic> {
        Arc::new(Traffic::new(&LIMITS, LIMITS.iter().filter(|limit| names.contains(&limit.name)).collect()))
    }

    /// The wait of each request in milliseconds; `None` for a request that is admitted. The requests arrive at the
    /// times in `arrivals`, in milliseconds, and end at once.
    fn check(names: &[&str], arrivals: &[u64]) -> Vec<Option<u64>> {
        let traffic = traffic(names);
        let start = Instant::now();
        let mut waits = Vec::new();
        for arrival in arrivals {
            let admitted = traffic.admit(start + Duration::from_millis(*arrival), OTHER);
            waits.push(admitted.err().map(|wait| u64::try_from(wait.as_millis()).unwrap()));
        }
        waits
    }

    #[test]
    fn request_counts_for_one_window_length() {
        let mut arrivals = vec![0, 100, 200, 300, 400, 500, 600, 700, 800, 900];
        arrivals.extend([950, 999, 1000, 1001, 1100, 1150]);
        let mut expected = vec![None; 10];
        expected.extend([Some(50), Some(1), None, Some(99), None, Some(50)]);
        assert_eq!(check(&["A"], &arrivals), expected);
        assert_eq!(check(&[], &arrivals), vec![None; 16]);
    }

    #[test]
    fn a_heavy_request_counts_as_several() {
        let (traffic, start) = (traffic(&["A"]), Instant::now());
        let admit = |at, weight| {
            let endpoint = EndpointInfo { weight, ..EndpointInfo::new("orderflow", "ratio", "Ratio") };
            let request = WeightedRequest { endpoint: Some(&endpoint), weight };
            traffic.admit(start + Duration::from_millis(at), request).err()
        };
        assert_eq!((admit(0, 4), admit(0, 7), admit(0, 6)), (None, Some(Duration::from_secs(1)), None));
        assert_eq!((admit(500, 1), traffic.counts(0).peak("A")), (Some(Duration::from_millis(500)), Some(18)));
        assert_eq!((admit(1000, u32::MAX), admit(1100, 1)), (None, Some(Duration::from_millis(900))));
    }

    #[test]
    fn the_stricter_of_two_sets_counts() {
        let arrivals = (0..60).flat_map(|second| [second * 1000; 11]).chain([60_000, 60_000]).collect::<Vec<_>>();
        let waits = check(&["A", "B"], &arrivals);
        assert_eq!(waits.iter().filter(|wait| **wait == Some(1000)).count(), 60);
        assert_eq!(waits.iter().filter(|wait| wait.is_none()).count(), 602);
        let fast = check(&["B"], &[0; 601]);
        assert_eq!(fast.iter().position(Option::is_some), Some(600));
        assert_eq!(fast[600], Some(60_000));
    }

    #[test]
    fn slots_are_released() {
        let (traffic, now) = (traffic(&["B"]), Instant::now());
        let mut slots = (0..10).map(|_| traffic.admit(now, OTHER).unwrap()).collect::<Vec<_>>();
        assert_eq!(traffic.admit(now, OTHER).unwrap_err(), Duration::from_secs(1));
        slots.pop();
        assert!(traffic.admit(now, OTHER).is_ok());
        drop(slots);
        let counts = traffic.counts(3);
        assert_eq!((counts.requests, counts.rate_limited, counts.tokens_issued), (12, 1, 3));
        assert_eq!(counts.peak_in_flight, 11);
    }

    #[test]
    fn peaks_are_of_any_window_and_of_every_set() {
        let (traffic, start) = (traffic(&[]), Instant::now());
        for at in [0, 400, 900, 950, 1000, 1399, 1400, 5000] {
            assert!(traffic.admit(start + Duration::from_millis(at), OTHER).is_ok());
        }
        let counts = traffic.counts(0);
        assert_eq!((counts.peak("A"), counts.peak("B"), counts.peak("C")), (Some(5), Some(8), None));
    }
}
