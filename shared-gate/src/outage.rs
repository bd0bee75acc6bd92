//! Behaviour of a machine while the server cannot be reached.
//!
//! After a failure of the store, requests fail or are admitted by a share of the limit. The server is tried again after
//! growing pauses of up to a second. The store decides which errors count as a failure.

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

/// Behaviour of a machine while it cannot reach the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnUnreachable {
    /// Nothing is sent. A request fails once both it and the outage have lasted for this time.
    Fail {
        /// Maximum wait of a request.
        after: Duration,
    },
    /// Each machine sends its share of the limit, one of `machines` equal parts, after the longest window of the limit
    /// has passed without the server. When the server is back, all machines wait for that window again.
    ///
    /// If only some machines cannot reach the server, the others use the complete limit, and these send their shares in
    /// addition.
    SplitLimit {
        /// Number of parts of the limit: the maximum number of machines at any time.
        machines: u32,
    },
}

impl Default for OnUnreachable {
    fn default() -> Self {
        Self::Fail { after: Duration::from_secs(30) }
    }
}

impl OnUnreachable {
    /// The share of the limit for this machine alone; `None` if no share is safe.
    pub(crate) fn share(&self, limit: &RateLimit) -> Option<RateLimit> {
        match self {
            Self::Fail { .. } => None,
            Self::SplitLimit { machines } => limit.clone().split(*machines),
        }
    }
}

/// The error of an exchange.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) error: RateLimiterError,
    /// `true` for a transient failure. Any other failure is an error in the settings, which waiting does not fix.
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

/// An outage of the server.
pub(crate) struct Outage {
    since: Instant,
    failure: Failure,
    probe: Probe,
    /// Number of failed attempts to reach the server.
    failures: u32,
    /// The shared state of this machine alone.
    alone: Option<SharedState>,
}

type Probe = Pin<Box<dyn Future<Output = (Instant, Result<Answer, Failure>)> + Send>>;

/// The first pause before the server is tried again; each pause is twice the previous one …
const FIRST_PROBE: Duration = Duration::from_millis(50);

/// … up to this maximum.
const LATEST_PROBE: Duration = Duration::from_secs(1);

/// Interval of checking the waiting requests.
const STEP: Duration = Duration::from_millis(250);

impl Outage {
    /// Returns when the server has been tried once more.
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

    /// Ends an outage if the server responded, or continues it.
    pub(crate) fn reach(&mut self, asked: Instant, answer: Result<Answer, Failure>) {
        let settled = answer.and_then(|answer| self.settle(asked, answer));
        match settled {
            Ok(()) => self.outage = None,
            Err(failure) => self.lose(failure),
        }
    }

    /// Does the work that needs no server, and returns the time of the next check.
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

    /// Admits requests by this machine's share, and returns the time of the next check.
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
