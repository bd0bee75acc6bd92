//! The queue of attempts, by rank, and in order of arrival within a rank, except that an attempt passes those that do not
//! use their turn.
//!
//! The first attempt in the queue is notified when it may try again. Its task may not run, for example on a thread that
//! computes, or in a runtime that is not driven. Every other attempt therefore also looks for itself, and passes a first
//! attempt that does not use its turn. The module `state` decides whether an attempt may pass.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Notify;

use super::Rank;

/// The waiting attempts, the next one first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Entry>,
    joined: u64,
}

/// The place of an attempt in the queue; the second part is the number of attempts that joined before it.
pub(super) type Ticket = (Rank, u64);

#[derive(Debug)]
struct Entry {
    ticket: Ticket,
    weight: usize,
    woken: Arc<Notify>,
    /// True if the attempt did not use its turn, and has not looked since.
    is_stalled: bool,
}

impl Queue {
    /// Adds an attempt to the queue. The returned [`Notify`] wakes the attempt to check again whether it may pass.
    pub(super) fn join(&mut self, rank: Rank, weight: usize) -> (Ticket, Arc<Notify>) {
        let ticket = (rank, self.joined);
        self.joined += 1;
        let woken = Arc::new(Notify::new());
        let entry = Entry { ticket, weight, woken: woken.clone(), is_stalled: false };
        self.waiting.insert(self.index(ticket), entry);
        (ticket, woken)
    }

    fn index(&self, ticket: Ticket) -> usize {
        self.waiting.partition_point(|entry| entry.ticket < ticket)
    }

    /// Returns the number of attempts that are before this one and use their turn, and the largest weight of all of them
    /// and of this one. Notes that this one looks.
    pub(super) fn position(&mut self, ticket: Ticket) -> (usize, usize) {
        let index = self.index(ticket);
        if let Some(entry) = self.waiting.get_mut(index) {
            entry.is_stalled = false;
        }
        let mut before = 0;
        let mut heaviest = 0;
        for entry in self.waiting.iter().take(index + 1) {
            if !entry.is_stalled {
                heaviest = heaviest.max(entry.weight);
                before += usize::from(entry.ticket != ticket);
            }
        }
        (before, heaviest)
    }

    /// Notes that the attempts before this one have not used their turn.
    pub(super) fn overtake(&mut self, ticket: Ticket) {
        let index = self.index(ticket);
        for entry in self.waiting.iter_mut().take(index) {
            entry.is_stalled = true;
        }
    }

    /// Removes an attempt from the queue, and wakes the attempt that is then the first.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.waiting.remove(self.index(ticket));
        // A cancelled attempt may have consumed the notification, so the new first attempt is notified too.
        self.wake();
    }

    /// Wakes the first attempt, so that it checks again whether it may pass.
    pub(super) fn wake(&self) {
        if let Some(entry) = self.waiting.iter().find(|entry| !entry.is_stalled) {
            entry.woken.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::Attempt;
    use crate::registry::EndpointInfo;
    use crate::request::RequestKind;

    const DATA: RequestKind = RequestKind::Data(&EndpointInfo::new("market", "ping", "Ping"));

    /// Queues attempts, and returns their indices in the order in which they pass.
    fn check(attempts: &[(RequestKind, u32, Rank)]) -> Vec<usize> {
        let mut queue = Queue::default();
        let waiting: Vec<_> = attempts
            .iter()
            .map(|(request, number, first)| queue.join(Attempt::with_rank(*request, *number, *first, 1).rank, 1).0)
            .collect();
        let pass = || {
            let first = queue.waiting.front().map(|entry| entry.ticket)?;
            assert_eq!(queue.position(first), (0, 1));
            queue.leave(first);
            waiting.iter().position(|ticket| *ticket == first)
        };
        std::iter::from_fn(pass).collect()
    }

    #[test]
    fn attempts_pass_by_rank_and_then_in_order_of_arrival() {
        use Rank::{Bulk, First, Live};
        let first = (DATA, 1, First);
        assert_eq!(check(&[first, first, first]), [0, 1, 2]);
        assert_eq!(check(&[first, (DATA, 3, Bulk), (DATA, 2, First), first]), [1, 2, 0, 3]);
        let (token, live, bulk) = ((RequestKind::Token, 1, First), (DATA, 1, Live), (DATA, 1, Bulk));
        let all = [bulk, first, (DATA, 2, Bulk), (DATA, 2, Live), token, live, bulk, first];
        assert_eq!(check(&all), [4, 3, 5, 2, 1, 7, 0, 6]);
    }

    #[test]
    fn an_attempt_that_was_overtaken_counts_again_once_it_looks() {
        let mut queue = Queue::default();
        let [one, two, three] = [7, 2, 1].map(|weight| queue.join(Rank::First, weight).0);
        queue.overtake(two);
        assert_eq!((queue.position(two), queue.position(three)), ((0, 2), (1, 2)));
        assert_eq!((queue.position(one), queue.position(two), queue.position(three)), ((0, 7), (1, 7), (2, 7)));
    }
}
