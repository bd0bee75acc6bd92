//! File storage: files with paths below a root, each of which is written completely or not at all.
//!
//! The content of a file is opaque bytes. Disk access and writing Parquet block the thread. This is acceptable, because
//! a run has nothing else to do until its rows are written.

mod local;
#[cfg(feature = "s3")]
mod s3;

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use bytes::Bytes;

use crate::error::Error;
use crate::lock::Lock;

pub(crate) use local::write;

/// Files, identified by paths with `/` as the separator.
#[derive(Clone, Debug)]
pub(crate) enum FileStorage {
    /// A folder of the local disk, which need not exist yet.
    Folder(PathBuf),
    /// A prefix in a bucket.
    #[cfg(feature = "s3")]
    Bucket(s3::Bucket),
}

#[cfg_attr(not(feature = "s3"), allow(clippy::unused_async, reason = "only object storage waits"))]
impl FileStorage {
    /// Returns the storage of a prefix in a bucket, or an error without the feature `s3`.
    pub(crate) fn bucket(bucket: &str, prefix: &str) -> Result<Self, Error> {
        #[cfg(feature = "s3")]
        return Ok(Self::Bucket(s3::Bucket::new(bucket, prefix)?));
        #[cfg(not(feature = "s3"))]
        Err(Error::invalid_input(format!(
            "s3://{bucket}/{prefix}: this program was built without the feature `s3` for object storage"
        )))
    }

    /// Returns the sorted paths of all files in a folder and its subfolders, or nothing if the folder does not exist.
    /// On the local disk, hidden files are omitted, except the state files.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        let mut paths = match self {
            Self::Folder(root) => local::list(root, folder)?,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.list(folder).await?,
        };
        paths.sort();
        Ok(paths)
    }

    /// Returns the content of a file, or an error if it does not exist.
    pub(crate) async fn get(&self, path: &str) -> Result<Bytes, Error> {
        let content = self.find(path).await?;
        content.ok_or_else(|| Error::storage(self.name(path), io::Error::from(ErrorKind::NotFound)))
    }

    /// Returns the content of a file, if it exists.
    pub(crate) async fn find(&self, path: &str) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Folder(root) => local::find(&root.join(path)),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.find(path).await,
        }
    }

    /// Writes a file, replacing an existing file.
    pub(crate) async fn put(&self, path: &str, content: Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Folder(root) => write(&root.join(path), |file| file.write_all(&content)),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.put(path, content).await,
        }
    }

    /// Locks the hidden file of the target, so that no other run changes it; `None` in object storage, which has no
    /// locks.
    pub(crate) fn lock(&self) -> Result<Option<Lock>, Error> {
        match self {
            Self::Folder(root) => Lock::wait(&root.join(".backfill.lock")).map(Some),
            #[cfg(feature = "s3")]
            Self::Bucket(_) => Ok(None),
        }
    }

    /// Returns the name of a file for messages.
    pub(crate) fn name(&self, path: &str) -> String {
        match self {
            Self::Folder(root) => root.join(path).display().to_string().trim_end_matches('/').to_owned(),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.name(path),
        }
    }
}
