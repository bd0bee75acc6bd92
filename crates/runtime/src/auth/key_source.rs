//! The API key, and the source from which it is read.
//!
//! A key that is set never changes. A key with a source is read whenever a request is signed, so that it can be replaced
//! while the client is in use.

use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::error::{BoxError, Error, ErrorKind};
use crate::platform::lock;
use crate::secrets::Secret;

/// A function that returns the current API key.
type KeyFunction = dyn Fn() -> Result<Secret, BoxError> + Send + Sync;

/// The source of the API key.
#[derive(Clone)]
pub(crate) enum KeySource {
    /// A key that never changes.
    Fixed(Secret),
    /// A function of the user.
    Function(Arc<KeyFunction>),
    /// A file that contains only the key.
    File(PathBuf),
}

impl KeySource {
    /// Reads the key. A failure may be temporary, for example while the file is replaced.
    pub(crate) fn read(&self) -> Result<Secret, Error> {
        let key = match self {
            Self::Fixed(key) => return Ok(key.clone()),
            Self::Function(function) => {
                function().map_err(|error| unavailable("the source of the API key failed").with_source(error))?
            }
            Self::File(path) => read_file(path, &self.subject())?,
        };
        if key.is_blank() {
            return Err(unavailable(format!("{} is empty", self.subject())));
        }
        Ok(key)
    }

    fn subject(&self) -> String {
        match self {
            Self::Fixed(_) | Self::Function(_) => "the API key of the source".to_owned(),
            Self::File(path) => format!("the file of the API key {:?}", path.to_string_lossy()),
        }
    }
}

/// Creates the error for a key that cannot be read now.
fn unavailable(message: impl Into<String>) -> Error {
    Error::retryable(ErrorKind::Send, message).of_missing_setting()
}

/// The maximum size of the file of a key.
const MAX_BYTES: usize = 64 << 10;

fn read_file(path: &Path, subject: &str) -> Result<Secret, Error> {
    let unreadable = |error: io::Error| unavailable(format!("cannot read {subject}")).with_source(error);
    // A pipe would block, and could not be read again for the next request.
    if !metadata(path).map_err(unreadable)?.is_file() {
        return Err(unavailable(format!("{subject} is not a regular file")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_BYTES {
        return Err(unavailable(format!("{subject} exceeds {MAX_BYTES} bytes")));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| unreadable(io::Error::other(error)))?;
    // Some editors begin a file with a byte order mark, which no key has.
    Ok(Secret::from(text.trim_start_matches('\u{feff}')))
}

impl From<Secret> for KeySource {
    fn from(key: Secret) -> Self {
        Self::Fixed(key)
    }
}

/// The maximum number of keys that are remembered, so that errors mask them. Requests in flight use only the last ones.
const MAX_KNOWN: usize = 4;

/// A key that can be replaced while the client is in use.
pub(crate) struct RotatingKey {
    source: KeySource,
    /// The last keys, from the oldest to the latest.
    known: Mutex<Vec<Secret>>,
}

impl RotatingKey {
    pub(super) fn new(source: KeySource, first: Secret) -> Self {
        Self { source, known: Mutex::new(vec![first]) }
    }

    /// Reads the current key.
    pub(super) fn current(&self) -> Result<Secret, Error> {
        let key = self.source.read()?;
        let mut known = lock(&self.known);
        if !known.contains(&key) {
            known.push(key.clone());
            if known.len() > MAX_KNOWN {
                known.remove(0);
            }
        }
        Ok(key)
    }

    /// `true` if the source has another key than the one that the service rejected.
    pub(super) fn has_replaced(&self, rejected: &Secret) -> bool {
        self.current().is_ok_and(|key| key != *rejected)
    }

    /// The last keys, which errors mask.
    pub(super) fn known(&self) -> Vec<Secret> {
        lock(&self.known).clone()
    }
}
