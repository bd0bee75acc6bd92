//! Merges the rows of a run with the single file: all series one after the other, each in order of time.
//!
//! The output is one file, complete or not at all. Every row is read once, in batches.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::backfill::{Backfill, BackfillEvent, Summary};
use crate::columns::{self, Columns};
use crate::error::Error;
use crate::merge::{Changes, Rows, merge};
use crate::parquet_file::{Batches, ParquetFile, ParquetInput};
use crate::state::{self, FileState, SeriesState};
use crate::storage;
use crate::store::{Inventory, SingleFile, Store, file_path};
use crate::target::{Format, is_gzip};
use crate::text::TextWriter;

/// A series of the file.
struct Member {
    /// Its state after this run.
    state: SeriesState,
    /// Its rows in the existing file: the number of rows before them, and their number.
    base: Option<(usize, usize)>,
    /// Its state after the last run.
    before: SeriesState,
    /// The partitions of the rows next to the file.
    parts: Vec<String>,
}

/// Merges the rows next to the file into it, if there are any; `states` are those of the job's series.
pub(crate) async fn join(
    job: &Backfill,
    store: &Store,
    single: &SingleFile,
    states: &[SeriesState],
    watch: &mut impl FnMut(&BackfillEvent),
    summary: &mut Summary,
    changed: &mut impl FnMut(&str, &SeriesState, Changes),
) -> Result<(), Error> {
    let members = members(store, single, states).await?;
    // A text file that was deleted is written again from its rows, without a request.
    let is_there = single.base.is_none() || single.path.exists();
    if is_there && members.iter().all(|member| member.parts.is_empty()) {
        return Ok(());
    }
    let name = single.path.display().to_string();
    watch(&BackfillEvent::Merging { name: name.clone() });
    if single.base.is_some() {
        single.verify()?;
    }
    let columns = columns_of(job, store, single, &members).await?;
    let next = single.rows.with_extension("next");
    let to = if single.format == Format::Parquet { &single.rows } else { &next };
    let mut rows = 0;
    storage::write(to, |out| -> Result<(), Error> {
        let mut file = ParquetFile::new(BufWriter::new(out), columns.schema())?;
        let mut all = Vec::with_capacity(members.len());
        for member in members {
            let (state, merged) = write_member(store, single, &columns, member, &mut file)?;
            rows += state.all_rows();
            changed(&state.path, &state, merged);
            all.push(state);
        }
        let state = FileState { origin: Some(job.source_label.clone()), names: columns.names(), series: all };
        file.add_metadata(state::KEY, state.written());
        file.finish()?.flush().map_err(|error| Error::storage(single.path.display(), error))
    })?;
    let fails = |error| Error::storage(single.rows.display(), error);
    if single.format != Format::Parquet {
        write_text(single, &next)?;
        fs::rename(&next, &single.rows).map_err(fails)?;
    }
    let bytes = fs::metadata(&single.path).map_or(0, |metadata| metadata.len());
    summary.files.push(name.clone());
    watch(&BackfillEvent::File { name, rows, bytes });
    remove_parts(single).map_err(fails)
}

/// Every series in and next to the file, ordered by path.
async fn members(store: &Store, single: &SingleFile, states: &[SeriesState]) -> Result<Vec<Member>, Error> {
    let mut members: BTreeMap<String, Member> = BTreeMap::new();
    let base = single.base.as_ref().map(|base| &base.state);
    for state in base.iter().flat_map(|base| &base.series) {
        let rows = usize::try_from(state.all_rows()).unwrap_or_default();
        let base = base.and_then(|base| base.series(&state.path)).map(|(before, _)| (before, rows));
        let mut before = state.clone();
        single.complete(base.map_or(0, |(before, _)| before), &mut before)?;
        members.insert(state.path.clone(), Member { state: before.clone(), base, before, parts: Vec::new() });
    }
    let files = store.storage.list("").await?;
    for (path, partition) in files.iter().filter_map(|file| crate::layout::read_file(file)) {
        let is_new = !members.contains_key(path);
        let member = members.entry(path.to_owned()).or_insert_with(|| {
            let state = SeriesState { path: path.to_owned(), ..SeriesState::default() };
            Member { state: state.clone(), base: None, before: state, parts: Vec::new() }
        });
        if is_new || member.parts.is_empty() {
            // An earlier run left the state of a series that is not in this job.
            let stored = store.storage.find(&format!("{path}/{}", state::FILE)).await?;
            let stored = stored.and_then(|text| SeriesState::from_json(&serde_json::from_slice(&text).ok()?));
            member.state = stored.unwrap_or_else(|| member.state.clone());
        }
        member.parts.push(partition.to_owned());
    }
    for state in states {
        if let Some(member) = members.get_mut(&state.path) {
            member.state = state.clone();
        }
    }
    // The time column is unknown without a state; the next run of that series fetches it again.
    Ok(members.into_values().filter(|member| !member.state.time.is_empty()).collect())
}

async fn columns_of(job: &Backfill, store: &Store, single: &SingleFile, members: &[Member]) -> Result<Columns, Error> {
    let mut sources: Vec<_> = single.base.iter().map(|base| base.schema.clone()).collect();
    for member in members {
        for partition in &member.parts {
            let input = store.input(&file_path(&member.state.path, partition)).await?;
            sources.push(crate::store::without(&input.schema(), &[columns::ENDPOINT.to_owned()], None));
        }
    }
    let known = single.base.as_ref().map_or(&[][..], |base| &base.state.names);
    // The first version of the format had a column only if several series differed in it.
    let known = if known.iter().any(|name| name == columns::ENDPOINT) { known } else { &[] };
    let paths: Vec<_> = members.iter().map(|member| member.state.path.as_str()).collect();
    let names = columns::names(known, job.series().iter(), &paths);
    Columns::new(&names, &sources).map_err(|why| {
        Error::invalid_input(format!(
            "{}: {why}; write them to a folder, which has separate files for each endpoint",
            single.path.display()
        ))
    })
}

/// Writes the rows of a series, and returns its state in the new file.
fn write_member<W: Write + Send>(
    store: &Store,
    single: &SingleFile,
    columns: &Columns,
    member: Member,
    file: &mut ParquetFile<W>,
) -> Result<(SeriesState, Changes), Error> {
    let Member { mut state, base, before, parts } = member;
    let path = state.path.clone();
    let of_file = |batch: Result<RecordBatch, Error>| columns.batch(&path, &batch?);
    let old: Rows<'_> = match base {
        Some((skip, rows)) => Box::new(single.input()?.batches(skip, rows)?.map(of_file)),
        None => Box::new(std::iter::empty()),
    };
    let part = |partition: String| -> Rows<'_> {
        let opened = store.storage.get_now(&file_path(&path, &partition)).and_then(|bytes| {
            let input = ParquetInput::open(partition, bytes)?;
            let rows = input.rows();
            input.batches(0, rows)
        });
        match opened {
            Ok(batches) => Box::new(batches.map(of_file)),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    };
    let new: Rows<'_> = Box::new(parts.into_iter().flat_map(part));
    let known = Inventory { state: before, ..Inventory::default() }.known();
    let mut rows = 0;
    let mut out = |batch: &RecordBatch| {
        rows += u64::try_from(batch.num_rows()).unwrap_or_default();
        file.write(batch)
    };
    let changes = merge([old, new], &RecordBatch::new_empty(columns.schema()), &state.time, &known, &mut out)?;
    state.rows = BTreeMap::from([(String::new(), rows)]);
    state.revised = changes.revised;
    Ok((state, changes))
}

/// Writes CSV or JSON Lines of the rows.
fn write_text(single: &SingleFile, rows: &std::path::Path) -> Result<(), Error> {
    let fails = |error| Error::storage(single.path.display(), error);
    let file = fs::File::open(rows).map_err(fails)?;
    let input = ParquetInput::open(rows.display().to_string(), file)?;
    let (schema, count) = (input.schema(), input.rows());
    let batches = input.batches(0, count)?;
    storage::write(&single.path, |out| -> Result<(), Error> {
        let out = BufWriter::new(out);
        if is_gzip(&single.path) {
            let out = write_lines(single, &schema, batches, GzEncoder::new(out, Compression::default()))?;
            return out.finish().and_then(|mut out| out.flush()).map_err(fails);
        }
        write_lines(single, &schema, batches, out)?.flush().map_err(fails)
    })
}

fn write_lines<W: Write>(single: &SingleFile, schema: &Schema, batches: Batches, out: W) -> Result<W, Error> {
    let fails = |error| Error::storage(single.path.display(), error);
    let mut lines = if single.format == Format::Csv { TextWriter::csv(out) } else { TextWriter::json(out) };
    lines.begin(schema).map_err(fails)?;
    for batch in batches {
        lines.write(&batch?).map_err(fails)?;
    }
    lines.into_inner().map_err(fails)
}

/// Removes the rows next to the file after they are merged. If any are left, the next run merges them again, which
/// changes nothing.
fn remove_parts(single: &SingleFile) -> std::io::Result<()> {
    if single.format == Format::Parquet {
        return fs::remove_dir_all(&single.parts);
    }
    for entry in fs::read_dir(&single.parts)? {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}
