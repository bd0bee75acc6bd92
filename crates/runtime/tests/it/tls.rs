//! Tests of the certificates that the built-in transport trusts, and of the errors for other certificates, with a real
//! server.

use runtime::{Builder, ErrorKind, Retry};
use test_service::invented::Client;

use crate::encrypted::{Authority, KEY, start};

fn builder(port: u16) -> Builder<Client> {
    Client::builder(format!("https://localhost:{port}/v2")).api_key(KEY).retry(Retry::none())
}

/// Returns the error of a request as formatted by `{:#}`, from the word `certificate` on, without the port and the
/// attempts.
async fn error_text(builder: Builder<Client>, port: u16) -> String {
    let error = builder.build().unwrap().raw("/x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(!error.is_retryable() && !error.is_timeout());
    let text = format!("{error:#}").replace(&port.to_string(), "PORT");
    let (start, rest) = text.split_once(" certificate ").unwrap();
    assert_eq!(start, "client.raw (GET /x): the");
    let (what, cost) = rest.split_once("; after 1 attempt in ").unwrap();
    assert!(cost.contains(": client error (Connect): invalid peer certificate: "), "{cost}");
    what.to_owned()
}

#[tokio::test]
async fn custom_root_is_trusted_in_addition() {
    let (authority, another) = (Authority::new("ours"), Authority::new("theirs"));
    let port = start(authority.acceptor("localhost", false, &[])).await;
    for pem in [authority.pem.clone(), another.pem.clone() + &authority.pem] {
        let client = builder(port).root_certificate(pem).build().unwrap();
        assert_eq!(client.market().ratio().symbol("BTC").await.unwrap().records.len(), 1);
    }
    let client = builder(port).root_certificate(another.pem).root_certificate(authority.pem).build().unwrap();
    client.raw("/x").await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_trusted_gets_no_request() {
    let authority = Authority::new("ours");
    let untrusted =
        "of `localhost:PORT` is not signed by a trusted root; add its root certificate (`root_certificate`)";
    let port = start(authority.acceptor("localhost", false, &[])).await;
    assert_eq!(error_text(builder(port), port).await, untrusted);
    let another = Authority::new("theirs");
    assert_eq!(error_text(builder(port).root_certificate(another.pem), port).await, untrusted);
    let own = || authority.pem.clone();
    let port = start(authority.acceptor("example.com", false, &[])).await;
    let misnamed = "of `localhost:PORT` is for another host";
    assert_eq!(error_text(builder(port).root_certificate(own()), port).await, misnamed);
    let port = start(authority.acceptor("localhost", true, &[])).await;
    let text = error_text(builder(port).root_certificate(own()), port).await;
    let expected = "of `localhost:PORT` expired on Mon, 01 Jan 2001 00:00:00 GMT; \
        the clock of this machine, which may be wrong, reads ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn invalid_certificate_is_rejected() {
    let check = |pem: &str| format!("{:#}", builder(1).root_certificate(pem).build().unwrap_err());
    let expected = "invalid root certificate; expected PEM that begins with `-----BEGIN CERTIFICATE-----`";
    assert_eq!(check(""), expected);
    assert_eq!(check("root.pem"), expected);
    let block = |inside: &str| format!("-----BEGIN CERTIFICATE-----\n{inside}\n-----END CERTIFICATE-----\n");
    let expected = "invalid root certificate: invalid peer certificate: BadEncoding";
    assert_eq!(check(&block("AAAA")), expected);
    assert!(check(&block("?")).starts_with("invalid root certificate: "));
}

#[tokio::test]
async fn client_certificate_is_presented_on_request() {
    let (authority, another) = (Authority::new("ours"), Authority::new("theirs"));
    let port = start(authority.strict_acceptor("localhost")).await;
    let builder = || builder(port).root_certificate(authority.pem.clone());
    let (certificate, key) = authority.client("us");
    builder().client_certificate(certificate.clone(), &*key).build().unwrap().raw("/x").await.unwrap();
    let explained = |error: runtime::Error, expected: &str| {
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Connect, false), "{error:#}");
        assert!(error.to_string().contains(expected), "{error:#}");
    };
    let error = builder().build().unwrap().raw("/x").await.unwrap_err();
    explained(error, "requires a client certificate; set `client_certificate`");
    let (theirs, their_key) = another.client("them");
    let error = builder().client_certificate(theirs, &*their_key).build().unwrap().raw("/x").await.unwrap_err();
    explained(error, "rejected the client certificate, or requires one; check `client_certificate`");
    let check = |certificate: &str, key: &str| {
        let error = builder().client_certificate(certificate, key).build().unwrap_err();
        let text = format!("{error:#} {error:?}");
        assert!(!text.contains(key.lines().nth(1).unwrap_or(key)), "{text}");
        error.to_string()
    };
    assert_eq!(check(&certificate, &their_key), "invalid client certificate");
    let expected = "invalid client certificate; expected PEM that begins with `-----BEGIN CERTIFICATE-----`";
    assert_eq!(check("us.pem", &key), expected);
    let expected = "invalid key of the client certificate; \
        expected unencrypted PEM that begins with `-----BEGIN PRIVATE KEY-----`";
    assert_eq!(check(&certificate, "canary"), expected);
}

#[cfg(feature = "system-roots")]
mod system_roots {
    use super::*;
    use crate::alone::{is_alone, run_alone};

    #[tokio::test]
    async fn a_root_of_the_system_is_trusted() {
        if is_alone() {
            let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
            builder(port).system_roots().build().unwrap().raw("/x").await.unwrap();
            // Without `system_roots`, the certificate of the server is not trusted.
            assert!(
                error_text(builder(port), port)
                    .await
                    .starts_with("of `localhost:PORT` is not signed by a trusted root")
            );
            return;
        }
        let authority = Authority::new("ours");
        let port = start(authority.acceptor("localhost", false, &[])).await;
        let file = std::env::temp_dir().join(format!("generated-client-{port}.pem"));
        std::fs::write(&file, authority.pem).unwrap();
        let (path, port) = (file.to_str().unwrap().to_owned(), port.to_string());
        let child = move || {
            run_alone(
                "tls::system_roots::a_root_of_the_system_is_trusted",
                &[("SSL_CERT_FILE", &path), ("PORT", &port)],
            );
        };
        let outcome = tokio::task::spawn_blocking(child).await;
        std::fs::remove_file(file).unwrap();
        outcome.unwrap();
    }

    #[test]
    fn system_without_roots_is_an_error_with_help() {
        if !is_alone() {
            let environment = [("SSL_CERT_FILE", "/nowhere/roots.pem")];
            return run_alone("tls::system_roots::system_without_roots_is_an_error_with_help", &environment);
        }
        let error = builder(1).system_roots().build().unwrap_err();
        let expected = "no root certificate was found on this system; \
            install `ca-certificates`, set `SSL_CERT_FILE` to a PEM file, \
            or omit `system_roots` to trust the bundled certificates";
        assert_eq!(error.to_string(), expected);
        assert!(format!("{error:#}").contains(": failed to read PEM from file: "), "{error:#}");
    }
}
