//! Why a table could not be made, written or read.
//!
//! Errors of the client are passed on; every other error names the file or the column that it is about, and what to do.

use std::fmt;

/// Why something about a table failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request could not be sent, or the service refused it.
    Request(runtime::Error),
    /// A file or folder could not be read or written.
    #[non_exhaustive]
    Storage {
        /// Which one.
        path: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file is damaged. No rows of it are used.
    #[non_exhaustive]
    Damaged {
        /// Which one.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// Another job is writing the same.
    #[non_exhaustive]
    InUse {
        /// The file or the folder.
        target: String,
        /// Which process, and since when.
        by: String,
    },
    /// Something does not fit: the message says what, and what to do.
    InvalidInput(String),
}

impl Error {
    pub(crate) fn invalid_input(message: impl Into<String>) -> Self {
        Self::InvalidInput(message.into())
    }

    pub(crate) fn storage(
        path: impl fmt::Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Storage { path: path.to_string(), source: source.into() }
    }

    pub(crate) fn damaged(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), why: why.into() }
    }

    /// The error of the disk, if it is one.
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            if let Some(error) = error.downcast_ref::<std::io::Error>() {
                return Some(error.kind());
            }
            source = error.source();
        }
        None
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => error.fmt(f),
            Self::Storage { path, source } => write!(f, "{path}: {source}"),
            Self::Damaged { path, why } => {
                write!(
                    f,
                    "{path}: the file is damaged: {why}; delete it and run the backfill again, which fetches its rows"
                )
            }
            Self::InUse { target, by } => write!(f, "{target}: another backfill is writing these series there: {by}"),
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
