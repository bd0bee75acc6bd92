//! Faults in the delivery of complete responses.
//!
//! A fault replaces the body of a response with a body that stops early, is sent slowly, or is very large. A body can
//! end a connection; the [`ConnectionState`] determines whether the connection is closed or reset.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_ENCODING;
use axum::http::response::Parts;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::connection::{ConnectionState, Ending};

/// A fault in the delivery of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The connection is closed or reset before the response is complete.
    Broken { phase: Phase, reset: bool },
    /// The body is sent byte by byte, with this pause between bytes.
    Trickle(Duration),
    /// This many spaces precede the body, and the spaces are compressed with the body.
    GzipBomb(u64),
}

/// The time at which a connection ends, relative to the request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// After the request; nothing is sent.
    Request,
    /// After the headers are sent.
    Head,
    /// After half of the body is sent.
    Body,
}

/// The time for sent bytes to arrive before the connection ends.
const ARRIVAL: Duration = Duration::from_millis(20);

impl Delivery {
    /// The response to deliver. It has no `Content-Length` yet: the server adds the length that the body reports.
    pub(crate) fn apply(self, mut head: Parts, body: Bytes, connection: &ConnectionState) -> Response {
        let body = match self {
            Self::Broken { phase, reset } => {
                let ending = if reset { Ending::Reset } else { Ending::Closed };
                // The connection ends before the server writes the headers, so that nothing is sent.
                if phase == Phase::Request {
                    connection.end(ending);
                }
                let half = body.len().div_ceil(2);
                let sent = if phase == Phase::Body { body.slice(..half) } else { Bytes::new() };
                // The length is at least 1, because a client would accept an empty body as complete.
                let length = u64::try_from(body.len()).unwrap_or(u64::MAX).max(1);
                let connection = connection.clone();
                Body::new(Broken { sent, length, arrival: Box::pin(sleep(ARRIVAL)), connection, ending })
            }
            Self::Trickle(pause) => Body::new(Trickle { body, pause, next: Box::pin(sleep(pause)) }),
            Self::GzipBomb(size) => {
                head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                let encoder = GzEncoder::new(Vec::new(), Compression::fast());
                Body::new(Bomb { encoder: Some(encoder), space: size, body })
            }
        };
        Response::from_parts(head, body)
    }
}

type Polled = Poll<Option<Result<Frame<Bytes>, io::Error>>>;

/// A body that ends early.
struct Broken {
    sent: Bytes,
    length: u64,
    arrival: Pin<Box<Sleep>>,
    connection: ConnectionState,
    ending: Ending,
}

impl HttpBody for Broken {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        // The first poll sends the data; the connection ends once the data has had time to arrive.
        let sent = std::mem::take(&mut self.sent);
        if !sent.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(sent))));
        }
        ready!(self.arrival.as_mut().poll(context));
        self.connection.end(self.ending);
        Poll::Ready(Some(Err(io::Error::other("a fault ended the connection"))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}

/// A body that is sent one byte at a time.
struct Trickle {
    body: Bytes,
    pause: Duration,
    next: Pin<Box<Sleep>>,
}

impl HttpBody for Trickle {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        if self.body.is_empty() {
            return Poll::Ready(None);
        }
        ready!(self.next.as_mut().poll(context));
        self.next = Box::pin(sleep(self.pause));
        Poll::Ready(Some(Ok(Frame::data(self.body.split_to(1)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.body.len()).unwrap_or(u64::MAX))
    }
}

/// A body that compresses its spaces while it is sent, so that a large body needs no memory.
struct Bomb {
    encoder: Option<GzEncoder<Vec<u8>>>,
    space: u64,
    body: Bytes,
}

impl Bomb {
    /// The next compressed bytes, which are empty at the end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        const SPACE: [u8; 1 << 14] = [b' '; 1 << 14];
        while let Some(encoder) = &mut self.encoder {
            if self.space == 0 {
                encoder.write_all(&self.body)?;
                return match self.encoder.take() {
                    Some(encoder) => encoder.finish(),
                    None => Ok(Vec::new()),
                };
            }
            let piece = usize::try_from(self.space).unwrap_or(usize::MAX).min(SPACE.len());
            encoder.write_all(SPACE.get(..piece).unwrap_or_default())?;
            self.space -= u64::try_from(piece).unwrap_or(self.space);
            let ready = std::mem::take(encoder.get_mut());
            // The encoder collects input, so most pieces yield no output.
            if !ready.is_empty() {
                return Ok(ready);
            }
        }
        Ok(Vec::new())
    }
}

impl HttpBody for Bomb {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Polled {
        Poll::Ready(match self.next() {
            Ok(bytes) if bytes.is_empty() => None,
            bytes => Some(bytes.map(|bytes| Frame::data(bytes.into()))),
        })
    }
}
