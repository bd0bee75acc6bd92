//! Adds the facts about the entire service to the items of a client.

use catalogue::model::{Group, KeyCarrier};
use catalogue::spec::Text;

use super::Verdict::{Major, Minor, Patch};
use super::public_items::{Items, Kind};

impl Items<'_> {
    /// Adds the facts of the service, and the constants of its limits.
    pub(super) fn service(&mut self) {
        let declared = &self.api.service.declared;
        self.fact("", "the environment variables begin with", Major, format!("`{}_`", declared.env_prefix));
        let unit = format!("`{}`", declared.time_form().word());
        self.fact("", "timestamps without their own unit or format are in", Patch, unit);
        if let Some(envelope) = &declared.envelope {
            self.fact("", "the records of a series are read from", Patch, format!("`{}`", envelope.data));
        }
        self.error_body();
        self.rate_limit_signs();
        self.credentials();
        for limit in &declared.limits {
            let name = format!("limits::{}", limit.constant());
            let value = format!("{} requests in {} s", limit.requests, limit.seconds);
            self.fact(&name, "the limit is", Patch, value);
            self.add(Kind::Other, "", &name, "", "");
        }
        if let Some(history) = &declared.history {
            self.history("", history);
        }
    }

    /// Adds the base URL of a group, without which its requests fail.
    pub(super) fn base_url(&mut self, accessor: &str, group: &Group) {
        let value = match &group.base_url {
            None => "that of the service".to_owned(),
            Some(base_url) if base_url.suffix().is_empty() => format!("`{}`", base_url.name),
            Some(base_url) => format!("`{}` (with `{}` at its end)", base_url.name, base_url.suffix()),
        };
        self.fact(accessor, "the base URL is", Major, value);
    }

    fn error_body(&mut self) {
        let error = &self.api.service.declared.error_body;
        let mut statuses = Vec::new();
        for status in &error.no_data_statuses {
            statuses.push(status.to_string());
        }
        self.list_fact("the message of an error is read from", &error.message);
        self.list_fact("the code of an error is read from", &error.code);
        self.list_fact("a response is a success if its status is", &texts(&error.success));
        let rate_limited = texts(&error.rate_limited);
        self.list_fact("a response is treated as one with status 429 if its status is", &rate_limited);
        self.list_fact("a series has no records if the status in the body is", &texts(&error.no_data));
        self.list_fact("a series has no records if the HTTP status is", &statuses);
    }

    fn list_fact(&mut self, what: &str, values: &[String]) {
        let value = if values.is_empty() { "unknown".to_owned() } else { format!("`{}`", values.join("`, `")) };
        self.fact("", what, Patch, value);
    }

    /// Adds the statuses and headers that show a rate limit.
    fn rate_limit_signs(&mut self) {
        let declared = &self.api.service.declared;
        let mut statuses = Vec::new();
        for status in &declared.errors {
            if status.rate_limited {
                statuses.push(status.status.to_string());
            }
        }
        if !statuses.is_empty() {
            self.fact("", "statuses that are treated like 429 are", Patch, statuses.join(", "));
        }
        if let Some(headers) = &declared.rate_limit_headers {
            let value = format!("`{}` and `{}` ({})", headers.remaining, headers.reset, headers.reset_is.word());
            self.fact("", "the rest of a rate limit is read from", Patch, value);
        }
    }

    fn credentials(&mut self) {
        const API_KEY: &str = "`Builder::api_key` is";
        const CLIENT_CREDENTIALS: &str = "`Builder::client_credentials` is";
        let service = &self.api.service;
        match &service.api_key {
            None => self.fact("", API_KEY, Major, "an error (the service has no API key)"),
            Some(key) => {
                if key.optional {
                    self.fact("", API_KEY, Minor, "optional");
                } else {
                    self.fact("", API_KEY, Major, "required");
                }
                let form = if key.carrier == KeyCarrier::Basic { "`name:password`" } else { "a single string" };
                self.fact("", "the API key has the form", Major, form);
                self.fact("", "the API key is sent", Patch, carrier(&key.carrier));
            }
        }
        if service.declared.credentials.client_credentials.is_some() {
            self.fact("", CLIENT_CREDENTIALS, Minor, "optional");
        } else {
            self.fact("", CLIENT_CREDENTIALS, Major, "an error (because no token is fetched)");
        }
    }
}

fn texts(values: &[Text]) -> Vec<String> {
    let mut texts = Vec::new();
    for value in values {
        texts.push(value.to_string());
    }
    texts
}

fn carrier(carrier: &KeyCarrier) -> String {
    match carrier {
        KeyCarrier::Header { name, prefix } if prefix.is_empty() => format!("in the header `{name}`"),
        KeyCarrier::Header { name, prefix } => format!("in the header `{name}` after `{prefix}`"),
        KeyCarrier::Basic => "as HTTP Basic".to_owned(),
        KeyCarrier::Query(name) => format!("in the query as `{name}`"),
    }
}
