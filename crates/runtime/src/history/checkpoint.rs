//! The position of a history, from which another run of the program continues.
//!
//! Every page has a checkpoint, which is saved and parsed as text. The user can store the length of the program's
//! output in the checkpoint, and later cut off output that was written after the checkpoint.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_core::de::Error as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::time_grid::Span;
use crate::values::{ConversionError, Timestamp, Value};

/// The position of a history after a page.
///
/// Write the records of a page, and then save its checkpoint with the length of your output. After an interruption, cut
/// your output to this length, and the next run [resumes] from the checkpoint. The output is then the same as without
/// the interruption:
///
/// [resumes]: super::History::resume
///
/// ```
/// # use generated_client_runtime::history::{Checkpoint, Page};
/// # use std::error::Error;
/// # fn demo(page: &Page<generated_client_runtime::Value>, bytes_written: u64) -> Result<(), Box<dyn Error>> {
/// let text = page.checkpoint.with_byte_offset(bytes_written).to_string();
/// let checkpoint: Checkpoint = text.parse()?;
/// assert_eq!(checkpoint.byte_offset(), bytes_written);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The base URL.
    pub(super) host: String,
    /// The request, without the params for range, page size and order.
    pub(super) request: String,
    /// The range, which ends at the latest with the last interval that was closed when the job began.
    pub(super) range: Span,
    /// The start of the next window.
    pub(super) next: Timestamp,
    /// The start of the steps without a record that end at `next`, or of the step without a record that contains `next`;
    /// `None` if there is no such step.
    pub(super) open_since: Option<Timestamp>,
    /// The start times of intervals before `next` whose records are missing and are still requested by a follower; `None`
    /// if the checkpoint belongs to a history and not to a follower.
    pub(super) missing: Option<Vec<Timestamp>>,
    pub(super) records: u64,
    pub(super) byte_offset: u64,
}

/// The kind of run that made a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckpointKind {
    /// A [`History`](super::History). A history and a [`Follow`](super::Follow) of the same request can resume from it.
    History,
    /// A [`Follow`](super::Follow). Only a follower of the same request can resume from it.
    Follow,
}

/// Writes `history` or `follow`, the name of the method of a request.
impl fmt::Display for CheckpointKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::History => "history",
            Self::Follow => "follow",
        })
    }
}

/// The version of the text format.
const VERSION: u64 = 1;

impl Checkpoint {
    /// Returns the same checkpoint with the length of the user's output, usually the number of bytes of a file.
    pub fn with_byte_offset(&self, byte_offset: u64) -> Self {
        Self { byte_offset, ..self.clone() }
    }

    /// Returns the length of the user's output.
    pub fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// Returns the kind of run that made this checkpoint.
    pub fn kind(&self) -> CheckpointKind {
        if self.missing.is_some() { CheckpointKind::Follow } else { CheckpointKind::History }
    }

    /// Returns the base URL of the service to which this checkpoint belongs.
    pub fn base_url(&self) -> &str {
        &self.host
    }

    /// Returns the same checkpoint for another base URL, after the service has moved to another host. The records of both
    /// hosts must be the same.
    pub fn with_base_url(&self, base_url: &str) -> Self {
        let base_url = base_url.trim();
        let host = base_url.strip_suffix('/').unwrap_or(base_url).to_owned();
        Self { host, ..self.clone() }
    }

    /// Returns the number of records before this checkpoint.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the time from which a resumed history continues; all records before it have been returned.
    pub fn next_time(&self) -> Timestamp {
        self.next
    }

    fn of(value: &Value) -> Option<Self> {
        let time = |name: &str| Timestamp::deserialize(value.get(name)?).ok();
        let count = |name: &str| value.get(name)?.as_u64();
        let (range, next) = (Span { from: time("from")?, to: time("to")? }, time("next")?);
        if next < range.from || range.to < next {
            return None;
        }
        Some(Self {
            host: value.get("host")?.as_str()?.to_owned(),
            request: value.get("request")?.as_str()?.to_owned(),
            range,
            next,
            open_since: time("openSince"),
            missing: Option::deserialize(value.get("missing")?).ok()?,
            records: count("records")?,
            byte_offset: count("position")?,
        })
    }
}

/// Formats the checkpoint as one line of JSON.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, request, range, next, open_since, missing, records, byte_offset } = self;
        let value = json!({
            "version": VERSION,
            "host": host,
            "request": request,
            "from": range.from,
            "to": range.to,
            "next": next,
            "openSince": open_since,
            "missing": missing,
            "records": records,
            "position": byte_offset,
        });
        value.fmt(f)
    }
}

impl FromStr for Checkpoint {
    type Err = ConversionError;

    fn from_str(text: &str) -> Result<Self, ConversionError> {
        let value =
            serde_json::from_str(text).ok().filter(|value: &Value| value.get("version") == Some(&VERSION.into()));
        let error = "invalid checkpoint of a history, or one of another version; start again without it";
        value.and_then(|value| Self::of(&value)).ok_or_else(|| ConversionError(error.into()))
    }
}

/// Serializes the checkpoint as one string, which contains its text.
impl Serialize for Checkpoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Deserializes a checkpoint from one string. To read its text alone, use [`str::parse`].
impl<'de> Deserialize<'de> for Checkpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn checkpoint_round_trips() {
        let half = Timestamp::from(-7) + Duration::from_millis(500);
        for (open_since, missing) in [(None, Some(vec![0.into(), half])), (Some(half), Some(vec![])), (None, None)] {
            let range = Span { from: half, to: 1_700_000_000.into() };
            let request = "GET /ratio?coin=\"B\"".to_owned();
            let next = Timestamp::from(60);
            let host = "https://example.com".to_owned();
            let checkpoint = Checkpoint { host, request, range, next, open_since, missing, records: 7, byte_offset: 0 }
                .with_byte_offset(u64::MAX);
            assert_eq!(checkpoint.to_string().parse(), Ok(checkpoint.clone()));
            assert_eq!((checkpoint.records(), checkpoint.next_time()), (7, next));
            let is_follow = checkpoint.missing.is_some();
            assert_eq!(checkpoint.kind(), if is_follow { CheckpointKind::Follow } else { CheckpointKind::History });
            assert_eq!(checkpoint.with_base_url(" https://example.org/v2/\n").base_url(), "https://example.org/v2");
            let json = serde_json::to_string(&checkpoint).unwrap();
            assert_eq!(serde_json::from_str::<Checkpoint>(&json).unwrap(), checkpoint);
        }
    }

    #[test]
    fn invalid_checkpoint_is_rejected() {
        let text = Checkpoint {
            host: String::new(),
            request: String::new(),
            range: Span { from: 0.into(), to: 1.into() },
            next: 0.into(),
            open_since: None,
            missing: None,
            records: 0,
            byte_offset: 0,
        }
        .to_string();
        assert!(text.parse::<Checkpoint>().is_ok(), "{text}");
        for other in [
            "",
            "7",
            "{}",
            &text.replace("\"version\":1", "\"version\":2"),
            &text.replace("\"next\":0", "\"next\":7"),
            &text.replace("\"next\":0", "\"next\":-1"),
            &text[..text.len() - 1],
        ] {
            assert!(other.parse::<Checkpoint>().is_err(), "{other}");
        }
        let error = "7".parse::<Checkpoint>().unwrap_err();
        let expected = "invalid checkpoint of a history, or one of another version; start again without it";
        assert_eq!((error.to_string().as_str(), format!("{error:?}").as_str()), (expected, expected));
        let error = serde_json::from_str::<Checkpoint>("7").unwrap_err();
        assert!(error.to_string().contains("expected a string"), "{error}");
    }
}
