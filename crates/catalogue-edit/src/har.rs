//! Reads HAR files, which browsers and proxies record: finds the endpoint of each entry by its path.
//!
//! Only the path and the body of an entry are used. Headers, cookies and query strings may contain credentials, so they
//! appear neither in the result nor in messages.

use catalogue::{Catalogue, url_path};
use serde_yaml::Value;

use crate::content::{Content, label};
use crate::editor::Refusal;
use crate::learn::EndpointResponses;
use crate::saved_response::MOCK_MARKER;

/// The responses in HAR files, by endpoint.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The endpoints with successful responses in JSON.
    pub endpoints: Vec<EndpointResponses>,
    /// The reasons why entries are skipped, without query strings. Paths that no endpoint has are among them.
    pub skipped: Vec<String>,
}

impl Recording {
    /// Reads HAR files, each with its name.
    pub fn read(catalogue: Catalogue, files: &[(String, Vec<u8>)]) -> Result<Self, Refusal> {
        let content = Content::checked(catalogue)?;
        let mut recording = Self::default();
        for (file, bytes) in files {
            let har: Value = serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
                .map_err(|error| format!("{file}: not a HAR file: {error}"))?;
            let entries = har.get("log").and_then(|log| log.get("entries")?.as_sequence());
            let entries = entries.ok_or_else(|| format!("{file}: not a HAR file: no `log.entries`"))?;
            for (index, entry) in entries.iter().enumerate() {
                recording.entry(&content, entry, &format!("{file}, entry {}", index + 1));
            }
        }
        Ok(recording)
    }

    fn entry(&mut self, content: &Content, entry: &Value, origin: &str) {
        let at = |path: &str| path.split('.').try_fold(entry, |value, key| value.get(key));
        let text = |path: &str| at(path).and_then(Value::as_str).unwrap_or_default();
        let url = text("request.url").split(['?', '#']).next().unwrap_or_default();
        let path = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("/", |slash| &rest[slash..]));
        let status = at("response.status").and_then(Value::as_u64).unwrap_or_default();
        let why = match endpoint(content, path) {
            _ if text("request.method") != "GET" => format!("a {} request", text("request.method")),
            None => "no endpoint has this path".to_owned(),
            Some(_) if !(200..300).contains(&status) => format!("the status is {status}"),
            Some(_) if text("response.content.encoding") == "base64" => "the body is encoded in base64".to_owned(),
            Some(endpoint) => {
                let headers = at("response.headers").and_then(Value::as_sequence).into_iter().flatten();
                let mut names = headers.filter_map(|header| header.get("name")?.as_str());
                let marker =
                    names.find(|name| name.eq_ignore_ascii_case(MOCK_MARKER)).map(|name| format!("{name}: \n"));
                let body = text("response.content.text");
                let saved = format!("HTTP/1.1 {status}\n{}\n{body}", marker.unwrap_or_default()).into_bytes();
                return self.add(endpoint, (origin.to_owned(), saved));
            }
        };
        let line = format!("`{path}`: {why}");
        if !self.skipped.contains(&line) {
            self.skipped.push(line);
        }
    }

    fn add(&mut self, endpoint: String, response: (String, Vec<u8>)) {
        match self.endpoints.iter_mut().find(|known| known.endpoint == endpoint) {
            Some(known) => known.responses.push(response),
            None => self.endpoints.push(EndpointResponses { endpoint, responses: vec![response] }),
        }
    }
}

/// Returns the label of the endpoint with the longest path that is the end of a URL's path.
fn endpoint(content: &Content, path: &str) -> Option<String> {
    let segments: Vec<&str> = path.trim_end_matches('/').split('/').skip(1).collect();
    let matches = |own: &[&str]| {
        let tail = segments.len().checked_sub(own.len()).map(|start| &segments[start..]);
        let is_same = |(own, segment): (&&str, &&str)| own == segment || own.contains('{') && !segment.is_empty();
        tail.is_some_and(|tail| own.iter().zip(tail).all(is_same))
    };
    let endpoints = content.endpoints().filter_map(|(at, endpoint)| {
        let own: Vec<&str> = url_path::without_fragment(endpoint.path.known()?).split('/').skip(1).collect();
        let literals = own.iter().filter(|segment| !segment.contains('{')).count();
        matches(&own).then(|| (own.len(), literals, label(&at, endpoint)))
    });
    endpoints.max_by_key(|(length, literals, _)| (*length, *literals)).map(|(.., label)| label)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: &str = "title: A\nversion: '1'\nenv_prefix: A\ntime: {unit: seconds, evidence: documented}\n";
    const MARKET: &str = "title: Market\nendpoints:\n\
        - {name: Book, path: '/books/{symbol}', evidence: documented, params: [{name: symbol, type: string, in: path}], body: unknown}\n\
        - {name: Best, path: /books/best, evidence: documented, params: [], body: unknown}\n";

    #[test]
    fn entries_are_found_by_their_path_and_leave_no_credentials() {
        let entry = |url: &str, method: &str, status: u16| {
            format!(
                r#"{{"request": {{"method": "{method}", "url": "{url}", "headers": [{{"name": "x-api-key", "value": "secret"}}]}},
                "response": {{"status": {status}, "headers": [{{"name": "set-cookie", "value": "secret"}}], "content": {{"text": "[1]"}}}}}}"#
            )
        };
        let entries = [
            entry("https://a.example/v1/books/BTC?key=secret", "GET", 200),
            entry("https://a.example/v1/books/best", "GET", 200),
            entry("https://a.example/v1/books/ETH#secret", "GET", 200),
            entry("https://a.example/v1/trades?key=secret", "GET", 200),
            entry("https://a.example/v1/books/BTC", "POST", 200),
            entry("https://a.example/v1/books/best?key=secret", "GET", 401),
        ];
        let har = format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(","));
        let catalogue = || catalogue::load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let recording = Recording::read(catalogue(), &[("a.har".to_owned(), har.into_bytes())]).expect("a recording");
        let found: Vec<_> =
            recording.endpoints.iter().map(|sample| (sample.endpoint.as_str(), sample.responses.len())).collect();
        assert_eq!(found, [("market.book", 2), ("market.best", 1)]);
        let skipped = [
            "`/v1/trades`: no endpoint has this path",
            "`/v1/books/BTC`: a POST request",
            "`/v1/books/best`: the status is 401",
        ];
        assert_eq!(recording.skipped, skipped);
        assert!(!format!("{recording:?}").contains("secret"));
        for text in ["[]", "{\"log\": {}}", "x"] {
            assert!(Recording::read(catalogue(), &[("a.har".to_owned(), text.into())]).is_err(), "{text}");
        }
    }
}
