//! A store in memory that uses the paused clock. It does the same as `compare_and_set.lua`, and simulates faults of a
//! server.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;
use tokio::time::Instant;

use crate::failure::Failure;
use crate::state_store::{Offer, Response, StateStore, Stored};

/// A connection of one process to a server.
pub(crate) struct MemoryStore {
    server: Arc<Mutex<Server>>,
    /// The round-trip time.
    trip: Duration,
}

pub(crate) struct Server {
    stored: Option<Stored>,
    run: u32,
    begun: Instant,
    /// The difference between the server's clock and the paused clock.
    clock_offset: Duration,
    is_down: bool,
    refuses_writes: bool,
    /// Number of the next responses that get lost.
    lost_responses: usize,
    pub(crate) exchanges: usize,
}

/// The initial time of a server's clock.
const BEGIN: LimiterTime = Duration::from_secs(1_700_000_000);

impl MemoryStore {
    pub(crate) fn new() -> Arc<Self> {
        let server = Server {
            stored: None,
            run: 1,
            begun: Instant::now(),
            clock_offset: Duration::from_secs(7200),
            is_down: false,
            refuses_writes: false,
            lost_responses: 0,
            exchanges: 0,
        };
        Arc::new(Self { server: Arc::new(Mutex::new(server)), trip: Duration::from_millis(1) })
    }

    /// A handle to the same server with this round-trip time.
    pub(crate) fn at(&self, trip: Duration) -> Arc<Self> {
        Arc::new(Self { server: self.server.clone(), trip })
    }

    /// Waits for half of the round-trip time.
    async fn travel(&self) {
        // A timer takes at least a millisecond.
        if !self.trip.is_zero() {
            tokio::time::sleep(self.trip / 2).await;
        }
    }

    pub(crate) fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap()
    }
}

impl Server {
    pub(crate) fn stop(&mut self) {
        self.is_down = true;
    }

    pub(crate) fn is_down(&self) -> bool {
        self.is_down
    }

    /// The server can be reached again. It was not restarted.
    pub(crate) fn reconnect(&mut self) {
        self.is_down = false;
    }

    /// Sets whether the server only serves reads, as a replica does.
    pub(crate) fn refuse_writes(&mut self, refuses: bool) {
        self.refuses_writes = refuses;
    }

    /// Restarts the server with its data.
    pub(crate) fn start(&mut self) {
        self.is_down = false;
        self.run += 1;
    }

    pub(crate) fn forget(&mut self) {
        self.stored = None;
    }

    pub(crate) fn set(&mut self, text: &str) {
        self.stored = Some(Stored { version: "other".to_owned(), text: text.to_owned() });
    }

    pub(crate) fn snapshot(&self) -> Option<Stored> {
        self.stored.clone()
    }

    /// Restores earlier data of the server.
    pub(crate) fn go_back(&mut self, to: Option<Stored>) {
        self.stored = to;
    }

    pub(crate) fn lose_responses(&mut self, count: usize) {
        self.lost_responses = count;
    }

    /// Sets the clock back.
    pub(crate) fn set_back(&mut self, by: Duration) {
        self.clock_offset -= by;
    }

    fn take(&mut self, offer: Offer) -> Response {
        self.exchanges += 1;
        let version = |stored: Option<&Stored>| format!("{}:{}", self.run, stored.map_or("", |stored| &stored.version));
        let now = BEGIN + self.clock_offset + self.begun.elapsed();
        let mut response = Response {
            now,
            unused_since: now,
            run: self.run.to_string(),
            version: version(self.stored.as_ref()),
            text: None,
        };
        if response.version != offer.known {
            response.text = self.stored.as_ref().map(|stored| stored.text.clone());
        } else if offer.next.is_some() {
            response.version = version(offer.next.as_ref());
            self.stored = offer.next;
        }
        response
    }
}

impl StateStore for Arc<MemoryStore> {
    const RENEWAL: Duration = Duration::from_secs(1);
    const IS_PRIVATE: bool = false;
    const NAME: &'static str = "the server";

    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let failure = || Failure::transient("the server cannot be reached");
        self.travel().await;
        let response = {
            let mut server = self.server();
            if server.is_down {
                return Err(failure());
            }
            if server.refuses_writes && offer.next.is_some() {
                return Err(Failure::transient("the server refuses writes"));
            }
            let response = server.take(offer);
            if server.lost_responses > 0 {
                server.lost_responses -= 1;
                return Err(failure());
            }
            response
        };
        self.travel().await;
        Ok(response)
    }
}
