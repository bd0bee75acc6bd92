//! Resolves the facts that all endpoints share: credentials, errors, limits and the envelope.

use super::records_of_file::RecordsOfFile;
use super::{Resolver, Unique};
use crate::model::{ApiKey, Builtin, Field, KeyCarrier, Service, Type};
use crate::names::{self, Case, Scope};
use crate::pattern::is_like;
use crate::spanned::Text;
use crate::spec::{self, HEADER_PATTERN};
use crate::url_path;

const AUTHORIZATION: &str = "authorization";

/// Prefixes of headers that belong to proxies and browsers.
const RESERVED_PREFIXES: [&str; 2] = ["proxy-", "sec-"];

impl<'a> Resolver<'a> {
    pub(super) fn service_facts(&mut self) -> Service {
        let service = self.service;
        let credentials = &service.credentials;
        self.check_statuses(&service.errors);
        self.check_headers();
        self.check_limits();
        if let Some(envelope) = &service.envelope {
            self.check_envelope(envelope);
        }
        let api_key = credentials.api_key.as_ref().map(|key| self.api_key(key));
        let mut token_fields = Vec::new();
        if let Some(flow) = &credentials.client_credentials {
            token_fields = self.token_fields(flow);
        }
        Service { declared: service.clone(), api_key, token_fields, time_field: self.time.clone() }
    }

    fn api_key(&mut self, key: &spec::ApiKey) -> ApiKey {
        let has_token = self.service.credentials.client_credentials.is_some();
        if let Some(basic) = &key.basic
            && (!**basic || has_token)
        {
            self.error("key-basic", basic.at(), &[]);
        }
        let carrier = match (&key.header, &key.query) {
            (Some(header), _) => {
                let name = header.to_ascii_lowercase();
                // With client credentials, the header `authorization` carries the access token, so it cannot carry the
                // API key.
                if is_reserved(&name) && (name != AUTHORIZATION || has_token) {
                    self.error("header-name/key", header.at(), &[header]);
                }
                KeyCarrier::Header { name, prefix: key.prefix.clone().unwrap_or_default() }
            }
            (None, Some(query)) => KeyCarrier::Query(query.to_string()),
            (None, None) => KeyCarrier::Basic,
        };
        ApiKey { carrier, optional: key.optional, evidence: key.evidence }
    }

    fn check_headers(&mut self) {
        let mut seen = Unique::default();
        for header in &self.service.headers {
            let name = &header.name;
            if self.carries_key(name) || !may_be_fixed(name) {
                self.error("header-name/reserved", name.at(), &[name]);
            } else {
                let lower = name.to_ascii_lowercase();
                seen.claim(&mut self.errors, "duplicate-name/header", &lower, name.at(), &[name]);
            }
        }
    }

    fn carries_key(&self, header: &str) -> bool {
        match &self.service.credentials.api_key {
            Some(spec::ApiKey { header: Some(name), .. }) => name.eq_ignore_ascii_case(header),
            _ => false,
        }
    }

    /// Checks the client credentials grant, and returns the fields of the token response.
    fn token_fields(&mut self, flow: &'a spec::ClientCredentials) -> Vec<Field> {
        let is_valid = self.below_base_url(&flow.path, self.service.base_url_suffix());
        if is_valid && let Some(param) = url_path::params(&flow.path).first() {
            self.error("path-param/token", flow.path.at(), &[param]);
        }
        self.check_statuses(&flow.errors);
        self.fields(&RecordsOfFile::default(), &flow.reply, flow.evidence, None)
    }

    /// Rejects a path that begins with the suffix of its base URL, because the URL would contain the suffix twice.
    pub(super) fn below_base_url(&mut self, path: &Text, suffix: &str) -> bool {
        let Some(rest) = path.strip_prefix(suffix) else { return true };
        let is_whole_segment = rest.is_empty() || rest.starts_with('/');
        if suffix.is_empty() || !is_whole_segment {
            return true;
        }
        let rest = if rest.is_empty() { "/" } else { rest };
        self.error("version-prefix", path.at(), &[path, &suffix, &rest]);
        false
    }

    fn check_statuses(&mut self, statuses: &[spec::Status]) {
        let mut seen = Unique::default();
        for entry in statuses {
            let status = &entry.status;
            seen.claim(&mut self.errors, "duplicate-status", &status.to_string(), status.at(), &[status]);
        }
    }

    fn check_limits(&mut self) {
        let mut seen = Unique::default();
        let mut constants = Unique::default();
        for limit in &self.service.limits {
            let name = &limit.name;
            let at = name.at();
            let is_new = seen.claim(&mut self.errors, "duplicate-name/limit", name, at, &[name]);
            let constant = self.derived_name("no-rust-name/other", &names::limit(name), Case::Shouty, at);
            if is_new && let Some(constant) = constant {
                constants.claim(&mut self.errors, "same-rust-name/limit", &constant, at, &[name, &constant]);
            }
            for name in &limit.endpoints {
                self.check_limited(name);
            }
        }
    }

    /// Checks that a name in `endpoints` of a limit set is an existing group or path.
    fn check_limited(&mut self, name: &Text) {
        let mut groups = Vec::new();
        let mut paths = Vec::new();
        for group in &self.catalogue.groups {
            groups.push(group.module());
            for endpoint in &group.spec.endpoints {
                if let Some(path) = endpoint.path.known() {
                    paths.push(path.as_str());
                }
            }
        }
        if groups.contains(&name.as_str()) || paths.contains(&name.as_str()) {
            return;
        }
        // Only paths are suggested for a path, and only groups for a group.
        let is_path = name.starts_with('/');
        let (what, alike) = if is_path { ("path", paths) } else { ("group", groups) };
        self.unknown_name("unknown-endpoint", name, name.at(), what, alike.into_iter());
    }

    fn check_envelope(&mut self, envelope: &'a spec::Envelope) {
        // The field is kept for `listed`, which adds it to the records of series.
        self.time = envelope.time.as_ref().map(|time| self.envelope_time(time, envelope.evidence));
        if let Some(metadata) = &envelope.metadata {
            self.check_metadata(metadata, envelope);
        }
    }

    /// Resolves the time field of the envelope, which must be a timestamp.
    fn envelope_time(&mut self, time: &'a spec::Field, inherited: spec::Evidence) -> Field {
        let resolved = self.valid(|resolver| resolver.field(&RecordsOfFile::default(), time, inherited));
        if let Some(resolved) = &resolved
            && !matches!(resolved.ty, Type::Builtin(Builtin::Timestamp(_)))
        {
            self.error("time-type/envelope", time.ty.at(), &[&time.ty]);
        }
        Field { is_envelope_time: true, ..resolved.unwrap_or_default() }
    }

    fn check_metadata(&mut self, metadata: &'a spec::Metadata, envelope: &spec::Envelope) {
        let name = &metadata.name;
        let data = &envelope.data;
        if name.as_str() == data {
            self.error("duplicate-name/metadata", name.at(), &[name]);
        } else if is_within(data, name) || is_within(name, data) {
            self.error("nested-path", name.at(), &[name, data]);
        }
        if let Some(unsupported) = &metadata.unsupported {
            self.check_unsupported(unsupported, &metadata.fields);
        }
    }

    /// Checks the metadata field that lists the requested values that the endpoint does not support. The field must be
    /// a list whose items can be converted to text.
    fn check_unsupported(&mut self, name: &Text, fields: &'a [spec::Field]) {
        let Some(field) = fields.iter().find(|field| field.name == **name) else {
            let known = spec::names_of_fields(fields);
            return self.unknown_name("unknown-field", name, name.at(), "metadata field", known);
        };
        if let Some(ty) = self.type_of(&RecordsOfFile::default(), &field.ty)
            && !is_list_of_texts(&ty)
        {
            self.error("unsupported-type", name.at(), &[name, &field.ty]);
        }
    }
}

/// `true` if all items of a list can be converted to text.
fn is_list_of_texts(ty: &Type) -> bool {
    let Type::List(item) = ty else { return false };
    matches!(**item, Type::Builtin(_) | Type::Named(_))
}

/// `true` if the JSON path `path` is below the JSON path `other`.
fn is_within(path: &str, other: &str) -> bool {
    let Some(rest) = path.strip_prefix(other) else { return false };
    rest.starts_with('.')
}

/// `true` if a header can carry the API key.
pub fn may_carry_key(header: &str) -> bool {
    is_like(HEADER_PATTERN, header) && !is_reserved(&header.to_ascii_lowercase())
}

/// `true` if a header can have a fixed value in every request.
pub fn may_be_fixed(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    is_like(HEADER_PATTERN, header) && (!is_reserved(&name) || names::is_taken(Scope::FixedHeaders, &name))
}

fn is_reserved(header: &str) -> bool {
    names::is_taken(Scope::Headers, header) || RESERVED_PREFIXES.iter().any(|prefix| header.starts_with(prefix))
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
