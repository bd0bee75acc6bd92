//! A request in flight: a separate task from the first poll on.
//!
//! The future resolves to the response before decoding. A request in flight may occupy a slot of the rate limiter that
//! other requests wait for, so the progress of the request must not depend on polls of the future. Dropping the future
//! ends the task immediately, even if its runtime has stopped.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::untyped::Parts;
use crate::error::Error;
use crate::platform::{Runtime, Task};
use crate::send::{self, UndecodedResponse};

type Outcome = Result<Box<UndecodedResponse>, Error>;

/// The future of a response before decoding.
pub(crate) enum Sending {
    /// The state before the first poll.
    Unsent(Option<Box<Parts>>),
    Sent(Task<Outcome>),
}

impl Future for Sending {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        if let Self::Unsent(parts) = &mut *self {
            // A future that is polled again after it returned an error stays pending.
            let Some(parts) = parts.take() else { return Poll::Pending };
            *self = Self::Sent(spawn(*parts)?);
        }
        let Self::Sent(task) = &mut *self else { return Poll::Pending };
        let outcome = ready!(Pin::new(task).poll(cx));
        Poll::Ready(outcome.unwrap_or_else(|error| Err(Error::shutdown().with_source(Some(error)))))
    }
}

/// Returns the current runtime, or an error that explains how to run one.
pub(crate) fn require_runtime() -> Result<Runtime, Error> {
    Runtime::current().ok_or_else(|| Error::build("no Tokio runtime is running; send from `#[tokio::main]` or a task"))
}

/// Starts the task that sends the request.
fn spawn(parts: Parts) -> Result<Task<Outcome>, Error> {
    let Parts { core, target, options } = parts;
    let runtime = require_runtime().map_err(|error| core.connection.about(error, &target))?;
    let sending = send::send(core.connection, target, options);
    // The span of the request is a child of the span in which it was first polled.
    #[cfg(feature = "tracing")]
    let sending = tracing::Instrument::in_current_span(sending);
    Ok(runtime.spawn(sending))
}
