//! Decompresses bodies.
//!
//! Decodes the body of a response according to its headers. Returns an error if the compressed body is truncated, if
//! its checksum is wrong, or if the decoded body exceeds the maximum size.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};

use crate::error::{Error, ErrorKind};
use crate::transport::ResponseBody;

/// Decodes a compressed body, and removes the headers that no longer apply.
pub(super) fn decode(headers: &mut HeaderMap, body: ResponseBody, limit: usize) -> Result<ResponseBody, Error> {
    let encoding = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes).unwrap_or_default();
    if !encoding.eq_ignore_ascii_case(b"gzip") && !encoding.eq_ignore_ascii_case(b"x-gzip") {
        return Ok(body);
    }
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    if body.is_empty() {
        return Ok(body);
    }
    // Reading one byte more than the maximum detects a body that is too large.
    let max = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoded = Vec::new();
    let mut reader = MultiGzDecoder::new(&*body).take(max);
    reader.read_to_end(&mut decoded).map_err(|error| {
        let message = format!("the compressed body is truncated or corrupt after {} decoded bytes", decoded.len());
        Error::retryable(ErrorKind::Body, message).with_source(error)
    })?;
    if decoded.len() > limit {
        return Err(Error::body_too_large(limit));
    }
    Ok(decoded.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn check(body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("GZip"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        let outcome = decode(&mut headers, body.into(), limit);
        assert!(headers.is_empty());
        outcome.map(|body| body.to_vec())
    }

    #[test]
    fn complete_gzip_is_decoded() {
        assert_eq!(check(gzip(b"{}"), 100).unwrap(), b"{}");
        assert_eq!(check([gzip(b"{"), gzip(b"}")].concat(), 2).unwrap(), b"{}");
        assert_eq!(check(Vec::new(), 100).unwrap(), b"");
    }

    #[test]
    fn truncated_gzip_is_rejected() {
        let whole = gzip(br#"{"data": [{"openDate": 1700000000, "volumeRatio": 0.25}]}"#);
        for end in 1..whole.len() {
            let error = check(whole[..end].to_vec(), 100).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Body);
            assert!(error.is_retryable(), "{end}");
        }
    }

    #[test]
    fn damaged_gzip_is_rejected_or_decodes_equally() {
        let text = br#"{"data": [{"openDate": 1700000000, "volumeRatio": 0.25}]}"#;
        let whole = gzip(text);
        for (index, bit) in (0..whole.len()).flat_map(|index| (0..8).map(move |bit| (index, bit))) {
            let mut bytes = whole.clone();
            bytes[index] ^= 1 << bit;
            if let Ok(decoded) = check(bytes, 1000) {
                assert_eq!(decoded, text, "{index}.{bit}");
            }
        }
        assert!(check([whole.clone(), b"x".to_vec()].concat(), 1000).is_err());
        assert!(check(b"{}".to_vec(), 100).is_err());
    }

    #[test]
    fn gzip_bomb_is_stopped_at_the_limit() {
        let bomb = gzip(&vec![b' '; 10 << 20]);
        assert!(bomb.len() < 20_000);
        let error = check(bomb, 1 << 20).unwrap_err();
        assert!(!error.is_retryable());
        assert_eq!(error.to_string(), "the body exceeds 1048576 bytes (`max_body_bytes`)");
    }
}
