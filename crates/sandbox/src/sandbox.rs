//! A server that runs until it is dropped.
//!
//! The server listens only on 127.0.0.1. It has its own thread and Tokio runtime, so that it does not delay the runtime
//! of a test, and tests without a runtime can use it too.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;

use crate::connection::ConnectionState;
use crate::fault::{Rule, RuleError};
use crate::listener::FaultListener;
use crate::paths::base_of_host;
use crate::routes;
use crate::shared::Shared;
use crate::traffic::Counts;

/// A mock server for the client of a registry. It runs until it is dropped.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use generated_client as my_client;
/// use generated_client_sandbox::Sandbox;
/// use my_client::{Client, REGISTRY};
///
/// let sandbox = Sandbox::of(&REGISTRY).start()?;
/// let client = Client::builder(sandbox.base_url()).api_key("any").build()?;
/// // The sandbox serves the endpoints of the registry, and no other path.
/// let error = client.raw("/nothing").await.expect_err("a path that is not in the registry");
/// assert_eq!(error.status(), Some(404));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
    shared: Arc<Shared>,
    /// Dropping this sender ends the server.
    running: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sandbox {
    /// Returns the base URL of the server, for a client.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns the base URLs of the groups on other hosts, by their names in the catalogue, for `base_url` of the client's
    /// builder.
    pub fn base_urls(&self) -> impl Iterator<Item = (&'static str, String)> {
        let base_urls = self.shared.registry.service.base_urls.iter();
        base_urls.map(|info| (info.name, self.root() + &base_of_host(info)))
    }

    /// The URL of the server without a path.
    fn root(&self) -> String {
        let suffix = self.shared.registry.service.base_url_suffix;
        self.base_url.strip_suffix(suffix).unwrap_or(&self.base_url).to_owned()
    }

    /// Returns the URL of the page, which has a form for every endpoint.
    pub fn page_url(&self) -> String {
        self.root() + "/"
    }

    /// Returns the counts of requests so far.
    pub fn counts(&self) -> Counts {
        self.shared.traffic.counts(self.shared.tokens.issued())
    }

    /// Revokes every token issued so far; the token endpoint still issues new ones.
    pub fn revoke_tokens(&self) {
        self.shared.tokens.revoke();
    }

    /// Replaces the active rules; an empty list removes all faults.
    ///
    /// # Errors
    ///
    /// Returns an error if a rule names an endpoint, path, group or param that is not in the registry.
    pub fn set_faults(&self, rules: impl IntoIterator<Item = Rule>) -> Result<(), RuleError> {
        self.shared.set_faults(rules)
    }

    /// Starts the server's thread.
    pub(crate) fn start(port: u16, shared: Shared) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .map_err(|error| io::Error::new(error.kind(), format!("cannot listen on port {port}: {error}")))?;
        listener.set_nonblocking(true)?;
        let base_url = format!("http://{}{}", listener.local_addr()?, shared.registry.service.base_url_suffix);
        let shared = Arc::new(shared);
        let (running, stopped) = oneshot::channel::<()>();
        let (started, is_started) = mpsc::channel();
        let server = Arc::clone(&shared);
        // The thread creates the runtime, because the caller may run inside another runtime, where no runtime can be
        // created or dropped.
        let thread =
            thread::Builder::new().name("sandbox".to_owned()).spawn(move || match Self::runtime(listener) {
                Ok((runtime, listener)) => {
                    // Sending fails only if the caller has panicked and no longer waits.
                    let _ = started.send(Ok(()));
                    runtime.block_on(serve(listener, server, stopped));
                }
                Err(error) => drop(started.send(Err(error))),
            })?;
        // Waits until the server's runtime has started, so that an error at the start can be returned.
        is_started.recv().map_err(io::Error::other)??;
        Ok(Self { base_url, shared, running: Some(running), thread: Some(thread) })
    }

    fn runtime(listener: std::net::TcpListener) -> io::Result<(Runtime, TcpListener)> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        // Outside a runtime, the conversion of the listener would panic.
        let context = runtime.enter();
        let listener = TcpListener::from_std(listener)?;
        drop(context);
        Ok((runtime, listener))
    }
}

/// Serves until the sender of `stopped` is dropped, and then ends all connections.
async fn serve(listener: TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let router = routes::router(Arc::clone(&shared)).into_make_service_with_connect_info::<ConnectionState>();
    tokio::select! {
        _ = stopped => {}
        _ = axum::serve(FaultListener { listener, shared }, router).into_future() => {}
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        drop(self.running.take());
        // Waits until the port is free again. An error is ignored, because a panic of the server has already been
        // printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
