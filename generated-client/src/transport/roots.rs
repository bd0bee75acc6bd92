//! Whose word is taken for who a server is.
//!
//! The bundled Mozilla roots, or those of the system, and whatever the user adds; out goes what TLS needs.
//! The provider of cryptography is passed explicitly, so another one elsewhere in the program does not matter.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::error::Error;

/// The root certificates that are trusted.
#[derive(Default)]
pub(crate) struct Roots {
    /// Each as it was given: PEM with one certificate or more.
    added: Vec<Vec<u8>>,
    #[cfg(feature = "system-roots")]
    system: bool,
}

impl Roots {
    pub(crate) fn add(&mut self, pem: Vec<u8>) {
        self.added.push(pem);
    }

    #[cfg(feature = "system-roots")]
    pub(crate) fn use_system(&mut self) {
        self.system = true;
    }

    /// The name of a setting that was made, if any was.
    pub(super) fn setting(&self) -> Option<&'static str> {
        #[cfg(feature = "system-roots")]
        if self.system {
            return Some("system_roots");
        }
        self.added.first().map(|_| "root_certificate")
    }

    /// How to encrypt, and whom to trust.
    pub(super) fn config(&self) -> Result<ClientConfig, Error> {
        let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        #[cfg(feature = "system-roots")]
        if self.system {
            store = system()?;
        }
        for pem in &self.added {
            add(&mut store, pem)?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::build("encryption cannot be set up").because(error))?;
        Ok(config.with_root_certificates(store).with_no_client_auth())
    }
}

fn add(store: &mut RootCertStore, pem: &[u8]) -> Result<(), Error> {
    let wrong = "the root certificate cannot be used";
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| Error::build(wrong).because(error))?;
    if certificates.is_empty() {
        return Err(Error::build(wrong).with_hint("give it as PEM, from `-----BEGIN CERTIFICATE-----` on"));
    }
    for certificate in certificates {
        store.add(certificate).map_err(|error| Error::build(wrong).because(error))?;
    }
    Ok(())
}

#[cfg(feature = "system-roots")]
fn system() -> Result<RootCertStore, Error> {
    let mut found = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    // A system may hold some that rustls cannot read; one of those is missed only if a server needs it.
    store.add_parsable_certificates(found.certs);
    if !store.is_empty() {
        return Ok(store);
    }
    let none = Error::build("no root certificate was found on this system").with_hint(
        "install `ca-certificates`, let `SSL_CERT_FILE` name a PEM file, or leave `system_roots` out to trust the bundled ones",
    );
    Err(match found.errors.pop() {
        Some(error) => none.because(error),
        None => none,
    })
}
