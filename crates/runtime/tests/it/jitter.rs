//! Measures how much of the limit a client uses if the service counts arrivals and the network has jitter.
//!
//! Fifty tasks send for ten minutes without a break, with a transport in memory and a paused clock. The service allows
//! ten arrivals within any second and does not count rejected requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::RateLimit;
use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use test_service::invented::Client;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const TIME: Duration = Duration::from_secs(600);

/// The time from the arrival of a request to the end of its response.
const REPLY: Duration = Duration::from_millis(50);

/// The time from sending a request to its arrival.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// A random time, up to this duration.
    UpTo(Duration),
    /// A short time, to which this duration is added during a fifth of a second in each minute.
    Hiccup(Duration),
}

impl Way {
    fn length(self, elapsed: Duration, random: &mut fastrand::Rng) -> Duration {
        match self {
            Self::UpTo(max) => max.mul_f64(random.f64()),
            Self::Hiccup(longer) => {
                let jitter = Duration::from_millis(3).mul_f64(random.f64());
                let is_hiccup = elapsed.as_millis() % 60_000 >= 59_800;
                if is_hiccup { jitter + longer } else { jitter }
            }
        }
    }
}

/// A service that allows ten arrivals a second, and the network between client and service.
struct Service {
    way: Way,
    names_pause: bool,
    start: Instant,
    record: Mutex<Record>,
}

/// The recorded events.
struct Record {
    random: fastrand::Rng,
    /// The most recent allowed arrivals.
    allowed: VecDeque<Instant>,
    sent: Vec<Duration>,
    /// The times at which 429 responses arrived.
    rate_limited: Vec<Duration>,
    answers: usize,
}

impl Service {
    fn new(way: Way, names_pause: bool, seed: u64) -> Arc<Self> {
        let random = fastrand::Rng::with_seed(seed);
        let (allowed, sent, rate_limited) = (VecDeque::new(), Vec::new(), Vec::new());
        let record = Mutex::new(Record { random, allowed, sent, rate_limited, answers: 0 });
        Arc::new(Self { way, names_pause, start: Instant::now(), record })
    }

    /// Returns whether a request that arrives now is allowed.
    fn allows(&self) -> bool {
        let now = Instant::now();
        let allowed = &mut self.record.lock().unwrap().allowed;
        while allowed.front().is_some_and(|first| now - *first >= SECOND) {
            allowed.pop_front();
        }
        let is_allowed = allowed.len() < 10;
        if is_allowed {
            allowed.push_back(now);
        }
        is_allowed
    }

    fn too_many_requests(&self) -> HttpResponse {
        let mut headers = Headers::new();
        if self.names_pause {
            headers.insert("retry-after", "1").unwrap();
        }
        HttpResponse::new(429, headers, "")
    }
}

impl Transport for Service {
    fn send(&self, _: HttpRequest) -> SendFuture<'_> {
        Box::pin(async move {
            let way = {
                let record = &mut *self.record.lock().unwrap();
                let elapsed = self.start.elapsed();
                record.sent.push(elapsed);
                self.way.length(elapsed, &mut record.random)
            };
            tokio::time::sleep(way).await;
            let is_allowed = self.allows();
            tokio::time::sleep(REPLY).await;
            let elapsed = self.start.elapsed();
            let mut record = self.record.lock().unwrap();
            if is_allowed {
                record.answers += usize::from(elapsed < TIME);
                return Ok(HttpResponse::new(200, Headers::new(), r#"{"data": []}"#));
            }
            record.rate_limited.push(elapsed);
            Ok(self.too_many_requests())
        })
    }
}

/// The totals of ten minutes.
#[derive(Debug)]
struct Totals {
    /// The number of successful requests, as a share of the limit (ten requests per second).
    used: f64,
    /// The number of rate-limited requests, minute by minute.
    rate_limited: [usize; 10],
    /// The maximum time from the arrival of a 429 response to the sending of the next request.
    max_pause: Duration,
}

fn simulate(way: Way, names_pause: bool, seed: u64) -> Totals {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    let service = runtime.block_on(async {
        let service = Service::new(way, names_pause, seed);
        let limit = RateLimit::new(10, SECOND, 50);
        let client = Client::builder("https://example.com/v2").api_key("key").transport(service.clone());
        let client = client.rate_limit(limit).build().unwrap();
        let task = |client: Client| async move {
            loop {
                client.raw("/x").await.unwrap();
            }
        };
        let tasks: Vec<_> = (0..50).map(|_| tokio::spawn(task(client.clone()))).collect();
        tokio::time::sleep(TIME).await;
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        service
    });
    let record = service.record.lock().unwrap();
    let mut rate_limited = [0; 10];
    for at in record.rate_limited.iter().filter(|at| **at < TIME) {
        rate_limited[usize::try_from(at.as_secs() / 60).unwrap()] += 1;
    }
    let pause = |pair: &[Duration]| {
        let refused = record.rate_limited.iter().filter(|at| (pair[0]..pair[1]).contains(*at)).max()?;
        Some(pair[1].saturating_sub(*refused))
    };
    let max_pause = record.sent.windows(2).filter_map(pause).max().unwrap_or_default();
    let used = f64::from(u32::try_from(record.answers).unwrap()) / 6000.0;
    Totals { used, rate_limited, max_pause }
}

/// Runs the simulation with each of five seeds, and checks the outcome. The client uses at least the share `min_used`
/// of the rate limit. From the third minute on, at most `max_rate_limited` requests are rate-limited in total, and at
/// most two in each minute. No pause is longer than the second that the service requests.
fn check(way: Way, names_pause: bool, min_used: f64, max_rate_limited: usize) {
    for seed in 0..5 {
        let outcome = simulate(way, names_pause, seed);
        let refused = &outcome.rate_limited[2..];
        assert!(outcome.used >= min_used, "{way:?}, {seed}: {outcome:?}");
        assert!(refused.iter().all(|minute| *minute <= 2), "{way:?}, {seed}: {outcome:?}");
        assert!(refused.iter().sum::<usize>() <= max_rate_limited, "{way:?}, {seed}: {outcome:?}");
        // Timers have a resolution of a millisecond, so a pause may be slightly longer than a second.
        assert!(outcome.max_pause <= SECOND + Duration::from_millis(2), "{way:?}, {seed}: {outcome:?}");
        if std::env::var_os("SHOW").is_some() {
            #[allow(clippy::print_stdout)] // Printed only if `SHOW` is set.
            {
                println!("{way:?}: {outcome:?}");
            }
        }
    }
}

fn up_to(milliseconds: u64) -> Way {
    Way::UpTo(Duration::from_millis(milliseconds))
}

#[test]
fn constant_latency_uses_the_whole_limit() {
    check(up_to(0), true, 0.98, 0);
}

#[test]
fn up_to_15_ms_of_jitter_cost_three_percent() {
    check(up_to(15), true, 0.97, 1);
}

#[test]
fn up_to_30_ms_of_jitter_cost_five_percent() {
    check(up_to(30), true, 0.95, 1);
}

#[test]
fn up_to_60_ms_of_jitter_cost_eight_percent() {
    check(up_to(60), true, 0.92, 1);
}

#[test]
fn one_delay_a_minute_costs_a_pause() {
    check(Way::Hiccup(Duration::from_millis(150)), true, 0.92, 2 * 8);
}

#[test]
fn missing_retry_after_pauses_for_a_second() {
    check(up_to(30), false, 0.95, 1);
}
