//! Ctrl-C, SIGTERM, SIGHUP and the end of standard input. The first signal lets the command end its work, and a second signal ends the program at
//! once.
//!
//! A signal notifies the running command, which decides how to end.

use std::future::Future;
use std::io::{self, Read};
use std::{mem, process, thread};

use tokio::sync::watch;

use crate::failure::{ExitKind, Failure, Result};

/// Receives the signals that occur after its creation.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(watch::Receiver<Option<ExitKind>>);

impl Interrupt {
    /// Starts to listen for signals, and for input if the command ends with standard input.
    pub(crate) fn listen(ends_with_stdin: bool) -> io::Result<Self> {
        let (sender, receiver) = watch::channel(None);
        #[cfg(unix)]
        let (mut interrupt, mut terminate, mut hang_up) = {
            use tokio::signal::unix::{SignalKind, signal};
            let hang_up = if is_hang_up_caught() { Some(signal(SignalKind::hangup())?) } else { None };
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, hang_up)
        };
        #[cfg(windows)]
        let (mut interrupt, mut terminate, mut hang_up) = {
            use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
            (ctrl_c()?, ctrl_break()?, Some(ctrl_close()?))
        };
        if ends_with_stdin {
            let sender = sender.clone();
            thread::spawn(move || {
                // A byte, the end and an error have the same effect.
                let _ = io::stdin().read(&mut [0]);
                notify(&sender, ExitKind::Interrupted);
            });
        }
        tokio::spawn(async move {
            let mut is_second = false;
            loop {
                let signal = tokio::select! {
                    _ = interrupt.recv() => ExitKind::Interrupted,
                    _ = terminate.recv() => ExitKind::Terminated,
                    _ = async { hang_up.as_mut()?.recv().await }, if hang_up.is_some() => ExitKind::HungUp,
                };
                // After a second signal, the process ends at once and does not wait for the end of the work.
                // The end of standard input is not counted, because Ctrl-C in a terminal also ends the program that holds it.
                if mem::replace(&mut is_second, true) {
                    process::exit(signal as i32);
                }
                notify(&sender, signal);
            }
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

/// Notifies the command, which ends with the exit code of the first notification.
fn notify(sender: &watch::Sender<Option<ExitKind>>, exit_kind: ExitKind) {
    sender.send_if_modified(|first| {
        let is_first = first.is_none();
        first.get_or_insert(exit_kind);
        is_first
    });
}

/// Returns `true` if it is certain that the program does not ignore SIGHUP. A program that `nohup` starts ignores
/// SIGHUP, and a listener for SIGHUP would undo this.
#[cfg(unix)]
fn is_hang_up_caught() -> bool {
    // `SigIgn` is a hexadecimal number with a bit for each ignored signal. The lowest bit is SIGHUP, so the number is
    // even if SIGHUP is not ignored.
    let is_even = |line: &str| line.starts_with("SigIgn:") && line.ends_with(['0', '2', '4', '6', '8', 'a', 'c', 'e']);
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| status.lines().any(is_even))
}
