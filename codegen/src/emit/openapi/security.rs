//! Emits the credentials: an API key alone, or an API key with an access token that the client requests first.

use super::{Description, described, some, source};
use crate::emit::json_object::{Object, typed};
use crate::model::{ClientCredentials, KeyCarrier};

const API_KEY: &str = "api_key";
const TOKEN: &str = "client_credentials";
const TOKEN_SUMMARY: &str = "A bearer token, requested with the client id and secret, and sent in addition to the key.";

fn http(scheme: &str) -> Object {
    typed("http").with("scheme", scheme)
}

fn key_in(part: &str, name: &str) -> Object {
    typed("apiKey").with("in", part).with("name", name)
}

impl Description<'_> {
    /// Returns the alternative sets of credentials: the key alone, and the key with a token.
    pub(super) fn security(&self) -> Vec<Object> {
        let service = &self.api.service;
        let nothing = || Vec::<String>::new();
        let key = service.api_key.iter().fold(Object::default(), |object, _| object.with(API_KEY, nothing()));
        let with_token = service.credentials.client_credentials.as_ref().map(|_| key.clone().with(TOKEN, nothing()));
        // An empty requirement means that a request without credentials is accepted.
        let without = service.api_key.as_ref().filter(|key| key.optional).map(|_| Object::default());
        some(key.clone()).into_iter().chain(with_token).chain(without).collect()
    }

    pub(super) fn security_schemes(&self) -> Object {
        let service = &self.api.service;
        let key = service.api_key.as_ref().map(|key| {
            let scheme = match &key.carrier {
                KeyCarrier::Header { name, prefix } if name == "authorization" && prefix == "Bearer " => http("bearer"),
                KeyCarrier::Basic => http("basic"),
                KeyCarrier::Header { name, .. } => key_in("header", name),
                KeyCarrier::Query(name) => key_in("query", name),
            };
            let often = if key.optional { "An optional API key." } else { "The API key, sent with every request." };
            scheme.and(described(often, [source(key.evidence)], ""))
        });
        let token = service.credentials.client_credentials.as_ref().map(|flow| self.flow(flow));
        Object::default().with_some(API_KEY, key).with_some(TOKEN, token)
    }

    fn flow(&self, flow: &ClientCredentials) -> Object {
        // The URL is relative, because only the user knows the host.
        let url = format!("{}{}", self.api.service.base_url_suffix(), flow.path);
        let client_credentials = Object::default().with("tokenUrl", url).with("scopes", Object::default());
        typed("oauth2")
            .and(described(TOKEN_SUMMARY, [source(flow.evidence)], &flow.notes))
            .with("flows", Object::default().with("clientCredentials", client_credentials))
    }
}
