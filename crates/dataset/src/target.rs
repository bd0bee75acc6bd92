//! The target of tables: a file, the folder of a data set, or a bucket.
//!
//! This module parses targets from text, and opens no files.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Error, quoted};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values after a header line.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// Compressed columns.
    Parquet,
}

impl Format {
    /// Returns the format for the extension of a file name, in lower or upper case. CSV and JSON Lines may be
    /// compressed, as in `.csv.gz` and `.jsonl.gz`.
    pub fn of(path: &Path) -> Option<Self> {
        if is_gzip(path) {
            return Self::of(Path::new(path.file_stem()?)).filter(|format| *format != Self::Parquet);
        }
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// `true` if a path has the extension of a gzip file.
pub(crate) fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// The target of a backfill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// One file with all series.
    File {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// A data set of Parquet files on the local disk: `ENDPOINT/1h-2024.parquet` below this folder.
    Folder(PathBuf),
    /// A data set in a bucket of object storage, below a prefix. This target needs the feature `s3`.
    Bucket {
        /// The bucket.
        bucket: String,
        /// The prefix of all object names.
        prefix: String,
    },
}

impl Target {
    /// Parses a target: `out.csv`, `out.jsonl`, `out.csv.gz`, `out.jsonl.gz`, `out.parquet`, `folder/`,
    /// `s3://bucket/prefix`.
    ///
    /// A name without the extension of a known format is a folder.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if let Some((scheme, rest)) = text.split_once("://") {
            return Self::parse_url(scheme, rest);
        }
        let path = PathBuf::from(text);
        match Format::of(&path) {
            Some(format) if !text.ends_with('/') && !path.is_dir() => Ok(Self::File { path, format }),
            _ if text.is_empty() => Err(Error::invalid_input("the target is empty; name a file or a folder")),
            None if path.extension().is_some() && !text.ends_with('/') && !path.is_dir() => {
                Err(Error::invalid_input(format!(
                    "{}: a file must end in .csv, .jsonl, .csv.gz, .jsonl.gz or .parquet, and a folder with a dot \
                     in its name must end in /",
                    quoted(text)
                )))
            }
            _ if path.exists() && !path.is_dir() => Err(Error::invalid_input(format!(
                "{}: neither a folder nor a .csv, .jsonl or .parquet file",
                quoted(text)
            ))),
            _ => Ok(Self::Folder(path)),
        }
    }

    fn parse_url(scheme: &str, rest: &str) -> Result<Self, Error> {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_matches('/');
        if scheme != "s3" || bucket.is_empty() {
            return Err(Error::invalid_input(format!(
                "{scheme}://{rest}: unsupported address; write s3://BUCKET/PREFIX for object storage"
            )));
        }
        if Format::of(Path::new(prefix)).is_some() {
            return Err(Error::invalid_input(format!(
                "{scheme}://{rest}: only a data set (a folder of files) can be written to a bucket; omit the extension"
            )));
        }
        Ok(Self::Bucket { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

/// Writes text that parses to the same target.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, .. } | Self::Folder(path) => path.display().fmt(f),
            Self::Bucket { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_parsed() {
        let file = |path: &str, format| Ok(Target::File { path: path.into(), format });
        let folder = |path: &str| Ok(Target::Folder(path.into()));
        for (text, expected) in [
            ("out.csv", file("out.csv", Format::Csv)),
            ("a.b/out.jsonl", file("a.b/out.jsonl", Format::JsonLines)),
            ("OUT.CSV", file("OUT.CSV", Format::Csv)),
            ("out.csv.gz", file("out.csv.gz", Format::Csv)),
            ("OUT.JSONL.GZ", file("OUT.JSONL.GZ", Format::JsonLines)),
            ("out.ndjson", file("out.ndjson", Format::JsonLines)),
            ("out.parquet", file("out.parquet", Format::Parquet)),
            ("out.parquet/", folder("out.parquet/")),
            ("data", folder("data")),
            ("data/v1.2/", folder("data/v1.2/")),
            ("", Err("the target is empty; name a file or a folder")),
        ] {
            let parsed = Target::parse(text).map_err(|error| error.to_string());
            assert_eq!(parsed, expected.map_err(str::to_owned), "{text}");
        }
        for text in ["out.xlsx", "out.parquet.gz", "out.gz"] {
            let error = Target::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{text}: a file must end in .csv, .jsonl, .csv.gz")), "{error}");
        }
    }

    #[test]
    fn object_storage() {
        let bucket = |prefix: &str| Target::Bucket { bucket: "b".to_owned(), prefix: prefix.to_owned() };
        assert_eq!(Target::parse("s3://b/a/c/").unwrap(), bucket("a/c"));
        assert_eq!(Target::parse("s3://b").unwrap(), bucket(""));
        for wrong in ["s3:///a", "gs://b/a", "s3://b/out.parquet"] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
    }
}
