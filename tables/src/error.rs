//! Errors of building, writing and reading tables.
//!
//! Errors of the client are passed on. Every other error names the file or column, and describes a fix.

use std::fmt;

/// An error of building, writing or reading a table.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request could not be sent, or the service rejected it.
    Request(runtime::Error),
    /// A file or folder could not be read or written.
    #[non_exhaustive]
    Storage {
        /// Path of the file or folder.
        path: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file is damaged. None of its rows are used.
    #[non_exhaustive]
    Damaged {
        /// Path of the file.
        path: String,
        /// Description of the damage.
        why: String,
    },
    /// Another job is writing the same file or series.
    #[non_exhaustive]
    InUse {
        /// The file or the folder that both jobs write.
        target: String,
        /// Process and start time of the other job.
        by: String,
    },
    /// The input is invalid, or does not match the existing data. The message describes the problem and a fix.
    InvalidInput(String),
}

impl Error {
    pub(crate) fn invalid_input(message: impl Into<String>) -> Self {
        Self::InvalidInput(message.into())
    }

    /// Creates the error for existing files to which this version or this job cannot add rows.
    pub(crate) fn rebuild(location: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::InvalidInput(format!("{location}: {why}; to rebuild, move it away and run the same command again"))
    }

    pub(crate) fn storage(
        path: impl fmt::Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        // An error that already has a path is not changed.
        match source.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(source) => Self::Storage { path: path.to_string(), source },
        }
    }

    pub(crate) fn damaged(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), why: why.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => error.fmt(f),
            Self::Storage { path, source } => write!(f, "{path}: {source}"),
            Self::Damaged { path, why } => {
                // Without its Parquet file, a text file cannot be extended, so the message asks the user to delete both
                // files.
                let folder = path.strip_suffix("rows.parquet").map(|folder| folder.trim_end_matches(['/', '\\']));
                let text = folder.and_then(|folder| folder.strip_suffix(".parts"));
                let both = text.map_or("it".to_owned(), |text| format!("it and {text}"));
                write!(f, "{path}: damaged: {why}; delete {both}, then run the backfill of this range again")
            }
            Self::InUse { target, by } => write!(f, "{target}: another backfill ({by}) is writing these series"),
            Self::InvalidInput(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Request(error) => Some(error),
            Self::Storage { source, .. } => Some(&**source),
            Self::Damaged { .. } | Self::InUse { .. } | Self::InvalidInput(_) => None,
        }
    }
}

impl From<runtime::Error> for Error {
    fn from(error: runtime::Error) -> Self {
        Self::Request(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_error_names_its_path_once() {
        let full = Error::storage("a.csv", "No space left on device");
        assert_eq!(Error::storage("a.csv", full).to_string(), "a.csv: No space left on device");
    }
}
