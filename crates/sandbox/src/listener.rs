//! Accepts the connections of the sandbox, through which the server reads and writes until a fault ends them.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::connection::ConnectionState;
use crate::shared::Shared;

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
    /// The stream, or an error once writing has been stopped.
    fn open(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        if self.connection.is_ended() {
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
