//! Functions for fuzzing: they read and use what a damaged or hostile file can contain.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use runtime::Timestamp;

use crate::changes::SharedChanges;
use crate::cursor::{Cursor, Rows};
use crate::error::Error;
use crate::file_state::FileState;
use crate::journal::{self, Part};
use crate::merge_rows::Merge;
use crate::merge_rules::MergeRules;
use crate::parquet_footer;
use crate::parquet_input::{ParquetInput, STATE};
use crate::saved_state::{checksum, parse, parse_file, to_json};

/// Uses the state of a table, as if its checksum were right. Returns `true` if the text is a state.
pub fn use_state(text: &str) -> bool {
    let json = text.lines().next().unwrap_or_default();
    let Ok(mut state) = parse_file(&format!("{json}\n{}\n", checksum(json))) else { return false };
    for series in state.series.values() {
        drop((series.row_count(), series.gaps(), series.unrequested(), series.unfetched(), series.rows.end()));
    }
    let range = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(3600);
    state.replace(&range, &[]);
    drop(to_json(&state));
    true
}

/// Reads a Parquet file with this footer, whose checksum is right. Returns `true` if the footer is readable.
pub fn use_footer(footer: &[u8]) -> bool {
    let length = u32::try_from(footer.len()).unwrap_or_default();
    let end = [b"PAR1", footer, &length.to_le_bytes(), b"PAR1"].concat();
    let mut bytes = Vec::new();
    if parquet_footer::write(&end, &mut bytes).is_err() {
        return false;
    }
    let Some(input) = open(&bytes) else { return false };
    use_input(&input);
    true
}

/// Reads a file of the journal with three rows and this state. Returns `true` if the text is a state.
pub fn use_journal(text: &str) -> bool {
    let Ok(state) = parse::<FileState>(text) else { return false };
    let Some(input) = journal_file(text).and_then(|bytes| open(&bytes)) else { return false };
    use_input(&input);
    let partition = state.run.as_ref().and_then(|run| run.partition);
    let inputs = [input];
    for parts in journal::parts(&inputs, partition, &BTreeSet::new()).into_values() {
        for parts in parts.into_values() {
            drop(merge(&parts, &inputs[0].schema()));
        }
    }
    true
}

/// Merges the sections of a series, as a run does, and returns the number of batches.
fn merge(parts: &[Part<'_>], columns: &SchemaRef) -> Result<usize, Error> {
    let step = parts.first().map(|part| part.section.rows.step()).unwrap_or_default();
    let rules = MergeRules { time: "time".to_owned(), step, ..MergeRules::default() };
    let mut rows: Rows<'_> = Box::new(std::iter::empty());
    for layer in journal::layers(parts, columns) {
        rows = Box::new(Merge::new(rows, Cursor::new(layer)?, rules.clone(), SharedChanges::default())?);
    }
    Ok(rows.take(10).count())
}

/// Reads everything that the state of a file lists.
fn use_input(input: &ParquetInput) {
    drop(input.verify());
    for section in &input.state.sections {
        drop(input.has_facts(section));
    }
}

/// Opens a file with this content.
fn open(bytes: &[u8]) -> Option<ParquetInput> {
    let path =
        std::env::temp_dir().join(format!("dataset-fuzz-{}-{:?}", std::process::id(), std::thread::current().id()));
    let mut source: File = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path).ok()?;
    fs::remove_file(&path).ok()?;
    source.write_all(bytes).ok()?;
    let name = "x.parquet";
    drop(ParquetInput::open_damaged(name, name.to_owned(), (source.try_clone().ok()?, String::new()), None));
    ParquetInput::open(name, name.to_owned(), (source, String::new()), true, None).ok()
}

/// Returns a file of three rows, whose state is this text.
fn journal_file(state: &str) -> Option<Vec<u8>> {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let schema: SchemaRef =
        Arc::new(Schema::new(vec![Field::new("time", time, true), Field::new("n", DataType::Int64, true)]));
    let times = TimestampMicrosecondArray::from_iter_values([0, 60_000_000, i64::MAX]).with_timezone("UTC");
    let numbers = Int64Array::from_iter_values([1, 2, 3]);
    let rows = RecordBatch::try_new(schema.clone(), vec![Arc::new(times), Arc::new(numbers)]).ok()?;
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, schema, None).ok()?;
    writer.write(&rows).ok()?;
    writer.append_key_value_metadata(KeyValue::new(STATE.to_owned(), state.to_owned()));
    writer.close().ok()?;
    let mut bytes = Vec::new();
    parquet_footer::write(&file, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE_OF_TABLE: &str = r#"{"version":6,"origin":"service","partition":null,"columns":null,"files":{"a.parquet":"x"},"series":{"a/b=c":{"time":"time","step":60,"time_is_end":false,"first":"1970-01-01T00:00:00Z","last":"1970-01-01T00:02:00Z","present":[["1970-01-01T00:00:00Z","1970-01-01T00:03:00Z"]],"invalid":[],"out_of_range":[],"settled":[],"requested":[["1970-01-01T00:00:00Z","1970-01-01T01:00:00Z"]],"unfetched":[],"empty":[],"account":{"returned":3},"counts":{"1970-01-01T00:00:00Z":3},"revised":0,"dropped":[],"job":null,"rejected":null,"retired":null,"seen":[],"revised_times":[]}},"text":null,"latency":null}"#;

    const STATE_OF_FILE: &str = r#"{"version":6,"origin":"service","run":{"started":"1970-01-01T00:00:00Z","refetch":{"secs":60,"nanos":0},"written":"1970-01-01T00:00:00Z","partition":"year","reached":null},"columns":null,"checksums":["x"],"sections":[{"path":"a/b=c","group":0,"skip":0,"count":2,"time":"time","step":60,"time_is_end":false,"first":"1970-01-01T00:00:00Z","last":"1970-01-01T00:02:00Z","present":[["1970-01-01T00:00:00Z","1970-01-01T00:03:00Z"]],"invalid":[],"out_of_range":[],"fetched":[]},{"path":"a/b=d","group":0,"skip":2,"count":1,"time":"time","step":60,"time_is_end":false,"first":"1970-01-01T00:00:00Z","last":"1970-01-01T00:02:00Z","present":[],"invalid":[],"out_of_range":[],"fetched":[]}],"table":null}"#;

    /// Numbers and times at the limits of their types.
    const VALUES: [&str; 8] = [
        "0",
        "1",
        "4294967296",
        "9223372036854775807",
        "18446744073709551615",
        r#""9999-12-31T23:59:59Z""#,
        r#""1677-09-21T00:12:44Z""#,
        r#""1970-01-01T00:01:30Z""#,
    ];

    /// Replaces one value of a JSON text after the other by each of these values.
    fn check(text: &str, use_text: fn(&str) -> bool) {
        assert!(use_text(text), "{text}");
        let is_end = |character: char| ",]}".contains(character);
        let starts: Vec<usize> = text.match_indices([':', '[', ',']).map(|(index, _)| index + 1).collect();
        for start in starts {
            let Some(length) = text[start..].find(is_end) else { continue };
            for value in VALUES {
                use_text(&[&text[..start], value, &text[start + length..]].concat());
            }
        }
    }

    #[test]
    fn changed_states_do_no_harm() {
        check(STATE_OF_TABLE, use_state);
        check(STATE_OF_FILE, use_journal);
        let ranges = r#""present":[["1970-01-01T00:09:00Z","1970-01-01T00:03:00Z"],["1970-01-01T00:00:00Z","1970-01-01T00:05:00Z"]]"#;
        let known = r#""present":[["1970-01-01T00:00:00Z","1970-01-01T00:03:00Z"]]"#;
        check(&STATE_OF_TABLE.replace(known, ranges), use_state);
    }

    #[test]
    fn changed_footer_does_no_harm() {
        let file = journal_file(STATE_OF_FILE).unwrap();
        let tail = file.len() - 8;
        let length = u32::from_le_bytes(file[tail..tail + 4].try_into().unwrap());
        let footer = &file[tail - usize::try_from(length).unwrap()..tail];
        for index in 0..footer.len() {
            for bit in 0..8 {
                let mut changed = footer.to_vec();
                changed[index] ^= 1 << bit;
                use_footer(&changed);
            }
        }
    }
}
