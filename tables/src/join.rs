//! The parts of a job made one file: all series one after the other, each in order of time.
//!
//! Parts and what an earlier run left come in; one file goes out, whole or not at all. Every row is read once, in
//! batches.

mod columns;
mod merge;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use runtime::Timestamp;

use crate::backfill::{Event, SingleFile, Summary};
use crate::base::{self, BaseSeries};
use crate::coverage::Coverage;
use crate::error::Error;
use crate::layout;
use crate::parquet_file::{ParquetFile, ParquetInput};
use crate::part::TIME;
use crate::storage::{self, Storage};
use crate::target::Format;
use crate::text::Lines;
use columns::Columns;
use merge::Merge;

/// A series, and where its rows come from.
struct Member {
    series: BaseSeries,
    /// Rows of the file that is there.
    base: Option<(usize, usize)>,
    /// Where those are left out, as parts have them anew.
    replaced: Coverage,
    /// The paths of its parts.
    parts: Vec<String>,
}

impl Member {
    fn new(path: &str, time: String) -> Self {
        let (covered, open) = (Coverage::default(), Coverage::default());
        let series = BaseSeries { path: path.to_owned(), time, rows: 0, covered, open };
        Self { series, base: None, replaced: Coverage::default(), parts: Vec::new() }
    }

    /// Notes what a part covers, or that it is of an interval that was open.
    fn add(&mut self, closed: Option<Range<Timestamp>>, open: Option<Range<Timestamp>>) {
        let known = std::mem::take(&mut self.series.open);
        for range in known.ranges() {
            let is_new = closed.as_ref().is_some_and(|closed| closed.contains(&range.start))
                || open.as_ref().is_some_and(|open| open.start == range.start);
            let place = if is_new { &mut self.replaced } else { &mut self.series.open };
            place.add(range.clone());
        }
        if let Some(range) = closed {
            self.series.covered.add(range);
        }
        if let Some(range) = open {
            self.series.open.add(range);
        }
    }
}

/// Makes one file of the parts, unless they are in it already.
pub(crate) async fn join(
    file: &SingleFile,
    storage: &Storage,
    watch: &mut impl FnMut(&Event),
    summary: &mut Summary,
) -> Result<(), Error> {
    let paths = storage.list("").await?;
    let (members, schemas) = members(file, storage, &paths).await?;
    let joined = members.iter().flat_map(|member| &member.parts).map(String::as_str).collect::<Vec<_>>().join("\n");
    if file.path.exists() && (joined.is_empty() || is_joined(file, &joined)) {
        return Ok(());
    }
    // A file without a row would have no columns either.
    if members.is_empty() {
        return Ok(());
    }
    let name = file.path.display().to_string();
    watch(&Event::Joining { name: name.clone() });
    let paths: Vec<&str> = members.iter().map(|member| member.series.path.as_str()).collect();
    let columns = Columns::new(&paths, &schemas)?;
    let rows = write(file, storage, members, &columns)?;
    let bytes = fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
    summary.files.push(name.clone());
    watch(&Event::File { name, rows, bytes });
    if file.format == Format::Parquet {
        // The rows are in the file now, which lists them itself; parts that are left would be read again and change
        // nothing.
        fs::remove_dir_all(&file.parts).map_err(|error| Error::storage(file.parts.display(), error))?;
    } else {
        storage.put(JOINED, joined.into_bytes()).await?;
    }
    Ok(())
}

/// Beside parts that stay: which of them are in the file.
pub(crate) const JOINED: &str = "joined";

fn is_joined(file: &SingleFile, parts: &str) -> bool {
    fs::read_to_string(file.parts.join(JOINED)).is_ok_and(|joined| joined == parts)
}

/// Every series of the file and of the parts, by their paths in order, and the columns of all.
async fn members(
    file: &SingleFile,
    storage: &Storage,
    paths: &[String],
) -> Result<(Vec<Member>, Vec<SchemaRef>), Error> {
    let (mut members, mut schemas): (Vec<Member>, Vec<SchemaRef>) = (Vec::new(), Vec::new());
    if let Some(base) = &file.base {
        schemas.push(base.schema());
        members.extend(base.all().iter().map(|series| Member {
            base: base.rows(&series.path),
            replaced: Coverage::default(),
            series: series.clone(),
            parts: Vec::new(),
        }));
    }
    for path in paths {
        let (closed, open) = (layout::read_part(path), layout::read_open_part(path));
        let Some((folder, _)) = path.rsplit_once('/').filter(|_| closed.is_some() || open.is_some()) else { continue };
        let input = ParquetInput::open(storage.name(path), storage.get(path).await?)?;
        schemas.push(input.schema());
        let time = input.said(TIME).unwrap_or_default().to_owned();
        let index = members.iter().position(|member| member.series.path == folder).unwrap_or_else(|| {
            members.push(Member::new(folder, time));
            members.len() - 1
        });
        if let Some(member) = members.get_mut(index) {
            member.add(closed, open);
            member.parts.push(path.clone());
        }
    }
    members.sort_by(|one, other| one.series.path.cmp(&other.series.path));
    Ok((members, schemas))
}

/// Writes everything, and returns how many rows that is.
fn write(file: &SingleFile, storage: &Storage, members: Vec<Member>, columns: &Columns) -> Result<u64, Error> {
    let inputs = Inputs { path: &file.path, storage };
    let mut rows = 0;
    storage::write(&file.path, &file.unfinished, |out| {
        let mut out = Writer::new(file.format, BufWriter::new(out), columns.schema())?;
        let mut all = Vec::with_capacity(members.len());
        for Member { mut series, base, replaced, parts } in members {
            let mut merge = Merge::new(&series.time);
            if let Some((skip, count)) = base {
                merge.add_base(inputs.base()?, skip, count, replaced)?;
            }
            for part in parts {
                merge.add_part(part);
            }
            series.rows = 0;
            while let Some(batch) = merge.next(&inputs)? {
                series.rows += batch.num_rows();
                out.write(&columns.batch(&series.path, &batch)?)?;
            }
            rows += u64::try_from(series.rows).unwrap_or(u64::MAX);
            all.push(series);
        }
        out.finish(&file.origin, &all, &columns.names())
    })?;
    Ok(rows)
}

/// Where rows are read from.
struct Inputs<'a> {
    path: &'a std::path::Path,
    storage: &'a Storage,
}

impl Inputs<'_> {
    fn base(&self) -> Result<ParquetInput<File>, Error> {
        base::input(self.path)
    }

    fn part(&self, path: &str) -> Result<ParquetInput<bytes::Bytes>, Error> {
        ParquetInput::open(self.storage.name(path), self.storage.get_now(path)?)
    }
}

/// The file that is being written.
enum Writer<W: Write + Send> {
    Parquet(Box<ParquetFile<W>>),
    Lines(Lines<W>),
}

impl<W: Write + Send> Writer<W> {
    fn new(format: Format, out: W, schema: SchemaRef) -> Result<Self, Error> {
        Ok(match format {
            Format::Parquet => Self::Parquet(Box::new(ParquetFile::new(out, schema)?)),
            Format::Csv => {
                let mut lines = Lines::csv(out);
                lines.begin(&schema).map_err(|error| Error::storage("the file", error))?;
                Self::Lines(lines)
            }
            Format::JsonLines => Self::Lines(Lines::json(out)),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self {
            Self::Parquet(file) => file.write(batch),
            Self::Lines(lines) => lines.write(batch).map_err(|error| Error::storage("the file", error)),
        }
    }

    fn finish(self, origin: &str, series: &[BaseSeries], names: &[&str]) -> Result<(), Error> {
        let flushed = match self {
            Self::Parquet(mut file) => {
                file.say(base::KEY, base::written(origin, series, names));
                file.finish()?.flush()
            }
            Self::Lines(mut lines) => lines.flush(),
        };
        flushed.map_err(|error| Error::storage("the file", error))
    }
}
