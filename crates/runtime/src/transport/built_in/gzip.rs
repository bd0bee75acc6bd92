//! Decompresses bodies.
//!
//! The content of a body decides, because some services label bodies wrongly: gzip is decompressed even without its
//! label, and a readable text is kept even with the label. Returns an error if the compressed body is truncated, if its
//! checksum is wrong, or if the decoded body exceeds the maximum size.

use std::io::Read;

use flate2::bufread::GzDecoder;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};

use crate::error::{Error, ErrorKind};
use crate::text::is_plain_text;
use crate::transport::ResponseBody;

/// The first bytes of gzip.
const MAGIC: &[u8] = &[0x1f, 0x8b];

/// Some servers compress a body twice.
const MAX_LAYERS: usize = 2;

/// Decodes a compressed body, and removes the headers that no longer apply.
pub(super) fn decode(headers: &mut HeaderMap, body: ResponseBody, limit: usize) -> Result<ResponseBody, Error> {
    let is_labelled = headers.get_all(CONTENT_ENCODING).iter().any(|encoding| is_gzip(encoding.as_bytes()));
    if !is_labelled && !body.starts_with(MAGIC) {
        return Ok(body);
    }
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    if body.is_empty() || is_plain_text(&body) {
        return Ok(body);
    }
    let mut decoded = members(&body, limit)?;
    for _ in 1..MAX_LAYERS {
        if decoded.starts_with(MAGIC) {
            decoded = members(&decoded, limit)?;
        }
    }
    Ok(decoded.into())
}

/// `true` if a value of `Content-Encoding` names gzip.
fn is_gzip(encoding: &[u8]) -> bool {
    encoding
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .any(|label| label.eq_ignore_ascii_case(b"gzip") || label.eq_ignore_ascii_case(b"x-gzip"))
}

/// Decompresses the members of a gzip file, after which zero bytes may follow as padding.
fn members(mut compressed: &[u8], limit: usize) -> Result<Vec<u8>, Error> {
    let mut decoded = Vec::new();
    loop {
        // Reading one byte more than the maximum detects a body that is too large.
        let max = u64::try_from(limit.saturating_sub(decoded.len())).unwrap_or(u64::MAX).saturating_add(1);
        let mut reader = GzDecoder::new(compressed).take(max);
        reader.read_to_end(&mut decoded).map_err(|error| {
            let message = format!("the compressed body is truncated or corrupt after {} decoded bytes", decoded.len());
            Error::retryable(ErrorKind::Body, message).with_source(error)
        })?;
        if decoded.len() > limit {
            return Err(Error::body_too_large(limit));
        }
        compressed = reader.into_inner().into_inner();
        if compressed.iter().all(|byte| *byte == 0) {
            return Ok(decoded);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http::header::HeaderValue;

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
        assert_eq!(check(gzip(&gzip(b"{}")), 100).unwrap(), b"{}");
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
    }

    #[test]
    fn zero_padding_is_not_damage() {
        let zeros = vec![0; 600];
        assert_eq!(check([gzip(b"{}"), zeros.clone()].concat(), 100).unwrap(), b"{}");
        assert_eq!(check([gzip(b"{"), gzip(b"}"), vec![0]].concat(), 100).unwrap(), b"{}");
        assert!(check(zeros, 100).is_err());
        assert!(check([gzip(b"{}"), vec![0, 1]].concat(), 100).is_err());
    }

    #[test]
    fn content_decides_against_the_label() {
        assert_eq!(check(b"{}".to_vec(), 100).unwrap(), b"{}");
        for labels in [&[][..], &["gzip", "gzip"], &["identity, gzip"], &["utf-8"]] {
            let mut headers = HeaderMap::new();
            for label in labels {
                headers.append(CONTENT_ENCODING, HeaderValue::from_str(label).unwrap());
            }
            assert_eq!(&*decode(&mut headers, gzip(b"{}").into(), 100).unwrap(), b"{}", "{labels:?}");
            assert!(headers.is_empty(), "{labels:?}");
        }
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
