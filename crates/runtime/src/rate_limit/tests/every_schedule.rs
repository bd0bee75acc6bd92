//! Tests the rate limiter with every schedule of a few tasks.
//!
//! Requests for data or a token arrive, are cancelled, are sent, get a response, fail or return their permit, and time
//! advances, in every order. A task is polled only after it was woken, so the test detects a lost wake-up: the task
//! waits although its request may be sent. Interleavings of two threads within one poll are not tested, because the
//! state is behind one lock, and Tokio guarantees that a `notify_one` is not lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::time::{Instant, advance};

use crate::rate_limit::{AcquireFuture, Attempt, Permit, ProcessRateLimiter, Rank, RateLimit, RateLimiter};
use crate::registry::EndpointInfo;
use crate::request::RequestKind;

const DATA: Attempt = Attempt {
    request: RequestKind::Data(&EndpointInfo::new("market", "ping", "Ping")),
    number: 1,
    rank: Rank::First,
    weight: 1,
};
const TOKEN: Attempt = Attempt { request: RequestKind::Token, number: 1, rank: Rank::Token, weight: 1 };

/// The arrivals, each with its rank among waiting tasks. The last arrival is a token request, which passes first.
const ARRIVALS: [(Attempt, usize); 3] = [(DATA, 1), (DATA, 2), (TOKEN, 0)];

const SECOND: Duration = Duration::from_secs(1);

/// The time by which `Action::Time` advances the clock. A window is slightly longer than two of these steps.
const STEP: Duration = Duration::from_millis(500);

/// The number of actions in a schedule.
const LENGTH: usize = 6;

/// Iterates over all sequences of choices, one sequence per schedule.
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
    fn advance(&mut self) -> bool {
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

/// An action of a schedule, with the index of its task.
#[derive(Clone, Copy, Debug)]
enum Action {
    Arrive,
    Cancel(usize),
    Send(usize),
    Respond(usize),
    /// The request fails without a response; an unsent request stays unsent.
    Fail(usize),
    ReturnPermit(usize),
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
    /// The task has a permit: the permit, the time at which it was acquired, and the time at which its request was
    /// sent.
    Permitted(Permit, Instant, Option<Instant>),
    Ended,
}

/// A rate limiter, the tasks so far, and the requests that the service has received.
struct Model<'g> {
    limiter: &'g ProcessRateLimiter,
    limit: (usize, usize),
    tasks: Vec<Task<'g>>,
    /// The earliest and the latest time at which each request may have been sent.
    sent: Vec<(Instant, Instant)>,
    done: Vec<Action>,
    is_paused: bool,
}

impl<'g> Model<'g> {
    fn new(limiter: &'g ProcessRateLimiter, limit: (usize, usize)) -> Self {
        let (tasks, sent, done) = (Vec::new(), Vec::new(), Vec::new());
        Self { limiter, limit, tasks, sent, done, is_paused: false }
    }

    /// Returns the actions that are possible next.
    fn actions(&self) -> Vec<Action> {
        let mut actions = vec![Action::Time];
        if self.tasks.len() < ARRIVALS.len() {
            actions.push(Action::Arrive);
        }
        if !self.is_paused {
            actions.push(Action::Pause);
        }
        for (index, task) in self.tasks.iter().enumerate() {
            match task {
                Task::Waiting(..) => actions.push(Action::Cancel(index)),
                Task::Permitted(_, _, sent) => {
                    actions.extend([Action::Respond(index), Action::Fail(index)]);
                    if sent.is_none() {
                        actions.extend([Action::Send(index), Action::ReturnPermit(index)]);
                    }
                }
                Task::Ended => {}
            }
        }
        actions
    }

    async fn perform(&mut self, action: Action) {
        self.done.push(action);
        // Woken tasks are polled before each action except a cancellation, because a task can also be cancelled after
        // it was woken and before it is polled.
        if !matches!(action, Action::Cancel(_)) {
            self.poll_woken();
        }
        match action {
            Action::Time => advance(STEP).await,
            Action::Arrive => {
                let woken = Arc::new(Woken(AtomicBool::new(true)));
                let (attempt, _) = ARRIVALS[self.tasks.len()];
                self.tasks.push(Task::Waiting(self.limiter.acquire(attempt), woken));
                self.poll_woken();
            }
            Action::Pause => {
                self.is_paused = true;
                self.limiter.on_rate_limited(SECOND);
            }
            Action::Send(index) => self.send(index),
            Action::Cancel(index) | Action::Fail(index) | Action::ReturnPermit(index) | Action::Respond(index) => {
                self.end(action, index);
            }
        }
    }

    fn end(&mut self, action: Action, index: usize) {
        let Task::Permitted(permit, since, sent) = std::mem::replace(&mut self.tasks[index], Task::Ended) else {
            return;
        };
        self.sent.extend(sent.map(|sent| (sent, sent)));
        if let Action::Respond(_) = action {
            // If the sending was not reported, only the earliest and the latest time at which it happened are known.
            self.sent.extend(sent.is_none().then(|| (since, Instant::now())));
            permit.on_sent.notify();
        }
    }

    fn send(&mut self, index: usize) {
        if let Task::Permitted(permit, _, sent) = &mut self.tasks[index] {
            permit.on_sent.notify();
            *sent = Some(Instant::now());
        }
    }

    /// Polls woken tasks until none is left.
    fn poll_woken(&mut self) {
        let mut is_quiet = false;
        while !std::mem::replace(&mut is_quiet, true) {
            for index in 0..self.tasks.len() {
                let Task::Waiting(acquiring, woken) = &mut self.tasks[index] else { continue };
                if !woken.0.swap(false, Ordering::SeqCst) {
                    continue;
                }
                is_quiet = false;
                let waker = Waker::from(woken.clone());
                if let Poll::Ready(permit) = acquiring.as_mut().poll(&mut Context::from_waker(&waker)) {
                    self.tasks[index] = Task::Permitted(permit.unwrap(), Instant::now(), None);
                    self.assert_first(index);
                }
            }
        }
        self.assert_invariants();
    }

    /// Asserts that the task that passed was ahead of all tasks that still wait.
    fn assert_first(&self, passed: usize) {
        let positions = self.tasks.iter().zip(ARRIVALS.map(|(_, position)| position));
        let first = positions.filter(|(task, _)| matches!(task, Task::Waiting(..))).map(|(_, position)| position).min();
        assert!(first.is_none_or(|first| ARRIVALS[passed].1 < first), "{passed} passed early: {:?}", self.done);
    }

    /// Asserts the invariants of every state.
    fn assert_invariants(&self) {
        let in_flight = self.tasks.iter().filter(|task| matches!(task, Task::Permitted(..))).count();
        assert!(in_flight <= self.limit.1, "{in_flight} requests in flight: {:?}", self.done);
        let is_waiting = self.tasks.iter().any(|task| matches!(task, Task::Waiting(..)));
        assert!(!is_waiting || !self.limiter.is_open(), "a task waits although a request may pass: {:?}", self.done);
        let now = Instant::now();
        let unfinished = self.tasks.iter().filter_map(|task| match task {
            Task::Permitted(_, since, sent) => Some(sent.map_or((*since, now), |sent| (sent, sent))),
            _ => None,
        });
        let sent: Vec<_> = self.sent.iter().copied().chain(unfinished).collect();
        for (_, start) in &sent {
            let within = sent.iter().filter(|(first, last)| last >= start && *first <= *start + SECOND).count();
            assert!(within <= self.limit.0, "{within} requests may have been sent within a window: {:?}", self.done);
        }
    }

    /// Ends all requests in flight, and advances time until no task waits.
    async fn finish(mut self) {
        for _ in 0..40 {
            self.poll_woken();
            for index in 0..self.tasks.len() {
                if matches!(self.tasks[index], Task::Permitted(..)) {
                    self.end(Action::Respond(index), index);
                }
            }
            self.poll_woken();
            advance(STEP).await;
        }
        let is_waiting = self.tasks.iter().any(|task| matches!(task, Task::Waiting(..)));
        assert!(!is_waiting, "a task waits forever: {:?}", self.done);
    }
}

/// Asserts that after a minute as many requests can be sent at once as the limit allows, which shows that all tasks
/// have released their slots.
async fn assert_slots_released(limiter: &ProcessRateLimiter, limit: (usize, usize), done: &[Action]) {
    advance(60 * SECOND).await;
    let passes: Vec<_> = (0..limit.0.min(limit.1))
        .map(|_| match limiter.acquire(DATA).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => permit.unwrap(),
            Poll::Pending => panic!("a slot was not released: {done:?}"),
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
            let limiter = ProcessRateLimiter::new(RateLimit::new(requests, SECOND, concurrent));
            let mut model = Model::new(&limiter, limit);
            for _ in 0..LENGTH {
                let actions = model.actions();
                let action = actions[choices.choose(actions.len())];
                model.perform(action).await;
            }
            let done = model.done.clone();
            model.finish().await;
            assert_slots_released(&limiter, limit, &done).await;
        });
        schedules += 1;
        if !choices.advance() {
            return schedules;
        }
    }
}

#[test]
fn limits_hold_under_every_schedule() {
    for (requests, concurrent) in [(1, 1), (2, 1), (1, 2), (2, 3)] {
        let schedules = check(requests, concurrent);
        assert!(schedules > 1000, "{schedules}");
    }
}
