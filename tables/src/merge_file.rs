//! Merges the rows of a run with the single file. The file contains all series one after the other, each in order of
//! time.
//!
//! The file is written completely or not at all. Every row is read once, in batches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufWriter, Write};

use arrow_schema::Schema;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::backfill::{Backfill, Summary};
use crate::columns::Columns;
use crate::error::Error;
use crate::existing_content::ExistingContent;
use crate::file_storage;
use crate::merge_rows::{self, Changes, Rows};
use crate::parquet_file::{ParquetFile, ParquetInput};
use crate::path_names;
use crate::saved_state::{self, FileState, SeriesState};
use crate::series::SeriesRequest;
use crate::single_file::SingleFile;
use crate::target::{Format, is_gzip};
use crate::text_writer::TextWriter;

/// A series of the file.
struct Member {
    /// The state of the series after this run.
    state: SeriesState,
    /// The partitions of the rows that are not in the file yet.
    parts: Vec<String>,
}

/// Merges the collected rows into the file. Without collected rows, only a missing or changed text file is written.
pub(crate) async fn merge(
    job: &Backfill,
    content: &ExistingContent,
    single: &SingleFile,
    summary: &mut Summary,
    merged: &mut impl FnMut(&SeriesState, Changes),
) -> Result<(), Error> {
    let members = members(job, content, single).await?;
    // A missing or changed text file is restored from its Parquet file, without requests.
    let has_changed = single.base.is_some() && !single.is_unchanged(content.head.text.as_ref())?;
    // If an unfinished file exists, a run was killed before it stored the checksum. The checksum is then outdated
    // although nobody has changed the text.
    summary.is_restored = has_changed && !single.unfinished().exists();
    if !has_changed && members.iter().all(|member| member.parts.is_empty()) {
        return Ok(());
    }
    let name = single.path.display().to_string();
    if single.base.is_some() {
        single.verify()?;
    }
    let columns = columns_of(job, content, single, &members).await?;
    let next = single.unfinished();
    let to = if single.format == Format::Parquet { &single.rows } else { &next };
    file_storage::write(to, |out| -> Result<(), Error> {
        let mut file = ParquetFile::new(BufWriter::new(out), columns.schema())?;
        let mut all = Vec::with_capacity(members.len());
        for member in &members {
            let (state, changes) = write_member(content, single, &columns, member, &mut file)?;
            merged(&state, changes);
            all.push(state);
        }
        let state = FileState { version: saved_state::VERSION, origin: job.source_label.clone(), series: all };
        file.add_metadata(saved_state::KEY, saved_state::to_json(&state));
        file.finish()?.flush().map_err(|error| Error::storage(single.path.display(), error))
    })?;
    let fails = |error| Error::storage(single.rows.display(), error);
    if single.format != Format::Parquet {
        // The text is written before the rows are replaced, so if the run is killed in between, the next run merges the
        // same rows again.
        write_text(single, &next)?;
        content.begin(single.text_checksum()?).await?;
        fs::rename(&next, &single.rows).map_err(fails)?;
    }
    summary.files.push(name);
    remove_parts(single).map_err(fails)
}

/// Returns the series of the job, and every series in the file and in the collected rows, ordered by path.
async fn members(job: &Backfill, content: &ExistingContent, single: &SingleFile) -> Result<Vec<Member>, Error> {
    let base = single.base.iter().flat_map(|base| &base.state.series);
    let is_listed = |state: &&SeriesState| state.last.is_some() || !state.unfetched.ranges().is_empty();
    let known = base.filter(is_listed).map(|state| state.path.clone());
    let mut all: BTreeSet<_> = job.series().iter().map(|series| series.path().to_owned()).chain(known).collect();
    let files = content.storage.list("").await?;
    // A series may have a state but no rows, for example if the run did not reach it.
    let of_state = |file: &str| Some(file.strip_suffix(saved_state::FILE)?.strip_suffix('/')?.to_owned());
    let of_rows = |file: &str| Some(path_names::read_file(file)?.0.to_owned());
    all.extend(files.iter().filter_map(|file| of_rows(file).or_else(|| of_state(file))));
    let mut members = Vec::with_capacity(all.len());
    for path in all {
        // Without a state, the time column is unknown, so the next run of that series fetches its rows again.
        let Some(state) = content.state(&path).await? else { continue };
        members.push(Member { parts: content.partitions(&path).await?, state });
    }
    Ok(members)
}

async fn columns_of(
    job: &Backfill,
    content: &ExistingContent,
    single: &SingleFile,
    members: &[Member],
) -> Result<Columns, Error> {
    let mut sources: Vec<_> = single.base.iter().map(|base| base.schema.clone()).collect();
    // Every param of an endpoint has a column, so the columns do not depend on which params are set.
    let mut params: Vec<_> = job.series().iter().flat_map(SeriesRequest::params).map(str::to_owned).collect();
    for Member { state, parts, .. } in members {
        params.extend(path_names::params(&state.path).map(|(name, _)| name));
        for partition in parts {
            sources.push(content.input(&content.file(&state.path, partition)).await?.schema());
        }
    }
    Columns::new(&params, &sources).map_err(|why| single.mismatch(&why))
}

/// Writes the rows of a series, and returns its state in the new file.
fn write_member<W: Write + Send>(
    content: &ExistingContent,
    single: &SingleFile,
    columns: &Columns,
    member: &Member,
    file: &mut ParquetFile<W>,
) -> Result<(SeriesState, Changes), Error> {
    let Member { state, parts } = member;
    let (old, known): (Rows<'_>, _) = match single.base.as_ref().and_then(|base| base.state.series(&state.path)) {
        Some((skip, base)) => {
            let rows = usize::try_from(base.all_rows()).unwrap_or_default();
            (Box::new(single.input()?.batches(skip, rows)?), base.known())
        }
        None => (Box::new(std::iter::empty()), None),
    };
    let part = |partition: &String| -> Rows<'_> {
        let path = single.parts.join(content.file(&state.path, partition));
        let name = path.display().to_string();
        let opened = fs::File::open(&path).map_err(|error| Error::storage(&name, error));
        let opened = opened.and_then(|file| ParquetInput::open(name, file)?.all());
        match opened {
            Ok(batches) => Box::new(batches),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    };
    let new: Rows<'_> = Box::new(parts.iter().flat_map(part));
    let (rows, changes) = merge_rows::write([old, new], (state, &known), columns, file)?;
    let rows = BTreeMap::from([(String::new(), rows)]);
    Ok((SeriesState { rows, revised: changes.revised, ..state.clone() }, changes))
}

/// Writes the rows as CSV or JSON Lines.
fn write_text(single: &SingleFile, rows: &std::path::Path) -> Result<(), Error> {
    let fails = |error| Error::storage(single.path.display(), error);
    let file = fs::File::open(rows).map_err(fails)?;
    let input = ParquetInput::open(rows.display().to_string(), file)?;
    let schema = input.schema();
    let batches = Box::new(input.all()?);
    file_storage::write(&single.path, |out| -> Result<(), Error> {
        let out = BufWriter::new(out);
        if is_gzip(&single.path) {
            let out = write_lines(single, &schema, batches, GzEncoder::new(out, Compression::default()))?;
            return out.finish().and_then(|mut out| out.flush()).map_err(fails);
        }
        write_lines(single, &schema, batches, out)?.flush().map_err(fails)
    })
}

fn write_lines<W: Write>(single: &SingleFile, schema: &Schema, batches: Rows<'_>, out: W) -> Result<W, Error> {
    let fails = |error| Error::storage(single.path.display(), error);
    let mut lines = if single.format == Format::Csv { TextWriter::csv(out) } else { TextWriter::json(out) };
    lines.begin(schema).map_err(fails)?;
    for batch in batches {
        lines.write(&batch?).map_err(fails)?;
    }
    lines.into_inner().map_err(fails)
}

/// Removes the collected rows after they were merged. If any remain, the next run merges them again, which changes
/// nothing.
fn remove_parts(single: &SingleFile) -> std::io::Result<()> {
    for entry in fs::read_dir(&single.parts)? {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        }
    }
    // The hidden file is removed last, because without it, remaining rows would look like rows of an earlier version.
    // The folder of a text file is kept, because it contains the Parquet file with all rows.
    if single.format == Format::Parquet { fs::remove_dir_all(&single.parts) } else { Ok(()) }
}
