//! File storage: files with paths below a root, each of which is written completely or not at all.
//!
//! Disk access and writing Parquet block the thread. This is acceptable, because a run has nothing else to do until its
//! rows are written.

mod local;
#[cfg(feature = "s3")]
mod s3;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::data_set_paths::{reject_part, unfinished};
use crate::error::{Error, Failure};
use crate::target::Target;

pub(crate) use local::Out;

/// Writes a file completely or not at all: readers see the earlier file until the new one is complete. The folder must
/// exist.
pub fn write_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
    let mut file = NewFile::create(path)?;
    content(&mut file).map_err(|error| Error::storage(path.display(), error))?;
    file.finish()
}

/// A new local file, which readers see after [`finish`](Self::finish). Without it, the file is deleted.
#[derive(Debug)]
pub struct NewFile(local::OpenFile);

impl NewFile {
    /// Creates the file, whose folder must exist. Readers see the earlier file, if there is one.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::metadata(folder).map_err(|error| Error::storage(path.display(), error))?;
        local::OpenFile::create(path, None).map(Self)
    }

    /// Writes the content to the disk, and makes the file visible.
    pub fn finish(self) -> Result<(), Error> {
        self.0.complete()?.finish()?;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.file.flush()
    }
}

/// Files, identified by paths with `/` as the separator.
#[derive(Clone, Debug)]
pub(crate) enum FileStorage {
    /// A folder of the local disk, which need not exist yet.
    Folder(PathBuf),
    /// A prefix in a bucket.
    #[cfg(feature = "s3")]
    Bucket(s3::Bucket),
}

/// A file that is written and that readers do not see yet.
pub(crate) enum UnfinishedFile {
    Local(local::Unfinished),
    #[cfg(feature = "s3")]
    Object {
        path: String,
        content: Vec<u8>,
    },
}

#[cfg_attr(not(feature = "s3"), allow(clippy::unused_async, reason = "only object storage waits"))]
impl FileStorage {
    /// The storage of a target. For a single file, that is the folder of the file. A part of a data set is not a
    /// target.
    pub(crate) fn of(target: &Target) -> Result<Self, Error> {
        reject_part(target)?;
        match target {
            Target::Folder(path) => Ok(Self::Folder(path.clone())),
            Target::File { path, .. } => Ok(Self::Folder(path.parent().map(PathBuf::from).unwrap_or_default())),
            #[cfg(feature = "s3")]
            Target::Bucket { bucket, prefix } => Ok(Self::Bucket(s3::Bucket::new(bucket, prefix)?)),
            #[cfg(not(feature = "s3"))]
            Target::Bucket { .. } => Err(Error::invalid_input(format!(
                "{target}: this program was built without the feature `s3` for object storage"
            ))),
        }
    }

    /// The paths and the versions of all files in a folder and its subfolders, in the order of their paths, or nothing
    /// if the folder does not exist. The version is the length of a file or, in object storage, its `ETag`.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<(String, String)>, Error> {
        let mut files = match self {
            Self::Folder(root) => local::list(root, folder)?,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.list(folder).await?,
        };
        files.sort();
        Ok(files)
    }

    /// Opens a file, if it exists, and returns its version.
    pub(crate) async fn open(&self, path: &str) -> Result<Option<(File, String)>, Error> {
        match self {
            Self::Folder(root) => local::open(&root.join(path)),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.open(path).await,
        }
    }

    /// Writes a file, and returns its version. In object storage, fails if the present version is not `replaced`, where
    /// `None` means that the file does not exist.
    pub(crate) async fn put<T>(
        &self,
        path: &str,
        replaced: Option<&str>,
        content: impl FnOnce(Out<'_>) -> Result<T, Failure>,
    ) -> Result<(T, String), Error> {
        let (written, unfinished) = self.prepare(path, content)?;
        Ok((written, self.finish(unfinished, replaced).await?))
    }

    /// Writes the content of a file that readers do not see yet. Without [`finish`](Self::finish), it is discarded.
    pub(crate) fn prepare<T>(
        &self,
        path: &str,
        content: impl FnOnce(Out<'_>) -> Result<T, Failure>,
    ) -> Result<(T, UnfinishedFile), Error> {
        match self {
            Self::Folder(root) => {
                let temporary = unfinished(path).map(|path| root.join(path));
                let (written, file) = local::prepare(&root.join(path), temporary, content)?;
                Ok((written, UnfinishedFile::Local(file)))
            }
            #[cfg(feature = "s3")]
            Self::Bucket(_) => {
                let mut content_of = Vec::new();
                let written = content(&mut content_of).map_err(|error| Error::storage(self.name(path), error))?;
                Ok((written, UnfinishedFile::Object { path: path.to_owned(), content: content_of }))
            }
        }
    }

    /// Makes a prepared file visible, and returns its version, as [`put`](Self::put) does.
    #[cfg_attr(not(feature = "s3"), allow(unused_variables, reason = "only object storage compares versions"))]
    pub(crate) async fn finish(&self, file: UnfinishedFile, replaced: Option<&str>) -> Result<String, Error> {
        match (self, file) {
            (_, UnfinishedFile::Local(file)) => file.finish(),
            #[cfg(feature = "s3")]
            (Self::Bucket(bucket), UnfinishedFile::Object { path, content }) => {
                bucket.put(&path, replaced, content).await
            }
            #[cfg(feature = "s3")]
            (Self::Folder(_), UnfinishedFile::Object { path, .. }) => {
                Err(Error::invalid_input(format!("{path}: an object cannot be written to a folder")))
            }
        }
    }

    /// Moves a file to another path, which does not exist.
    pub(crate) async fn rename(&self, path: &str, to: &str) -> Result<(), Error> {
        match self {
            Self::Folder(root) => local::rename(root, path, to),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => {
                let Some((mut file, _)) = bucket.open(path).await? else { return Ok(()) };
                let mut content = Vec::new();
                let read = std::io::Read::read_to_end(&mut file, &mut content);
                read.map_err(|error| Error::storage(self.name(path), error))?;
                bucket.put(to, None, content).await?;
                bucket.delete(path).await
            }
        }
    }

    /// The folder; `None` in object storage.
    #[cfg_attr(
        not(feature = "s3"),
        allow(clippy::unnecessary_wraps, reason = "without object storage, all files are local")
    )]
    pub(crate) fn local(&self) -> Option<&Path> {
        match self {
            Self::Folder(root) => Some(root),
            #[cfg(feature = "s3")]
            Self::Bucket(_) => None,
        }
    }

    /// Deletes a file, if it exists.
    pub(crate) async fn delete(&self, path: &str) -> Result<(), Error> {
        match self {
            Self::Folder(root) => local::delete(root, path),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.delete(path).await,
        }
    }

    /// The name of a file for messages.
    pub(crate) fn name(&self, path: &str) -> String {
        match self {
            Self::Folder(root) => root.join(path).display().to_string().trim_end_matches('/').to_owned(),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.name(path),
        }
    }
}
