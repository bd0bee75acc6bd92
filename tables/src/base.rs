//! A Parquet file that a backfill has written, with what it says of itself: which series it has, how many rows of each,
//! and which ranges those cover.
//!
//! This stands in the file, so that file and record of progress are replaced as one. It also says which columns tell the
//! series apart: those are made anew whenever the file is.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use runtime::{Timestamp, Value};
use serde_json::json;

use crate::coverage::Coverage;
use crate::error::Error;
use crate::parquet_file::ParquetInput;
use crate::series::Series;

/// What the entry is called.
pub(crate) const KEY: &str = "backfill";

const VERSION: u64 = 1;

/// What a file says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    series: Vec<BaseSeries>,
    schema: SchemaRef,
}

/// A series of a file, whose rows stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseSeries {
    pub(crate) path: String,
    /// The column of the time.
    pub(crate) time: String,
    pub(crate) rows: usize,
    pub(crate) covered: Coverage,
    /// Where intervals were open, whose rows are there and to be replaced.
    pub(crate) open: Coverage,
}

impl BaseSeries {
    pub(crate) fn covered(&self) -> impl Iterator<Item = Range<Timestamp>> {
        self.covered.ranges().iter().cloned()
    }
}

impl Base {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| Error::storage(path.display(), error))?;
        let foreign = || {
            let path = path.display();
            Error::unfit(format!("{path}: it is there and was not written by a backfill; name another file"))
        };
        let input = ParquetInput::open(file).map_err(|_| foreign())?;
        let (series, names) = input.said(KEY).and_then(read).ok_or_else(foreign)?;
        let schema = input.schema();
        let own = schema.fields().iter().filter(|field| !names.contains(field.name())).cloned();
        Ok(Self { series, schema: Arc::new(Schema::new(own.collect::<Vec<_>>())) })
    }

    pub(crate) fn all(&self) -> &[BaseSeries] {
        &self.series
    }

    /// The columns, without those that tell the series apart.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub(crate) fn series(&self, path: &str) -> Option<&BaseSeries> {
        self.series.iter().find(|series| series.path == path)
    }

    /// Whether there is any series of the same endpoint.
    pub(crate) fn has_endpoint(&self, series: &Series) -> bool {
        let endpoint = |path: &str| path.split('/').next().map(str::to_owned);
        self.series.iter().any(|known| endpoint(&known.path) == endpoint(series.path()))
    }

    /// Where the rows of a series begin, and how many there are.
    pub(crate) fn rows(&self, path: &str) -> Option<(usize, usize)> {
        let index = self.series.iter().position(|series| series.path == path)?;
        let before = self.series.get(..index)?.iter().map(|series| series.rows).sum();
        Some((before, self.series.get(index)?.rows))
    }
}

/// The series, and the names of the columns that tell them apart, as the text that a file carries.
pub(crate) fn written(series: &[BaseSeries], names: &[&str]) -> String {
    let one = |series: &BaseSeries| {
        let ranges = |coverage: &Coverage| -> Vec<_> {
            coverage.ranges().iter().map(|range| [range.start, range.end].map(Timestamp::unix_seconds)).collect()
        };
        let (covered, open) = (ranges(&series.covered), ranges(&series.open));
        json!({"path": series.path, "time": series.time, "rows": series.rows, "covered": covered, "open": open})
    };
    json!({"version": VERSION, "names": names, "series": series.iter().map(one).collect::<Vec<_>>()}).to_string()
}

fn read(text: &str) -> Option<(Vec<BaseSeries>, Vec<String>)> {
    let value: Value = serde_json::from_str(text).ok()?;
    if value.get("version")?.as_u64()? != VERSION {
        return None;
    }
    let names = value.get("names")?.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
    let series = value.get("series")?.as_array()?.iter().map(read_series);
    Some((series.collect::<Option<_>>()?, names.collect::<Option<_>>()?))
}

fn read_series(value: &Value) -> Option<BaseSeries> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let range = |range: &Value| {
        let time = |index: usize| range.get(index)?.as_i64().map(Timestamp::from_unix_seconds);
        Some(time(0)?..time(1)?)
    };
    let ranges = |name: &str| value.get(name)?.as_array()?.iter().map(range).collect::<Option<Coverage>>();
    let (covered, open) = (ranges("covered")?, ranges("open")?);
    let rows = usize::try_from(value.get("rows")?.as_u64()?).ok()?;
    Some(BaseSeries { path: text("path")?, time: text("time")?, rows, covered, open })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_is_read_again() {
        let covered = [Timestamp::from(0)..60.into(), Timestamp::from(120)..180.into()].into_iter().collect();
        let open = [Timestamp::from(180)..200.into()].into_iter().collect();
        let series = BaseSeries { path: "e/coin=B".to_owned(), time: "at".to_owned(), rows: 7, covered, open };
        let text = written(std::slice::from_ref(&series), &["coin"]);
        assert_eq!(read(&text), Some((vec![series], vec!["coin".to_owned()])));
        for other in ["", "{}", r#"{"version":2,"names":[],"series":[]}"#, r#"{"version":1,"names":[],"series":[{}]}"#]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
