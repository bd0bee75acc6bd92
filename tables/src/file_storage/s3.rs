//! Objects in S3-compatible object storage.
//!
//! The service writes an object completely or not at all. Endpoint and credentials are read from the environment
//! variables of AWS's own tools.

use std::env;
use std::fs::File;
use std::io::{Seek, Write};
use std::sync::Arc;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, UpdateVersion};
use rustls::crypto::CryptoProvider;

use crate::error::Error;

/// Objects below a prefix.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    store: Arc<AmazonS3>,
    bucket: String,
    prefix: String,
}

impl Bucket {
    pub(super) fn new(bucket: &str, prefix: &str) -> Result<Self, Error> {
        // `object_store` uses the TLS provider of the process, and panics without one.
        if CryptoProvider::get_default().is_none() {
            // An error is ignored, because it only means that another crate has just installed a provider.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        // The variables include `AWS_ALLOW_HTTP`, which allows plain HTTP, for example to a local test server.
        let store = AmazonS3Builder::from_env().with_bucket_name(bucket).build();
        let store = store.map_err(|error| Error::storage(format!("s3://{bucket}"), error))?;
        Ok(Self { store: Arc::new(store), bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }

    pub(super) fn name(&self, path: &str) -> String {
        format!("s3://{}/{}", self.bucket, self.key(path)).trim_end_matches('/').to_owned()
    }

    fn key(&self, path: &str) -> String {
        if self.prefix.is_empty() { path.to_owned() } else { format!("{}/{path}", self.prefix) }
    }

    /// Returns the object's path without further encoding, because special characters are already encoded.
    fn path(&self, path: &str) -> Result<Path, Error> {
        Path::parse(self.key(path)).map_err(|error| Error::storage(self.name(path), error))
    }

    pub(super) async fn list(&self, folder: &str) -> Result<Vec<(String, String)>, Error> {
        let fails = |error| Error::storage(self.name(folder), reason(error));
        let mut objects = self.store.list(Some(&self.path(folder)?));
        let (mut found, start) = (Vec::new(), if self.prefix.is_empty() { 0 } else { self.prefix.len() + 1 });
        while let Some(object) = std::future::poll_fn(|cx| objects.as_mut().poll_next(cx)).await {
            let object = object.map_err(fails)?;
            let path = object.location.as_ref().get(start..).map(str::to_owned);
            found.extend(path.zip(object.e_tag));
        }
        Ok(found)
    }

    /// Downloads an object to a temporary file, so that it is not in memory.
    pub(super) async fn open(&self, path: &str) -> Result<Option<(File, String)>, Error> {
        let fails = |error| Error::storage(self.name(path), reason(error));
        let object = match self.store.get(&self.path(path)?).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            object => object.map_err(fails)?,
        };
        let version = object.meta.e_tag.clone().unwrap_or_default();
        let bytes = object.bytes().await.map_err(fails)?;
        let file = tempfile::tempfile().and_then(|mut file| {
            file.write_all(&bytes)?;
            file.rewind().map(|()| file)
        });
        Ok(Some((file.map_err(|error| Error::storage(env::temp_dir().display(), error))?, version)))
    }

    /// Writes an object if its present version is `replaced`. The service checks that, so the second of two writers
    /// fails.
    pub(super) async fn put(&self, path: &str, replaced: Option<&str>, content: Vec<u8>) -> Result<String, Error> {
        let update = |tag: &str| PutMode::Update(UpdateVersion { e_tag: Some(tag.to_owned()), version: None });
        let mode = replaced.map_or(PutMode::Create, update);
        match self.store.put_opts(&self.path(path)?, content.into(), mode.into()).await {
            Ok(put) => Ok(put.e_tag.unwrap_or_default()),
            Err(object_store::Error::Precondition { .. } | object_store::Error::AlreadyExists { .. }) => {
                let by = "on another machine or in another process".to_owned();
                Err(Error::InUse { target: self.name(path), by })
            }
            Err(error) => Err(Error::storage(self.name(path), reason(error))),
        }
    }

    pub(super) async fn delete(&self, path: &str) -> Result<(), Error> {
        match self.store.delete(&self.path(path)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::storage(self.name(path), reason(error))),
        }
    }
}

/// Returns the service's message, if present; otherwise the complete error.
fn reason(error: object_store::Error) -> Box<dyn std::error::Error + Send + Sync> {
    message(&error.to_string()).map_or_else(|| error.into(), Into::into)
}

/// Returns the message in the XML of an error response.
fn message(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<Message>")?;
    Some(rest.split_once("</Message>")?.0.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_the_message_of_the_service() {
        let text =
            "Generic S3 error: 404: <Error><Code>NoSuchBucket</Code><Message>It does not exist.</Message></Error>";
        assert_eq!(message(text).as_deref(), Some("It does not exist"));
        assert_eq!(message("Generic S3 error: connection refused"), None);
    }
}
