//! The error of a failed exchange with a store.

use runtime::{Error, ErrorKind};

#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A failure that may end without a change by the user.
    Transient(Error),
    /// An error in the settings or in the stored data, which waiting does not fix.
    Permanent(Error),
}

impl Failure {
    pub(crate) fn transient(message: impl Into<String>) -> Self {
        Self::Transient(Error::retryable(ErrorKind::Queue, message))
    }

    pub(crate) fn permanent(message: impl Into<String>) -> Self {
        Self::Permanent(Error::retryable(ErrorKind::Queue, message))
    }

    pub(crate) fn with_source(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        match self {
            Self::Transient(error) => Self::Transient(error.with_source(source)),
            Self::Permanent(error) => Self::Permanent(error.with_source(source)),
        }
    }

    pub(crate) fn error(&self) -> &Error {
        match self {
            Self::Transient(error) | Self::Permanent(error) => error,
        }
    }
}
