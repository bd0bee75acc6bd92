//! Simulation of a rate limiter against a service that counts requests on arrival. Nothing here waits or reads a clock.
//!
//! Clients with endless queues send requests with varying latency. The service allows ten arrivals within any second
//! and does not count rate-limited requests. `tests/it/jitter.rs` simulates the same with a complete client.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use crate::rate_limit::limit::RateLimit;
use crate::rate_limit::limiter_time::{LimiterTime, YEAR};
use crate::rate_limit::state::{Closed, State};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const TIME: Duration = Duration::from_secs(600);

fn milliseconds(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1000.0)
}

/// Latencies of requests and response times of the service, in milliseconds.
#[derive(Clone, Copy)]
struct Times {
    /// Returns the latency of a request. The arguments are the time at which it is sent, and a random number from zero
    /// to one.
    latency: fn(Duration, f64) -> f64,
    /// Returns the response time. The argument is a random number from zero to one.
    response: fn(f64) -> f64,
}

impl Times {
    fn with_latency(latency: fn(Duration, f64) -> f64) -> Self {
        Self { latency, response: |_| 50.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A client checks whether its next request may be sent.
    Check,
    /// A request arrives at the service.
    Arrival,
    /// A response arrives at the client; true for a 429.
    Response(bool),
}

struct Client {
    state: State,
    /// The time of the client's next check.
    look: Duration,
    /// The time after which the client sends no more requests.
    end: Duration,
}

/// Clients that use the same limit and do not coordinate.
struct Simulation {
    clients: Vec<Client>,
    times: Times,
    random: fastrand::Rng,
    start: LimiterTime,
    /// The pending events, each with its time, a number that orders simultaneous events, and its client.
    events: BinaryHeap<Reverse<(Duration, usize, usize, Event)>>,
    count: usize,
    allowed: VecDeque<Duration>,
    outcome: SimulatedRequests,
}

#[derive(Default)]
struct SimulatedRequests {
    sent: Vec<Duration>,
    successes: Vec<Duration>,
    rate_limited: Vec<Duration>,
}

impl Simulation {
    /// Runs clients that begin and end at these times, in seconds.
    fn run(clients: &[(u64, u64)], times: Times, seed: u64) -> SimulatedRequests {
        let client = |(begin, end): &(u64, u64)| {
            let state = State::new(RateLimit::new(10, SECOND, 50));
            Client { state, look: Duration::from_secs(*begin), end: Duration::from_secs(*end) }
        };
        let mut simulation = Self {
            clients: clients.iter().map(client).collect(),
            times,
            random: fastrand::Rng::with_seed(seed),
            start: YEAR,
            events: BinaryHeap::new(),
            count: 0,
            allowed: VecDeque::new(),
            outcome: SimulatedRequests::default(),
        };
        for client in 0..clients.len() {
            simulation.push(simulation.clients[client].look, client, Event::Check);
        }
        while let Some(Reverse((at, _, client, event))) = simulation.events.pop() {
            if at >= TIME {
                break;
            }
            match event {
                Event::Check if simulation.clients[client].look == at => simulation.look(at, client),
                // This check is outdated, because the client's next check was rescheduled.
                Event::Check => {}
                Event::Arrival => simulation.arrive(at, client),
                Event::Response(is_rate_limited) => simulation.receive(at, client, is_rate_limited),
            }
        }
        simulation.outcome
    }

    fn push(&mut self, at: Duration, client: usize, event: Event) {
        self.count += 1;
        self.events.push(Reverse((at, self.count, client, event)));
    }

    fn look(&mut self, at: Duration, client: usize) {
        let now = self.start + at;
        while at < self.clients[client].end {
            match self.clients[client].state.enter(now, 1) {
                Ok(()) => {
                    self.clients[client].state.sent(now, 1);
                    self.outcome.sent.push(at);
                    let latency = milliseconds((self.times.latency)(at, self.random.f64()));
                    self.push(at + latency, client, Event::Arrival);
                }
                Err(Closed::Full) => return,
                Err(Closed::Until(later)) => {
                    self.clients[client].look = later.saturating_sub(self.start);
                    return self.push(later.saturating_sub(self.start), client, Event::Check);
                }
            }
        }
    }

    fn arrive(&mut self, at: Duration, client: usize) {
        while self.allowed.front().is_some_and(|first| at.saturating_sub(*first) >= SECOND) {
            self.allowed.pop_front();
        }
        let is_rate_limited = self.allowed.len() >= 10;
        if !is_rate_limited {
            self.allowed.push_back(at);
        }
        let delay = milliseconds((self.times.response)(self.random.f64()));
        self.push(at + delay, client, Event::Response(is_rate_limited));
    }

    fn receive(&mut self, at: Duration, client: usize, is_rate_limited: bool) {
        let state = &mut self.clients[client].state;
        if is_rate_limited {
            state.rate_limited(self.start + at, SECOND);
            self.outcome.rate_limited.push(at);
        } else {
            self.outcome.successes.push(at);
        }
        state.ended();
        self.look(at, client);
    }
}

impl SimulatedRequests {
    /// Returns the number of successful requests between two times, as a percentage of the limit (ten requests a
    /// second).
    fn used(&self, from: Duration, to: Duration) -> f64 {
        let successes = self.successes.iter().filter(|at| (from..to).contains(*at)).count();
        f64::from(u32::try_from(successes).unwrap()) * 10.0 / to.saturating_sub(from).as_secs_f64()
    }

    fn rate_limited_in(&self, minute: u32) -> usize {
        self.rate_limited.iter().filter(|at| (MINUTE * minute..MINUTE * (minute + 1)).contains(*at)).count()
    }

    /// Returns the maximum time from a 429 to the next request.
    fn max_pause(&self) -> Duration {
        let pauses = self.sent.windows(2).filter_map(|pair| {
            let refused = self.rate_limited.iter().filter(|at| (pair[0]..=pair[1]).contains(*at)).max()?;
            Some(pair[1].saturating_sub(*refused))
        });
        pauses.max().unwrap_or_default()
    }
}

/// Runs one client with each of five seeds. Checks that its throughput is at least `min`, and that the number of 429s
/// from the third minute on is at most `refused.0` per minute and `refused.1` in total.
fn check(name: &str, times: Times, min: f64, refused: (usize, usize)) {
    for seed in 0..5 {
        let outcome = Simulation::run(&[(0, 600)], times, seed);
        let used = outcome.used(Duration::ZERO, TIME);
        let minutes: Vec<_> = (0..10).map(|minute| outcome.rate_limited_in(minute)).collect();
        assert!(used >= min, "{name}, {seed}: {used} %");
        assert!(minutes[2..].iter().all(|minute| *minute <= refused.0), "{name}, {seed}: {minutes:?}");
        assert!(minutes[2..].iter().sum::<usize>() <= refused.1, "{name}, {seed}: {minutes:?}");
        assert!(outcome.max_pause() <= SECOND, "{name}, {seed}: {:?}", outcome.max_pause());
        if std::env::var_os("SHOW").is_some() {
            #[allow(clippy::print_stdout)] // Requested with `SHOW`.
            {
                println!("{name}: {used:.2} % {minutes:?} {:?}", outcome.max_pause());
            }
        }
    }
}

#[test]
fn throughput_with_jitter_is_near_the_limit() {
    check("none", Times::with_latency(|_, _| 0.0), 98.0, (0, 0));
    check("up to 5 ms", Times::with_latency(|_, random| 5.0 * random), 98.0, (0, 0));
    check("up to 15 ms", Times::with_latency(|_, random| 15.0 * random), 97.0, (1, 1));
    check("up to 30 ms", Times::with_latency(|_, random| 30.0 * random), 95.0, (1, 1));
    check("up to 60 ms", Times::with_latency(|_, random| 60.0 * random), 92.0, (1, 1));
    check("up to 150 ms", Times::with_latency(|_, random| 150.0 * random), 84.0, (1, 1));
}

#[test]
fn single_delay_costs_one_pause() {
    let hiccup = |at: Duration, random: f64| 3.0 * random + if at.as_millis() % 60_000 < 200 { 150.0 } else { 0.0 };
    check("hiccup", Times::with_latency(hiccup), 92.0, (2, 20));
}

#[test]
fn slow_responses_do_not_reduce_throughput() {
    let (latency, response) = (|_, random| 5.0 * random, |random| 10.0 + 400.0 * random);
    check("slow responses", Times { latency, response }, 98.0, (0, 0));
    // Jitter that is smaller than the variation of the response times also costs little throughput.
    check("slow responses and up to 20 ms", Times { latency: |_, random| 20.0 * random, response }, 95.0, (1, 1));
    let response = |random| 50.0 + 60.0 * random;
    check("up to 60 ms either way", Times { latency: |_, random| 60.0 * random, response }, 91.0, (1, 1));
}

/// Two programs with the same key learn to share its limit, and if one program ends, the other soon uses the entire
/// limit.
#[test]
fn throughput_recovers_when_another_client_stops() {
    for seed in 0..5 {
        let outcome = Simulation::run(&[(0, 600), (30, 180)], Times::with_latency(|_, random| 5.0 * random), seed);
        let (shared, alone) = (outcome.used(MINUTE, MINUTE * 3), outcome.used(MINUTE * 5, TIME));
        let refused: Vec<_> = (0..10).map(|minute| outcome.rate_limited_in(minute)).collect();
        assert!(shared >= 70.0, "{shared} %");
        assert!(alone >= 97.0, "{alone} %");
        assert!(
            refused[1..3].iter().all(|minute| *minute <= 20) && refused[5..].iter().all(|m| *m == 0),
            "{refused:?}"
        );
    }
}
