//! A Parquet file that a backfill has written, and its metadata: which series it has, how many rows of each, and which
//! ranges those cover.
//!
//! The metadata stands in the file, so that file and record of progress are replaced as one. It also names the columns
//! that tell the series apart: those are written anew whenever the file is.

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

/// The key of the metadata.
pub(crate) const KEY: &str = "backfill";

const VERSION: u64 = 1;

/// The metadata of a file.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    said: Said,
    schema: SchemaRef,
}

/// The same as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    /// Where the rows come from; the first version did not say it.
    origin: Option<String>,
    series: Vec<BaseSeries>,
    /// The columns that tell the series apart.
    names: Vec<String>,
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
        let file = file(path)?;
        let unfit =
            |why: &str| Error::unfit(format!("{}: the file exists and {why}; name another file", path.display()));
        let foreign = || unfit("was not written by a backfill");
        let input = ParquetInput::open(path.display().to_string(), file).map_err(|_| foreign())?;
        let said = input.said(KEY).ok_or_else(foreign)?;
        let said = read(said).ok_or_else(|| unfit("was written by another version"))?;
        let schema = input.schema();
        let own = schema.fields().iter().filter(|field| !said.names.contains(field.name())).cloned();
        Ok(Self { schema: Arc::new(Schema::new(own.collect::<Vec<_>>())), said })
    }

    pub(crate) fn origin(&self) -> Option<&str> {
        self.said.origin.as_deref()
    }

    pub(crate) fn all(&self) -> &[BaseSeries] {
        &self.said.series
    }

    /// The columns, without those that tell the series apart.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub(crate) fn series(&self, path: &str) -> Option<&BaseSeries> {
        self.all().iter().find(|series| series.path == path)
    }

    /// Whether there is any series of the same endpoint.
    pub(crate) fn has_endpoint(&self, series: &Series) -> bool {
        let endpoint = |path: &str| path.split('/').next().map(str::to_owned);
        self.all().iter().any(|known| endpoint(&known.path) == endpoint(series.path()))
    }

    /// Where the rows of a series begin, and how many there are.
    pub(crate) fn rows(&self, path: &str) -> Option<(usize, usize)> {
        let index = self.all().iter().position(|series| series.path == path)?;
        let before = self.all().get(..index)?.iter().map(|series| series.rows).sum();
        Some((before, self.all().get(index)?.rows))
    }
}

/// Opens such a file for its rows.
pub(crate) fn input(path: &Path) -> Result<ParquetInput<File>, Error> {
    ParquetInput::open(path.display().to_string(), file(path)?)
}

fn file(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| Error::storage(path.display(), error))
}

/// The origin of the rows, the series, and the names of the columns that tell them apart, as the text of the metadata.
pub(crate) fn written(origin: &str, series: &[BaseSeries], names: &[&str]) -> String {
    let one = |series: &BaseSeries| {
        let ranges = |coverage: &Coverage| -> Vec<_> {
            coverage.ranges().iter().map(|range| [range.start, range.end].map(Timestamp::unix_seconds)).collect()
        };
        let (covered, open) = (ranges(&series.covered), ranges(&series.open));
        json!({"path": series.path, "time": series.time, "rows": series.rows, "covered": covered, "open": open})
    };
    let series: Vec<_> = series.iter().map(one).collect();
    json!({"version": VERSION, "origin": origin, "names": names, "series": series}).to_string()
}

/// Reads that text; `None` if another version has written it that this one does not know.
fn read(text: &str) -> Option<Said> {
    let value: Value = serde_json::from_str(text).ok()?;
    if value.get("version")?.as_u64()? != VERSION {
        return None;
    }
    let series: Vec<_> = value.get("series")?.as_array()?.iter().map(read_series).collect::<Option<_>>()?;
    let names = match value.get("names") {
        Some(names) => names.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        // The first version did not say them; a single series has none.
        None if series.len() <= 1 => Vec::new(),
        None => return None,
    };
    let origin = match value.get("origin") {
        Some(origin) => Some(origin.as_str()?.to_owned()),
        None => None,
    };
    Some(Said { origin, series, names })
}

fn read_series(value: &Value) -> Option<BaseSeries> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let range = |range: &Value| {
        let time = |index: usize| range.get(index)?.as_i64().map(Timestamp::from_unix_seconds);
        Some(time(0)?..time(1)?)
    };
    let ranges = |value: &Value| value.as_array()?.iter().map(range).collect::<Option<Coverage>>();
    let covered = ranges(value.get("covered")?)?;
    // The first version asked for no open intervals.
    let open = value.get("open").map_or_else(|| Some(Coverage::default()), ranges)?;
    let rows = usize::try_from(value.get("rows")?.as_u64()?).ok()?;
    Some(BaseSeries { path: text("path")?, time: text("time")?, rows, covered, open })
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field};

    use super::*;
    use crate::parquet_file::ParquetFile;

    #[test]
    fn what_a_file_says_is_read_again() {
        let covered = [Timestamp::from(0)..60.into(), Timestamp::from(120)..180.into()].into_iter().collect();
        let open = [Timestamp::from(180)..200.into()].into_iter().collect();
        let series = BaseSeries { path: "e/coin=B".to_owned(), time: "at".to_owned(), rows: 7, covered, open };
        let text = written("lab", std::slice::from_ref(&series), &["coin"]);
        let said = Said { origin: Some("lab".to_owned()), series: vec![series], names: vec!["coin".to_owned()] };
        assert_eq!(read(&text), Some(said));
        for other in ["", "{}", r#"{"version":2,"names":[],"series":[]}"#, r#"{"version":1,"names":[],"series":[{}]}"#]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn what_the_first_version_says_of_one_series_is_read() {
        let one = r#"{"path":"e/coin=B","time":"at","rows":7,"covered":[[0,60]]}"#;
        let Said { origin, series, names } = read(&format!(r#"{{"version":1,"series":[{one}]}}"#)).unwrap();
        let covered = std::iter::once(Timestamp::from(0)..60.into()).collect();
        let (path, time) = ("e/coin=B".to_owned(), "at".to_owned());
        assert_eq!(series, [BaseSeries { path, time, rows: 7, covered, open: Coverage::default() }]);
        assert_eq!((origin, names), (None, Vec::new()));
        // With several series, the columns that tell them apart have to be named.
        assert_eq!(read(&format!(r#"{{"version":1,"series":[{one},{one}]}}"#)), None);
    }

    #[test]
    fn a_file_of_another_version_is_refused_as_such() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        for (said, why) in
            [(None, "was not written by a backfill"), (Some(r#"{"version":2}"#), "was written by another version")]
        {
            let schema = Arc::new(Schema::new(vec![Field::new("at", DataType::Int64, false)]));
            let mut file = ParquetFile::new(Vec::new(), schema).unwrap();
            if let Some(said) = said {
                file.say(KEY, said.to_owned());
            }
            std::fs::write(&path, file.finish().unwrap()).unwrap();
            let error = Base::open(&path).unwrap_err().to_string();
            assert_eq!(error, format!("{}: the file exists and {why}; name another file", path.display()));
        }
    }
}
