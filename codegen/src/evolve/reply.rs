//! Replies as they were saved: a JSON body, alone or behind its status line and headers.

use serde_yaml::Value;

/// What the sandbox marks a reply with where something in it is made up: a header, and a key of the body.
const INVENTED: &str = "x-sandbox-invented";

/// A reply that something can be learned from.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) body: Value,
    /// Whether it says of itself that it is made up.
    pub(super) is_invented: bool,
}

impl Reply {
    /// Reads a saved reply.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let (head, body) = if text.starts_with("HTTP/") { behind_headers(text)? } else { ("", text) };
        let mut body: Value = serde_json::from_str(body)
            .map_err(|error| format!("its body is not JSON: {error}; save it as it came, as `curl -i` does"))?;
        let is_header =
            |line: &str| line.split(':').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(INVENTED));
        let marked = match &mut body {
            Value::Mapping(entries) => entries.remove(INVENTED).is_some(),
            _ => false,
        };
        Ok(Self { body, is_invented: marked || head.lines().any(is_header) })
    }
}

/// The last head of several (a proxy may have put its own first) and the body behind it.
fn behind_headers(mut text: &str) -> Result<(&str, &str), String> {
    loop {
        let end = ["\r\n\r\n", "\n\n"].iter().filter_map(|blank| Some((text.find(blank)?, blank.len()))).min();
        let (end, length) = end.ok_or("it ends before its headers do; save the whole reply")?;
        let (head, body) = (&text[..end], &text[end + length..]);
        if body.starts_with("HTTP/") {
            text = body;
            continue;
        }
        let status = head.split_whitespace().nth(1).unwrap_or_default();
        if !status.starts_with('2') {
            return Err(format!(
                "its status is {status}, so it is not what the endpoint answers; save a reply whose status is 200"
            ));
        }
        return Ok((head, body));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_come_alone_or_with_headers() {
        let table = [
            ("{\"a\": 1}", Ok(false)),
            ("HTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\n[]", Ok(false)),
            ("HTTP/1.1 200 OK\nX-Sandbox-Invented: fields\n\n[]", Ok(true)),
            ("HTTP/1.1 200 Connection established\r\n\r\nHTTP/2 200\r\nx-sandbox-invented: body\r\n\r\n{}", Ok(true)),
            ("{\"data\": [], \"x-sandbox-invented\": \"fields\"}", Ok(true)),
            (
                "HTTP/1.1 422 Unauthorized\r\n\r\n{}",
                Err("its status is 422, so it is not what the endpoint answers; save a reply whose status is 200"),
            ),
            ("HTTP/1.1 200 OK\r\n", Err("it ends before its headers do; save the whole reply")),
            (
                "{\"a\": ",
                Err(
                    "its body is not JSON: EOF while parsing a value at line 1 column 6; save it as it came, as `curl -i` does",
                ),
            ),
        ];
        for (text, expected) in table {
            let read = Reply::read(text).map(|reply| reply.is_invented);
            assert_eq!(read, expected.map_err(str::to_owned), "{text}");
        }
    }
}
