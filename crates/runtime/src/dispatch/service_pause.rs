//! The pause that a response requests.
//!
//! A rate limit pauses the whole client, and so does a response that reports that nothing of the limit is left. Other
//! failures with `Retry-After` (RFC 9110, section 10.2.3) pause the endpoint that sent them, and the whole client if a
//! second endpoint sends one meanwhile.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use super::retry_after::{read_retry_after, service_time};
use crate::headers::Headers;
use crate::platform::{Instant, lock};
use crate::registry::{RateLimitHeadersInfo, ResetUnit, ServiceInfo};
use crate::request::RequestKind;

/// The requests that a response asks to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServicePause {
    /// All requests, because this one exceeded a rate limit; `None` if the response does not contain for how long.
    RateLimited(Option<Duration>),
    /// All requests, because this one was the last that the rate limit allows for now.
    Exhausted(Duration),
    /// The requests for the same endpoint.
    Endpoint(Duration),
}

/// The pause that a response requests, if any.
pub(crate) fn requested(status: u16, headers: &Headers, service: &ServiceInfo) -> Option<ServicePause> {
    let exhausted = exhausted(headers, service);
    let time = read_retry_after(headers).or(exhausted);
    let is_listed = service.errors.iter().any(|info| info.status == status && info.rate_limited);
    match (status, time) {
        _ if status == 429 || is_listed => Some(ServicePause::RateLimited(time.or_else(|| usual_reset(headers)))),
        (418, Some(_)) => Some(ServicePause::RateLimited(time)),
        (403 | 503, Some(time)) if exhausted.is_some() => Some(ServicePause::RateLimited(Some(time))),
        (403 | 503, Some(time)) => Some(ServicePause::Endpoint(time)),
        // Any other response was not rejected because of the limit.
        _ => exhausted.map(ServicePause::Exhausted),
    }
}

/// The time that a failed response asks the client to wait: its `Retry-After`, or the time until the rate limit has
/// room again, if none is left and the catalogue names the headers.
pub(crate) fn requested_time(headers: &Headers, service: &ServiceInfo) -> Option<Duration> {
    read_retry_after(headers).or_else(|| exhausted(headers, service))
}

/// The time until the rate limit has room again, if the headers that the catalogue names report that it has none.
fn exhausted(headers: &Headers, service: &ServiceInfo) -> Option<Duration> {
    let RateLimitHeadersInfo { remaining, reset, reset_is } = service.rate_limit_headers?;
    let remaining: f64 = headers.get(remaining)?.trim().parse().ok()?;
    if remaining >= 1.0 {
        return None;
    }
    until_reset(headers.get(reset)?, reset_is, headers)
}

/// The headers with which many services report when a rate limit has room again.
const USUAL_RESETS: [&str; 3] = ["ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset"];

/// The time in one of the usual headers of a rate-limited response. The size of the number shows its unit.
fn usual_reset(headers: &Headers) -> Option<Duration> {
    let text = USUAL_RESETS.iter().find_map(|name| headers.get(name))?;
    let number: f64 = text.trim().parse().ok()?;
    let unit = match number {
        1e11.. => ResetUnit::EpochMilliseconds,
        1e8.. => ResetUnit::EpochSeconds,
        _ => ResetUnit::Seconds,
    };
    until_reset(text, unit, headers)
}

/// The time until a reset; zero if the reset is over, and `None` if the text is not a number.
fn until_reset(text: &str, unit: ResetUnit, headers: &Headers) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    if !number.is_finite() {
        return None;
    }
    let now = service_time(headers).as_secs_f64();
    let seconds = match unit {
        ResetUnit::Seconds => number,
        ResetUnit::EpochSeconds => number - now,
        ResetUnit::EpochMilliseconds => number / 1000.0 - now,
    };
    Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX))
}

/// The endpoints that are paused, each with the end of its pause.
#[derive(Default)]
pub(crate) struct EndpointPauses(Mutex<HashMap<EndpointName, Instant>>);

/// Group and name of an endpoint; `None` for the token endpoint.
type EndpointName = Option<(&'static str, &'static str)>;

impl EndpointPauses {
    /// Pauses an endpoint. Returns whether another endpoint is paused too, so that the whole client should pause.
    pub(crate) fn pause(&self, request: RequestKind, time: Duration) -> bool {
        let now = Instant::now();
        let name = name(request);
        let mut pauses = lock(&self.0);
        pauses.retain(|_, end| *end > now);
        let others = pauses.keys().any(|other| *other != name);
        if let Some(end) = now.checked_add(time) {
            let latest = pauses.entry(name).or_insert(end);
            *latest = end.max(*latest);
        }
        others
    }

    /// The rest of the pause of an endpoint; `None` if it is not paused.
    pub(crate) fn left(&self, request: RequestKind) -> Option<Duration> {
        let end = *lock(&self.0).get(&name(request))?;
        let left = end.checked_duration_since(Instant::now())?;
        if left.is_zero() { None } else { Some(left) }
    }
}

fn name(request: RequestKind) -> EndpointName {
    match request {
        RequestKind::Data(endpoint) => Some((endpoint.group, endpoint.ident)),
        RequestKind::Token => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: (&str, &str) = ("date", "Tue, 15 Nov 1994 08:12:31 GMT");
    const DATE_SECONDS: u64 = 784_887_151;

    fn check(status: u16, headers: &[(&str, &str)], named: Option<ResetUnit>) -> Option<ServicePause> {
        let named = named.map(|reset_is| RateLimitHeadersInfo { remaining: "x-left", reset: "x-next", reset_is });
        let service = ServiceInfo { rate_limit_headers: named, ..ServiceInfo::new("Service") };
        let mut all = Headers::new();
        for (name, value) in headers.iter().chain([&DATE]) {
            all.insert(name, value).unwrap();
        }
        requested(status, &all, &service)
    }

    fn seconds(seconds: u64) -> ServicePause {
        ServicePause::RateLimited(Some(Duration::from_secs(seconds)))
    }

    #[test]
    fn headers_of_the_catalogue_are_used() {
        let later = (DATE_SECONDS + 8).to_string();
        let in_milliseconds = format!("{later}000");
        for (unit, reset) in [
            (ResetUnit::Seconds, "8"),
            (ResetUnit::EpochSeconds, later.as_str()),
            (ResetUnit::EpochMilliseconds, in_milliseconds.as_str()),
        ] {
            let exhausted = [("x-left", "0"), ("x-next", reset)];
            for status in [403, 418, 429, 503] {
                assert_eq!(check(status, &exhausted, Some(unit)), Some(seconds(8)), "{status} {reset}");
            }
            for status in [200, 204, 404, 500] {
                let pause = ServicePause::Exhausted(Duration::from_secs(8));
                assert_eq!(check(status, &exhausted, Some(unit)), Some(pause), "{status} {reset}");
            }
            assert_eq!(check(200, &[("x-left", "1"), ("x-next", reset)], Some(unit)), None);
            assert_eq!(check(200, &[("x-left", "0")], Some(unit)), None);
        }
        assert_eq!(check(200, &[("x-left", "0"), ("x-next", "soon")], Some(ResetUnit::Seconds)), None);
        let is_over = check(200, &[("x-left", "0"), ("x-next", "1")], Some(ResetUnit::EpochSeconds));
        assert_eq!(is_over, Some(ServicePause::Exhausted(Duration::ZERO)));
    }

    #[test]
    fn usual_header_of_a_rate_limit_is_read_by_its_size() {
        for reset in ["8".to_owned(), (DATE_SECONDS + 8).to_string(), ((DATE_SECONDS + 8) * 1000).to_string()] {
            assert_eq!(check(429, &[("x-ratelimit-reset", &reset)], None), Some(seconds(8)), "{reset}");
            assert_eq!(check(200, &[("x-ratelimit-reset", &reset)], None), None);
        }
        assert_eq!(check(429, &[("x-ratelimit-reset", "soon")], None), Some(ServicePause::RateLimited(None)));
        assert_eq!(check(429, &[("x-ratelimit-reset", "9"), ("retry-after", "3")], None), Some(seconds(3)));
    }
}
