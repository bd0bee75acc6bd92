//! A TLS server with a certificate of a test authority.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

pub(crate) const KEY: &str = "canary-key";
pub(crate) const DATA: &str = r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#;

/// An authority that signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// The authority's own certificate.
    pub(crate) pem: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Creates a certificate for a client of this name, and the key of the certificate.
    pub(crate) fn client(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// Creates the acceptor of a server that requires a client certificate of this authority.
    pub(crate) fn strict_acceptor(&self, name: &str) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes()).unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone()).build().unwrap();
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let (certificate, key) = self.client(name);
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let config = config.with_client_cert_verifier(verifier).with_single_cert(vec![certificate], key).unwrap();
        Arc::new(config).into()
    }

    /// Creates the acceptor of a server whose certificate is for this name, and is valid or has long expired.
    pub(crate) fn acceptor(&self, name: &str, expired: bool, alpn: &[&str]) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        if expired {
            params.not_after = rcgen::date_time_ymd(2001, 1, 1);
        }
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let certificates = vec![certificate.der().clone()];
        let mut config = config.with_no_client_auth().with_single_cert(certificates, key).unwrap();
        config.alpn_protocols = alpn.iter().map(|protocol| (*protocol).into()).collect();
        Arc::new(config).into()
    }
}

/// Accepts connections until the test ends, and returns the local port.
pub(crate) async fn listen<F: Future<Output = ()> + Send + 'static>(
    serve: impl Fn(TcpStream) -> F + Send + 'static,
) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    port
}

/// Starts a server that responds to every request with one record, over TLS, and returns its port.
pub(crate) async fn start(acceptor: TlsAcceptor) -> u16 {
    listen(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                let stream: TlsStream<TcpStream> = stream;
                answer(stream).await;
            }
        }
    })
    .await
}

pub(crate) async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    while read_head(&mut stream).await.is_some() {
        let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{DATA}", DATA.len());
        if stream.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
        stream.flush().await.unwrap();
    }
}

pub(crate) async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}
