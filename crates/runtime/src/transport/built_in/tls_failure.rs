//! Explains why a TLS connection failed, with the setting or the clock that is the likely cause.

use std::error::Error as StdError;
use std::time::{Duration, SystemTime};

use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error as TlsError};

/// The explanation of a failure.
pub(super) struct TlsFailure {
    /// The part of a sentence after the name of the subject.
    pub(super) text: String,
    /// True if the certificate of the server is the subject, and not the server itself.
    pub(super) is_about_certificate: bool,
}

/// Explains `cause`, if it is an error of TLS that would occur again.
pub(super) fn explain(cause: &(dyn StdError + 'static)) -> Option<TlsFailure> {
    match cause.downcast_ref()? {
        TlsError::InvalidCertificate(fault) => {
            Some(TlsFailure { text: of_certificate(fault), is_about_certificate: true })
        }
        TlsError::AlertReceived(alert) => of_alert(*alert).map(of_server),
        TlsError::InvalidMessage(_) => Some(of_server("does not use TLS; check scheme and port of the base URL")),
        TlsError::PeerIncompatible(_) => Some(of_server(NO_COMMON_VERSION)),
        _ => None,
    }
}

fn of_server(text: &str) -> TlsFailure {
    TlsFailure { text: text.to_owned(), is_about_certificate: false }
}

const NO_COMMON_VERSION: &str = "supports neither TLS 1.2 nor TLS 1.3 with a cipher of this client";

/// Explains an alert of the server; `None` if the same connection may succeed later.
fn of_alert(alert: AlertDescription) -> Option<&'static str> {
    Some(match alert {
        AlertDescription::CertificateRequired => "requires a client certificate; set `client_certificate`",
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA
        | AlertDescription::AccessDenied => {
            "rejected the client certificate, or requires one; check `client_certificate`"
        }
        AlertDescription::HandshakeFailure => {
            "rejected the TLS handshake; it may require a client certificate (`client_certificate`)"
        }
        AlertDescription::UnrecognisedName => "does not know this host name; check the base URL",
        AlertDescription::ProtocolVersion | AlertDescription::InsufficientSecurity => NO_COMMON_VERSION,
        _ => return None,
    })
}

fn of_certificate(fault: &CertificateError) -> String {
    match fault {
        CertificateError::UnknownIssuer => {
            "is not signed by a trusted root; add its root certificate (`root_certificate`)".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is for another host".to_owned()
        }
        CertificateError::ExpiredContext { time, not_after } => {
            format!("expired on {}; {}", date(*not_after), clock(*time))
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            format!("is not valid before {}; {}", date(*not_before), clock(*time))
        }
        CertificateError::Expired => "has expired; check the clock of this machine".to_owned(),
        CertificateError::NotValidYet => "is not valid yet; check the clock of this machine".to_owned(),
        CertificateError::Revoked => "is revoked".to_owned(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "is not for servers".to_owned()
        }
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "is self-signed as that of an authority (`CA:TRUE`); \
             the server needs a certificate without this mark, and its root certificate must be added (`root_certificate`)"
                .to_owned()
        }
        _ => "is not trusted".to_owned(),
    }
}

fn clock(time: UnixTime) -> String {
    format!("the clock of this machine, which may be wrong, reads {}", date(time))
}

fn date(time: UnixTime) -> String {
    // The format of HTTP dates ends in the year 9999.
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(time.as_secs().min(253_402_300_799));
    httpdate::fmt_http_date(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: &TlsError) -> Option<String> {
        explain(error).map(|failure| failure.text)
    }

    #[test]
    fn cause_of_the_clock_is_named() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let early = CertificateError::NotValidYetContext { time: at(0), not_before: at(86_400) };
        let expected = "is not valid before Fri, 02 Jan 1970 00:00:00 GMT; \
            the clock of this machine, which may be wrong, reads Thu, 01 Jan 1970 00:00:00 GMT";
        assert_eq!(check(&TlsError::InvalidCertificate(early)).as_deref(), Some(expected));
        let late = CertificateError::ExpiredContext { time: at(u64::MAX), not_after: at(0) };
        let expected = "expired on Thu, 01 Jan 1970 00:00:00 GMT; \
            the clock of this machine, which may be wrong, reads Fri, 31 Dec 9999 23:59:59 GMT";
        assert_eq!(check(&TlsError::InvalidCertificate(late)).as_deref(), Some(expected));
    }

    #[test]
    fn alert_that_would_come_again_is_explained() {
        let required = check(&TlsError::AlertReceived(AlertDescription::CertificateRequired));
        assert_eq!(required.as_deref(), Some("requires a client certificate; set `client_certificate`"));
        assert_eq!(check(&TlsError::AlertReceived(AlertDescription::InternalError)), None);
        assert_eq!(check(&TlsError::HandshakeNotComplete), None);
    }
}
