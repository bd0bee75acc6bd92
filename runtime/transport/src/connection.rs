//! A connection that says when it was made.
//!
//! One that was there before a request and does not answer it may be dead without anybody having noticed.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Extensions;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, Connection};
use tokio::time::Instant;

/// A stream, and when it was connected.
pub(super) struct Dated<S> {
    stream: S,
    made: Made,
}

#[derive(Clone, Copy)]
struct Made(Instant);

impl<S> Dated<S> {
    /// A stream that was connected just now.
    pub(super) fn new(stream: S) -> Self {
        Self { stream, made: Made(Instant::now()) }
    }
}

/// Whether a request that was sent then went over a connection that had been there before.
pub(super) fn is_reused(connection: &CaptureConnection, begun: Instant) -> bool {
    let mut extras = Extensions::new();
    if let Some(connected) = &*connection.connection_metadata() {
        connected.get_extras(&mut extras);
    }
    extras.get().is_some_and(|Made(made)| *made < begun)
}

impl<S: Connection> Connection for Dated<S> {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.made)
    }
}

impl<S: Read + Unpin> Read for Dated<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Write + Unpin> Write for Dated<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
}
