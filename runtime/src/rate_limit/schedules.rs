//! Tests of the rate limiter under every schedule of a few tasks.
//!
//! Tasks for data or a token arrive, are cancelled, are sent, get a response, fail or return their permit, and time
//! advances, in every order. A task is polled only after it was woken, so a lost wake-up shows as a task that waits
//! without need. Interleavings of two threads within one poll are not tested: the state is behind one lock, and Tokio
//! guarantees that a `notify_one` is not lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::time::{Instant, advance};

use super::{AcquireFuture, Attempt, Permit, ProcessRateLimiter, RateLimit, RateLimiter};
use crate::registry::EndpointInfo;
use crate::request::RequestKind;

const DATA: Attempt = Attempt { request: RequestKind::Data(&EndpointInfo::new("market", "ping", "Ping")), number: 1 };

/// The arrivals, each with its rank among waiting tasks: the last arrival, a token request, passes first.
const ARRIVALS: [(Attempt, usize); 3] = [(DATA, 1), (DATA, 2), (Attempt { request: RequestKind::Token, number: 1 }, 0)];

const SECOND: Duration = Duration::from_secs(1);

/// The time by which `Act::Time` advances the clock; a window is slightly longer than two steps.
const STEP: Duration = Duration::from_millis(500);

/// The number of acts in a schedule.
const LENGTH: usize = 6;

/// Goes through all sequences of choices, one sequence a round.
#[derive(Default)]
struct Choices {
    /// The choices of this sequence, each with the number of options.
    made: Vec<(usize, usize)>,
    next: usize,
}

impl Choices {
    fn choose(&mut self, count: usize) -> usize {
        if self.next == self.made.len() {
            self.made.push((0, count));
        }
        self.next += 1;
        self.made[self.next - 1].0
    }

    /// Advances to the next sequence; returns whether there is one.
    fn turn(&mut self) -> bool {
        self.next = 0;
        while let Some((choice, count)) = self.made.pop() {
            if choice + 1 < count {
                self.made.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

/// The acts of a schedule.
#[derive(Clone, Copy, Debug)]
enum Act {
    Arrive,
    Cancel(usize),
    Depart(usize),
    Reply(usize),
    /// The request fails without a response; an unsent request stays unsent.
    Fail(usize),
    GiveBack(usize),
    Pause,
    Time,
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

enum Task<'g> {
    Waiting(AcquireFuture<'g>, Arc<Woken>),
    /// A permit, the time at which it was acquired, and the time at which its request was sent.
    Under(Permit, Instant, Option<Instant>),
    Over,
}

/// A rate limiter, the tasks so far, and the requests that the service has received.
struct Model<'g> {
    gate: &'g ProcessRateLimiter,
    limit: (usize, usize),
    tasks: Vec<Task<'g>>,
    /// The earliest and the latest time at which each request may have been sent.
    left: Vec<(Instant, Instant)>,
    happened: Vec<Act>,
    is_paused: bool,
}

impl<'g> Model<'g> {
    fn new(gate: &'g ProcessRateLimiter, limit: (usize, usize)) -> Self {
        let (tasks, left, happened) = (Vec::new(), Vec::new(), Vec::new());
        Self { gate, limit, tasks, left, happened, is_paused: false }
    }

    /// The acts that are possible next.
    fn acts(&self) -> Vec<Act> {
        let mut acts = vec![Act::Time];
        if self.tasks.len() < ARRIVALS.len() {
            acts.push(Act::Arrive);
        }
        if !self.is_paused {
            acts.push(Act::Pause);
        }
        for (index, task) in self.tasks.iter().enumerate() {
            match task {
                Task::Waiting(..) => acts.push(Act::Cancel(index)),
                Task::Under(_, _, left) => {
                    acts.extend([Act::Reply(index), Act::Fail(index)]);
                    if left.is_none() {
                        acts.extend([Act::Depart(index), Act::GiveBack(index)]);
                    }
                }
                Task::Over => {}
            }
        }
        acts
    }

    async fn act(&mut self, act: Act) {
        self.happened.push(act);
        // A cancelled task may have been woken without being polled.
        if !matches!(act, Act::Cancel(_)) {
            self.poll_woken();
        }
        match act {
            Act::Time => advance(STEP).await,
            Act::Arrive => {
                let woken = Arc::new(Woken(AtomicBool::new(true)));
                let (attempt, _) = ARRIVALS[self.tasks.len()];
                self.tasks.push(Task::Waiting(self.gate.acquire(attempt), woken));
                self.poll_woken();
            }
            Act::Pause => {
                self.is_paused = true;
                self.gate.on_rate_limited(SECOND);
            }
            Act::Depart(index) => self.depart(index),
            Act::Cancel(index) | Act::Fail(index) | Act::GiveBack(index) | Act::Reply(index) => self.end(act, index),
        }
    }

    fn end(&mut self, act: Act, index: usize) {
        let Task::Under(permit, since, left) = std::mem::replace(&mut self.tasks[index], Task::Over) else {
            return;
        };
        self.left.extend(left.map(|left| (left, left)));
        if let Act::Reply(_) = act {
            // The transport did not report the time of sending, so only the earliest and the latest time are known.
            self.left.extend(left.is_none().then(|| (since, Instant::now())));
            permit.on_sent.notify();
        }
    }

    fn depart(&mut self, index: usize) {
        if let Task::Under(permit, _, left) = &mut self.tasks[index] {
            permit.on_sent.notify();
            *left = Some(Instant::now());
        }
    }

    /// Polls woken tasks until none is left.
    fn poll_woken(&mut self) {
        let mut is_quiet = false;
        while !std::mem::replace(&mut is_quiet, true) {
            for index in 0..self.tasks.len() {
                let Task::Waiting(entering, woken) = &mut self.tasks[index] else { continue };
                if !woken.0.swap(false, Ordering::SeqCst) {
                    continue;
                }
                is_quiet = false;
                let waker = Waker::from(woken.clone());
                if let Poll::Ready(permit) = entering.as_mut().poll(&mut Context::from_waker(&waker)) {
                    self.tasks[index] = Task::Under(permit.unwrap(), Instant::now(), None);
                    self.assert_first(index);
                }
            }
        }
        self.assert_holds();
    }

    /// Asserts that the task that passed was the first of the waiting tasks.
    fn assert_first(&self, passed: usize) {
        let positions = self.tasks.iter().zip(ARRIVALS.map(|(_, position)| position));
        let first = positions.filter(|(task, _)| matches!(task, Task::Waiting(..))).map(|(_, position)| position).min();
        assert!(first.is_none_or(|first| ARRIVALS[passed].1 < first), "{passed} passed: {:?}", self.happened);
    }

    /// Asserts the invariants of every state.
    fn assert_holds(&self) {
        let under = self.tasks.iter().filter(|task| matches!(task, Task::Under(..))).count();
        assert!(under <= self.limit.1, "{under} in flight: {:?}", self.happened);
        let waits = self.tasks.iter().any(|task| matches!(task, Task::Waiting(..)));
        assert!(!waits || !self.gate.is_open(), "a task waits although a request may pass: {:?}", self.happened);
        let now = Instant::now();
        let leaving = self.tasks.iter().filter_map(|task| match task {
            Task::Under(_, since, left) => Some(left.map_or((*since, now), |left| (left, left))),
            _ => None,
        });
        let left: Vec<_> = self.left.iter().copied().chain(leaving).collect();
        for (_, start) in &left {
            let within = left.iter().filter(|(first, last)| last >= start && *first <= *start + SECOND).count();
            assert!(within <= self.limit.0, "{within} may have left within a window: {:?}", self.happened);
        }
    }

    /// Ends all requests in flight, and advances time until no task waits.
    async fn finish(mut self) {
        for _ in 0..40 {
            self.poll_woken();
            for index in 0..self.tasks.len() {
                if matches!(self.tasks[index], Task::Under(..)) {
                    self.end(Act::Reply(index), index);
                }
            }
            self.poll_woken();
            advance(STEP).await;
        }
        let waits = self.tasks.iter().any(|task| matches!(task, Task::Waiting(..)));
        assert!(!waits, "a task waits forever: {:?}", self.happened);
    }
}

/// Asserts that everything is free again after a while: cancelled tasks have released what they acquired.
async fn assert_no_debt(gate: &ProcessRateLimiter, limit: (usize, usize), happened: &[Act]) {
    advance(60 * SECOND).await;
    let passes: Vec<_> = (0..limit.0.min(limit.1))
        .map(|_| match gate.acquire(DATA).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => permit.unwrap(),
            Poll::Pending => panic!("there is a debt: {happened:?}"),
        })
        .collect();
    drop(passes);
}

/// Tries every schedule and returns their number.
fn check(requests: u32, concurrent: u32) -> usize {
    let limit = (requests.try_into().unwrap(), concurrent.try_into().unwrap());
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    let (mut choices, mut schedules) = (Choices::default(), 0);
    loop {
        runtime.block_on(async {
            let gate = ProcessRateLimiter::new(RateLimit::new(requests, SECOND, concurrent));
            let mut model = Model::new(&gate, limit);
            for _ in 0..LENGTH {
                let acts = model.acts();
                let act = acts[choices.choose(acts.len())];
                model.act(act).await;
            }
            let happened = model.happened.clone();
            model.finish().await;
            assert_no_debt(&gate, limit, &happened).await;
        });
        schedules += 1;
        if !choices.turn() {
            return schedules;
        }
    }
}

#[test]
fn every_schedule_keeps_the_limits() {
    for (requests, concurrent) in [(1, 1), (2, 1), (1, 2), (2, 3)] {
        let schedules = check(requests, concurrent);
        assert!(schedules > 1000, "{schedules}");
    }
}
