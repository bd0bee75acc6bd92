//! Asks an HTTP proxy for a tunnel to a server (`CONNECT`).
//!
//! hyper-util's tunnel does not report the status with which a proxy refuses, so this module has its own.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::error::{BoxError, quoted};
use crate::html_page;

/// The maximum size of the headers of a proxy's response, and the part of its body that is read for the error.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_BODY_BYTES: usize = 2 << 10;

/// The time in which the body of a rejected tunnel has to arrive.
const BODY_TIMEOUT: Duration = Duration::from_millis(500);

/// The failure of a proxy to open a tunnel.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TunnelError {
    /// The status of the proxy's response, and its explanation, which may be empty.
    Refused { status: u16, reason: String },
    /// The proxy closed the connection without a complete response.
    Closed,
    /// The response is not HTTP, or its headers are too long.
    NotHttp,
}

impl fmt::Display for TunnelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { status: 407, .. } => f.write_str("the proxy requires credentials; add them to its URL"),
            Self::Refused { status, reason } if reason.is_empty() => {
                write!(f, "the proxy refused it with status {status}")
            }
            Self::Refused { status, reason } => write!(f, "the proxy refused it with status {status}: {reason}"),
            Self::Closed => f.write_str("the proxy closed the connection"),
            Self::NotHttp => f.write_str("the response of the proxy is not HTTP"),
        }
    }
}

impl std::error::Error for TunnelError {}

impl TunnelError {
    /// `true` if the proxy may open the tunnel if it is asked again.
    pub(super) fn is_retryable(&self) -> bool {
        match self {
            Self::Refused { status, .. } => crate::error::is_transient(*status),
            Self::Closed | Self::NotHttp => true,
        }
    }
}

/// Asks a proxy for a tunnel to `target`, a host and a port, and returns the connection that is now the tunnel.
pub(super) async fn open<S>(stream: S, target: &str, authorization: Option<HeaderValue>) -> Result<S, BoxError>
where
    S: Read + Write + Unpin,
{
    let mut stream = TokioIo::new(stream);
    let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n").into_bytes();
    if let Some(authorization) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(authorization.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    stream.write_all(&request).await?;
    stream.flush().await?;
    let head = read_head(&mut stream).await?;
    let status = read_status(&head).ok_or(TunnelError::NotHttp)?;
    if (200..300).contains(&status) {
        return Ok(stream.into_inner());
    }
    // The body only explains the status, so an error while reading it does not matter.
    let mut body = Vec::new();
    let mut rest = stream.take(MAX_BODY_BYTES as u64);
    // A proxy may keep the connection open after the body.
    let _ = tokio::time::timeout(BODY_TIMEOUT, rest.read_to_end(&mut body)).await;
    Err(TunnelError::Refused { status, reason: reason(&body) }.into())
}

/// Reads a response up to the end of its headers. The bytes are read one by one, because those after the headers belong
/// to the tunnel.
async fn read_head(stream: &mut (impl AsyncReadExt + Unpin)) -> Result<Vec<u8>, BoxError> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if head.len() == MAX_HEAD_BYTES {
            return Err(TunnelError::NotHttp.into());
        }
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            let is_http = head.is_empty() || b"HTTP/1.".starts_with(&head) || head.starts_with(b"HTTP/1.");
            return Err(if is_http { TunnelError::Closed } else { TunnelError::NotHttp }.into());
        }
        head.push(byte[0]);
    }
    Ok(head)
}

/// The status in the first line of a response; `None` if the response is not HTTP.
fn read_status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.trim_ascii()).ok()?;
    let rest = line.strip_prefix("HTTP/1.0 ").or_else(|| line.strip_prefix("HTTP/1.1 "))?;
    let status = rest.split(' ').next()?;
    status.parse().ok().filter(|status| (100..1000).contains(status))
}

/// The title of a page, or a short text; empty if the body is anything else.
fn reason(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match html_page::title(&text) {
        Some(title) => quoted(&title),
        None if text.trim_start().starts_with(['<', '{', '[']) => String::new(),
        None => quoted(text.trim()),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    /// The outcome of a tunnel, and the first bytes in it.
    async fn check(response: &str) -> Result<String, String> {
        let (client, mut proxy) = duplex(4096);
        proxy.write_all(response.as_bytes()).await.unwrap();
        proxy.shutdown().await.unwrap();
        let opened = open(TokioIo::new(client), "service.invalid:443", None).await;
        let mut inside = String::new();
        let tunnel = opened.map_err(|error| error.to_string())?;
        TokioIo::new(tunnel).read_to_string(&mut inside).await.unwrap();
        Ok(inside)
    }

    #[tokio::test]
    async fn response_of_the_proxy_decides() {
        let refused = |text: &str| Err(format!("the proxy refused it with status {text}"));
        let html = "HTTP/1.1 403 Forbidden\r\n\r\n<html><style>a{}</style><title>Blocked</title></html>";
        let table = [
            ("HTTP/1.1 200 OK\r\nvia: x\r\n\r\nHELLO", Ok("HELLO".to_owned())),
            ("HTTP/1.0 200 Connection established\r\n\r\n", Ok(String::new())),
            ("HTTP/1.1 200\n\nHELLO", Ok("HELLO".to_owned())),
            ("HTTP/1.1 403 Forbidden\r\n\r\nBlocked by company policy.", refused("403: Blocked by company policy.")),
            (html, refused("403: Blocked")),
            ("HTTP/1.1 502 Bad Gateway\r\n\r\n", refused("502")),
            ("HTTP/1.1 407 Needed\r\n\r\n", Err("the proxy requires credentials; add them to its URL".to_owned())),
            ("", Err("the proxy closed the connection".to_owned())),
            ("HTTP/1.1 200 OK\r\nvia", Err("the proxy closed the connection".to_owned())),
            ("SSH-2.0-OpenSSH\r\n", Err("the response of the proxy is not HTTP".to_owned())),
            ("SSH-2.0-OpenSSH\r\n\r\n", Err("the response of the proxy is not HTTP".to_owned())),
        ];
        for (response, expected) in table {
            assert_eq!(check(response).await, expected, "{response}");
        }
    }
}
