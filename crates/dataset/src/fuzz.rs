//! Functions for fuzzing: they read and use what a damaged or hostile file can contain.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use runtime::{Interval, Timestamp};

use crate::changes::SharedChanges;
use crate::cursor::{Cursor, Rows};
use crate::error::Error;
use crate::file_state::FileState;
use crate::journal::{self, JournalSection};
use crate::merge_rows::MergedRows;
use crate::merge_rules::MergeRules;
use crate::parquet_footer;
use crate::parquet_input::{ParquetInput, STATE};
use crate::saved_state::{checksum, parse, parse_file, to_json};

/// Uses the state of a table, as if its checksum were right. Returns `true` if the text is a state.
pub fn use_state(text: &str) -> bool {
    let json = text.lines().next().unwrap_or_default();
    let Ok(mut state) = parse_file(&format!("{json}\n{}\n", checksum(json))) else { return false };
    for series in state.series.values() {
        drop((series.row_count(), series.gaps(), series.unrequested(), series.unfetched(), series.row_facts.end()));
    }
    let range = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(3600);
    state.replace_row_facts(&range, &[]);
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
    for of_period in journal::by_period(&inputs, partition, &BTreeSet::new()).into_values() {
        for of_series in of_period.into_values() {
            drop(merge(&of_series, &inputs[0].schema()));
        }
    }
    true
}

/// Merges the sections of a series, as a run does, and returns the number of batches.
fn merge(sections: &[JournalSection<'_>], columns: &SchemaRef) -> Result<usize, Error> {
    let interval = match sections.first() {
        Some(first) => first.section.row_facts.interval,
        None => Interval::default(),
    };
    let rules = MergeRules { time: "time".to_owned(), interval, ..MergeRules::default() };
    let mut rows: Rows<'_> = Box::new(std::iter::empty());
    for layer in journal::layers(sections, columns) {
        rows = Box::new(MergedRows::new(rows, Cursor::new(layer)?, rules.clone(), SharedChanges::default())?);
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

/// A file of three rows, whose state is this text.
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
    use std::path::Path;

    use super::*;

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

    /// The inputs in the corpus of a fuzz target.
    fn corpus(target: &str) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let mut inputs = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            inputs.push(fs::read(entry.unwrap().path()).unwrap());
        }
        assert!(!inputs.is_empty(), "{target}");
        inputs
    }

    /// Replaces one value of each text in the corpus after the other by each of these values.
    fn check(target: &str, use_text: fn(&str) -> bool) {
        let is_end = |character: char| ",]}".contains(character);
        let mut valid = 0;
        for input in corpus(target) {
            let text = String::from_utf8(input).unwrap();
            valid += usize::from(use_text(&text));
            for (index, _) in text.match_indices([':', '[', ',']) {
                let start = index + 1;
                let Some(length) = text[start..].find(is_end) else { continue };
                for value in VALUES {
                    use_text(&[&text[..start], value, &text[start + length..]].concat());
                }
            }
        }
        assert!(valid > 0, "no text of the corpus is a state");
    }

    #[test]
    fn changed_states_do_no_harm() {
        check("table_state", use_state);
        check("journal", use_journal);
    }

    #[test]
    fn changed_footers_do_no_harm() {
        let mut valid = 0;
        for footer in corpus("parquet_footer") {
            valid += usize::from(use_footer(&footer));
            for index in 0..footer.len() {
                let mut changed = footer.clone();
                changed[index] ^= 1 << (index % 8);
                use_footer(&changed);
            }
        }
        assert!(valid > 0, "no footer of the corpus is readable");
    }
}
