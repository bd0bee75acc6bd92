//! Parts: the files in which the rows of a series become durable, each of a range of time.
//!
//! Pages come in, whole files go out. The name of a part says which range it has all rows of, so the file is itself the
//! record of how far the series has come.

use std::ops::Range;
use std::time::Duration;

use arrow_schema::Schema;
use runtime::Timestamp;
use runtime::record::AnyRecord;
use tokio::time::Instant;

use crate::error::Error;
use crate::layout;
use crate::parquet_file::ParquetFile;
use crate::series::Series;
use crate::table::Table;

/// A part is ended after this many rows; a job that is killed loses no more than those …
const ROWS: usize = 100_000;

/// … and after this time, where parts are not divided by days: a slow service sends some pages in it.
const LONGEST: Duration = Duration::from_secs(60);

/// A range without records at the end of a part is believed only if it is older than this: it is not asked for again,
/// and late data would be lost.
const SETTLED: Duration = Duration::from_secs(2 * 86_400);

/// A file that is ready to be written.
#[derive(Debug)]
pub(crate) struct Part {
    /// Below the folder of the series.
    pub(crate) path: String,
    pub(crate) rows: usize,
    pub(crate) content: Vec<u8>,
}

/// How parts are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// By rows and by the time that it took to get them.
    Rows,
    /// No part has rows of two days, and each lies in the folder of its day.
    Days,
}

/// Which kind of range a part is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A range that was not there. A part without rows is written too, so that the range is not asked for again.
    Missing,
    /// A range that had no records before.
    Gap,
    /// An interval that is not over.
    Open,
}

/// The part of a series that is being filled.
pub(crate) struct Filling<'s> {
    series: &'s Series,
    division: Division,
    table: Option<Table>,
    /// The range that the next part is of.
    range: Range<Timestamp>,
    /// The day of the rows, where parts are divided by days.
    day: Option<Timestamp>,
    rows: usize,
    /// Where the last row's step ends.
    last: Option<Timestamp>,
    file: Option<ParquetFile<Vec<u8>>>,
    /// When the file was begun.
    begun: Instant,
    kind: Kind,
}

/// The key of the metadata that names the column of the time.
pub(crate) const TIME: &str = "time";

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

impl<'s> Filling<'s> {
    /// No rows yet, from a point in time on; `schema` has the columns if the fields of the records are unknown.
    pub(crate) fn new(
        series: &'s Series,
        division: Division,
        columns: Option<&Schema>,
        kind: Kind,
        from: Timestamp,
    ) -> Self {
        let table = Table::of_series(series, columns);
        let (range, begun) = (from..from, Instant::now());
        Self { series, division, table, range, day: None, rows: 0, last: None, file: None, begun, kind }
    }

    /// Whether the columns are not known yet.
    pub(crate) fn wants_columns(&self) -> bool {
        self.table.is_none()
    }

    pub(crate) fn take_columns(&mut self, columns: &Schema) {
        self.table = Table::of_series(self.series, Some(columns));
    }

    /// Adds the records of the next window, and returns the parts that it completes.
    pub(crate) fn add(
        &mut self,
        window: &Range<Timestamp>,
        records: &[AnyRecord],
        times: &[Timestamp],
    ) -> Result<Vec<Part>, Error> {
        let mut ended = Vec::new();
        let mut from = 0;
        while let Some(first) = times.get(from) {
            let mut until = times.len();
            if self.division == Division::Days {
                let day = first.floor(DAY);
                if self.day.is_some_and(|known| known != day) {
                    self.range.end = day;
                    ended.extend(self.end()?);
                }
                self.day = Some(day);
                until = from + times.get(from..).unwrap_or_default().partition_point(|time| *time < day + DAY);
            }
            self.write(records.get(from..until).unwrap_or_default(), times.get(from..until).unwrap_or_default())?;
            from = until;
        }
        self.range.end = self.range.end.max(window.end);
        let is_late = self.division == Division::Rows && self.rows > 0 && self.begun.elapsed() >= LONGEST;
        if self.rows >= ROWS || is_late {
            ended.extend(self.finish(Timestamp::now())?);
        }
        Ok(ended)
    }

    fn write(&mut self, records: &[AnyRecord], times: &[Timestamp]) -> Result<(), Error> {
        let Some(last) = times.last() else { return Ok(()) };
        let Some(table) = &self.table else {
            return Err(Error::unfit(format!("{}: its columns are not known", self.series.path())));
        };
        let some: Vec<_> = times.iter().copied().map(Some).collect();
        let batch = table.batch(records, &some)?;
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                self.begun = Instant::now();
                none.insert(ParquetFile::new(Vec::new(), table.schema())?)
            }
        };
        file.write(&batch)?;
        self.rows += times.len();
        self.last = Some(last.floor(self.series.step()) + self.series.step());
        Ok(())
    }

    /// Ends this part before a window that could not be fetched, and begins the next after it.
    pub(crate) fn skip(&mut self, window: &Range<Timestamp>) -> Result<Option<Part>, Error> {
        self.range.end = self.range.end.max(window.start);
        let ended = self.finish(Timestamp::now())?;
        self.range = window.end..window.end;
        Ok(ended)
    }

    /// Ends the part with the rows so far. Time without records at its end counts as read only if it lies far enough
    /// back.
    pub(crate) fn finish(&mut self, now: Timestamp) -> Result<Option<Part>, Error> {
        if self.kind == Kind::Open {
            // It ends before the next interval begins, whose part has a range of its own.
            let last = self.range.end.max(self.range.start + SECOND) - SECOND;
            self.range.end = now.floor(SECOND).min(last).max(self.range.start + SECOND);
            return self.end();
        }
        let settled = (now - SETTLED).floor(SECOND);
        let known = self.last.unwrap_or(self.range.start).max(settled).max(self.range.start);
        self.range.end = self.range.end.min(known);
        self.end()
    }

    /// Ends the part; there is none for an empty range, nor where not even the columns are known.
    fn end(&mut self) -> Result<Option<Part>, Error> {
        let range = self.range.clone();
        let mut file = match (self.file.take(), &self.table) {
            _ if range.is_empty() => return Ok(None),
            (Some(file), _) => file,
            (None, Some(table)) if self.kind == Kind::Missing => ParquetFile::new(Vec::new(), table.schema())?,
            (None, _) => return Ok(None),
        };
        file.say(TIME, self.series.time().name.to_owned());
        let name = if self.kind == Kind::Open { layout::open_part(&range) } else { layout::part(&range) };
        let path = match self.division {
            Division::Rows => name,
            Division::Days => format!("{}/{name}", layout::date_folder(self.day.unwrap_or(range.start))),
        };
        self.range.start = range.end;
        (self.day, self.last) = (None, None);
        let rows = std::mem::take(&mut self.rows);
        Ok(Some(Part { path, rows, content: file.finish()? }))
    }
}
