//! Errors of building, writing and reading tables.
//!
//! Errors of the client are passed on. Every other error names the file or column, and describes a fix.

use std::fmt;
use std::path::Path;

use parquet::errors::ParquetError;
use runtime::text::steers_terminal;

/// Any error, for functions whose caller names the file.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// An error of building, writing or reading a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request could not be sent, or the service rejected it.
    #[error(transparent)]
    Request(#[from] runtime::Error),
    /// A file or folder could not be read or written.
    #[error("{}: {source}", quoted(path))]
    #[non_exhaustive]
    Storage {
        /// Path of the file or folder.
        path: String,
        /// The cause.
        source: Failure,
    },
    /// A file is damaged. None of its rows are used. [`repair`](crate::repair()), or a run that writes the file, moves it
    /// aside and keeps its readable rows, and a run fetches the others again.
    #[error(
        "{}: damaged: {why}; `repair`, or a backfill that writes it, moves it aside and keeps its readable rows",
        quoted(path)
    )]
    #[non_exhaustive]
    Damaged {
        /// Path of the file.
        path: String,
        /// Description of the damage.
        why: String,
    },
    /// The state of a data set is missing. [`adopt`](crate::adopt()) rebuilds it from the files.
    #[error("{}: the folder .backfill with the state of the data set is missing", quoted(path))]
    #[non_exhaustive]
    StateMissing {
        /// Path of the data set.
        path: String,
    },
    /// Another run is writing the same files. It may have other series.
    #[error("{}: another backfill ({by}) is writing the same files", quoted(target))]
    #[non_exhaustive]
    InUse {
        /// The file or the folder that both runs write.
        target: String,
        /// Process and start time of the other run.
        by: String,
    },
    /// The input is invalid, or does not match the existing data. The message describes the problem and a fix.
    #[error("{0}")]
    InvalidInput(String),
}

impl Error {
    pub(crate) fn invalid_input(message: impl fmt::Display) -> Self {
        Self::InvalidInput(message.to_string())
    }

    /// Creates the error for existing files to which this version or this job cannot add rows.
    pub(crate) fn rebuild(location: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::InvalidInput(format!("{location}: {why}; to rebuild, move it away and run the same command again"))
    }

    pub(crate) fn storage(path: impl fmt::Display, source: impl Into<Failure>) -> Self {
        // An error that already has a path is not changed.
        match cause(source.into()).downcast::<Self>() {
            Ok(error) => *error,
            Err(source) => Self::Storage { path: path.to_string(), source },
        }
    }

    pub(crate) fn damaged(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), why: why.into() }
    }
}

/// The error that the Parquet library has passed on, such as that of a full disk.
fn cause(error: Failure) -> Failure {
    match error.downcast::<ParquetError>() {
        Ok(error) => match *error {
            ParquetError::External(cause) => cause,
            error => error.into(),
        },
        Err(error) => error,
    }
}

/// Quotes a path for a shell, on Windows for PowerShell, if the shell would split or expand it. Control characters are
/// escaped. The messages of this crate quote paths like this.
pub fn quoted(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().to_string_lossy();
    let (separator, quote) = if cfg!(windows) { ('\\', "''") } else { ('/', r"'\''") };
    let is_plain =
        |character: char| character.is_alphanumeric() || "_-./:=@%+,~".contains(character) || character == separator;
    if path.chars().all(is_plain) && !path.starts_with('~') {
        return path.into_owned();
    }
    let escaped = |character: char| match character {
        '\'' => quote.to_owned(),
        _ if steers_terminal(character) => character.escape_default().to_string(),
        _ => character.to_string(),
    };
    format!("'{}'", path.chars().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_if_a_shell_would_split_or_expand_them() {
        let [backslash, quote] = if cfg!(windows) { [r"a\b", "'o''brien'"] } else { [r"'a\b'", r"'o'\''brien'"] };
        for (path, expected) in [
            ("a-1/ü~.csv", "a-1/ü~.csv"),
            ("my data/$x", "'my data/$x'"),
            ("~/a.csv", "'~/a.csv'"),
            (r"a\b", backslash),
            ("o'brien", quote),
            ("a\n\u{1b}[31m", r"'a\n\u{1b}[31m'"),
        ] {
            assert_eq!(Error::storage(path, "full").to_string(), format!("{expected}: full"));
        }
    }

    #[test]
    fn storage_error_names_its_path_once() {
        let full = Error::storage("a.csv", "No space left on device");
        assert_eq!(Error::storage("a.csv", full).to_string(), "a.csv: No space left on device");
        let passed_on = ParquetError::External("No space left on device".into());
        assert_eq!(Error::storage("a.parquet", passed_on).to_string(), "a.parquet: No space left on device");
    }
}
