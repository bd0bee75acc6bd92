//! Rejects requests that name another host.
//!
//! A page in a browser could resolve its own host name to this machine (DNS rebinding), and then read from the sandbox
//! and change its faults. Such a request has the name of that host.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::Response;
use runtime::registry::ServiceInfo;

use crate::rejection::Rejection;

/// Passes a request whose host is this machine.
pub(crate) async fn pass(State(service): State<&'static ServiceInfo>, request: Request, next: Next) -> Response {
    // A request with HTTP/1.0 can lack the host; a browser always sends it.
    let is_admitted = match requested_host(&request) {
        Some(host) => is_this_machine(host),
        None => true,
    };
    if is_admitted {
        return next.run(request).await;
    }
    let message = "the header `Host` names another machine; use `localhost` or `127.0.0.1`";
    Rejection::new(StatusCode::MISDIRECTED_REQUEST, "foreign_host", message).response(service)
}

fn requested_host(request: &Request) -> Option<&str> {
    match request.headers().get(HOST) {
        Some(host) => Some(host.to_str().unwrap_or_default()),
        None => request.uri().host(),
    }
}

/// `true` if a host, with or without a port, is a loopback address or `localhost`.
fn is_this_machine(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    match name.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_accepted() {
        for host in ["127.0.0.1:8700", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8700"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["", "evil.example", "127.0.0.1.evil.example:8700", "localhost.evil.example", "10.0.0.1", "a b"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
