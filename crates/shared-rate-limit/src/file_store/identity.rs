//! The processes that share a limit: those with the same name and credentials.

use ring::hmac;

use super::boot_folder::Secret;

pub(crate) struct Identity {
    /// The name and the credentials, each after its length.
    bytes: Vec<u8>,
}

impl Identity {
    pub(crate) fn new<'a>(name: &str, credentials: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut identity = Self { bytes: Vec::new() };
        identity.add(name.as_bytes());
        for credential in credentials {
            identity.add(credential);
        }
        identity
    }

    fn add(&mut self, part: &[u8]) {
        self.bytes.extend((part.len() as u64).to_le_bytes());
        self.bytes.extend(part);
    }

    /// The beginning of the names of files. It reveals nothing about the credentials to a reader who does not know the
    /// secret.
    pub(super) fn stem(&self, secret: &Secret) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let digest = hmac::sign(&key, &self.bytes);
        let mut stem = String::new();
        for byte in &digest.as_ref()[..16] {
            stem.push_str(&format!("{byte:02x}"));
        }
        stem
    }
}
