//! Ctrl-C and SIGTERM: the first lets the command end its work, the second ends the program at once.
//!
//! A signal notifies the running command, which decides how to end.

use std::future::Future;
use std::io;
use std::process;

use tokio::sync::watch;

use crate::failure::{ExitKind, Failure, Result};

/// Receives signals from its creation on.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(watch::Receiver<Option<ExitKind>>);

impl Interrupt {
    /// Starts to listen for signals.
    pub(crate) fn listen() -> io::Result<Self> {
        let (sender, receiver) = watch::channel(None);
        let mut signals = Signals::new()?;
        tokio::spawn(async move {
            sender.send_replace(Some(signals.next().await));
            // A second signal does not wait for the work to end.
            process::exit(signals.next().await as i32);
        });
        Ok(Self(receiver))
    }

    /// Waits for the first signal.
    pub(crate) async fn happened(&mut self) -> ExitKind {
        match self.0.wait_for(Option::is_some).await {
            Ok(exit_kind) => exit_kind.unwrap_or(ExitKind::Interrupted),
            // The listening task has ended, so no signal will be received.
            Err(_) => std::future::pending().await,
        }
    }

    /// Runs work that a signal may cancel at any time.
    pub(crate) async fn ends<T>(&mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            exit_kind = self.happened() => Err(Failure::new(exit_kind, "")),
            done = work => done,
        }
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> ExitKind {
        tokio::select! {
            _ = self.interrupt.recv() => ExitKind::Interrupted,
            _ = self.terminate.recv() => ExitKind::Terminated,
        }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    /// The window is closed.
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_c, ctrl_close};
        Ok(Self { interrupt: ctrl_c()?, close: ctrl_close()? })
    }

    async fn next(&mut self) -> ExitKind {
        tokio::select! {
            _ = self.interrupt.recv() => ExitKind::Interrupted,
            _ = self.close.recv() => ExitKind::Terminated,
        }
    }
}
