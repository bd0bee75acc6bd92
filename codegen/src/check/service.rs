//! Rules about `service.yaml` that concern no type, param or record.

use super::{Checker, Place, Records, Unique};
use crate::names::{self, Case, Scope};
use crate::spec;
use crate::type_expr::TypeExpr;

/// Headers that HTTP or the token flow use themselves.
const RESERVED_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
];

impl Checker {
    pub(super) fn service_facts(&mut self, service: &spec::Service, place: Place<'_>) {
        if !names::is_ident(&service.env_prefix, Case::Shouty) {
            let message = format!("`{}` cannot begin the name of an environment variable", service.env_prefix);
            self.push("env-prefix", place.at("env_prefix"), message, "write it like `MY_SERVICE`");
        }
        if let Some(base_url) = &service.base_url {
            self.path_text(place.at("base_url").at("suffix"), &base_url.suffix);
        }
        let credentials = place.at("credentials");
        if let Some(key) = &service.credentials.api_key {
            self.header_name(credentials.at("api_key").at("header"), &key.header);
        }
        if let Some(flow) = &service.credentials.client_credentials {
            let place = credentials.at("client_credentials");
            let suffix = service.base_url.as_ref().map_or("", |base_url| &base_url.suffix);
            let params = self.endpoint_path(place.at("path"), &flow.path, suffix);
            if let Some(param) = params.first() {
                let message = format!("the path of tokens has a param `{param}`, and nothing fills it in");
                self.push("path-param", place.at("path"), message, "write the segment as it is");
            }
            self.statuses(&flow.errors, place.at("errors"));
        }
        self.statuses(&service.errors, place.at("errors"));
        self.error_body(&service.error_body, place.at("error_body"));
        self.limits(&service.limits, place.at("limits"));
    }

    pub(super) fn envelope(&mut self, service: &spec::Service, place: Place<'_>, records: &Records<'_>) {
        if let Some(flow) = &service.credentials.client_credentials {
            let reply = Place::root(records.service).at("credentials").at("client_credentials").at("reply");
            self.fields(records, &flow.reply, reply, None);
        }
        let Some(envelope) = &service.envelope else {
            return;
        };
        if let Some(time) = &envelope.time {
            self.fields(records, std::slice::from_ref(time), place.at("time"), None);
            if time.ty != "timestamp" {
                let message = format!("the time of a record is a `timestamp`, not `{}`", time.ty);
                self.push("time-type", place.at("time").at("type"), message, "write `type: timestamp`");
            }
        }
        if let Some(metadata) = &envelope.metadata {
            self.fields(records, &metadata.fields, place.at("metadata").at("fields"), None);
            if metadata.name == envelope.data {
                let message = format!("`{}` is the key of both data and metadata", envelope.data);
                self.push("duplicate-name", place.at("metadata").at("name"), message, "give each its own");
            }
            self.unsupported(metadata, place.at("metadata"), records);
        }
    }

    /// The field that names what a reply leaves out is one of the metadata's, and lists what can be told.
    fn unsupported(&mut self, metadata: &spec::Metadata, place: Place<'_>, records: &Records<'_>) {
        let Some(name) = &metadata.unsupported else { return };
        let place = place.at("unsupported");
        match metadata.fields.iter().find(|field| field.name == *name) {
            None => {
                let known = metadata.fields.iter().map(|field| field.name.as_str());
                self.unknown_name("unknown-field", place, "metadata field", name, known);
            }
            Some(field) => {
                // What is left out is told as text, so an item has to have one.
                let is_told = match TypeExpr::parse(&field.ty) {
                    Some(TypeExpr::List(item)) => match *item {
                        TypeExpr::List(_) => false,
                        TypeExpr::Name(name) => records.get(name).is_none(),
                        TypeExpr::Builtin(_) => true,
                    },
                    _ => false,
                };
                if !is_told {
                    let message = format!("`{name}` is no list of texts but `{}`", field.ty);
                    self.push("unsupported-type", place, message, "name a field that lists texts or numbers");
                }
            }
        }
    }

    fn header_name(&mut self, place: Place<'_>, name: &str) {
        if !is_header(name) {
            let message = format!("`{name}` is not the name of an HTTP header");
            self.push("header-name", place, message, "use letters, digits and `-`");
        } else if is_reserved(name) {
            let message = format!("the header `{name}` says something else already");
            self.push("header-name", place, message, "the API key needs a header of its own");
        }
    }

    fn statuses(&mut self, statuses: &[spec::Status], place: Place<'_>) {
        let mut seen = Unique::default();
        for (index, status) in statuses.iter().enumerate() {
            let place = place.item(index).at("status");
            if !(300..=599).contains(&status.status) {
                let message = format!("{} is not the HTTP status code of a failure", status.status);
                self.push("status-code", place, message, "such a code lies between 300 and 599");
            }
            let code = status.status.to_string();
            self.unique(&mut seen, "duplicate-status", place, &code, format!("the status {code} stands twice"));
        }
    }

    fn error_body(&mut self, body: &spec::ErrorBody, place: Place<'_>) {
        for (key, paths) in [("message", &body.message), ("code", &body.code)] {
            for (index, path) in paths.iter().enumerate() {
                if path.split('.').any(str::is_empty) {
                    let message = format!("`{path}` is no place in a body");
                    self.push("dotted-path", place.at(key).item(index), message, "write keys with dots between them");
                }
            }
        }
    }

    fn limits(&mut self, limits: &[spec::Limit], place: Place<'_>) {
        let (mut seen, mut idents) = (Unique::default(), Unique::default());
        for (index, limit) in limits.iter().enumerate() {
            let place = place.item(index);
            for (key, value) in
                [("requests", limit.requests), ("seconds", limit.seconds), ("concurrent", limit.concurrent)]
            {
                if value == 0 {
                    let message = format!("a limit set with no {key} lets nothing through");
                    self.push("empty-limit", place.at(key), message, "write at least 1");
                }
            }
            let message = format!("the limit set `{}` stands twice", limit.name);
            if !self.unique(&mut seen, "duplicate-name", place.at("name"), &limit.name, message) {
                continue;
            }
            let constant = names::limit(&limit.name);
            let ident = self.rust_name(place, "name", &constant, None, Case::Shouty, Scope::Constants);
            if let Some(ident) = ident {
                let message = format!("the limit set `{}` becomes `{ident}`, which another one is", limit.name);
                self.unique(&mut idents, "same-rust-name", place.at("name"), &ident, message);
            }
        }
    }
}

/// Whether a header can carry the API key.
pub fn may_carry_key(header: &str) -> bool {
    is_header(header) && !is_reserved(header)
}

/// RFC 9110, section 5.6.2: a field name is a token.
fn is_header(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token)
}

fn is_reserved(header: &str) -> bool {
    RESERVED_HEADERS.contains(&header.to_ascii_lowercase().as_str())
}
