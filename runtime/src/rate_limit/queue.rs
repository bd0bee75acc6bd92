//! The queue of attempts: token requests, then retries, then first attempts, each kind in order of arrival.
//!
//! The first attempt in the queue is notified when it may try again. The module `state` decides whether the attempt may
//! pass.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Notify;

use super::Attempt;
use crate::request::RequestKind;

/// The priority of an attempt. Token requests are first, because data requests wait for them. Retries are next, because
/// they have waited before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A token request.
    Token,
    /// A request that has been sent before.
    Retry,
    /// A request that has not been sent before.
    First,
}

impl From<Attempt> for Rank {
    fn from(attempt: Attempt) -> Self {
        match (attempt.request, attempt.number) {
            (RequestKind::Token, _) => Self::Token,
            (RequestKind::Data(_), 2..) => Self::Retry,
            (RequestKind::Data(_), _) => Self::First,
        }
    }
}

/// The waiting attempts, the next one first. Each attempt has a [`Notify`], which also identifies the attempt.
#[derive(Debug, Default)]
pub(super) struct Queue(VecDeque<(Rank, Arc<Notify>)>);

impl Queue {
    /// Adds an attempt to the queue. The returned [`Notify`] wakes the attempt to check again whether it may pass.
    pub(super) fn join(&mut self, rank: Rank) -> Arc<Notify> {
        let woken = Arc::new(Notify::new());
        let position = self.0.partition_point(|(other, _)| *other <= rank);
        self.0.insert(position, (rank, woken.clone()));
        woken
    }

    /// Returns whether an attempt is the first.
    pub(super) fn leads(&self, attempt: &Arc<Notify>) -> bool {
        self.0.front().is_some_and(|(_, first)| Arc::ptr_eq(first, attempt))
    }

    /// Removes an attempt from the queue, and wakes the attempt that is then the first.
    pub(super) fn leave(&mut self, attempt: &Arc<Notify>) {
        let position = self.0.iter().position(|(_, other)| Arc::ptr_eq(other, attempt));
        position.and_then(|position| self.0.remove(position));
        // A cancelled attempt may have consumed the notification, so the new first attempt is notified too.
        self.wake();
    }

    /// Wakes the first attempt, so that it checks again whether it may pass.
    pub(super) fn wake(&self) {
        if let Some((_, woken)) = self.0.front() {
            woken.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::EndpointInfo;

    const DATA: RequestKind = RequestKind::Data(&EndpointInfo::new("market", "ping", "Ping"));

    /// Queues attempts, and returns their indices in the order in which they pass.
    fn check(attempts: &[(RequestKind, u32)]) -> Vec<usize> {
        let mut queue = Queue::default();
        let join = |(request, number): &(RequestKind, u32)| queue.join(Attempt::new(*request, *number).into());
        let waiting: Vec<_> = attempts.iter().map(join).collect();
        let pass = || {
            let first = waiting.iter().position(|attempt| queue.leads(attempt))?;
            queue.leave(&waiting[first]);
            Some(first)
        };
        std::iter::from_fn(pass).collect()
    }

    #[test]
    fn token_requests_then_retries_are_first_in_the_queue() {
        assert_eq!(check(&[(DATA, 1), (DATA, 1), (DATA, 1)]), [0, 1, 2]);
        assert_eq!(check(&[(DATA, 1), (DATA, 3), (DATA, 2), (DATA, 1)]), [1, 2, 0, 3]);
        let token = RequestKind::Token;
        assert_eq!(check(&[(DATA, 1), (DATA, 2), (token, 1), (token, 2), (DATA, 1)]), [2, 3, 1, 0, 4]);
    }
}
