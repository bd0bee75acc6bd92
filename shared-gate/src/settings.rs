//! Settings of a shared gate.
//!
//! Building validates URL, limit and name, and starts the worker on a separate thread; an error names the invalid
//! setting. Nothing connects here. `Debug` omits the URL, which may contain a password.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use runtime::RateLimit;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::line::Line;
use crate::outage::OnUnreachable;
use crate::redis_store::RedisStore;
use crate::store::Store;
use crate::worker::Worker;
use crate::{Lines, SharedGate};

/// Settings of a [`SharedGate`]; from [`SharedGate::builder`].
#[must_use]
pub struct SharedGateBuilder {
    url: String,
    limit: RateLimit,
    name: String,
    on_unreachable: OnUnreachable,
}

impl SharedGateBuilder {
    pub(crate) fn new(url: String, limit: RateLimit) -> Self {
        Self { url, limit, name: "default".to_owned(), on_unreachable: OnUnreachable::default() }
    }

    /// Sets the name of the gate on the server; default: `default`. Machines with the same API key use the same name,
    /// and different keys need different names. The name is part of the key on the server and must not contain a
    /// secret.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the behaviour while the server cannot be reached. By default, requests wait for half a minute and then
    /// fail.
    pub fn on_unreachable(mut self, on_unreachable: OnUnreachable) -> Self {
        self.on_unreachable = on_unreachable;
        self
    }

    /// Builds a gate with these settings.
    pub fn build(self) -> Result<SharedGate, InvalidSettings> {
        match self.on_unreachable {
            OnUnreachable::SplitLimit { machines } if self.on_unreachable.share(&self.limit).is_none() => {
                let message = format!("the limit of {} has no safe share for each of {machines} machines", self.limit);
                return Err(InvalidSettings { message, cause: None });
            }
            _ => (),
        }
        let url = self.url.clone();
        let (gate, workers) = self.parts(|name| RedisStore::new(&url, name)).map_err(|error| {
            // The library's error names the problem without repeating the URL.
            InvalidSettings::of("the URL of the shared gate's server cannot be used", error)
        })?;
        let thread = std::thread::Builder::new().name("shared-gate".to_owned()).spawn(move || work(workers));
        // The thread is not joined: it ends with the last clone of the gate.
        drop(thread.map_err(|error| InvalidSettings::of("the thread of the shared gate does not start", error))?);
        Ok(gate)
    }

    /// The gate and its workers, each with a separate store by name.
    pub(crate) fn parts<S: Store, E>(
        self,
        mut store: impl FnMut(&str) -> Result<S, E>,
    ) -> Result<(SharedGate, Vec<Worker<S>>), E> {
        let Self { limit, name, on_unreachable, .. } = self;
        // The process id and a random part make the name unique among machines.
        let machine = format!("{}-{:08x}", std::process::id(), fastrand::u32(..));
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut workers = Vec::new();
        let mut line = |name: &str, limit: RateLimit| {
            let (line, clock) = (Arc::new(Line::default()), Clock::new(Instant::now(), epoch));
            let (machine, on_unreachable) = (machine.clone(), on_unreachable.clone());
            workers.push(Worker::new(store(name)?, line.clone(), machine, limit, on_unreachable, clock));
            Ok(line)
        };
        let mut limit_of_all = limit.clone();
        let windows = limit_of_all.take_of_some().into_iter().zip(1..);
        let of_some = windows.map(|(window, number)| Ok((window, line(&format!("{name}/{number}"), window.alone())?)));
        let of_some = of_some.collect::<Result<_, E>>()?;
        let lines = Lines { of_some, of_all: line(&name, limit_of_all)? };
        Ok((SharedGate::new(lines, limit, name), workers))
    }
}

/// Runs workers on this thread, so that the program's own runtime can never delay the renewal of the lease.
fn work(workers: Vec<Worker<RedisStore>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Without a runtime the workers are dropped, and waiting requests fail.
    if let Ok(runtime) = runtime {
        runtime.block_on(async { workers.into_iter().map(Worker::run).collect::<JoinSet<()>>().join_all().await });
    }
}

impl fmt::Debug for SharedGateBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedGateBuilder")
            .field("limit", &self.limit)
            .field("name", &self.name)
            .field("on_unreachable", &self.on_unreachable)
            .finish_non_exhaustive()
    }
}

/// An error in the settings of a gate.
#[derive(Debug)]
pub struct InvalidSettings {
    message: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl InvalidSettings {
    fn of(message: &str, cause: impl Error + Send + Sync + 'static) -> Self {
        Self { message: message.to_owned(), cause: Some(Box::new(cause)) }
    }
}

impl fmt::Display for InvalidSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for InvalidSettings {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
