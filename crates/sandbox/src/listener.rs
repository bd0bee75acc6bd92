//! Connections of the sandbox, which a fault can end.
//!
//! The server reads and writes through a [`FaultStream`], and every request has access to the [`ConnectionState`] of
//! its connection. Other modules decide which connections end.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::routes::Shared;

/// The way in which a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a FIN, as usual.
    Closed = 1,
    /// With a RST, as when a server crashes.
    Reset = 2,
}

/// The way in which a connection has to end, and the number of its requests so far. Clones share these values.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionState {
    ending: Arc<AtomicU8>,
    requests: Arc<AtomicU64>,
}

impl ConnectionState {
    /// Stops all writing, and sets how the connection ends when the server drops it.
    pub(crate) fn end(&self, ending: Ending) {
        self.ending.store(ending as u8, Ordering::Relaxed);
    }

    /// Counts a request, and returns `true` if it is not the first of the connection.
    pub(crate) fn is_reused(&self) -> bool {
        self.requests.fetch_add(1, Ordering::Relaxed) > 0
    }

    fn is_reset(&self) -> bool {
        self.ending.load(Ordering::Relaxed) == Ending::Reset as u8
    }
}

impl Connected<IncomingStream<'_, FaultListener>> for ConnectionState {
    fn connect_info(stream: IncomingStream<'_, FaultListener>) -> Self {
        stream.io().connection.clone()
    }
}

/// Accepts connections, except those that a rule resets at once.
#[derive(Debug)]
pub(crate) struct FaultListener {
    pub(crate) listener: TcpListener,
    pub(crate) shared: Arc<Shared>,
}

impl Listener for FaultListener {
    type Io = FaultStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (FaultStream, SocketAddr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.listener).await;
            if self.shared.faults().reset_at_accept() {
                // Dropping a stream with zero linger resets the connection. If the option cannot be set, dropping
                // closes it.
                let _ = stream.set_zero_linger();
                continue;
            }
            return (FaultStream { stream, connection: ConnectionState::default() }, address);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A stream that a fault can end.
#[derive(Debug)]
pub(crate) struct FaultStream {
    stream: TcpStream,
    connection: ConnectionState,
}

impl FaultStream {
    /// Returns the stream, or an error once writing has been stopped.
    fn open(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        if self.connection.ending.load(Ordering::Relaxed) != 0 {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(Pin::new(&mut self.stream))
    }
}

impl Drop for FaultStream {
    fn drop(&mut self) {
        if self.connection.is_reset() {
            // A socket that is closed with zero linger sends a RST. If the option cannot be set, it sends a FIN.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for FaultStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for FaultStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.open()?.poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.open()?.poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.connection.is_reset() {
            // No FIN is sent here, because a FIN before the reset would look like an orderly end.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
