//! A server that runs until it is dropped.
//!
//! It is bound to this machine and lives in the Tokio runtime that it was started in.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, PoisonError};

use generated_client::SERVICE;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::connection::{Door, OwnConnection};
use crate::fault::{Faults, Rule};
use crate::routes::{self, Shared};
use crate::settings::Builder;
use crate::traffic::Counts;

/// A server that answers as the catalogue says, until it is dropped.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use generated_client::{Client, Timeframe};
/// use sandbox::Sandbox;
///
/// let sandbox = Sandbox::start().await?;
/// let client = Client::builder(sandbox.base_url()).api_key("any").build()?;
/// let ratio = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(10).await?;
/// assert_eq!(ratio.data.len(), 10);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
    shared: Arc<Shared>,
    /// Dropping it tells the server to stop.
    _running: oneshot::Sender<()>,
}

impl Sandbox {
    /// Starts a server on a free port of this machine that accepts any API key.
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// Begins a server with settings of its own.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// The base URL of the server, for a client.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The page on which a person can try every endpoint.
    pub fn page_url(&self) -> String {
        format!("{}/", self.base_url.strip_suffix(SERVICE.base_url_suffix).unwrap_or(&self.base_url))
    }

    /// What clients have sent so far.
    pub fn counts(&self) -> Counts {
        self.shared.traffic.counts(self.shared.tokens.issued())
    }

    /// Takes back every token issued so far; the token endpoint still gives new ones.
    pub fn revoke_tokens(&self) {
        self.shared.tokens.revoke();
    }

    /// Replaces the rules in force; an empty list removes all faults.
    pub fn set_faults(&self, rules: impl IntoIterator<Item = Rule>) {
        let faults = Faults::new(rules, self.shared.settings.seed);
        *self.shared.faults.write().unwrap_or_else(PoisonError::into_inner) = faults;
    }

    pub(crate) async fn bind(port: u16) -> io::Result<TcpListener> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        TcpListener::bind(address).await.map_err(|error| {
            io::Error::new(error.kind(), format!("port {port} of this machine cannot be used: {error}"))
        })
    }

    pub(crate) fn serve(listener: TcpListener, shared: Shared) -> io::Result<Self> {
        let base_url = format!("http://{}{}", listener.local_addr()?, SERVICE.base_url_suffix);
        let shared = Arc::new(shared);
        let router = routes::router(Arc::clone(&shared));
        let (running, stopped) = oneshot::channel::<()>();
        let door = Door { listener, shared: Arc::clone(&shared) };
        let server = axum::serve(door, router.into_make_service_with_connect_info::<OwnConnection>());
        let server = server.with_graceful_shutdown(async {
            // Nothing is ever sent: it ends when the sender is gone.
            let _ = stopped.await;
        });
        tokio::spawn(server.into_future());
        Ok(Self { base_url, shared, _running: running })
    }
}
