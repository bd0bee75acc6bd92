//! Resolves the facts that all endpoints share: credentials, errors, limits and the envelope.

use super::types::Records;
use super::{Resolved, Resolver, Unique, all, prose};
use crate::load::{Catalogue, Document};
use crate::model::{
    ApiKey, Builtin, ClientCredentials, Envelope, ErrorBody, Field, Header, KeyCarrier, Limit, Service, Status, Type,
};
use crate::names::{self, Case, Scope};
use crate::spanned::Text;
use crate::spec;
use crate::url_path;

/// Headers that have a meaning in HTTP, for proxies or for the client. A catalogue can set only a few of them.
const RESERVED_HEADERS: &str = "accept accept-charset accept-encoding accept-language authorization cache-control \
     connection content-encoding content-length content-type cookie cookie2 date expect forwarded from host \
     http2-settings if-match if-modified-since if-none-match if-range if-unmodified-since keep-alive max-forwards origin \
     pragma range referer set-cookie te trailer transfer-encoding upgrade user-agent via www-authenticate";

/// The reserved headers for which a service may nevertheless declare a fixed value.
const FIXED_HEADERS: [&str; 3] = ["accept", "accept-language", "user-agent"];

const AUTHORIZATION: &str = "authorization";

/// Prefixes of headers that belong to proxies and browsers.
const RESERVED_PREFIXES: [&str; 2] = ["proxy-", "sec-"];

impl<'a> Resolver<'a> {
    pub(super) fn service_facts(&mut self, catalogue: &'a Catalogue) -> Resolved<Service> {
        let service = self.service;
        let api_key = service.credentials.api_key.as_ref().map(|key| self.api_key(key)).transpose();
        let headers = self.headers();
        let flow = service.credentials.client_credentials.as_ref();
        let client_credentials = flow.map(|flow| self.client_credentials(flow)).transpose();
        let errors = self.statuses(&service.errors);
        let limits = self.limits(catalogue);
        let envelope = service.envelope.as_ref().map(|envelope| self.envelope(envelope)).transpose();
        Ok(Service {
            title: service.title.clone(),
            version: service.version.clone(),
            summary: prose(&service.summary),
            env_prefix: service.env_prefix.clone(),
            base_url_suffix: service.base_url.as_ref().map(|base_url| base_url.suffix.clone()).unwrap_or_default(),
            base_url_evidence: service.base_url.as_ref().map(|base_url| base_url.evidence),
            time_form: service.time_form(),
            time_evidence: service.time.evidence,
            api_key: api_key?,
            headers: headers?,
            client_credentials: client_credentials?,
            errors: errors?,
            error_body: ErrorBody {
                name: error_schema(&service.error_body),
                message: service.error_body.message.clone(),
                code: service.error_body.code.clone(),
                success: service.error_body.success.iter().map(ToString::to_string).collect(),
                evidence: service.error_body.evidence,
            },
            limits: limits?,
            envelope: envelope?,
            history: None,
        })
    }

    fn api_key(&mut self, key: &spec::ApiKey) -> Resolved<ApiKey> {
        if let Some(basic) = &key.basic
            && (!**basic || self.service.credentials.client_credentials.is_some())
        {
            let message = "`basic` can only be `true`, and only without `client_credentials`";
            return Err(self.error("key-basic", basic.at(), message, "both are sent in the header `authorization`"));
        }
        let carrier = match (&key.header, &key.query) {
            (Some(header), _) => {
                KeyCarrier::Header { name: self.key_header(header)?, prefix: key.prefix.clone().unwrap_or_default() }
            }
            (None, Some(query)) => KeyCarrier::Query(query.to_string()),
            (None, None) => KeyCarrier::Basic,
        };
        Ok(ApiKey { carrier, optional: key.optional, evidence: key.evidence })
    }

    fn key_header(&mut self, header: &Text) -> Resolved<String> {
        let name = header.to_ascii_lowercase();
        // With client credentials, the header `authorization` carries the access token, so it cannot carry the API key.
        let is_free = name == AUTHORIZATION && self.service.credentials.client_credentials.is_none();
        if is_reserved(&name) && !is_free {
            let message = format!("the header `{header}` is reserved");
            return Err(self.error("header-name", header.at(), message, "use a separate header for the API key"));
        }
        Ok(name)
    }

    fn headers(&mut self) -> Resolved<Vec<Header>> {
        let key =
            self.service.credentials.api_key.as_ref().and_then(|key| Some(key.header.as_ref()?.to_ascii_lowercase()));
        let mut seen = Unique::default();
        all(self.service.headers.iter().map(|header| {
            let (name, at) = (header.name.to_ascii_lowercase(), header.name.at());
            if key.as_ref() == Some(&name) || !may_be_fixed(&name) {
                let message = format!("the header `{}` is reserved", header.name);
                return Err(self.error("header-name", at, message, "omit it"));
            }
            self.unique(&mut seen, "duplicate-name", &name, at, format!("duplicate header `{}`", header.name))?;
            Ok(Header { name, value: header.value.clone(), evidence: header.evidence })
        }))
    }

    fn client_credentials(&mut self, flow: &'a spec::ClientCredentials) -> Resolved<ClientCredentials> {
        let path = self.below_base_url(&flow.path).and_then(|path| match url_path::params(path).first() {
            Some(param) => {
                let message = format!("the token path has a param `{param}`, which has no value");
                Err(self.error("path-param", path.at(), message, "replace the param by its value"))
            }
            None => Ok(path.to_string()),
        });
        let reply = self.fields(&Records::default(), &flow.reply, flow.evidence, None);
        let errors = self.statuses(&flow.errors);
        Ok(ClientCredentials {
            path: path?,
            label: flow.label.clone(),
            evidence: flow.evidence,
            reply: reply?,
            errors: errors?,
            notes: prose(&flow.notes),
        })
    }

    /// Rejects a path that begins with the suffix of the base URL, because the URL would contain the suffix twice.
    pub(super) fn below_base_url<'p>(&mut self, path: &'p Text) -> Resolved<&'p Text> {
        let suffix = self.service.base_url.as_ref().map_or("", |base_url| &base_url.suffix);
        match path.strip_prefix(suffix) {
            Some(rest) if !suffix.is_empty() && (rest.is_empty() || rest.starts_with('/')) => {
                let message = format!("the path `{path}` repeats `{suffix}`, the end of every base URL");
                let rest = if rest.is_empty() { "/" } else { rest };
                Err(self.error("version-prefix", path.at(), message, format!("write `{rest}`")))
            }
            _ => Ok(path),
        }
    }

    fn statuses(&mut self, statuses: &[spec::Status]) -> Resolved<Vec<Status>> {
        let mut seen = Unique::default();
        all(statuses.iter().map(|status| {
            let code = status.status.to_string();
            let message = format!("duplicate status {code}");
            self.unique(&mut seen, "duplicate-status", &code, status.status.at(), message)?;
            Ok(Status {
                status: *status.status,
                label: status.label.known().cloned(),
                summary: prose(&status.summary),
                advice: prose(&status.advice),
                notes: prose(&status.notes),
                evidence: status.evidence,
            })
        }))
    }

    fn limits(&mut self, catalogue: &'a Catalogue) -> Resolved<Vec<Limit>> {
        let (mut seen, mut constants) = (Unique::default(), Unique::default());
        all(self.service.limits.iter().map(|limit| {
            let (name, at) = (&limit.name, limit.name.at());
            self.unique(&mut seen, "duplicate-name", name, at, format!("duplicate limit set `{name}`"))?;
            let constant = names::ident(&names::limit(name), Case::Shouty).map_err(|reason| {
                let message = format!("`{}` cannot be converted to a Rust name: {reason}", names::limit(name));
                self.error("no-rust-name", at, message, "choose another name")
            })?;
            let message = format!("the limit set `{name}` would become `{constant}`, but another set has this name");
            self.unique(&mut constants, "same-rust-name", &constant, at, message)?;
            let endpoints = all(limit.endpoints.iter().map(|name| self.limited(name, catalogue)));
            Ok(Limit {
                name: name.to_string(),
                constant,
                requests: limit.requests,
                seconds: limit.seconds,
                concurrent: limit.concurrent.known().copied(),
                scope: limit.scope.known().map(|text| prose(text)),
                endpoints: endpoints?,
                evidence: limit.evidence,
            })
        }))
    }

    /// Checks that a name in `endpoints` of a limit set is an existing group or path.
    fn limited(&mut self, name: &Text, catalogue: &'a Catalogue) -> Resolved<String> {
        let paths = catalogue.groups.iter().flat_map(|group| &group.spec.endpoints);
        let paths = paths.filter_map(|endpoint| endpoint.path.known()).map(|path| path.as_str());
        let mut known = catalogue.groups.iter().map(Document::module).chain(paths);
        if known.clone().any(|known| known == name.as_str()) {
            return Ok(name.to_string());
        }
        let is_path = name.starts_with('/');
        let what = if is_path { "path" } else { "group" };
        // Only paths are suggested for a path, and only groups for a group.
        let alike = known.by_ref().filter(|known| known.starts_with('/') == is_path);
        Err(self.unknown_name("unknown-endpoint", name, name.at(), what, alike))
    }

    fn envelope(&mut self, envelope: &'a spec::Envelope) -> Resolved<Envelope> {
        let time = envelope.time.as_ref().map(|time| self.envelope_time(time, envelope.evidence)).transpose();
        let metadata = envelope.metadata.as_ref();
        let unsupported = metadata.map(|metadata| self.metadata(metadata, envelope)).transpose();
        let time = time?;
        // The field is kept for `listed`, which adds it to the records of series.
        self.time.clone_from(&time);
        Ok(Envelope {
            data: envelope.data.clone(),
            metadata: metadata.map(|metadata| metadata.name.to_string()),
            unsupported: unsupported?.flatten(),
            time,
            evidence: envelope.evidence,
        })
    }

    /// Resolves the time field of the envelope, which must be a timestamp.
    fn envelope_time(&mut self, time: &'a spec::Field, inherited: spec::Evidence) -> Resolved<Field> {
        let resolved = self.field(&Records::default(), time, inherited)?;
        if !matches!(resolved.ty, Type::Builtin(Builtin::Timestamp(_))) {
            let message = format!("the time field must be a `timestamp`, found `{}`", time.ty);
            return Err(self.error("time-type", time.ty.at(), message, "write `type: timestamp`"));
        }
        Ok(Field { is_envelope_time: true, ..resolved })
    }

    /// Checks the metadata, and returns the Rust name of the field that `unsupported` names, if `unsupported` is set.
    fn metadata(&mut self, metadata: &'a spec::Metadata, envelope: &spec::Envelope) -> Resolved<Option<String>> {
        let (name, data) = (&metadata.name, &envelope.data);
        if name.as_str() == data {
            let message = format!("`{name}` is the JSON path of both data and metadata");
            return Err(self.error("duplicate-name", name.at(), message, "use two different paths"));
        }
        if is_within(data, name) || is_within(name, data) {
            let message = format!("`{name}` and `{data}` overlap: one is within the other");
            let help = "metadata and records need separate JSON paths";
            return Err(self.error("nested-path", name.at(), message, help));
        }
        metadata.unsupported.as_ref().map(|name| self.unsupported(name, &metadata.fields)).transpose()
    }

    /// Checks the metadata field that lists the requested values that the endpoint does not support. The field must be
    /// a list whose items can be converted to text.
    fn unsupported(&mut self, name: &Text, fields: &'a [spec::Field]) -> Resolved<String> {
        let Some(field) = fields.iter().find(|field| field.name == **name) else {
            let known = fields.iter().map(|field| field.name.as_str());
            return Err(self.unknown_name("unknown-field", name, name.at(), "metadata field", known));
        };
        match self.type_of(&Records::default(), &field.ty)? {
            Type::List(item) if !matches!(*item, Type::List(_) | Type::Map(_) | Type::Option(_) | Type::Record(_)) => {
                self.rust_name(&field.name, field.rust_name.as_ref(), Case::Snake, Scope::Fields)
            }
            _ => {
                let message = format!("`{name}` has the type `{}`, expected a list of strings or numbers", field.ty);
                Err(self.error(
                    "unsupported-type",
                    name.at(),
                    message,
                    "set the name of a field that lists strings or numbers",
                ))
            }
        }
    }
}

/// Returns `true` if the JSON path `path` is below the JSON path `other`.
fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.starts_with('.'))
}

/// Returns `true` if a header can carry the API key.
pub fn may_carry_key(header: &str) -> bool {
    is_header(header) && !is_reserved(&header.to_ascii_lowercase())
}

/// Returns `true` if a header can have a fixed value in every request.
pub fn may_be_fixed(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    is_header(header) && (!is_reserved(&name) || FIXED_HEADERS.contains(&name.as_str()))
}

fn is_header(name: &str) -> bool {
    // RFC 9110, section 5.6.2: a field name is a token.
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token)
}

fn is_reserved(header: &str) -> bool {
    RESERVED_HEADERS.split_whitespace().any(|reserved| reserved == header)
        || RESERVED_PREFIXES.iter().any(|prefix| header.starts_with(prefix))
}

/// Returns the name of the error schema with its evidence, which defaults to the evidence of the JSON paths.
fn error_schema(body: &spec::ErrorBody) -> Option<(String, spec::Evidence)> {
    Some((body.name.as_ref()?.to_string(), body.name_evidence.or(body.evidence)?))
}

#[cfg(test)]
mod tests {
    use super::may_carry_key;

    #[test]
    fn api_key_header_cannot_be_reserved() {
        for (header, expected) in [
            ("x-api-key", true),
            ("X_API.KEY~1", true),
            ("", false),
            ("x api key", false),
            ("x-schlüssel", false),
            ("Host", false),
            ("content-length", false),
        ] {
            assert_eq!(may_carry_key(header), expected, "{header}");
        }
    }
}
