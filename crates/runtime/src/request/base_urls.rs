//! The base URLs of a client: that of the service, and those of groups on other hosts.
//!
//! All of them are settings, and are checked when the client is built. A base URL of a group can be omitted; a request of
//! such a group is then an error, which names the setting, and nothing is sent.

use std::collections::BTreeMap;

use super::check;
use crate::error::Error;
use crate::registry::{BaseUrlInfo, EndpointInfo, ServiceInfo};

/// The base URLs that the user has set.
#[derive(Default)]
pub(crate) struct BaseUrlSettings {
    pub(crate) service: String,
    /// By the names of the settings.
    pub(crate) groups: BTreeMap<String, String>,
    /// Whether an unencrypted base URL may name another machine.
    pub(crate) allow_http: bool,
}

/// The checked base URLs, without a slash at their ends.
pub(crate) struct BaseUrls {
    info: &'static ServiceInfo,
    service: String,
    /// By the names of the settings.
    groups: BTreeMap<&'static str, String>,
}

impl BaseUrls {
    /// Checks the base URLs of a service.
    pub(crate) fn new(info: &'static ServiceInfo, settings: &BaseUrlSettings) -> Result<Self, Error> {
        let suffix = info.base_url_suffix;
        let service = check::base_url("the base URL", &settings.service, suffix, settings.allow_http)?;
        let mut groups = BTreeMap::new();
        for (name, url) in &settings.groups {
            let Some(known) = info.base_urls.iter().find(|known| known.name == name) else {
                return Err(unknown_name(info, name));
            };
            let what = format!("the base URL of `{name}`");
            groups.insert(known.name, check::base_url(&what, url, known.suffix, settings.allow_http)?);
        }
        Ok(Self { info, service, groups })
    }

    /// The base URL of the service.
    pub(crate) fn service(&self) -> &str {
        &self.service
    }

    /// The base URL of an endpoint, or an error that names the missing setting.
    pub(crate) fn of(&self, endpoint: &EndpointInfo) -> Result<&str, Error> {
        let Some(info) = self.info.base_url_of(endpoint) else { return Ok(&self.service) };
        let url = self.groups.get(info.name);
        url.map(String::as_str).ok_or_else(|| self.missing(info, endpoint))
    }

    fn missing(&self, info: &BaseUrlInfo, endpoint: &EndpointInfo) -> Error {
        let BaseUrlInfo { name, .. } = info;
        let group = endpoint.group;
        let message = format!("the base URL of `{name}` is not set, and the endpoints of `{group}` are on that host");
        let variable = info.variable(self.info);
        let in_program = format!("`base_url(\"{name}\", …)` of the builder");
        let hint = format!("set {variable}, or `{name}` below `base_urls` in a settings file, or call {in_program}");
        Error::build(message).with_hint(hint).of_missing_setting()
    }
}

/// The error for a base URL that no group has.
fn unknown_name(info: &ServiceInfo, name: &str) -> Error {
    let mut known = Vec::new();
    for info in info.base_urls {
        known.push(format!("`{}`", info.name));
    }
    let error = Error::build(format!("no group has the base URL `{name}`"));
    if known.is_empty() {
        return error.with_hint("all endpoints have the base URL of the service");
    }
    error.with_hint(format!("known names: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: ServiceInfo = ServiceInfo {
        env_prefix: "INVENTED",
        base_url_suffix: "/v2",
        base_urls: &[BaseUrlInfo { name: "broker", suffix: "/v1", groups: &["orders", "accounts"] }],
        ..ServiceInfo::new("Invented")
    };
    const RATIO: EndpointInfo = EndpointInfo::new("market", "ratio", "Ratio");
    const ORDERS: EndpointInfo = EndpointInfo::new("orders", "orders", "Orders");
    const ACCOUNTS: EndpointInfo = EndpointInfo::new("accounts", "accounts", "Accounts");

    fn check(groups: &[(&str, &str)]) -> Result<BaseUrls, String> {
        let mut settings =
            BaseUrlSettings { service: "https://data.test/v2/".to_owned(), ..BaseUrlSettings::default() };
        for (name, url) in groups {
            settings.groups.insert((*name).to_owned(), (*url).to_owned());
        }
        BaseUrls::new(&SERVICE, &settings).map_err(|error| error.to_string())
    }

    #[test]
    fn groups_of_one_name_have_one_base_url() {
        let urls = check(&[("broker", " https://broker.test/api/v1/ ")]).map_err(|error| panic!("{error}")).unwrap();
        for (endpoint, expected) in [
            (&RATIO, "https://data.test/v2"),
            (&ORDERS, "https://broker.test/api/v1"),
            (&ACCOUNTS, "https://broker.test/api/v1"),
        ] {
            assert_eq!(urls.of(endpoint).ok(), Some(expected));
        }
    }

    #[test]
    fn a_missing_base_url_is_named() {
        let urls = check(&[]).map_err(|error| panic!("{error}")).unwrap();
        assert_eq!(urls.of(&RATIO).ok(), Some("https://data.test/v2"));
        let error = urls.of(&ORDERS).unwrap_err().to_string();
        let expected = "the base URL of `broker` is not set, and the endpoints of `orders` are on that host; set \
                        INVENTED_BROKER_BASE_URL, or `broker` below `base_urls` in a settings file, or call \
                        `base_url(\"broker\", …)` of the builder";
        assert_eq!(error, expected);
    }

    #[test]
    fn an_invalid_base_url_is_named() {
        for (name, url, expected) in [
            ("broker", "https://broker.test", "the base URL of `broker` \"https://broker.test\" must end in `/v1`"),
            ("broker", "http://broker.test/v1", "is not encrypted"),
            ("broker", "", "the base URL of `broker` is not a URL"),
            ("brokers", "https://broker.test/v1", "no group has the base URL `brokers`; known names: `broker`"),
        ] {
            let error = check(&[(name, url)]).err().unwrap_or_default();
            assert!(error.contains(expected), "{error}");
        }
    }
}
