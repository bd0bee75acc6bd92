//! The names of base URLs of groups on other hosts: what distinguishes the host from that of the service.

/// Labels that most hosts of services have.
const GENERIC: [&str; 2] = ["api", "www"];

/// The name of the base URL of a host, next to the host of the service: `futures` for `futures.example.com` next to
/// `api.example.com`. A name that is in use gets a number.
pub(crate) fn base_url_name(host: &str, service_host: &str, is_in_use: impl Fn(&str) -> bool) -> String {
    let name = name_of(&distinctive_part(host, service_host));
    let mut free = name.clone();
    let mut number = 1;
    while is_in_use(&free) {
        number += 1;
        free = format!("{name}_{number}");
    }
    free
}

/// `true` if a host would get this name next to the host of some service.
pub(crate) fn can_have_name(host: &str, name: &str) -> bool {
    let domain = without_port(host);
    let mut services = vec![String::new()];
    if domain != host {
        services.push(domain.to_owned());
    }
    let mut end = domain;
    while let Some((_, shorter)) = end.split_once('.') {
        services.push(shorter.to_owned());
        end = shorter;
    }
    services.iter().any(|service| base_url_name(host, service, |_| false) == name)
}

/// The part of a host that the host of the service does not have.
fn distinctive_part(host: &str, service_host: &str) -> String {
    let domain = without_port(host);
    let service_domain = without_port(service_host);
    if domain == service_domain {
        return host.replace(domain, "port");
    }
    if domain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return domain.to_owned();
    }
    let mut labels: Vec<&str> = domain.split('.').collect();
    let mut own = labels.clone();
    for label in service_domain.rsplit('.') {
        if own.last() != Some(&label) {
            break;
        }
        own.pop();
    }
    if own.len() == labels.len() || own.is_empty() {
        // Without a common end, the last label is that of a registry, such as `com`.
        if labels.len() > 1 {
            labels.pop();
        }
        own = labels.split_off(labels.len().saturating_sub(2));
    }
    if own.iter().any(|label| !GENERIC.contains(label)) {
        own.retain(|label| !GENERIC.contains(label));
    }
    own.join("_")
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((domain, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => domain,
        _ => host,
    }
}

/// A text as a valid name of a base URL.
fn name_of(text: &str) -> String {
    let mut words = Vec::new();
    for word in text.to_ascii_lowercase().split(|letter: char| !letter.is_ascii_alphanumeric()) {
        if !word.is_empty() {
            words.push(word.to_owned());
        }
    }
    if words.first().is_none_or(|word| !word.starts_with(|first: char| first.is_ascii_alphabetic())) {
        words.insert(0, "host".to_owned());
    }
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_what_distinguishes_the_host() {
        for (host, service, expected) in [
            ("futures.example.com", "api.example.com", "futures"),
            ("fapi.example.com", "api.example.com", "fapi"),
            ("paper-api.example.com", "data.example.com", "paper_api"),
            ("api.broker.example.com", "api.example.com", "broker"),
            ("api.broker.com", "api.data.com", "broker"),
            ("data.broker.com", "api.data.com", "data_broker"),
            ("stats.other.io", "api.example.com", "stats_other"),
            ("example.com", "api.example.com", "example"),
            ("api.example.com", "example.com", "api"),
            ("example.com:8443", "example.com", "port_8443"),
            ("localhost", "api.example.com", "localhost"),
            ("10.0.0.1:80", "10.0.0.2", "host_10_0_0_1"),
            ("[::1]:80", "example.com", "host_1"),
            ("7days.example.com", "example.com", "host_7days"),
            ("é.example.com", "example.com", "host"),
            ("taken.example.com", "example.com", "taken_2"),
            ("", "example.com", "host"),
        ] {
            assert_eq!(base_url_name(host, service, |name| name == "taken"), expected, "{host}");
        }
    }

    #[test]
    fn a_host_can_have_the_names_that_distinguish_it() {
        for (host, name, expected) in [
            ("futures.example.com", "futures", true),
            ("api.futures.example.com", "futures", true),
            ("api.broker.com", "broker", true),
            ("example.com:8443", "port_8443", true),
            ("api.example.com", "futures", false),
            ("api.example.com", "com", false),
            ("", "futures", false),
        ] {
            assert_eq!(can_have_name(host, name), expected, "{host}");
        }
    }
}
