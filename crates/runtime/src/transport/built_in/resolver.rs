//! The addresses of a host name.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower_service::Service;

tokio::task_local! {
    /// Whether the connection that is being opened still waits for the addresses of its host.
    pub(super) static LOOKS_UP: Cell<bool>;
}

/// Opens TCP connections to host names or addresses.
pub(super) type TcpConnector = HttpConnector<Resolver>;

type Lookup = Pin<Box<dyn Future<Output = io::Result<std::vec::IntoIter<SocketAddr>>> + Send>>;

/// Looks up host names, by default with the system's resolver.
#[derive(Clone)]
pub(super) struct Resolver(Arc<dyn Fn(Name) -> Lookup + Send + Sync>);

impl Resolver {
    /// The resolver of the system.
    pub(super) fn system() -> Self {
        Self(Arc::new(|name| {
            Box::pin(async {
                let addresses = GaiResolver::new().call(name).await?;
                Ok(addresses.collect::<Vec<_>>().into_iter())
            })
        }))
    }

    /// A resolver with the same addresses for every name; without addresses, the lookup never ends.
    #[cfg(test)]
    pub(super) fn of(addresses: Vec<SocketAddr>) -> Self {
        Self(Arc::new(move |_| {
            let addresses = addresses.clone();
            Box::pin(async {
                if addresses.is_empty() {
                    std::future::pending::<()>().await;
                }
                Ok(addresses.into_iter())
            })
        }))
    }
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Lookup;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Lookup {
        let lookup = (self.0)(name);
        Box::pin(async {
            // Outside of a connection with a timeout, the phase is not recorded.
            let _ = LOOKS_UP.try_with(|looks_up| looks_up.set(true));
            let addresses = lookup.await;
            let _ = LOOKS_UP.try_with(|looks_up| looks_up.set(false));
            addresses
        })
    }
}
