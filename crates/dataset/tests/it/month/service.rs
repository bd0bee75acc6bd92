//! A service with ordinary troubles, in simulated time.

use std::sync::{Arc, Mutex};

use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use runtime::{Error, ErrorKind, RateLimit, Retry};

use super::BEGIN;
use crate::support::service::Client;
use crate::support::{DAY, HOUR, data_of};

/// The day of each trouble, as the number of the run, counted from zero.
#[derive(Clone, Debug)]
pub(super) struct Troubles {
    /// The first of three days whose records are published 80 hours late.
    pub(super) late: i64,
    /// The day whose run finds no records for twelve hours; they are published before the next run.
    pub(super) gap: i64,
    /// The day on which all connections fail.
    pub(super) outage: i64,
    /// The day on which the local clock is five days fast.
    pub(super) fast_clock: i64,
    /// The day on which a numeric field of a record contains a string.
    pub(super) text: i64,
    /// The day on which the process is killed after its first response.
    pub(super) killed: i64,
    /// The day on which every second request is rejected.
    pub(super) rejected: i64,
    /// The day from which the records have an additional field.
    pub(super) field: i64,
}

impl Troubles {
    /// Creates random troubles, one of each kind, on distinct days if possible.
    pub(super) fn drawn(seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut day = |until: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i64::try_from(state % until).unwrap() + 1
        };
        Self {
            late: day(20),
            gap: day(24),
            outage: day(26),
            fast_clock: day(26),
            text: day(26),
            killed: day(26),
            rejected: day(26),
            field: day(26),
        }
    }
}

/// A service whose records depend on the time of the request.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) troubles: Troubles,
    pub(super) step: i64,
    pub(super) now: i64,
    pub(super) requests: u64,
    pub(super) responses: u64,
}

impl Service {
    fn day(&self) -> i64 {
        (self.now - BEGIN) / DAY
    }

    /// The publication time of a record.
    fn published(&self, time: i64) -> i64 {
        let start = |run: i64| BEGIN + run * DAY;
        if (start(self.troubles.late)..start(self.troubles.late + 3)).contains(&time) {
            return time + self.step + 80 * HOUR;
        }
        let gap = start(self.troubles.gap) - 14 * HOUR;
        if (gap..gap + 12 * HOUR).contains(&time) {
            return start(self.troubles.gap) + 20 * HOUR;
        }
        time + self.step
    }

    /// The value of a record and the value of the added field; `None` if the record is not published yet. The
    /// first value is `None` if the service sends a string instead.
    fn record(&self, coin: &str, time: i64) -> Option<(Option<f64>, Option<i64>)> {
        if self.now < self.published(time) {
            return None;
        }
        let text = (BEGIN + self.troubles.text * DAY - 5 * HOUR) / HOUR * HOUR;
        // The service revises each record twelve hours after the time of the record.
        let preliminary = if self.now < time + 12 * HOUR { 5 } else { 0 };
        let number = time / self.step % 1000 * 10 + preliminary + i64::from(coin == "ETH");
        let is_text = time == text && self.day() == self.troubles.text;
        let value = (!is_text).then(|| f64::from(i32::try_from(number).unwrap()) + 0.5);
        Some((value, (self.day() >= self.troubles.field).then_some(time)))
    }

    pub(super) fn records(
        &self,
        coin: &str,
        from: i64,
        to: i64,
    ) -> impl Iterator<Item = (i64, Option<f64>, Option<i64>)> {
        let first = (from + self.step - 1) / self.step * self.step;
        let times = (first..to).step_by(usize::try_from(self.step).unwrap());
        times.filter_map(move |time| self.record(coin, time).map(|(value, field)| (time, value, field)))
    }

    fn body(&self, url: &str) -> String {
        let param = |name: &str| url.split(name).nth(1).unwrap().split('&').next().unwrap().to_owned();
        let (from, to): (i64, i64) = (param("startTime=").parse().unwrap(), param("endTime=").parse().unwrap());
        let records: Vec<_> = self
            .records(&param("coin="), from, to + 1)
            .take(1000)
            .map(|(time, value, field)| {
                let value = value.map_or("\"n/a\"".to_owned(), |value| value.to_string());
                let field = field.map(|field| format!(r#","added":{field}"#)).unwrap_or_default();
                format!(r#"{{"openDate":{time},"volumeRatio":{value}{field}}}"#)
            })
            .collect();
        data_of(&records)
    }
}

pub(super) type Shared = Arc<Mutex<Service>>;

pub(super) fn client(service: &Shared) -> Client {
    let service = service.clone();
    let transport = from_fn(move |request: HttpRequest| {
        let mut service = service.lock().unwrap();
        service.requests += 1;
        let day = service.day();
        let response = if day == service.troubles.outage {
            Err(Error::retryable(ErrorKind::Connect, "connection refused"))
        } else if day == service.troubles.rejected && service.requests.is_multiple_of(2) {
            Ok((503, String::new()))
        } else {
            service.responses += 1;
            Ok((200, service.body(&request.url)))
        };
        let hangs = day == service.troubles.killed && service.responses > 1;
        async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            response.map(|(status, body)| HttpResponse::new(status, Headers::new(), body))
        }
    });
    Client::builder("https://example.invalid/v2")
        .api_key("any")
        .transport(transport)
        .retry(Retry::none())
        .rate_limit(RateLimit::none())
        .build()
        .unwrap()
}
