//! A request out, a reply in: what is the same whoever holds the connections.
//!
//! Requests are put into the types that hyper and reqwest share, replies are read to their end, never beyond
//! the limit, and how far that has got is known when time runs out.

use std::error::Error as StdError;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::Body;

use crate::departure::DepartingBody;
use crate::{Headers, HttpRequest, HttpResponse, Method, Phase, TransportError};

type BoxError = Box<dyn StdError + Send + Sync>;

/// How far a reply has got.
pub(super) enum Progress {
    Head,
    Body(usize),
    /// All but the words of a refusal.
    Refusal(HttpResponse),
}

impl Progress {
    /// What comes of it when time runs out.
    pub(super) fn timed_out(self, timeout: Duration) -> Result<HttpResponse, TransportError> {
        let (phase, so_far) = match self {
            Self::Head => (Phase::Head, "no status had arrived".to_owned()),
            Self::Body(bytes) => (Phase::Body, format!("{bytes} bytes of the body had arrived")),
            Self::Refusal(response) => return Ok(response),
        };
        Err(TransportError::new(phase, format!("no whole reply within {timeout:?}; {so_far}")).timed_out())
    }
}

/// The request as hyper and its kin know it.
pub(super) fn convert(request: HttpRequest) -> Result<Request<DepartingBody>, TransportError> {
    let method = match request.method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
    };
    let mut converted = Request::new(DepartingBody::new(request.body.into(), request.departure));
    *converted.method_mut() = method;
    *converted.uri_mut() = request
        .url
        .parse()
        .map_err(|error| TransportError::new(Phase::Send, "the URL cannot be sent").permanent().because(error))?;
    *converted.headers_mut() = request.headers.into_map();
    #[cfg(feature = "gzip")]
    crate::gzip::accept(converted.headers_mut());
    Ok(converted)
}

/// A body is not trusted to be as long as it says beyond this.
const TRUSTED: u64 = 1 << 20;

/// Reads a reply to its end, its body decoded and up to the limit.
pub(super) async fn read<B>(
    response: Response<B>,
    limit: usize,
    progress: &mut Progress,
) -> Result<HttpResponse, TransportError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    #[allow(unused_mut)] // Only compression changes it.
    let (mut head, body) = response.into_parts();
    let (status, is_success) = (head.status.as_u16(), head.status.is_success());
    *progress = if is_success {
        Progress::Body(0)
    } else {
        Progress::Refusal(HttpResponse::new(status, Headers::from_map(head.headers.clone()), ""))
    };
    let read = async {
        let body = read_body(body, limit, progress).await?;
        #[cfg(feature = "gzip")]
        let body = crate::gzip::decode(&mut head.headers, body, limit)?;
        Ok(body)
    };
    let body = if is_success {
        read.await?
    } else {
        // The status says it all; whatever happens to the words must not hide it.
        tokio::time::timeout(PATIENCE, read).await.ok().and_then(Result::ok).unwrap_or_default()
    };
    Ok(HttpResponse::new(status, Headers::from_map(head.headers), body))
}

/// How long the words of a refusal are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

async fn read_body<B>(body: B, limit: usize, progress: &mut Progress) -> Result<Vec<u8>, TransportError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    let mut body = pin!(body);
    let declared = body.size_hint().lower();
    if usize::try_from(declared).map_or(true, |declared| declared > limit) {
        return Err(crate::too_large(limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(declared.min(TRUSTED)).unwrap_or(0));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let message = format!("the body broke off after {} bytes", bytes.len());
            TransportError::new(Phase::Body, message).because(error)
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > limit - bytes.len() {
            return Err(crate::too_large(limit));
        }
        bytes.extend_from_slice(&data);
        if let Progress::Body(so_far) = progress {
            *so_far = bytes.len();
        }
    }
    Ok(bytes)
}
