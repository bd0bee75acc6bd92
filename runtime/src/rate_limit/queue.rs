//! The queue of attempts: token requests, then retries, then first attempts, each kind in order of arrival.
//!
//! The first attempt in the queue is notified when it may try again. The module `state` decides whether the attempt may
//! pass.

use std::collections::BTreeMap;
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

/// A position in the queue: the rank of an attempt, and a number that increases with each arrival. The attempt with the
/// smallest position passes first.
pub(super) type QueuePosition = (Rank, u64);

/// The waiting attempts.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<QueuePosition, Arc<Notify>>,
    joined: u64,
}

impl Queue {
    /// Adds an attempt to the queue. The returned [`Notify`] wakes the attempt to check again whether it may pass.
    pub(super) fn join(&mut self, rank: Rank) -> (QueuePosition, Arc<Notify>) {
        self.joined += 1;
        let position = (rank, self.joined);
        let woken = Arc::new(Notify::new());
        self.waiting.insert(position, woken.clone());
        (position, woken)
    }

    /// Returns whether a position is the first.
    pub(super) fn leads(&self, position: QueuePosition) -> bool {
        self.waiting.first_key_value().is_some_and(|(first, _)| *first == position)
    }

    /// Removes a position from the queue, and wakes the attempt that is then the first.
    pub(super) fn leave(&mut self, position: QueuePosition) {
        if self.waiting.remove(&position).is_some() {
            // A cancelled attempt may have consumed the notification, so the new first attempt is notified too.
            self.wake();
        }
    }

    /// Wakes the first attempt, so that it checks again whether it may pass.
    pub(super) fn wake(&self) {
        if let Some((_, woken)) = self.waiting.first_key_value() {
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
        let join = |(request, number): &(RequestKind, u32)| queue.join(Attempt::new(*request, *number).into()).0;
        let positions: Vec<_> = attempts.iter().map(join).collect();
        let pass = || {
            let first = positions.iter().position(|position| queue.leads(*position))?;
            queue.leave(positions[first]);
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
