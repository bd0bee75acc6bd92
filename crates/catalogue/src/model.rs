//! The model of the client to emit, in which all Rust names are chosen, all references are resolved, and all defaults
//! are filled in.
//!
//! `resolve` creates the model, and the emitters read it. The service, an endpoint and a param contain their declaration
//! in the catalogue instead of a copy of its facts. The emitters do not check the model, because `resolve` creates a model
//! only if the catalogue has no errors.

mod value;

mod pages;

mod endpoint;

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostics;
pub use crate::evidence::Evidence;
// These facts are the same in YAML and in the model.
pub use crate::spanned::Text;
pub use crate::spec::{
    BodyFormat, ClientCredentials, Envelope, ErrorBody, GroupBaseUrl, Header, History, Known, Limit, ListFormat,
    RateLimitHeaders, RecordTime, ResetUnit, Status, UnknownFact,
};
pub use crate::time_unit::{TimeForm, TimeFormat, TimeUnit};
pub use crate::type_expr::Builtin;
pub use endpoint::{Body, Endpoint, EndpointParam, Group, Param, ParamSet, Passing, Setter, SharedParam, SharedUse};
pub use pages::{NextPage, Pages};
pub use value::{Field, FieldSource, NamedType, Range, Record, RecordLayout, RecordRef, Type, Value};

/// The facts that all endpoints share.
#[derive(Debug)]
pub struct Service {
    pub declared: crate::spec::Service,
    pub api_key: Option<ApiKey>,
    /// The fields of the response of the token endpoint.
    pub token_fields: Vec<Field>,
    /// The time field of the envelope.
    pub time_field: Option<Field>,
}

#[derive(Debug, PartialEq)]
pub struct ApiKey {
    pub carrier: KeyCarrier,
    /// `true` if requests also work without the key.
    pub optional: bool,
    pub evidence: Evidence,
}

/// The part of a request that carries the API key.
#[derive(Debug, PartialEq)]
pub enum KeyCarrier {
    /// A header. The name is in lower case, because HTTP ignores the case of header names. The prefix is sent before
    /// the key.
    Header { name: String, prefix: String },
    /// `name:password` in base64, in the header `authorization`.
    Basic,
    /// A query param.
    Query(String),
}

/// The model of the complete client.
#[derive(Debug)]
pub struct Api {
    pub service: Service,
    pub types: Vec<NamedType>,
    /// The records of `service.yaml`, including `Metadata`.
    pub records: Vec<Record>,
    /// Params of `service.yaml`, to which endpoints refer by index.
    pub shared_params: Vec<SharedParam>,
    /// Param sets of `service.yaml`, to which endpoints refer by index.
    pub param_sets: Vec<ParamSet>,
    /// The setters of requests for all endpoints, one setter for each method name.
    pub setters: Vec<Setter>,
    pub groups: Vec<Group>,
    /// Errors about entries to which no other entry refers.
    pub unused: Diagnostics,
    /// Warnings about the style of entries: repeated evidence, and summaries that only repeat a name.
    pub warnings: Diagnostics,
}

impl Api {
    /// Returns the endpoints of all groups.
    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.groups.iter().flat_map(|group| &group.endpoints)
    }

    /// Returns the endpoints with a path, which become methods.
    pub fn methods(&self) -> impl Iterator<Item = &Endpoint> {
        self.groups.iter().flat_map(Group::methods)
    }

    /// Returns the base URLs of groups on other hosts, each once.
    pub fn group_base_urls(&self) -> Vec<&GroupBaseUrl> {
        let mut base_urls: Vec<&GroupBaseUrl> = Vec::new();
        for group in &self.groups {
            if let Some(base_url) = &group.base_url
                && !base_urls.iter().any(|known| known.name == base_url.name)
            {
                base_urls.push(base_url);
            }
        }
        base_urls
    }

    /// Returns the groups that have this base URL.
    pub fn groups_on(&self, base_url: &GroupBaseUrl) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.base_url.as_ref().is_some_and(|own| own.name == base_url.name))
    }

    /// Returns the environment variable with a base URL: that of groups on another host, or that of the service.
    pub fn base_url_variable(&self, base_url: Option<&GroupBaseUrl>) -> String {
        let prefix = &self.service.declared.env_prefix;
        match base_url {
            Some(base_url) => base_url.variable(prefix),
            None => format!("{prefix}_BASE_URL"),
        }
    }

    /// Returns the shared params to which a param of the given endpoints refers.
    pub fn shared_params_of<'a>(
        &'a self,
        endpoints: impl Iterator<Item = &'a Endpoint>,
        is_reference: impl Fn(&EndpointParam) -> bool,
    ) -> Vec<&'a SharedParam> {
        let mut used = BTreeSet::new();
        for param in endpoints.flat_map(|endpoint| endpoint.params.iter().flatten()) {
            if let Some(SharedUse { index, .. }) = param.shared
                && is_reference(param)
            {
                used.insert(index);
            }
        }
        used.into_iter().filter_map(|index| self.shared_params.get(index)).collect()
    }

    /// Returns the shared params that at least one method uses without overrides.
    pub fn unchanged_params(&self) -> Vec<&SharedParam> {
        self.shared_params_of(self.methods(), EndpointParam::is_unchanged)
    }

    /// Returns the history of an endpoint: its own, or that of the service.
    pub fn history<'a>(&'a self, endpoint: &'a Endpoint) -> Option<&'a History> {
        match &endpoint.declared.history {
            Some(Known::Known(own)) => Some(own),
            Some(Known::Unknown) | None => self.service.declared.history.as_ref(),
        }
    }

    /// Returns the named type that a type is; `None` for any other type.
    pub fn named_type(&self, ty: &Type) -> Option<&NamedType> {
        let Type::Named(name) = ty else { return None };
        self.types.iter().find(|known| known.ident == *name)
    }

    /// Returns the setter with this name. The setters are sorted by name.
    pub fn setter(&self, ident: &str) -> Option<&Setter> {
        let index = self.setters.binary_search_by(|setter| setter.ident.as_str().cmp(ident)).ok()?;
        self.setters.get(index)
    }

    /// Looks up a record by its reference.
    pub fn record(&self, reference: &RecordRef) -> Option<&Record> {
        let records = match &reference.module {
            Some(module) => &self.groups.iter().find(|group| group.ident == *module)?.records,
            None => &self.records,
        };
        records.iter().find(|record| record.ident == reference.ident)
    }

    /// Returns the only field of a record with the layout [`RecordLayout::Value`]; `None` for any other record.
    pub fn whole(&self, reference: &RecordRef) -> Option<&Field> {
        let record = self.record(reference)?;
        if record.layout == RecordLayout::Value { record.fields.first() } else { None }
    }

    /// Returns the metadata field that lists the requested values that the endpoint does not support.
    pub fn unsupported(&self) -> Option<&Field> {
        let name = self.service.declared.envelope.as_ref()?.metadata.as_ref()?.unsupported.as_ref()?;
        let metadata = self.records.iter().find(|record| record.ident == "Metadata")?;
        metadata.fields.iter().find(|field| field.wire_name == **name)
    }
}
