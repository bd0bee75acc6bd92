//! One pool of connections for each runtime, until it is not trusted any more.
//!
//! The runtime that made a connection drives it, and a request of another runtime would wait while that one is idle: a
//! runtime that is entered by `block_on` from time to time, or the one of blocking requests. Connections of one pool
//! often die together, after a suspend for example, so a pool is given up as a whole.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Handle, Id};
use tokio::sync::oneshot;

/// Pools of a client each, by runtime.
pub(super) struct Pools<C>(Mutex<Vec<(Id, Arc<Pool<C>>)>>);

/// A client with a separate connection pool.
pub(super) struct Pool<C> {
    client: C,
    /// Whether anything was ever answered over a connection of it.
    has_answered: AtomicBool,
    /// Closed as soon as the runtime has shut down: a task of it waits for the other end, and ends with the pool.
    runtime: oneshot::Sender<Infallible>,
}

impl<C> Pool<C> {
    /// Notes an answer.
    pub(super) fn answered(&self) {
        // Written once and then only read, so that threads do not contend for the cache line.
        if !self.has_answered.load(Ordering::Relaxed) {
            self.has_answered.store(true, Ordering::Relaxed);
        }
    }
}

impl<C> Deref for Pool<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.client
    }
}

impl<C> Pools<C> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// The pool of this runtime. A new one replaces those of runtimes that have shut down; all others stay, as a server
    /// may have a runtime for each of its threads.
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
        let pool = Arc::new(Pool { client: new(), has_answered: AtomicBool::default(), runtime });
        pools.push((id, pool.clone()));
        pool
    }

    /// Drops a pool in which a request got no response, if it has served others before: requests in flight keep it, and
    /// the next request gets a new one. A pool without any response so far has no idle connection that could be dead.
    pub(super) fn distrust(&self, pool: &Arc<Pool<C>>) -> bool {
        let is_stale = pool.has_answered.load(Ordering::Relaxed);
        if is_stale {
            self.pools().retain(|(_, other)| !Arc::ptr_eq(other, pool));
        }
        is_stale
    }

    fn pools(&self) -> MutexGuard<'_, Vec<(Id, Arc<Pool<C>>)>> {
        // A panic leaves the map valid, so a poisoned lock is used too.
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
        assert_eq!((**first, **here(&other, 2), **here(&one, 3)), (1, 2, 1));
        assert!(!pools.distrust(&first), "no response yet");
        assert_eq!(**here(&one, 4), 1);
        first.answered();
        assert!(pools.distrust(&first));
        assert_eq!((**here(&one, 5), **here(&other, 6)), (5, 2));
        assert!(pools.distrust(&first));
        assert_eq!(**here(&one, 7), 5, "a pool is given up once");
    }

    #[test]
    fn pools_of_live_runtimes_stay_and_those_of_dead_runtimes_do_not() {
        let (pools, mut runtimes) = (Pools::new(), (0..32).map(|_| runtime()).collect::<Vec<_>>());
        let here = |runtime: &Runtime, new| **runtime.block_on(async { pools.here(|| new) });
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
