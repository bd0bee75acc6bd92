//! The text of states and of the metadata of files: JSON with a version and, in a file of its own, a checksum.
//!
//! A data file lists the series in it with the facts of their rows, so the state of a table can be adapted to files
//! that were replaced or removed. A file of the journal also lists the ranges that were fetched.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::table_state::TableState;

/// The format version of files and states.
pub(crate) const VERSION: u64 = 6;

/// The oldest format that this version continues. Its files have no time at which a row was fetched.
pub(crate) const OLDEST: u64 = 5;

/// The reason why this version cannot use a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// The text is not a state.
    Unreadable(String),
    /// Another version has written the state.
    Version(String),
}

impl Unusable {
    #[allow(clippy::needless_pass_by_value, reason = "`map_err` passes a value")]
    fn unreadable(error: serde_json::Error) -> Self {
        Self::Unreadable(format!("its state is not readable: {error}"))
    }
}

/// Parses a state.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Unusable> {
    #[derive(Deserialize)]
    struct Format {
        version: u64,
    }
    // The version is parsed first, because other versions have other fields.
    let Format { version } = serde_json::from_str(text).map_err(Unusable::unreadable)?;
    if !(OLDEST..=VERSION).contains(&version) {
        let age = if version < OLDEST { "an older" } else { "a newer" };
        let formats =
            format!("{age} version wrote it, in format {version}; this version reads the formats {OLDEST} and");
        return Err(Unusable::Version(format!("{formats} {VERSION}")));
    }
    serde_json::from_str(text).map_err(Unusable::unreadable)
}

/// Parses a file with a state. Its second line is the checksum of the first line, except in format 5.
pub(crate) fn parse_file(text: &str) -> Result<TableState, Unusable> {
    let (json, sum) = text.split_once('\n').unwrap_or((text, ""));
    // Another version may have another checksum.
    let state = match parse::<TableState>(json) {
        Err(other @ Unusable::Version(_)) => return Err(other),
        state => state,
    };
    if !sum.is_empty() && sum.trim_end() != checksum(json) {
        return Err(Unusable::Unreadable("its state does not match its checksum".to_owned()));
    }
    let state = state?;
    if state.version > OLDEST && sum.is_empty() {
        return Err(Unusable::Unreadable("the checksum of its state is missing".to_owned()));
    }
    Ok(state)
}

/// Writes a state as a file.
pub(crate) fn to_file(state: &TableState) -> String {
    let json = to_json(state);
    format!("{json}\n{}\n", checksum(&json))
}

/// The checksum of a state as a JSON string, so that the file is a sequence of JSON values.
pub(crate) fn checksum(json: &str) -> String {
    format!("\"crc32:{:08x}\"", crc32fast::hash(json.as_bytes()))
}

/// Writes a state as JSON.
pub(crate) fn to_json(state: &impl Serialize) -> String {
    serde_json::to_string(state).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field, Schema};

    use super::*;
    use crate::series_columns::identifying;
    use crate::series_state::sample::series;

    #[test]
    fn state_round_trips() {
        let mut state = TableState { version: VERSION, source_label: "lab".to_owned(), ..TableState::default() };
        state.series.insert("e/site=B".to_owned(), series());
        let time = DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, Some("UTC".into()));
        let fields = [time, DataType::Int64, DataType::Float64, DataType::Utf8, DataType::Boolean];
        let fields = fields.into_iter().map(|ty| Field::new(ty.to_string(), ty, true));
        state.columns = Some(Schema::new(fields.chain([identifying("site")]).collect::<Vec<_>>()).into());
        let text = to_json(&state);
        assert_eq!(parse(&text), Ok(state));
        let expected = r#""series":{"e/site=B":{"time":"at","step":60,"time_is_end":false,"first":0,"last":300,"present":[[0,120],[240,360]],"invalid":[[60,120]],"out_of_range":[],"settled":[[0,200]],"requested":[],"unfetched":[[400,500]],"#;
        assert!(text.contains(expected), "{text}");
        for (other, expected) in [
            ("", "its state is not readable"),
            ("{}", "its state is not readable: missing field `version`"),
            (
                r#"{"version":4,"series":[]}"#,
                "an older version wrote it, in format 4; this version reads the formats 5 and 6",
            ),
            (r#"{"version":7}"#, "a newer version wrote it, in format 7; this version reads the formats 5 and 6"),
            (r#"{"version":5,"origin":"lab"}"#, "its state is not readable: missing field `files`"),
        ] {
            let (Unusable::Unreadable(error) | Unusable::Version(error)) = parse::<TableState>(other).unwrap_err();
            assert!(error.starts_with(expected), "{other}: {error}");
        }
    }
}
