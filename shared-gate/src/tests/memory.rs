//! A store in memory, on the paused clock: it does the same as the script, and simulates faults of a server.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use runtime::rate_limit::RateLimiterError;
use runtime::rate_limit::rules::GateTime;
use tokio::time::Instant;

use crate::outage::Failure;
use crate::store::{Offer, Response, Store, Stored, Update};

/// A server as seen by one machine.
pub(crate) struct Memory {
    server: Arc<Mutex<Server>>,
    /// The round trip time.
    trip: Duration,
}

pub(crate) struct Server {
    held: Option<Stored>,
    run: u32,
    begun: Instant,
    /// The offset by which the clock was set.
    set: Duration,
    is_down: bool,
    /// Number of responses to lose from now on.
    lost_answers: usize,
    pub(crate) exchanges: usize,
}

/// The initial time of a server's clock.
const BEGIN: GateTime = Duration::from_secs(1_700_000_000);

impl Memory {
    pub(crate) fn new() -> Arc<Self> {
        let server = Server {
            held: None,
            run: 1,
            begun: Instant::now(),
            set: Duration::from_secs(7200),
            is_down: false,
            lost_answers: 0,
            exchanges: 0,
        };
        Arc::new(Self { server: Arc::new(Mutex::new(server)), trip: Duration::from_millis(1) })
    }

    /// The same server at a longer distance.
    pub(crate) fn at(&self, trip: Duration) -> Arc<Self> {
        Arc::new(Self { server: self.server.clone(), trip })
    }

    pub(crate) fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap()
    }
}

impl Server {
    pub(crate) fn stop(&mut self) {
        self.is_down = true;
    }

    /// Restarts it with its data.
    pub(crate) fn start(&mut self) {
        self.is_down = false;
        self.run += 1;
    }

    pub(crate) fn forget(&mut self) {
        self.held = None;
    }

    pub(crate) fn hold(&mut self, text: &str) {
        self.held = Some(Stored { version: "somebody".to_owned(), text: text.to_owned() });
    }

    pub(crate) fn snapshot(&self) -> Option<Stored> {
        self.held.clone()
    }

    /// Restores its earlier data.
    pub(crate) fn go_back(&mut self, to: Option<Stored>) {
        self.held = to;
    }

    pub(crate) fn lose_answers(&mut self, count: usize) {
        self.lost_answers = count;
    }

    /// Sets the clock back.
    pub(crate) fn set_back(&mut self, by: Duration) {
        self.set -= by;
    }

    fn take(&mut self, offer: Offer) -> Response {
        self.exchanges += 1;
        let version = |held: Option<&Stored>| format!("{}:{}", self.run, held.map_or("", |held| &held.version));
        let mut answer = Response {
            now: BEGIN + self.set + self.begun.elapsed(),
            run: self.run.to_string(),
            version: version(self.held.as_ref()),
            update: Update::None,
        };
        if answer.version != offer.known {
            answer.update = Update::Other(self.held.as_ref().map(|held| held.text.clone()));
        } else if offer.next.is_some() {
            answer.version = version(offer.next.as_ref());
            self.held = offer.next;
        }
        answer
    }
}

impl Store for Arc<Memory> {
    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let failure = || Failure::Transient(RateLimiterError::new("the server cannot be reached"));
        tokio::time::sleep(self.trip / 2).await;
        let answer = {
            let mut server = self.server();
            if server.is_down {
                return Err(failure());
            }
            let answer = server.take(offer);
            if server.lost_answers > 0 {
                server.lost_answers -= 1;
                return Err(failure());
            }
            answer
        };
        tokio::time::sleep(self.trip / 2).await;
        Ok(answer)
    }
}
