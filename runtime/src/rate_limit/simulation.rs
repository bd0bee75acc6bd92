//! Simulation of a rate limiter against a service that counts requests on arrival. Nothing here waits or reads a clock.
//!
//! Clients with endless queues send requests with varying latency. The service allows ten arrivals within any second
//! and does not count rate-limited requests. `tests/it/jitter.rs` shows the same for a complete client.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::safety_margin::YEAR;
use super::state::{Closed, State};
use super::{GateTime, RateLimit};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const TIME: Duration = Duration::from_secs(600);

fn milliseconds(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1000.0)
}

/// Latencies of requests and response times of the service, in milliseconds.
#[derive(Clone, Copy)]
struct Times {
    /// The latency of a request sent at a time, given a random number from zero to one.
    way: fn(Duration, f64) -> f64,
    /// The response time, given a random number from zero to one.
    answer: fn(f64) -> f64,
}

impl Times {
    fn way(way: fn(Duration, f64) -> f64) -> Self {
        Self { way, answer: |_| 50.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A client checks whether its next request may be sent.
    Look,
    /// A request arrives at the service.
    Arrival,
    /// A response arrives at the client; true for a 429.
    Answer(bool),
}

struct Client {
    state: State,
    /// The time of the client's next check.
    look: Duration,
    /// The time after which the client sends no more requests.
    end: Duration,
}

/// Clients that share one limit without knowing of each other.
struct Simulation {
    clients: Vec<Client>,
    times: Times,
    random: fastrand::Rng,
    start: GateTime,
    /// The pending events; a number orders simultaneous events.
    events: BinaryHeap<Reverse<(Duration, usize, usize, Event)>>,
    count: usize,
    allowed: VecDeque<Duration>,
    outcome: Outcome,
}

#[derive(Default)]
struct Outcome {
    departures: Vec<Duration>,
    successes: Vec<Duration>,
    refusals: Vec<Duration>,
}

impl Simulation {
    /// Runs clients that begin and end at these times, in seconds.
    fn run(clients: &[(u64, u64)], times: Times, seed: u64) -> Outcome {
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
            outcome: Outcome::default(),
        };
        for client in 0..clients.len() {
            simulation.push(simulation.clients[client].look, client, Event::Look);
        }
        while let Some(Reverse((at, _, client, event))) = simulation.events.pop() {
            if at >= TIME {
                break;
            }
            match event {
                Event::Look if simulation.clients[client].look == at => simulation.look(at, client),
                // Outdated: the client's check was moved to another time.
                Event::Look => {}
                Event::Arrival => simulation.arrive(at, client),
                Event::Answer(is_refused) => simulation.answer(at, client, is_refused),
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
                    self.outcome.departures.push(at);
                    let way = milliseconds((self.times.way)(at, self.random.f64()));
                    self.push(at + way, client, Event::Arrival);
                }
                Err(Closed::Full) => return,
                Err(Closed::Until(later)) => {
                    self.clients[client].look = later.saturating_sub(self.start);
                    return self.push(later.saturating_sub(self.start), client, Event::Look);
                }
            }
        }
    }

    fn arrive(&mut self, at: Duration, client: usize) {
        while self.allowed.front().is_some_and(|first| at.saturating_sub(*first) >= SECOND) {
            self.allowed.pop_front();
        }
        let is_refused = self.allowed.len() >= 10;
        if !is_refused {
            self.allowed.push_back(at);
        }
        let answer = milliseconds((self.times.answer)(self.random.f64()));
        self.push(at + answer, client, Event::Answer(is_refused));
    }

    fn answer(&mut self, at: Duration, client: usize, is_refused: bool) {
        let state = &mut self.clients[client].state;
        if is_refused {
            state.rate_limited(self.start + at, SECOND);
            self.outcome.refusals.push(at);
        } else {
            self.outcome.successes.push(at);
        }
        state.ended();
        self.look(at, client);
    }
}

impl Outcome {
    /// The throughput between two times, as a percentage of ten requests a second.
    fn used(&self, from: Duration, to: Duration) -> f64 {
        let successes = self.successes.iter().filter(|at| (from..to).contains(*at)).count();
        f64::from(u32::try_from(successes).unwrap()) * 10.0 / to.saturating_sub(from).as_secs_f64()
    }

    fn refused_in(&self, minute: u32) -> usize {
        self.refusals.iter().filter(|at| (MINUTE * minute..MINUTE * (minute + 1)).contains(*at)).count()
    }

    /// The maximum time from a 429 to the next request.
    fn max_pause(&self) -> Duration {
        let pauses = self.departures.windows(2).filter_map(|pair| {
            let refused = self.refusals.iter().filter(|at| (pair[0]..=pair[1]).contains(*at)).max()?;
            Some(pair[1].saturating_sub(*refused))
        });
        pauses.max().unwrap_or_default()
    }
}

/// Runs one client under five seeds and checks its minimum throughput, the maximum number of 429s per minute from the
/// third on, and their maximum total.
fn check(name: &str, times: Times, min: f64, refused: (usize, usize)) {
    for seed in 0..5 {
        let outcome = Simulation::run(&[(0, 600)], times, seed);
        let used = outcome.used(Duration::ZERO, TIME);
        let minutes: Vec<_> = (0..10).map(|minute| outcome.refused_in(minute)).collect();
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
fn jitter_costs_little_more_than_it_has_to() {
    check("none", Times::way(|_, _| 0.0), 98.0, (0, 0));
    check("up to 5 ms", Times::way(|_, random| 5.0 * random), 98.0, (0, 0));
    check("up to 15 ms", Times::way(|_, random| 15.0 * random), 97.0, (1, 1));
    check("up to 30 ms", Times::way(|_, random| 30.0 * random), 95.0, (1, 1));
    check("up to 60 ms", Times::way(|_, random| 60.0 * random), 92.0, (1, 1));
    check("up to 150 ms", Times::way(|_, random| 150.0 * random), 84.0, (1, 1));
}

#[test]
fn single_delay_costs_one_pause() {
    let hiccup = |at: Duration, random: f64| 3.0 * random + if at.as_millis() % 60_000 < 200 { 150.0 } else { 0.0 };
    check("hiccup", Times::way(hiccup), 92.0, (2, 20));
}

#[test]
fn late_responses_are_not_counted_as_late_arrivals() {
    let (way, answer) = (|_, random| 5.0 * random, |random| 10.0 + 400.0 * random);
    check("slow answers", Times { way, answer }, 98.0, (0, 0));
    // Late arrivals within the spread of the response times also cost little.
    check("slow answers and up to 20 ms", Times { way: |_, random| 20.0 * random, answer }, 95.0, (1, 1));
    let answer = |random| 50.0 + 60.0 * random;
    check("up to 60 ms either way", Times { way: |_, random| 60.0 * random, answer }, 91.0, (1, 1));
}

/// Two programs with one key learn to share it, and if one ends, the other soon uses the entire limit.
#[test]
fn speed_recovers_when_rejections_stop() {
    for seed in 0..5 {
        let outcome = Simulation::run(&[(0, 600), (30, 180)], Times::way(|_, random| 5.0 * random), seed);
        let (shared, alone) = (outcome.used(MINUTE, MINUTE * 3), outcome.used(MINUTE * 5, TIME));
        let refused: Vec<_> = (0..10).map(|minute| outcome.refused_in(minute)).collect();
        assert!(shared >= 70.0, "{shared} %");
        assert!(alone >= 97.0, "{alone} %");
        assert!(
            refused[1..3].iter().all(|minute| *minute <= 20) && refused[5..].iter().all(|m| *m == 0),
            "{refused:?}"
        );
    }
}
