//! The target of a request, and the words of a rule that select it: its endpoint, or the value of a param.

use axum::http::Uri;
use runtime::registry::{EndpointInfo, Registry};

use crate::paths::{endpoint_at, endpoints_with_path, is_token};

/// The part of the service that a request is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FaultTarget {
    Token,
    Endpoint(&'static EndpointInfo),
    Other,
}

/// The names and values of the params of a request, as sent.
pub(crate) type RequestParams = Vec<(String, String)>;

impl FaultTarget {
    /// The target of a URL on the server, and its params.
    pub(crate) fn of(registry: Registry, uri: &Uri) -> (Self, RequestParams) {
        let mut target = if is_token(registry, uri.path()) { Self::Token } else { Self::Other };
        let mut params = RequestParams::new();
        if let Some((endpoint, values)) = endpoint_at(registry, uri) {
            target = Self::Endpoint(endpoint);
            for (name, value) in values {
                params.push((name.to_owned(), value));
            }
        }
        params.extend(form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned());
        (target, params)
    }

    pub(crate) const fn endpoint(self) -> Option<&'static EndpointInfo> {
        if let Self::Endpoint(endpoint) = self { Some(endpoint) } else { None }
    }

    /// `true` if a word of a rule selects a request. The word is `all`, `token`, a group, an endpoint as
    /// `group.method`, a path, or the value of a param as `name=value`.
    pub(super) fn is_named(self, word: &str, params: &RequestParams) -> bool {
        if let Some((name, value)) = word.split_once('=') {
            return is_sent(params, name, value);
        }
        match self {
            _ if word == ALL => true,
            Self::Token => word == TOKEN,
            Self::Endpoint(endpoint) => {
                endpoint.path == Some(word) || endpoint.group == word || endpoint.to_string() == word
            }
            Self::Other => false,
        }
    }
}

/// `true` if a param has this value, alone or in a list.
fn is_sent(params: &RequestParams, name: &str, value: &str) -> bool {
    for (sent_name, sent) in params {
        if sent_name == name && sent.split(',').any(|sent_value| sent_value == value) {
            return true;
        }
    }
    false
}

const ALL: &str = "all";
const TOKEN: &str = "token";

/// `true` if a word is `name=value` with the name of a param in this registry.
pub(super) fn is_param(registry: Registry, word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    endpoints_with_path(registry).any(|(_, endpoint)| endpoint.param(name).is_some())
}

/// Every word that names a target in this registry.
pub(super) fn words(registry: Registry) -> Vec<String> {
    let mut words = vec![ALL.to_owned()];
    if registry.service.client_credentials.is_some() {
        words.push(TOKEN.to_owned());
    }
    for (path, endpoint) in endpoints_with_path(registry) {
        words.extend([path.to_owned(), endpoint.to_string(), endpoint.group.to_owned()]);
    }
    words
}

#[cfg(test)]
pub(super) mod tests {
    use runtime::registry::{GroupInfo, RecordInfo, ServiceInfo};

    use super::*;

    pub(crate) static BOOK: EndpointInfo =
        EndpointInfo { path: Some("/orderBook"), ..EndpointInfo::new("market", "order_book", "Order book") };
    static TRADES: EndpointInfo =
        EndpointInfo { path: Some("/trades"), ..EndpointInfo::new("market", "trades", "Trades") };
    static MARKET: GroupInfo = GroupInfo {
        ident: "market",
        title: "Market",
        summary: "",
        aliases: &[],
        notes: "",
        endpoints: &[&BOOK, &TRADES],
    };
    static GROUPS: [&GroupInfo; 1] = [&MARKET];
    static SERVICE: ServiceInfo = ServiceInfo::new("A service");
    static METADATA: RecordInfo = RecordInfo::new("Metadata", &[]);
    pub(crate) const REGISTRY: Registry = Registry::new(&SERVICE, &GROUPS, &METADATA);

    #[test]
    fn target_is_parsed_from_its_words() {
        let table = [
            ("all", [true; 4]),
            ("token", [true, false, false, false]),
            ("market", [false, true, true, false]),
            ("market.order_book", [false, true, false, false]),
            ("/trades", [false, false, true, false]),
        ];
        for (word, expected) in table {
            let targets =
                [FaultTarget::Token, FaultTarget::Endpoint(&BOOK), FaultTarget::Endpoint(&TRADES), FaultTarget::Other];
            assert_eq!(targets.map(|target| target.is_named(word, &vec![])), expected, "{word}");
        }
        assert!(!words(REGISTRY).contains(&TOKEN.to_owned()), "a service without a token endpoint");
    }
}
