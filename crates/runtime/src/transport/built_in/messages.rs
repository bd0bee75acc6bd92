//! The code that the transports for hyper and for reqwest share.
//!
//! Converts requests to the types that hyper and reqwest share, and reads responses to their end, up to the maximum
//! size. The error for a timeout contains how much of the response had arrived.
//!
//! The body of a request notifies the client when the request is written to a connection.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Method, Request, Response, Uri, Version};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::error::Elapsed;

use crate::error::{BoxError, Error, ErrorKind};
use crate::transport::{Headers, HeadersNotifier, HttpRequest, HttpResponse, ResponseBody, SentNotifier};

/// The part of a response that has arrived: its headers, if any, and the number of body bytes.
pub(super) struct Progress {
    pub(super) head: Option<HttpResponse>,
    bytes: usize,
    on_headers: HeadersNotifier,
}

impl Progress {
    pub(super) fn new(request: &HttpRequest) -> Self {
        Self { head: None, bytes: 0, on_headers: request.on_headers.clone() }
    }

    /// The response, or an error if the response is incomplete.
    pub(super) fn reply(
        self,
        body: Result<Result<ResponseBody, Error>, Elapsed>,
        timeout: Duration,
    ) -> Result<HttpResponse, Error> {
        match (body, self.head) {
            (Ok(Ok(body)), Some(head)) => Ok(HttpResponse { body, ..head }),
            // A response with an error status is returned even without its body.
            (Err(_), Some(head)) if !(200..300).contains(&head.status) => Ok(head),
            (Ok(Err(error)), Some(head)) => Err(error.with_response(head.status, head.headers)),
            (Ok(Err(error)), None) => Err(error),
            (Err(_), Some(head)) => {
                let so_far = format!("; {} bytes of the body received", self.bytes);
                let error = Error::late(ErrorKind::Body, timeout, &so_far);
                Err(error.with_response(head.status, head.headers))
            }
            (_, None) => Err(Error::late(ErrorKind::Headers, timeout, "; no status received")),
        }
    }
}

/// Converts a request to the types of the `http` crate, which hyper and reqwest share.
pub(super) fn convert(request: HttpRequest) -> Result<Request<NotifyingBody>, Error> {
    let method = if request.form.is_some() { Method::POST } else { Method::GET };
    let body = request.form.unwrap_or_default().into();
    let mut converted = Request::new(NotifyingBody { body, on_sent: request.on_sent });
    *converted.method_mut() = method;
    // The URL is passed as `Bytes`, because parsing a `str` would copy it.
    *converted.uri_mut() = Uri::from_maybe_shared(Bytes::from(request.url))
        .map_err(|error| Error::new(ErrorKind::Send, "the URL is invalid").with_source(error))?;
    *converted.headers_mut() = request.headers.0;
    #[cfg(feature = "gzip")]
    converted.headers_mut().insert(http::header::ACCEPT_ENCODING, http::HeaderValue::from_static("gzip"));
    Ok(converted)
}

/// Reads the body of a response to its end, and decodes it, up to the maximum size.
pub(super) async fn read(
    response: Response<impl Body<Data = Bytes, Error: Into<BoxError>>>,
    limit: usize,
    progress: &mut Progress,
) -> Result<ResponseBody, Error> {
    let (head, body) = response.into_parts();
    let Progress { head: arrived, bytes, on_headers } = progress;
    // HTTP/2 frames, a `Content-Length` or chunks mark the end of a body.
    let has_end = head.version > Version::HTTP_11
        || head.headers.contains_key(CONTENT_LENGTH)
        || head.headers.contains_key(TRANSFER_ENCODING);
    let response = arrived.insert(HttpResponse::new(head.status.as_u16(), Headers(head.headers), ""));
    response.ends_with_connection = !has_end;
    // The headers are reported before the body is read, so that a 429 stops further requests at once.
    on_headers.notify(response.status, &response.headers);
    let headers = &mut response.headers;
    let read = async {
        let body = read_body(body, limit, bytes).await?;
        #[cfg(feature = "gzip")]
        let body = super::gzip::decode(&mut headers.0, body, limit)?;
        #[cfg(not(feature = "gzip"))]
        let _ = headers;
        Ok(body)
    };
    if head.status.is_success() {
        return read.await;
    }
    // A response with an error status is returned even if its body does not arrive.
    Ok(tokio::time::timeout(PATIENCE, read).await.ok().and_then(Result::ok).unwrap_or_default())
}

/// The maximum time to wait for the body of a response with an error status.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads a body, and counts its bytes in `so_far`. A body that arrives in one piece, as most do, is not copied.
async fn read_body(
    body: impl Body<Data = Bytes, Error: Into<BoxError>>,
    limit: usize,
    so_far: &mut usize,
) -> Result<ResponseBody, Error> {
    if usize::try_from(body.size_hint().lower()).map_or(true, |declared| declared > limit) {
        return Err(Error::body_too_large(limit));
    }
    let counted = body.map_frame(|frame| {
        *so_far += frame.data_ref().map_or(0, Bytes::len);
        frame
    });
    match pin!(Limited::new(counted, limit)).collect().await {
        Ok(body) => Ok(ResponseBody(body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Err(Error::body_too_large(limit)),
        Err(error) => {
            let message = format!("the body was cut off after {so_far} bytes");
            Err(Error::retryable(ErrorKind::Body, message).with_source(error))
        }
    }
}

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
mod notifying_body_tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::Receiver;
    use std::thread;
    use std::time::Duration;

    use test_service::ClosedPort;

    use super::*;
    use crate::transport::{Headers, HttpRequest, HttpResponse, HyperTransport, Transport, TransportSettings};

    fn transports() -> Vec<Box<dyn Transport>> {
        vec![
            Box::new(HyperTransport::new(&TransportSettings::default()).unwrap()),
            #[cfg(feature = "reqwest")]
            Box::new(crate::transport::ReqwestTransport::from_builder(reqwest::Client::builder()).unwrap()),
        ]
    }

    /// Sends two requests, one after the other.
    fn check(
        transport: &dyn Transport,
        url: &str,
        form: Option<&str>,
        notified: impl Fn() + Send + Sync + Clone + 'static,
    ) -> Vec<Result<HttpResponse, Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let send = |_| {
            let mut request = HttpRequest::new(url, Headers::new(), Duration::from_secs(10), 100);
            request.form = form.map(str::to_owned);
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
            for form in [None, Some("grant_type=client_credentials")] {
                let listener = TcpListener::bind("127.0.0.1:0").unwrap();
                let url = format!("http://{}/", listener.local_addr().unwrap());
                let (notify, notified) = std::sync::mpsc::channel();
                thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream, &notified)));
                let outcomes = check(&*transport, &url, form, move || notify.send(()).unwrap());
                assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
            }
        }
    }

    #[test]
    fn request_without_a_connection_is_not_sent() {
        let closed = ClosedPort::occupy().unwrap();
        let url = format!("http://{}/", closed.address());
        for transport in transports() {
            let notified = Arc::new(AtomicUsize::new(0));
            let count = notified.clone();
            let outcomes = check(&*transport, &url, None, move || _ = count.fetch_add(1, Ordering::SeqCst));
            assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
            assert_eq!(notified.load(Ordering::SeqCst), 0);
        }
    }
}
