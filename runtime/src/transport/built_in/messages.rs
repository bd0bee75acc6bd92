//! The code that the transports for hyper and for reqwest share.
//!
//! Converts requests to the types that hyper and reqwest share, and reads responses to their end, up to the maximum
//! size. The error for a timeout contains how much of the response had arrived.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Request, Response, Uri, Version};
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::time::error::Elapsed;

use super::notifying_body::NotifyingBody;
use crate::transport::{
    BoxError, Headers, HeadersNotifier, HttpRequest, HttpResponse, Method, Phase, ResponseBody, TransportError,
};

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

    /// Returns the response, or an error if the response is incomplete.
    pub(super) fn reply(
        self,
        body: Result<Result<ResponseBody, TransportError>, Elapsed>,
        timeout: Duration,
    ) -> Result<HttpResponse, TransportError> {
        let late = |phase, so_far: &str| {
            TransportError::new(phase, format!("no complete response within {timeout:?}; {so_far}")).timed_out()
        };
        match (body, self.head) {
            (Ok(Ok(body)), Some(head)) => Ok(HttpResponse { body, ..head }),
            // A response with an error status is returned even without its body.
            (Err(_), Some(head)) if !(200..300).contains(&head.status) => Ok(head),
            (Ok(Err(error)), Some(head)) => Err(error.with_status_and_headers(head.status, head.headers)),
            (Ok(Err(error)), None) => Err(error),
            (Err(_), Some(head)) => {
                let error = late(Phase::Body, &format!("{} bytes of the body received", self.bytes));
                Err(error.with_status_and_headers(head.status, head.headers))
            }
            (_, None) => Err(late(Phase::Headers, "no status received")),
        }
    }
}

/// Converts a request to the types of the `http` crate, which hyper and reqwest share.
pub(super) fn convert(request: HttpRequest) -> Result<Request<NotifyingBody>, TransportError> {
    let method = match request.method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
    };
    let mut converted = Request::new(NotifyingBody { body: request.body.into(), on_sent: request.on_sent });
    *converted.method_mut() = method;
    // The URL is passed as `Bytes`, because parsing a `str` would copy it.
    *converted.uri_mut() = Uri::from_maybe_shared(Bytes::from(request.url))
        .map_err(|error| TransportError::new(Phase::Send, "the URL is invalid").permanent().with_source(error))?;
    *converted.headers_mut() = request.headers.0;
    #[cfg(feature = "gzip")]
    converted.headers_mut().insert(http::header::ACCEPT_ENCODING, http::HeaderValue::from_static("gzip"));
    Ok(converted)
}

/// The maximum number of bytes that are reserved for a body before it arrives, even if its `Content-Length` is larger.
const TRUSTED: u64 = 1 << 20;

/// Reads the body of a response to its end, and decodes it, up to the maximum size.
pub(super) async fn read<B>(
    response: Response<B>,
    limit: usize,
    progress: &mut Progress,
) -> Result<ResponseBody, TransportError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
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

async fn read_body<B>(body: B, limit: usize, so_far: &mut usize) -> Result<ResponseBody, TransportError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    let mut body = pin!(body);
    let declared = body.size_hint().lower();
    if usize::try_from(declared).map_or(true, |declared| declared > limit) {
        return Err(TransportError::body_too_large(limit));
    }
    let (mut first, mut all) = (Bytes::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let message = format!("the body was cut off after {so_far} bytes");
            TransportError::new(Phase::Body, message).with_source(error)
        })?;
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > limit - *so_far {
            return Err(TransportError::body_too_large(limit));
        }
        // Most bodies arrive in one piece, which is kept without a copy.
        if *so_far == 0 {
            first = data;
            *so_far = first.len();
            continue;
        }
        if all.is_empty() {
            all.reserve(usize::try_from(declared.min(TRUSTED)).unwrap_or(0));
            all.extend_from_slice(&std::mem::take(&mut first));
        }
        all.extend_from_slice(&data);
        *so_far = all.len();
    }
    Ok(if all.is_empty() { ResponseBody(first) } else { all.into() })
}
