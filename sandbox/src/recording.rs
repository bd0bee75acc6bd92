//! Exchanges in a file: requests with their replies.
//!
//! A recording is YAML that a person can read, review and edit: a list with one entry for each exchange, whose JSON has
//! one record a line. It has no request headers and only some of a reply's, never tokens, and a file with anything that
//! looks like a key is refused.

mod layout;
mod recorder;
mod secrets;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};

pub(crate) use self::recorder::{Recorder, Written};
use crate::refusal::Refusal;

/// A request, and the reply it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    /// Method, and path with query as the sandbox got them: `GET /v2/klines?coin=BTC`.
    request: String,
    status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

impl Exchange {
    /// Whether the request can be looked up, and the reply sent.
    fn check(&self) -> Result<(), String> {
        let Question { method, path, .. } = question(&self.request);
        if method.is_empty() || !path.starts_with('/') {
            return Err(format!("`{}` is no request; one is written `GET /v2/klines?coin=BTC`", self.request));
        }
        self.reply().map(drop)
    }

    fn reply(&self) -> Result<Response, String> {
        let response = Response::builder().status(self.status);
        let response = self.headers.iter().fold(response, |response, (name, value)| response.header(name, value));
        let response = response.body(Body::from(self.body.clone()));
        response.map_err(|cause| format!("the reply to `{}` cannot be sent: {cause}", self.request))
    }
}

/// Exchanges to be played again.
#[derive(Debug)]
pub(crate) struct Recording {
    exchanges: Vec<Exchange>,
    /// How often each has been played.
    played: Mutex<Vec<usize>>,
}

impl Recording {
    /// Reads a file, or says why it cannot be played.
    pub(crate) fn load(file: &Path) -> Result<Self, RecordingError> {
        let error = |what: String| RecordingError { file: file.display().to_string(), what };
        let text = std::fs::read_to_string(file).map_err(|cause| error(format!("cannot be read: {cause}")))?;
        Self::read(&text).map_err(error)
    }

    fn read(text: &str) -> Result<Self, String> {
        let lines = secrets::lines_with(text);
        if let [first, ..] = lines.as_slice() {
            let lines = lines.iter().map(|line| format!("  line {line}")).collect::<Vec<_>>().join("\n");
            return Err(format!("has what looks like a key or a token, first in line {first}:\n{lines}"));
        }
        let exchanges = if text.lines().all(|line| line.is_empty() || line.starts_with('#')) {
            Vec::new()
        } else {
            serde_yaml::from_str::<Vec<Exchange>>(text).map_err(|cause| format!("is no recording: {cause}"))?
        };
        // Files are edited by hand: a mistake is reported now and not when the request comes.
        exchanges.iter().try_for_each(Exchange::check).map_err(|wrong| format!("cannot be played: {wrong}"))?;
        let played = Mutex::new(vec![0; exchanges.len()]);
        Ok(Self { exchanges, played })
    }

    /// The reply to a request: that of the first exchange not yet played, or of the last once all are.
    pub(crate) fn play(&self, method: &str, target: &str) -> Result<Response, Refusal> {
        let wanted = question(&recorder::written(method, target, &[]));
        let same = |(_, exchange): &(usize, &Exchange)| question(&exchange.request) == wanted;
        let matching = self.exchanges.iter().enumerate().filter(same).collect::<Vec<_>>();
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let next = matching.iter().find(|(index, _)| played.get(*index) == Some(&0)).or(matching.last());
        let Some((index, exchange)) = next else {
            return Err(self.unknown(&wanted));
        };
        if let Some(played) = played.get_mut(*index) {
            *played += 1;
        }
        exchange.reply().map_err(|wrong| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "bad_recording", wrong))
    }

    fn unknown(&self, wanted: &Question) -> Refusal {
        let of_path = self.exchanges.iter().filter(|exchange| question(&exchange.request).path == wanted.path);
        let recorded = of_path.take(3).map(|exchange| format!("`{}`", exchange.request)).collect::<Vec<_>>();
        let known = match recorded.as_slice() {
            [] => "nothing for this path".to_owned(),
            some => format!("{} for this path", some.join(", ")),
        };
        let message = format!("the recording has no `{wanted}`; it has {known}");
        Refusal::new(StatusCode::NOT_FOUND, "not_recorded", message)
    }
}

/// The parts of a request by which its recorded reply is found; the order of params does not matter.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    method: String,
    path: String,
    params: Vec<(String, String)>,
}

fn question(request: &str) -> Question {
    let (method, target) = request.split_once(' ').unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut params = form_urlencoded::parse(query.as_bytes()).into_owned().collect::<Vec<_>>();
    params.sort();
    Question { method: method.to_owned(), path: path.to_owned(), params }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.params).finish();
        let mark = if query.is_empty() { "" } else { "?" };
        write!(f, "{} {}{mark}{query}", self.method, self.path)
    }
}

/// Checks that a file is a recording that can be played and holds nothing that looks like a key.
///
/// # Errors
///
/// The file cannot be read, is no recording, or has lines that look like a key; the error names them and
/// does not show them.
pub fn check_recording(file: impl AsRef<Path>) -> Result<(), RecordingError> {
    Recording::load(file.as_ref()).map(drop)
}

/// Why a file is not taken for a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingError {
    file: String,
    what: String,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.what)
    }
}

impl std::error::Error for RecordingError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(requests: &[&str]) -> Recording {
        let entries = requests.iter().enumerate();
        let text = entries.map(|(index, request)| format!("- {{request: {request}, status: 200, body: '{index}'}}\n"));
        Recording::read(&text.collect::<String>()).unwrap()
    }

    async fn check(recording: &Recording, target: &str) -> Result<String, String> {
        match recording.play("GET", target) {
            Ok(response) => {
                let body = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
                Ok(String::from_utf8(body.to_vec()).unwrap())
            }
            Err(refusal) => Err(format!("{refusal:?}")),
        }
    }

    #[tokio::test]
    async fn exchanges_are_played_in_turn_and_the_last_goes_on() {
        let recording = recording(&["GET /a?x=1&y=2", "GET /a", "GET /a?y=2&x=1", "POST /a"]);
        for (target, expected) in
            [("/a", "1"), ("/a?x=1&y=2", "0"), ("/a?y=2&x=1", "2"), ("/a?x=1&y=2", "2"), ("/a", "1"), ("/a?", "1")]
        {
            assert_eq!(check(&recording, target).await, Ok(expected.to_owned()), "{target}");
        }
    }

    #[tokio::test]
    async fn what_is_not_there_is_said() {
        let recording = recording(&["GET /a?x=1"]);
        let told = check(&recording, "/a?x=2&b=%20").await.unwrap_err();
        assert!(told.contains("has no `GET /a?b=+&x=2`; it has `GET /a?x=1` for this path"), "{told}");
        let told = check(&recording, "/b").await.unwrap_err();
        assert!(told.contains("has no `GET /b`; it has nothing for this path"), "{told}");
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        let table = [
            ("- {request: GET /a, status: 200}", None),
            ("", None),
            ("# nothing yet\n", None),
            ("words", Some("is no recording: ")),
            ("- {request: GET /a}", Some("missing field `status`")),
            ("- {request: /a, status: 200}", Some("cannot be played: `/a` is no request; one is written `GET ")),
            ("- {request: GET a, status: 200}", Some("`GET a` is no request")),
            ("- {request: GET /a, status: 2000}", Some("the reply to `GET /a` cannot be sent: invalid status code")),
            ("- {request: GET /a, status: 200, headers: {a b: c}}", Some("invalid HTTP header name")),
            ("- {request: GET /a, status: 200, cookies: x}", Some("unknown field `cookies`")),
            ("# a\n- {request: 'GET /a?api_key=hunter2', status: 200}", Some("first in line 2:\n  line 2")),
        ];
        for (text, expected) in table {
            let outcome = Recording::read(text).map(drop);
            match expected {
                None => assert_eq!(outcome, Ok(()), "{text}"),
                Some(words) => assert!(outcome.clone().unwrap_err().contains(words), "{text}: {outcome:?}"),
            }
            assert!(!format!("{outcome:?}").contains("hunter2"));
        }
    }
}
