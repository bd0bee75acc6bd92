//! A server that runs, from its first listening socket to its last.
//!
//! It is bound to this machine and lives in the Tokio runtime that it was started in.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use generated_client::SERVICE;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::routes::{self, Shared};
use crate::settings::{Builder, Settings};
use crate::token::Tokens;

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

    /// Where the server is; what a client wants as its base URL.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The page on which a person can try every endpoint.
    pub fn page_url(&self) -> String {
        format!("{}/", self.base_url.strip_suffix(SERVICE.base_url_suffix).unwrap_or(&self.base_url))
    }

    pub(crate) async fn listen(port: u16, token_lifetime: Duration, settings: Settings) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("port {port} of this machine cannot be used: {error}"))
        };
        let listener = TcpListener::bind(address).await.map_err(named)?;
        let base_url = format!("http://{}{}", listener.local_addr()?, SERVICE.base_url_suffix);
        let tokens = Tokens::new(token_lifetime, settings.seed);
        let router = routes::router(Shared { settings, tokens });
        let (running, stopped) = oneshot::channel::<()>();
        let server = axum::serve(listener, router).with_graceful_shutdown(async {
            // Nothing is ever sent: it ends when the sender is gone.
            let _ = stopped.await;
        });
        tokio::spawn(server.into_future());
        Ok(Self { base_url, _running: running })
    }
}
