//! The client certificate, for a server that requires one.
//!
//! Converts PEM to the types of rustls. No error contains any content of the PEM.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::settings::SettingsError;

/// A certificate with its chain of intermediate certificates, and its key.
pub(crate) type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Reads the certificates and the key, each from PEM.
pub(crate) fn read(certificates: &[u8], key: &[u8]) -> Result<Identity, SettingsError> {
    let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| SettingsError::new(CERTIFICATE).with_source(error))?;
    if chain.is_empty() {
        return Err(
            SettingsError::new(CERTIFICATE).with_hint("expected PEM that begins with `-----BEGIN CERTIFICATE-----`")
        );
    }
    // The cause is omitted from the error, because it may quote the key.
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
        let hint = "expected unencrypted PEM that begins with `-----BEGIN PRIVATE KEY-----`";
        SettingsError::new("the key of an invalid client certificate").with_hint(hint)
    })?;
    Ok((chain, key))
}

/// The error for an invalid certificate, or one that does not match its key.
pub(crate) const CERTIFICATE: &str = "invalid client certificate";
