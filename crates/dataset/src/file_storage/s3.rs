//! Objects in S3-compatible object storage.
//!
//! The service writes an object completely or not at all. Endpoint and credentials are read from the environment
//! variables of AWS's own tools.

use std::env;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, ObjectStore, ObjectStoreExt, PutMode, PutPayload, UpdateVersion};
use rustls::crypto::CryptoProvider;

use crate::error::{Error, Failure, quoted};

/// The maximum size of an object. It is written with one request, because uploads in parts have no conditions.
const MAX_SIZE: usize = 128 << 20;

/// Objects below a prefix.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    store: Arc<PrefixStore<AmazonS3>>,
    /// The address of the prefix, for messages.
    url: String,
}

impl Bucket {
    pub(super) fn new(bucket: &str, prefix: &str) -> Result<Self, Error> {
        let builder = AmazonS3Builder::from_env();
        let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint).unwrap_or_default();
        let allow_http = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
        if endpoint.starts_with("http:") && builder.get_config_value(&allow_http).is_none() {
            // A request would fail with an error that does not name the cause.
            let message = format!("the endpoint {endpoint} has no TLS; `AWS_ALLOW_HTTP=true` allows that");
            return Err(Error::invalid_input(message));
        }
        Self::with(builder, bucket, prefix)
    }

    fn with(builder: AmazonS3Builder, bucket: &str, prefix: &str) -> Result<Self, Error> {
        // `object_store` uses the TLS provider of the process, and panics without one.
        if CryptoProvider::get_default().is_none() {
            // An error is ignored, because it only means that another crate has just installed a provider.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        let store = builder.with_bucket_name(bucket).build();
        let store = store.map_err(|error| Error::storage(format!("s3://{bucket}"), error))?;
        let url = format!("s3://{bucket}/{prefix}").trim_end_matches('/').to_owned();
        // The prefix and paths are not encoded further, because special characters are already encoded.
        let prefix = Path::parse(prefix).map_err(|error| Error::storage(&url, error))?;
        Ok(Self { store: Arc::new(PrefixStore::new(store, prefix)), url })
    }

    pub(super) fn name(&self, path: &str) -> String {
        format!("{}/{path}", self.url).trim_end_matches('/').to_owned()
    }

    fn path(&self, path: &str) -> Result<Path, Error> {
        Path::parse(path).map_err(|error| Error::storage(self.name(path), error))
    }

    pub(super) async fn list(&self, folder: &str) -> Result<Vec<(String, String)>, Error> {
        let mut objects = self.store.list(Some(&self.path(folder)?));
        let mut found = Vec::new();
        while let Some(object) = std::future::poll_fn(|cx| objects.as_mut().poll_next(cx)).await {
            let object = object.map_err(|error| Error::storage(self.name(folder), reason(error)))?;
            if let Some(tag) = object.e_tag {
                found.push((object.location.into(), tag));
            }
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
        let file = temporary_file(&bytes).map_err(|error| Error::storage(env::temp_dir().display(), error))?;
        Ok(Some((file, version)))
    }

    /// Writes an object if its present version is `replaced`. The service checks that, so the second of two writers
    /// fails.
    pub(super) async fn put(&self, path: &str, replaced: Option<&str>, content: Vec<u8>) -> Result<String, Error> {
        let mode = match replaced {
            Some(tag) => PutMode::Update(UpdateVersion { e_tag: Some(tag.to_owned()), version: None }),
            None => PutMode::Create,
        };
        if content.len() > MAX_SIZE {
            let size = content.len() >> 20;
            let most = MAX_SIZE >> 20;
            let why = format!("the file has {size} MiB, but at most {most} MiB can be written to a bucket");
            return Err(Error::rebuild(quoted(self.name(path)), format!("{why}; use a shorter partition")));
        }
        let content = PutPayload::from(content);
        match self.store.put_opts(&self.path(path)?, content.clone(), mode.into()).await {
            Ok(put) => Ok(put.e_tag.unwrap_or_default()),
            Err(object_store::Error::Precondition { .. } | object_store::Error::AlreadyExists { .. }) => {
                // A request that was answered with an error is repeated, although the service may have carried it out.
                if let Some((mut file, version)) = self.open(path).await? {
                    let mut found = Vec::new();
                    file.read_to_end(&mut found).map_err(|error| Error::storage(self.name(path), error))?;
                    if content.iter().flatten().eq(&found) {
                        return Ok(version);
                    }
                }
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

/// A temporary file with these bytes, at its start.
fn temporary_file(bytes: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// The address at which `object_store` asks a machine of AWS for its credentials, if the environment has none.
const METADATA_SERVICE: &str = "//169.254.169.254/";

/// No credentials are set, and the request for those of the machine has failed, also because it has no role.
#[derive(Debug, thiserror::Error)]
#[error(
    "no AWS credentials: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` are not set, and the request for those of this \
     machine's role has failed: {}",
    root_cause(source)
)]
struct WithoutCredentials {
    source: object_store::Error,
}

/// The service's message, if present, or that the credentials are missing; otherwise the complete error.
fn reason(error: object_store::Error) -> Failure {
    let text = error.to_string();
    match message(&text) {
        Some(message) => message.into(),
        None if text.contains(METADATA_SERVICE) => WithoutCredentials { source: error }.into(),
        None => error.into(),
    }
}

fn root_cause<'e>(error: &'e (dyn std::error::Error + 'static)) -> &'e (dyn std::error::Error + 'static) {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

/// The message in the XML of an error response.
fn message(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<Message>")?;
    Some(rest.split_once("</Message>")?.0.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Stores the first object, but answers with an error, as a proxy does that loses the response of the service.
    fn answer(listener: &TcpListener) {
        let mut stored = None;
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let lines = stream.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty());
            let head: Vec<_> = lines.map(|line| line.to_ascii_lowercase()).collect();
            let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap_or_default()];
            stream.read_exact(&mut body).unwrap();
            let (status, text) = match (head[0].starts_with("put"), &stored) {
                (true, None) => {
                    stored = Some(body);
                    ("503 Service Unavailable", Vec::new())
                }
                (true, Some(_)) => ("412 Precondition Failed", Vec::new()),
                (false, stored) => ("200 OK", stored.clone().unwrap()),
            };
            let date = "Wed, 01 Jan 2020 00:00:00 GMT";
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"1\"\r\nLast-Modified: {date}\r\nConnection: close\r\n\r\n",
                text.len()
            );
            stream.get_mut().write_all(&[head.into_bytes(), text].concat()).unwrap();
        }
    }

    #[tokio::test]
    async fn own_object_whose_response_was_lost_is_not_that_of_another_run() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let builder = AmazonS3Builder::new().with_region("a").with_access_key_id("b").with_secret_access_key("c");
        let builder = builder.with_endpoint(format!("http://{}", listener.local_addr().unwrap())).with_allow_http(true);
        thread::spawn(move || answer(&listener));
        let bucket = Bucket::with(builder, "bucket", "").unwrap();
        assert_eq!(bucket.put("state", Some("\"0\""), b"own".to_vec()).await.unwrap(), "\"1\"");
        let error = bucket.put("state", Some("\"0\""), b"other".to_vec()).await.unwrap_err();
        assert!(matches!(error, Error::InUse { .. }), "{error}");
        let error = bucket.put("large", None, vec![0; MAX_SIZE + 1]).await.unwrap_err().to_string();
        assert!(error.contains("at most 128 MiB") && error.contains("shorter partition"), "{error}");
    }

    #[test]
    fn an_error_shows_the_message_of_the_service() {
        let text =
            "Generic S3 error: 404: <Error><Code>NoSuchBucket</Code><Message>It does not exist.</Message></Error>";
        assert_eq!(message(text).as_deref(), Some("It does not exist"));
        assert_eq!(message("Generic S3 error: connection refused"), None);
    }

    #[test]
    fn missing_credentials_are_named_instead_of_the_address_that_was_asked_for_them() {
        let store = "PUT http://169.254.169.254/latest/api/token";
        let source = object_store::Error::Generic { store, source: "429 Too Many Requests".into() }.into();
        let error = reason(object_store::Error::Generic { store: "S3", source });
        let text = error.to_string();
        assert!(text.contains("`AWS_ACCESS_KEY_ID`") && !text.contains("169.254"), "{text}");
        // A machine with a role fails too, if the service of its credentials is busy.
        assert!(text.ends_with("has failed: 429 Too Many Requests"), "{text}");
        let source = error.source().unwrap().to_string();
        assert!(source.contains(store), "{source}");
    }
}
