//! The hosts that are reached without a proxy, as `NO_PROXY` lists them for curl.

use std::net::IpAddr;

use crate::transport::address::bare;

/// The entries of `NO_PROXY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoProxy {
    /// The list is `*`.
    All,
    Some(Vec<Entry>),
}

/// One entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// An address, or all addresses that begin with the same bits.
    Network { address: IpAddr, prefix: u32 },
    /// A host name in lower case, with its subdomains.
    Domain(String),
}

impl NoProxy {
    /// Reads a list whose entries are separated by commas or white space. An entry that is neither a name, an address nor
    /// a network matches nothing.
    pub(super) fn parse(list: &str) -> Self {
        let mut entries = Vec::new();
        for entry in list.split(|character: char| character == ',' || character.is_whitespace()) {
            if entry == "*" {
                return Self::All;
            }
            entries.extend(Entry::parse(entry));
        }
        Self::Some(entries)
    }

    /// `true` if a host is reached without a proxy.
    pub(super) fn contains(&self, host: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(entries) => entries.iter().any(|entry| entry.contains(host)),
        }
    }
}

impl Entry {
    fn parse(entry: &str) -> Option<Self> {
        let entry = bare(entry);
        if let Some((address, prefix)) = entry.split_once('/') {
            let address: IpAddr = bare(address).parse().ok()?;
            let prefix = prefix.parse().ok()?;
            return if prefix <= width(address) { Some(Self::Network { address, prefix }) } else { None };
        }
        if let Ok(address) = entry.parse() {
            return Some(Self::Network { address, prefix: width(address) });
        }
        let domain = without_final_dot(entry.trim_start_matches("*.").trim_start_matches('.'));
        if domain.is_empty() { None } else { Some(Self::Domain(domain.to_ascii_lowercase())) }
    }

    fn contains(&self, host: &str) -> bool {
        match (self, bare(host).parse::<IpAddr>()) {
            (Self::Network { address, prefix }, Ok(host)) => begin_alike(*address, host, *prefix),
            (Self::Domain(domain), Err(_)) => {
                let host = without_final_dot(host).to_ascii_lowercase();
                match host.strip_suffix(domain.as_str()) {
                    Some(parent) => parent.is_empty() || parent.ends_with('.'),
                    None => false,
                }
            }
            _ => false,
        }
    }
}

fn without_final_dot(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// The number of bits of an address.
fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// `true` if two addresses of the same family have the same first bits.
fn begin_alike(one: IpAddr, other: IpAddr, bits: u32) -> bool {
    if one.is_ipv4() != other.is_ipv4() {
        return false;
    }
    let differing = number(one) ^ number(other);
    differing.checked_shr(width(one) - bits).unwrap_or(0) == 0
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u32::from(address).into(),
        IpAddr::V6(address) => address.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_spared_as_by_curl() {
        let table = [
            ("*", "example.com", true),
            ("*", "10.1.2.3", true),
            ("*", "[2001:db8::1]", true),
            (" * ", "10.1.2.3", true),
            ("a.org, *", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false),
            ("10.1.0.0/16", "10.1.255.7", true),
            ("10.1.0.0/16", "10.2.0.0", false),
            ("10.1.2.3/16", "10.1.9.9", true),
            ("0.0.0.0/0", "192.0.2.1", true),
            ("10.0.0.0/33", "10.0.0.0", false),
            ("10.0.0.0/x", "10.0.0.0", false),
            ("2001:db8::/32", "[2001:db8:7::1]", true),
            ("2001:db8::/32", "[2001:db9::1]", false),
            ("::/0", "[2001:db9::1]", true),
            ("::/0", "10.0.0.1", false),
            ("[2001:db8::1]", "[2001:db8::1]", true),
            ("2001:db8::1", "[2001:DB8:0::1]", true),
            ("example.com", "example.com", true),
            ("Example.COM", "api.eXample.com", true),
            (".example.com", "example.com", true),
            ("*.example.com", "api.example.com", true),
            ("example.com.", "example.com", true),
            ("example.com", "example.com.", true),
            ("ample.com", "example.com", false),
            ("a.org b.org,c.org", "b.org", true),
            ("1.2.3.4", "x1.2.3.4", false),
            ("2.3.4", "1.2.3.4", false),
            ("", "example.com", false),
            (",. ,", "example.com", false),
        ];
        for (list, host, expected) in table {
            assert_eq!(NoProxy::parse(list).contains(host), expected, "{list:?} {host}");
        }
    }
}
