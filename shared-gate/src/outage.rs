//! What a machine does while the server cannot be reached.
//!
//! A failure of the store comes in; requests fail, or pass by a share of the limit. The server is asked again after
//! growing pauses of up to a second. The store decides what counts as a failure.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use runtime::RateLimit;
use runtime::rate_limit::RateLimiterError;
use tokio::time::Instant;

use crate::shared_state::SharedState;
use crate::store::{Answer, Offer, Store};
use crate::worker::{Worker, ask};

/// What a machine does while it cannot reach the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnUnreachable {
    /// Nothing is sent. A request fails once both it and the outage have lasted for this time.
    Fail {
        /// For how long a request waits.
        after: Duration,
    },
    /// Each machine sends its share of the limit, one of `machines` equal parts, once the longest window of the limit
    /// has passed without the server. When the server is back, all machines wait for that window again.
    ///
    /// If only some machines cannot reach the server, the others use the whole limit, and these send their shares on
    /// top.
    SplitLimit {
        /// Into how many parts the limit is split: the most machines that there ever are.
        machines: u32,
    },
}

impl Default for OnUnreachable {
    fn default() -> Self {
        Self::Fail { after: Duration::from_secs(30) }
    }
}

impl OnUnreachable {
    /// What a machine may send by itself; `None` if there is no safe share.
    pub(crate) fn share(&self, limit: &RateLimit) -> Option<RateLimit> {
        match self {
            Self::Fail { .. } => None,
            Self::SplitLimit { machines } => limit.clone().split(*machines),
        }
    }
}

/// Why an exchange has failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) error: RateLimiterError,
    /// Whether it may pass by itself. Any other failure is a mistake in the settings, which waiting does not mend.
    pub(crate) passes: bool,
}

impl Failure {
    pub(crate) fn passing(error: RateLimiterError) -> Self {
        Self { error, passes: true }
    }

    pub(crate) fn lasting(error: RateLimiterError) -> Self {
        Self { error, passes: false }
    }
}

/// The time without the server.
pub(crate) struct Outage {
    since: Instant,
    failure: Failure,
    probe: Probe,
    /// How often it was asked without success.
    failures: u32,
    /// The shared state of this machine alone.
    alone: Option<SharedState>,
}

type Probe = Pin<Box<dyn Future<Output = (Instant, Result<Answer, Failure>)> + Send>>;

/// The server is asked again after this time at first, and each time after twice the time before …
const FIRST_PROBE: Duration = Duration::from_millis(50);

/// … and at most after this.
const LATEST_PROBE: Duration = Duration::from_secs(1);

/// How often waiting requests are checked.
const STEP: Duration = Duration::from_millis(250);

impl Outage {
    /// Returns when the server has been asked once more.
    pub(crate) async fn probed(&mut self) -> (Instant, Result<Answer, Failure>) {
        self.probe.as_mut().await
    }
}

/// Reads the store after a pause that grows with the failures.
fn probe<S: Store>(store: Arc<S>, failures: u32) -> Probe {
    let bound = FIRST_PROBE.saturating_mul(1 << failures.min(10)).min(LATEST_PROBE);
    Box::pin(async move {
        tokio::time::sleep(bound.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        ask(&*store, Offer::default()).await
    })
}

impl<S: Store> Worker<S> {
    /// Begins an outage, or continues it.
    pub(crate) fn lose(&mut self, failure: Failure) {
        self.known = None;
        let before = self.outage.take();
        let failures = before.as_ref().map_or(0, |outage| outage.failures + 1);
        let (since, alone) = before.map_or((Instant::now(), None), |outage| (outage.since, outage.alone));
        self.outage = Some(Outage { since, failure, probe: probe(self.store.clone(), failures), failures, alone });
    }

    /// Ends an outage with the server's answer, or continues it.
    pub(crate) fn reach(&mut self, asked: Instant, answer: Result<Answer, Failure>) {
        let settled = answer.and_then(|answer| self.settle(asked, answer));
        match settled {
            Ok(()) => self.outage = None,
            Err(failure) => self.lose(failure),
        }
    }

    /// Does the work that needs no server, and returns when to look again.
    pub(crate) fn work_alone(&mut self) -> Option<Instant> {
        self.listen();
        let outage = self.outage.as_ref()?;
        let (error, passes, since) = (outage.failure.error.clone(), outage.failure.passes, outage.since);
        for question in self.line.take_questions() {
            // The caller may have stopped waiting.
            drop(question.send(Err(error.clone())));
        }
        let now = Instant::now();
        match (&self.on_unreachable, self.on_unreachable.share(&self.limit)) {
            _ if !passes => self.line.fail(now, &error),
            (_, Some(share)) => return Some(self.work_by_share(&share)),
            (OnUnreachable::Fail { after }, None) if now.saturating_duration_since(since) >= *after => {
                if let Some(since) = now.checked_sub(*after) {
                    self.line.fail(since, &error);
                }
            }
            _ => {}
        }
        (!self.line.is_empty()).then(|| now + STEP)
    }

    /// Lets requests pass by this machine's share, and says when to look again.
    fn work_by_share(&mut self, share: &RateLimit) -> Instant {
        let now = self.now();
        loop {
            let kept = self.outage.as_mut().and_then(|outage| outage.alone.take());
            let base = kept.unwrap_or_else(|| SharedState::lost(share.clone(), "", now));
            let was_alone = std::mem::replace(&mut self.was_alone, false);
            let proposal = self.proposal(&base);
            self.was_alone = was_alone || !proposal.turns.is_empty();
            let (is_due, look, shared) = (proposal.is_due, proposal.look, proposal.shared.clone());
            if is_due {
                self.accept(proposal);
            }
            if let Some(outage) = &mut self.outage {
                outage.alone = Some(if is_due { shared } else { base });
            }
            if !is_due {
                return look;
            }
        }
    }
}
