//! Checks of the host and the port in a URL.

use std::net::IpAddr;

use http::uri::Authority;

/// `true` if the port is omitted or is from 1 to 65535.
pub(crate) fn is_port_usable(authority: &Authority) -> bool {
    let left_to_the_scheme = authority.as_str() == authority.host();
    left_to_the_scheme || authority.port_u16().is_some_and(|port| port != 0)
}

/// `true` if a host name or an address refers to this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || bare(host).parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// An IPv6 address without the brackets that surround it in a URL; any other host is unchanged.
pub(crate) fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}
