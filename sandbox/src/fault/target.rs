//! The target of a request, and the words that name it in a rule.

use axum::http::Uri;
use runtime::registry::{EndpointInfo, Registry};

use crate::routes::{Shared, callable};

/// The part of the service that a request is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Token,
    Endpoint(&'static EndpointInfo),
    Other,
}

impl Target {
    /// Returns the target of a URL on the server.
    pub(crate) fn of(shared: &Shared, uri: &Uri) -> Self {
        let other = || if shared.is_token(uri.path()) { Self::Token } else { Self::Other };
        shared.endpoint_at(uri).map_or_else(other, |(endpoint, _)| Self::Endpoint(endpoint))
    }

    pub(crate) const fn endpoint(self) -> Option<&'static EndpointInfo> {
        if let Self::Endpoint(endpoint) = self { Some(endpoint) } else { None }
    }

    /// Returns `true` if a word of a rule matches this target. The word is `all`, `token`, a group, an endpoint as
    /// `group.method`, or a path.
    pub(super) fn is_named(self, word: &str) -> bool {
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

const ALL: &str = "all";
const TOKEN: &str = "token";

/// Returns every word that names a target in this registry.
pub(super) fn words(registry: Registry) -> Vec<String> {
    let token = registry.service.client_credentials.as_ref().map(|_| TOKEN);
    let fixed = [ALL].into_iter().chain(token).map(str::to_owned);
    let endpoints = callable(registry)
        .flat_map(|(path, endpoint)| [path.to_owned(), endpoint.to_string(), endpoint.group.to_owned()]);
    fixed.chain(endpoints).collect()
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
            let targets = [Target::Token, Target::Endpoint(&BOOK), Target::Endpoint(&TRADES), Target::Other];
            assert_eq!(targets.map(|target| target.is_named(word)), expected, "{word}");
        }
        assert!(!words(REGISTRY).contains(&TOKEN.to_owned()), "a service without a token endpoint");
    }
}
