//! A request body that sends a notification when the request is written to a connection.
//!
//! A [`NotifyingBody`] combines bytes with a [`SentNotifier`]. The clients of hyper and reqwest accept it as a body.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};

use crate::transport::SentNotifier;

/// The body of a request.
///
/// Hyper calls `is_end_stream` immediately before it writes the headers, with HTTP/1.1 and HTTP/2, so the request
/// counts as sent at that call.
pub(super) struct NotifyingBody {
    pub(super) body: Full<Bytes>,
    pub(super) on_sent: SentNotifier,
}

impl Body for NotifyingBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.on_sent.notify();
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::Receiver;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::transport::{
        Headers, HttpRequest, HttpResponse, HyperTransport, Method, RequestOptions, Settings, Transport, TransportError,
    };

    fn transports() -> Vec<Box<dyn Transport>> {
        vec![
            Box::new(HyperTransport::new(&Settings::default()).unwrap()),
            #[cfg(feature = "reqwest")]
            Box::new(crate::transport::ReqwestTransport::from_builder(reqwest::Client::builder()).unwrap()),
        ]
    }

    /// Sends two requests, one after the other.
    fn check(
        transport: &dyn Transport,
        url: &str,
        body: &[u8],
        notified: impl Fn() + Send + Sync + Clone + 'static,
    ) -> Vec<Result<HttpResponse, TransportError>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let send = |_| {
            let method = if body.is_empty() { Method::Get } else { Method::Post };
            let mut request =
                HttpRequest::new(method, url, Headers::new(), RequestOptions::new(Duration::from_secs(10), 100));
            request.body = body.to_vec();
            request.on_sent = SentNotifier::new(notified.clone());
            runtime.block_on(transport.send(request))
        };
        (0..2).map(send).collect()
    }

    /// Responds to each request after its notification.
    fn answer(mut stream: TcpStream, notified: &Receiver<()>) {
        while stream.read(&mut [0; 1000]).is_ok_and(|length| length > 0) {
            notified.recv_timeout(Duration::from_secs(5)).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        }
    }

    #[test]
    fn request_is_reported_as_sent_before_its_response() {
        for transport in transports() {
            assert!(transport.reports_sent());
            for body in [&b""[..], b"grant_type=client_credentials"] {
                let listener = TcpListener::bind("127.0.0.1:0").unwrap();
                let url = format!("http://{}/", listener.local_addr().unwrap());
                let (notify, notified) = std::sync::mpsc::channel();
                thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream, &notified)));
                let outcomes = check(&*transport, &url, body, move || notify.send(()).unwrap());
                assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
            }
        }
    }

    #[test]
    fn request_without_a_connection_is_not_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        for transport in transports() {
            let notified = Arc::new(AtomicUsize::new(0));
            let count = notified.clone();
            let outcomes = check(&*transport, &url, b"", move || _ = count.fetch_add(1, Ordering::SeqCst));
            assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
            assert_eq!(notified.load(Ordering::SeqCst), 0);
        }
    }
}
