//! One connection pool for each Tokio runtime. A pool is replaced when its connections may be dead.
//!
//! A connection is driven by the runtime that opened it. While that runtime is idle, for example between calls of
//! `block_on`, a request of another runtime on the connection would have to wait. The connections of a pool often die
//! together, for example after a suspend, so the entire pool is dropped.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::runtime::{Handle, Id};
use tokio::sync::oneshot;

use super::messages::NotifyingBody;
use super::timed_connector::TimedConnector;
use crate::platform::lock;

/// The time after which an idle connection is closed. Servers close idle connections after about a minute, so closing
/// them earlier avoids failed attempts.
const IDLE: Duration = Duration::from_secs(50);

/// The time after which a silent HTTP/2 connection is pinged, and the maximum time for the response to a ping.
#[cfg(feature = "http2")]
const PING: Duration = Duration::from_secs(10);

/// The pools, each with the id of its runtime.
pub(super) struct Pools {
    connector: TimedConnector,
    pools: Mutex<Vec<(Id, Arc<Pool>)>>,
}

type PooledClient = Client<TimedConnector, NotifyingBody>;

/// A client with a separate connection pool.
pub(super) struct Pool {
    pub(super) client: PooledClient,
    /// The number of responses that connections of the pool have received.
    responses: AtomicU64,
    /// This channel is closed when the runtime shuts down, because a task of the runtime owns the receiver. The task
    /// ends when the pool is dropped.
    runtime: oneshot::Sender<Infallible>,
}

impl Pool {
    /// Counts a response.
    pub(super) fn answered(&self) {
        self.responses.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of responses so far.
    pub(super) fn responses(&self) -> u64 {
        self.responses.load(Ordering::Relaxed)
    }
}

impl Pools {
    pub(super) fn new(connector: TimedConnector) -> Self {
        Self { connector, pools: Mutex::default() }
    }

    /// The pool of the current runtime. Creating a pool removes the pools of runtimes that have shut down; all other
    /// pools are kept, because a server may have a runtime for each of its threads.
    pub(super) fn here(&self) -> Arc<Pool> {
        let current = Handle::current();
        let id = current.id();
        let mut pools = lock(&self.pools);
        if let Some((_, pool)) = pools.iter().find(|(owner, _)| *owner == id) {
            return pool.clone();
        }
        pools.retain(|(_, pool)| !pool.runtime.is_closed());
        let (runtime, pool_end) = oneshot::channel();
        current.spawn(async { drop(pool_end.await) });
        let pool = Arc::new(Pool { client: self.client(), responses: AtomicU64::default(), runtime });
        pools.push((id, pool.clone()));
        pool
    }

    fn client(&self) -> PooledClient {
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
        // All HTTP/2 requests share one connection. Pings detect that the connection is dead. Without pings, a dead
        // connection would block all requests until the system closes it.
        #[cfg(feature = "http2")]
        builder.timer(TokioTimer::new()).http2_keep_alive_interval(PING).http2_keep_alive_timeout(PING);
        builder.build(self.connector.clone())
    }

    /// Handles a request of the pool that received no response: if the idle connections of the pool may be dead,
    /// removes the pool and returns true. `responses` is the number of responses that the pool had received before the
    /// request. If the pool has received another response since then, its connections work. If `responses` is 0, the
    /// pool has no idle connections. Requests in flight keep using the removed pool, and the next request creates a new
    /// pool.
    pub(super) fn distrust(&self, pool: &Arc<Pool>, responses: u64) -> bool {
        let is_stale = responses > 0 && responses == pool.responses();
        if is_stale {
            lock(&self.pools).retain(|(_, other)| !Arc::ptr_eq(other, pool));
        }
        is_stale
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Runtime;

    use super::*;
    use crate::transport::TransportSettings;
    use crate::transport::built_in::HyperTransport;

    fn runtime() -> Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    fn pools() -> Pools {
        HyperTransport::new(&TransportSettings::default()).unwrap().pools
    }

    fn here(pools: &Pools, runtime: &Runtime) -> Arc<Pool> {
        runtime.block_on(async { pools.here() })
    }

    #[test]
    fn each_runtime_has_a_pool_until_it_is_replaced() {
        let (pools, one, other) = (pools(), runtime(), runtime());
        let (first, second) = (here(&pools, &one), here(&pools, &other));
        let is = |runtime: &Runtime, pool: &Arc<Pool>| Arc::ptr_eq(&here(&pools, runtime), pool);
        assert!(!Arc::ptr_eq(&first, &second) && is(&one, &first) && is(&other, &second));
        assert!(!pools.distrust(&first, 0), "no response yet");
        assert!(is(&one, &first));
        first.answered();
        assert!(!pools.distrust(&first, 0), "a response during the request");
        assert!(is(&one, &first));
        assert!(pools.distrust(&first, 1));
        let replaced = here(&pools, &one);
        assert!(!Arc::ptr_eq(&replaced, &first) && is(&other, &second));
        assert!(pools.distrust(&first, 1));
        assert!(is(&one, &replaced), "the pool that replaced `first` stays");
    }

    #[test]
    fn pools_of_live_runtimes_stay_and_those_of_dead_runtimes_do_not() {
        let (pools, mut runtimes) = (pools(), (0..32).map(|_| runtime()).collect::<Vec<_>>());
        let all: Vec<_> = runtimes.iter().map(|runtime| here(&pools, runtime)).collect();
        assert!(runtimes.iter().zip(&all).all(|(runtime, pool)| Arc::ptr_eq(&here(&pools, runtime), pool)));
        runtimes.truncate(3);
        here(&pools, &runtime());
        assert_eq!(pools.pools.lock().unwrap().len(), 4);
        assert!(Arc::ptr_eq(&here(&pools, &runtimes[2]), &all[2]));
    }
}
