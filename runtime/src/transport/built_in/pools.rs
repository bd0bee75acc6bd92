//! One connection pool for each Tokio runtime. A pool is replaced when its connections may be dead.
//!
//! A connection is driven by the runtime that opened it. While that runtime is idle, for example between calls of
//! `block_on`, a request of another runtime on the connection would have to wait. The connections of a pool often die
//! together, for example after a suspend, so the entire pool is dropped.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Handle, Id};
use tokio::sync::oneshot;

/// The pools, each with the id of its runtime.
pub(super) struct Pools<C>(Mutex<Vec<(Id, Arc<Pool<C>>)>>);

/// A client with a separate connection pool.
pub(super) struct Pool<C> {
    pub(super) client: C,
    /// The number of responses that connections of the pool have received.
    responses: AtomicU64,
    /// This channel is closed when the runtime shuts down, because a task of the runtime owns the receiver. The task
    /// ends when the pool is dropped.
    runtime: oneshot::Sender<Infallible>,
}

impl<C> Pool<C> {
    /// Counts a response.
    pub(super) fn answered(&self) {
        self.responses.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of responses so far.
    pub(super) fn responses(&self) -> u64 {
        self.responses.load(Ordering::Relaxed)
    }
}

impl<C> Pools<C> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Returns the pool of the current runtime. Creating a pool removes the pools of runtimes that have shut down; all
    /// other pools are kept, because a server may have a runtime for each of its threads.
    pub(super) fn here(&self, new: impl FnOnce() -> C) -> Arc<Pool<C>> {
        let current = Handle::current();
        let id = current.id();
        let mut pools = self.pools();
        if let Some((_, pool)) = pools.iter().find(|(owner, _)| *owner == id) {
            return pool.clone();
        }
        pools.retain(|(_, pool)| !pool.runtime.is_closed());
        let (runtime, pool_end) = oneshot::channel();
        current.spawn(async { drop(pool_end.await) });
        let pool = Arc::new(Pool { client: new(), responses: AtomicU64::default(), runtime });
        pools.push((id, pool.clone()));
        pool
    }

    /// Handles a request of the pool that received no response: if the idle connections of the pool may be dead,
    /// removes the pool and returns true. `responses` is the number of responses that the pool had received before the
    /// request. If the pool has received another response since then, its connections work. If `responses` is 0, the
    /// pool has no idle connections. Requests in flight keep using the removed pool, and the next request creates a new
    /// pool.
    pub(super) fn distrust(&self, pool: &Arc<Pool<C>>, responses: u64) -> bool {
        let is_stale = responses > 0 && responses == pool.responses();
        if is_stale {
            self.pools().retain(|(_, other)| !Arc::ptr_eq(other, pool));
        }
        is_stale
    }

    fn pools(&self) -> MutexGuard<'_, Vec<(Id, Arc<Pool<C>>)>> {
        // The list is valid even after a panic, so a poisoned lock is accepted.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Runtime;

    use super::*;

    fn runtime() -> Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn each_runtime_has_a_pool_until_it_is_replaced() {
        let (pools, one, other) = (Pools::new(), runtime(), runtime());
        let here = |runtime: &Runtime, new| runtime.block_on(async { pools.here(|| new) });
        let first = here(&one, 1);
        assert_eq!((first.client, here(&other, 2).client, here(&one, 3).client), (1, 2, 1));
        assert!(!pools.distrust(&first, 0), "no response yet");
        assert_eq!(here(&one, 4).client, 1);
        first.answered();
        assert!(!pools.distrust(&first, 0), "a response during the request");
        assert_eq!(here(&one, 4).client, 1);
        assert!(pools.distrust(&first, 1));
        assert_eq!((here(&one, 5).client, here(&other, 6).client), (5, 2));
        assert!(pools.distrust(&first, 1));
        assert_eq!(here(&one, 7).client, 5, "the pool that replaced `first` stays");
    }

    #[test]
    fn pools_of_live_runtimes_stay_and_those_of_dead_runtimes_do_not() {
        let (pools, mut runtimes) = (Pools::new(), (0..32).map(|_| runtime()).collect::<Vec<_>>());
        let here = |runtime: &Runtime, new| runtime.block_on(async { pools.here(|| new) }).client;
        for round in 0..2 {
            for (index, runtime) in runtimes.iter().enumerate() {
                assert_eq!(here(runtime, 100 * round + index), index);
            }
        }
        runtimes.truncate(3);
        assert_eq!(here(&runtime(), 7), 7);
        assert_eq!(pools.pools().len(), 4);
        assert_eq!(here(&runtimes[2], 8), 2);
    }
}
