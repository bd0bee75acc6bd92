//! File storage: files by their paths below a root, each written completely or not at all.
//!
//! Content is opaque bytes.

mod local;
#[cfg(feature = "s3")]
mod s3;

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Error;
use crate::lock::Lock;
use local::Local;

pub(crate) use local::write;

/// Files by their paths, with slashes.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    Local(Local),
    #[cfg(feature = "s3")]
    S3(s3::Bucket),
}

impl Storage {
    /// A folder of the local disk, which need not exist yet, and the lock under which it is written.
    pub(crate) fn folder(root: impl Into<PathBuf>, lock: Option<Arc<Lock>>) -> Self {
        Self::Local(Local::new(root.into(), lock))
    }

    /// A prefix in a bucket.
    #[cfg(feature = "s3")]
    pub(crate) fn bucket(bucket: &str, prefix: &str) -> Result<Self, Error> {
        Ok(Self::S3(s3::Bucket::new(bucket, prefix)?))
    }

    /// The paths of all files in a folder and below it, in order; empty if the folder does not exist.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        let mut paths = match self {
            Self::Local(local) => {
                let (local, folder) = (local.clone(), folder.to_owned());
                beside(move || local.list(&folder)).await?
            }
            #[cfg(feature = "s3")]
            Self::S3(bucket) => bucket.list(folder).await?,
        };
        paths.sort();
        Ok(paths)
    }

    /// The content of a file.
    pub(crate) async fn get(&self, path: &str) -> Result<bytes::Bytes, Error> {
        match self {
            Self::Local(local) => {
                let (local, path) = (local.clone(), path.to_owned());
                beside(move || local.get(&path)).await
            }
            #[cfg(feature = "s3")]
            Self::S3(bucket) => bucket.get(path).await,
        }
    }

    /// The content of a file on the local disk, without `await`.
    pub(crate) fn get_now(&self, path: &str) -> Result<bytes::Bytes, Error> {
        match self {
            Self::Local(local) => local.get(path),
            #[cfg(feature = "s3")]
            Self::S3(bucket) => Err(Error::invalid_input(format!("{}: it is not on this disk", bucket.name(path)))),
        }
    }

    /// Writes a file, replacing an existing one.
    pub(crate) async fn put(&self, path: &str, content: Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Local(local) => {
                let (local, path) = (local.clone(), path.to_owned());
                beside(move || local.put(&path, &content)).await
            }
            #[cfg(feature = "s3")]
            Self::S3(bucket) => bucket.put(path, content).await,
        }
    }

    /// Writes a file unless its name exists; returns the content of the file afterwards.
    pub(crate) async fn create(&self, path: &str, content: Vec<u8>) -> Result<bytes::Bytes, Error> {
        match self {
            Self::Local(local) => {
                let (local, path) = (local.clone(), path.to_owned());
                beside(move || local.create(&path, &content)).await?;
            }
            #[cfg(feature = "s3")]
            Self::S3(bucket) => bucket.create(path, content).await?,
        }
        self.get(path).await
    }

    /// The content of a file, if it exists.
    pub(crate) async fn find(&self, path: &str) -> Result<Option<bytes::Bytes>, Error> {
        match self {
            Self::Local(local) if !local.path(path).exists() => Ok(None),
            #[cfg(feature = "s3")]
            Self::S3(bucket) => bucket.find(path).await,
            Self::Local(_) => self.get(path).await.map(Some),
        }
    }

    /// The name of a file for messages.
    pub(crate) fn name(&self, path: &str) -> String {
        match self {
            Self::Local(local) => local.path(path).display().to_string(),
            #[cfg(feature = "s3")]
            Self::S3(bucket) => bucket.name(path),
        }
    }
}

/// Runs blocking disk work on another thread; the runtime's threads are for requests.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::invalid_input(format!("the work on the disk was abandoned: {error}"))))
}
