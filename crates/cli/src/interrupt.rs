//! Ctrl-C, SIGTERM, SIGHUP and the end of standard input. The first signal lets the command end its work, and a second
//! signal ends the program at once.
//!
//! A signal notifies the running command, which decides how to end.

use std::future::Future;
use std::io::{self, Read};
use std::sync::Arc;
use std::{mem, process, thread};

use tokio::sync::SetOnce;

use crate::failure::{ExitKind, Failure, Result};

/// The number of SIGXFSZ, except on MIPS.
#[cfg(unix)]
const FILE_TOO_LARGE: i32 = 25;

/// Receives the first signal after its creation.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<SetOnce<ExitKind>>);

impl Interrupt {
    /// Starts to listen for signals, and for input if the command ends with standard input.
    pub(crate) fn listen(ends_with_stdin: bool) -> io::Result<Self> {
        let first = Arc::new(SetOnce::new());
        #[cfg(unix)]
        let (mut interrupt, mut terminate, mut hang_up) = {
            use tokio::signal::unix::{SignalKind, signal};
            // With a listener, a write beyond `ulimit -f` is an error. Without one, the system ends the program at once.
            drop(signal(SignalKind::from_raw(FILE_TOO_LARGE))?);
            let hang_up = if is_hang_up_caught() { Some(signal(SignalKind::hangup())?) } else { None };
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, hang_up)
        };
        #[cfg(windows)]
        let (mut interrupt, mut terminate, mut hang_up) = {
            use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
            (ctrl_c()?, ctrl_break()?, Some(ctrl_close()?))
        };
        if ends_with_stdin {
            let first = first.clone();
            thread::spawn(move || {
                // A byte, the end and an error have the same effect.
                let _ = io::stdin().read(&mut [0]);
                let _ = first.set(ExitKind::Interrupted);
            });
        }
        let this = Self(first.clone());
        tokio::spawn(async move {
            let mut is_second = false;
            loop {
                let signal = tokio::select! {
                    _ = interrupt.recv() => ExitKind::Interrupted,
                    _ = terminate.recv() => ExitKind::Terminated,
                    _ = async { hang_up.as_mut()?.recv().await }, if hang_up.is_some() => ExitKind::HungUp,
                };
                // After a second signal, the process ends at once and does not wait for the end of the work. The end of
                // standard input is not counted, because Ctrl-C in a terminal also ends the program that holds it.
                if mem::replace(&mut is_second, true) {
                    process::exit(signal as i32);
                }
                let _ = first.set(signal);
            }
        });
        Ok(this)
    }

    /// Waits for the first signal.
    pub(crate) async fn happened(&self) -> ExitKind {
        *self.0.wait().await
    }

    /// Runs work that a signal may cancel at any time.
    pub(crate) async fn ends<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            exit_kind = self.happened() => Err(Failure::new(exit_kind, "")),
            done = work => done,
        }
    }
}

/// `true` if it is certain that the program does not ignore SIGHUP. A program that `nohup` starts ignores SIGHUP, and a
/// listener for SIGHUP would undo this.
#[cfg(unix)]
fn is_hang_up_caught() -> bool {
    // `SigIgn` is a hexadecimal number with a bit for each ignored signal. The lowest bit is SIGHUP, so the number is
    // even if SIGHUP is not ignored.
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return false;
    };
    let Some(ignored) = status.lines().find(|line| line.starts_with("SigIgn:")) else {
        return false;
    };
    ignored.ends_with(['0', '2', '4', '6', '8', 'a', 'c', 'e'])
}
