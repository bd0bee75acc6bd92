//! A sandbox in a thread of its own, for programs that a test starts.

use std::thread;

use sandbox::{Builder, Sandbox};
use tokio::sync::oneshot;

/// A sandbox that lives as long as this.
#[derive(Debug)]
pub(crate) struct Service {
    sandbox: Sandbox,
    _running: oneshot::Sender<()>,
}

impl Service {
    /// A service that wants the key `right-key`.
    pub(crate) fn start() -> Self {
        Self::with(|builder| builder)
    }

    pub(crate) fn with(settings: impl FnOnce(Builder) -> Builder + Send + 'static) -> Self {
        let (running, stopped) = oneshot::channel::<()>();
        let (sender, started) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let sandbox = settings(Sandbox::builder().api_key("right-key")).start().await.unwrap();
                sender.send(sandbox).unwrap();
                let _ = stopped.await;
            });
        });
        Self { sandbox: started.recv().unwrap(), _running: running }
    }

    pub(crate) fn base_url(&self) -> &str {
        self.sandbox.base_url()
    }

    /// How many requests have arrived.
    pub(crate) fn requests(&self) -> u64 {
        self.sandbox.counts().requests
    }
}
