//! The trusted root certificates and the optional client certificate.
//!
//! The TLS configuration trusts either the bundled Mozilla root certificates or those of the system, plus the
//! certificates that the user adds. The crypto provider is passed explicitly, so another provider in the program has no
//! effect. Errors never contain the content of a PEM file.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::error::Error;
use crate::transport::settings::TransportSettings;

/// Creates the TLS configuration, with the crypto provider and the certificates.
pub(crate) fn config(settings: &TransportSettings) -> Result<ClientConfig, Error> {
    let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    #[cfg(feature = "system-roots")]
    if settings.system_roots {
        store = system()?;
    }
    let invalid = "invalid root certificate";
    for pem in &settings.root_certificates {
        for certificate in certificates(pem, invalid)? {
            store.add(certificate).map_err(|error| Error::build(invalid).with_source(error))?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::build("TLS cannot be initialized").with_source(error))?;
    let config = config.with_root_certificates(store);
    let Some((chain, key)) = &settings.client_certificate else { return Ok(config.with_no_client_auth()) };
    let invalid = "invalid client certificate";
    let chain = certificates(chain, invalid)?;
    // The cause is omitted from the error, because it may quote the key.
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
        Error::build(
            "invalid key of the client certificate; expected unencrypted PEM that begins with `-----BEGIN PRIVATE KEY-----`",
        )
    })?;
    config.with_client_auth_cert(chain, key).map_err(|error| Error::build(invalid).with_source(error))
}

/// Reads one or more certificates from PEM; `invalid` is the message of the error.
fn certificates(pem: &[u8], invalid: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| Error::build(invalid).with_source(error))?;
    if certificates.is_empty() {
        return Err(Error::build(format!("{invalid}; expected PEM that begins with `-----BEGIN CERTIFICATE-----`")));
    }
    Ok(certificates)
}

#[cfg(feature = "system-roots")]
fn system() -> Result<RootCertStore, Error> {
    let mut found = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    // Certificates that rustls cannot parse are skipped, because most servers do not depend on them.
    store.add_parsable_certificates(found.certs);
    if !store.is_empty() {
        return Ok(store);
    }
    let none = Error::build(
        "no root certificate was found on this system; install `ca-certificates`, set `SSL_CERT_FILE` to a PEM file, or omit `system_roots` to trust the bundled certificates",
    );
    Err(found.errors.pop().into_iter().fold(none, Error::with_source))
}
