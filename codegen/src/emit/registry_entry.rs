//! Prints the entries of the registry as Rust expressions.
//!
//! The entries come from the module `registry` of the catalogue, so that the client has the registry that programs
//! without a client use. An entry is printed as a call of `new` with the facts that every entry has, followed by a call
//! of a setter for each other fact.

use std::fmt::Debug;

use proc_macro2::TokenStream;
use quote::{ToTokens, TokenStreamExt, quote};
use runtime::registry::{
    BaseUrlInfo, BodyFormat, BodyInfo, ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, ErrorBodyInfo, Evidence,
    FieldInfo, FieldSource, HistoryInfo, HistorySource, LimitInfo, ListFormat, NextPage, PagesInfo, ParamInfo,
    ParamLocation, Range, RateLimitHeadersInfo, RecordInfo, RecordLayout, ResetUnit, ServiceInfo, StatusInfo, TimeUnit,
    TypeInfo, ValueInfo, ValueType,
};

use super::literal::{Literal, ident, literals};

/// Calls of setters, each for a fact in which an entry differs from another one.
#[derive(Default)]
struct Setters(TokenStream);

impl Setters {
    fn call(&mut self, setter: &str, fact: &impl Literal) {
        let setter = ident(setter);
        let fact = fact.literal();
        self.0.append_all(quote!(.#setter(#fact)));
    }
}

impl ToTokens for Setters {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

/// Adds the calls for the given facts of `entry` that `unset` does not already have.
macro_rules! set {
    ($setters:ident, $entry:ident, $unset:ident: $($fact:ident),+) => {
        $(if $entry.$fact != $unset.$fact {
            $setters.call(stringify!($fact), &$entry.$fact);
        })+
    };
}

/// Prints enums whose variants have no values. The `Debug` output of a variant is its name.
macro_rules! variants {
    ($($name:ident),+) => {
        $(impl Literal for $name {
            fn literal(&self) -> TokenStream {
                variant(stringify!($name), self)
            }
        })+
    };
}

variants!(BodyFormat, Evidence, ListFormat, ParamLocation, ResetUnit);

impl Literal for TimeUnit {
    fn literal(&self) -> TokenStream {
        if let Self::Local(zone) = self {
            return quote!(TimeUnit::Local(#zone));
        }
        let variant = ident(&format!("{self:?}"));
        quote!(TimeUnit::#variant)
    }
}

impl Literal for RecordLayout {
    fn literal(&self) -> TokenStream {
        match self {
            Self::Object => quote!(RecordLayout::Object),
            Self::Positional => quote!(RecordLayout::Positional),
            Self::Columns => quote!(RecordLayout::Columns),
            Self::Named(path) => quote!(RecordLayout::Named(#path)),
            Self::Value => quote!(RecordLayout::Value),
        }
    }
}

fn variant(of: &str, value: &impl Debug) -> TokenStream {
    let of = ident(of);
    let variant = ident(&format!("{value:?}"));
    quote!(#of::#variant)
}

/// Prints structs that are written with all their fields.
macro_rules! structs {
    ($($name:ident { $($field:ident),+ })+) => {
        $(impl Literal for $name {
            fn literal(&self) -> TokenStream {
                $(let $field = self.$field.literal();)+
                let mut fields = TokenStream::new();
                $(fields.append_all(quote!($field: #$field,));)+
                quote!($name { #fields })
            }
        })+
    };
}

structs! {
    ClientCredentialsInfo { path, label, evidence, reply, errors, notes }
    EnvelopeInfo { data, metadata, time }
    HistoryInfo { from, to, limit, step, every, anchor, oldest, time_is_end, includes_start, sort, evidence }
    BaseUrlInfo { name, suffix, groups }
    LimitInfo { name, requests, seconds, concurrent, scope, endpoints, evidence }
    Range { min, max }
    RateLimitHeadersInfo { remaining, reset, reset_is }
}

impl Literal for ValueType {
    fn literal(&self) -> TokenStream {
        match self {
            Self::String | Self::Integer | Self::Count | Self::Number | Self::Decimal | Self::Boolean | Self::Any => {
                variant("ValueType", self)
            }
            Self::Timestamp(unit) => {
                let unit = unit.literal();
                quote!(ValueType::Timestamp(#unit))
            }
            Self::Named(ty) => {
                let ty = ident(ty.name);
                quote!(ValueType::named::<#ty>())
            }
            Self::Record(record) => {
                let record = ident(record.name);
                quote!(ValueType::record::<#record>())
            }
            Self::Recursive(recursive) => {
                let record = ident(recursive.record().name);
                quote!(ValueType::recursive::<#record>())
            }
            Self::List(item) => {
                let item = item.literal();
                quote!(ValueType::List(&#item))
            }
            Self::Map(item) => {
                let item = item.literal();
                quote!(ValueType::Map(&#item))
            }
            Self::Option(item) => {
                let item = item.literal();
                quote!(ValueType::Option(&#item))
            }
        }
    }
}

impl Literal for TypeInfo {
    fn literal(&self) -> TokenStream {
        let unset = Self::new(self.name, self.values);
        let mut setters = Setters::default();
        set!(setters, self, unset: summary, open, attributes);
        let name = self.name;
        let values = literals(self.values);
        quote!(TypeInfo::new(#name, &[#(#values),*]) #setters)
    }
}

impl Literal for ValueInfo {
    fn literal(&self) -> TokenStream {
        let unset = Self::new(self.value, self.summary, self.evidence);
        let mut setters = Setters::default();
        set!(setters, self, unset: step, attributes);
        let value = self.value;
        let summary = self.summary;
        let evidence = self.evidence.literal();
        quote!(ValueInfo::new(#value, #summary, #evidence) #setters)
    }
}

/// The entry of a record. `fields` are the expressions of its fields.
pub(super) fn record_entry(record: &RecordInfo, fields: &[TokenStream]) -> TokenStream {
    let unset = RecordInfo::new(record.name, record.fields);
    let mut setters = Setters::default();
    set!(setters, record, unset: summary, layout);
    let name = record.name;
    quote!(RecordInfo::new(#name, &[#(#fields),*]) #setters)
}

impl Literal for FieldInfo {
    fn literal(&self) -> TokenStream {
        let unset = Self::new(self.ident, self.wire_name, self.ty, self.evidence);
        let mut setters = Setters::default();
        set!(setters, self, unset: source, also_named, nulls, quoted, optional, range, example, unit, summary, notes, unknown);
        let name = self.ident;
        let wire_name = self.wire_name;
        let ty = self.ty.literal();
        let evidence = self.evidence.literal();
        quote!(FieldInfo::new(#name, #wire_name, #ty, #evidence) #setters)
    }
}

impl Literal for FieldSource {
    fn literal(&self) -> TokenStream {
        match self {
            Self::Record => quote!(FieldSource::Record),
            Self::Group(path) => quote!(FieldSource::Group(#path)),
            Self::Period(year, period) => quote!(FieldSource::Period(#year, #period)),
            Self::Others => quote!(FieldSource::Others),
        }
    }
}

impl Literal for ParamInfo {
    fn literal(&self) -> TokenStream {
        let unset = Self::new(self.ident, self.wire_name, self.ty, self.evidence);
        let setters = param_setters(self, &unset);
        let name = self.ident;
        let wire_name = self.wire_name;
        let ty = self.ty.literal();
        let evidence = self.evidence.literal();
        quote!(ParamInfo::new(#name, #wire_name, #ty, #evidence) #setters)
    }
}

/// The calls of setters that change a param of the service to the param of an endpoint.
pub(super) fn param_changes(param: &ParamInfo, shared: &ParamInfo) -> TokenStream {
    param_setters(param, shared).into_token_stream()
}

fn param_setters(param: &ParamInfo, unset: &ParamInfo) -> Setters {
    let mut setters = Setters::default();
    set!(setters, param, unset: evidence, also_named, location, list_setter, list_as, const_value, required, single_value, default);
    set!(setters, param, unset: range, allowed_values, tested_values, rejected_values, example, in_examples);
    set!(setters, param, unset: unit, summary, notes, unknown);
    setters
}

/// The entry of an endpoint. `params` is the expression of the lists of its params.
pub(super) fn endpoint_entry(endpoint: &EndpointInfo, params: Option<&TokenStream>) -> TokenStream {
    let unset = EndpointInfo::of(endpoint.group, endpoint.ident);
    let mut before_body = Setters::default();
    set!(before_body, endpoint, unset: aliases, summary, path, evidence);
    let accepts = params.map(|lists| quote!(.accepts(#lists)));
    let body = body(&endpoint.body);
    let mut after_body = Setters::default();
    set!(after_body, endpoint, unset: format, data, data_optional, key, history_source, pages, is_example, weight, weight_by);
    set!(after_body, endpoint, unset: notes, unknown, deprecated);
    let group = endpoint.group;
    let method = endpoint.ident;
    let name = endpoint.name;
    quote!(&EndpointInfo::of(#group, #method).name(#name) #before_body #accepts #body #after_body)
}

/// The call that sets the body of an endpoint.
fn body(body: &BodyInfo) -> TokenStream {
    match body {
        BodyInfo::Series { record, time, evidence } => {
            let item = match record {
                Some(record) => ident(record.name),
                None => ident("Value"),
            };
            let time = time.literal();
            let evidence = evidence.literal();
            quote!(.series::<#item>(#time, #evidence))
        }
        BodyInfo::Object { record, evidence } => {
            let record = ident(record.name);
            let evidence = evidence.literal();
            quote!(.body(BodyInfo::Object { record: RecordInfo::of::<#record>(), evidence: #evidence }))
        }
        BodyInfo::Unknown => TokenStream::new(),
    }
}

impl Literal for HistorySource {
    fn literal(&self) -> TokenStream {
        match self {
            Self::Service => quote!(HistorySource::Service),
            Self::Endpoint(history) => {
                let history = history.literal();
                quote!(HistorySource::Endpoint(&#history))
            }
            Self::Unknown => quote!(HistorySource::Unknown),
        }
    }
}

impl Literal for PagesInfo {
    fn literal(&self) -> TokenStream {
        let next = self.next.literal();
        let size = self.size.map(|size| quote!(.sized(#size)));
        quote!(PagesInfo::#next #size)
    }
}

/// The call of the constructor of `PagesInfo`.
impl Literal for NextPage {
    fn literal(&self) -> TokenStream {
        match self {
            Self::Cursor { path, param } => quote!(cursor(#path, #param)),
            Self::Link { path } => quote!(link(#path)),
            Self::Offset { param, total } => {
                let total = total.literal();
                quote!(offset(#param, #total))
            }
            Self::Number { param, pages, total } => {
                let pages = pages.literal();
                let total = total.literal();
                quote!(number(#param, #pages, #total))
            }
        }
    }
}

impl Literal for ServiceInfo {
    fn literal(&self) -> TokenStream {
        let unset = Self::new(self.title);
        let mut setters = Setters::default();
        set!(setters, self, unset: version, summary, env_prefix, base_url_suffix, base_urls, time_unit);
        set!(setters, self, unset: api_key_header, api_key_prefix, api_key_query, api_key_basic, api_key_optional);
        set!(setters, self, unset: headers);
        if self.client_credentials.is_some() {
            setters.call("client_credentials", &self.client_credentials);
        }
        if !self.errors.is_empty() {
            setters.call("errors", &self.errors);
        }
        if has_error_body(&self.error_body) {
            setters.call("error_body", &self.error_body);
        }
        set!(setters, self, unset: limits, rate_limit_headers);
        if self.envelope.is_some() {
            setters.call("envelope", &self.envelope);
        }
        set!(setters, self, unset: unsupported_values, history);
        let title = self.title;
        quote!(ServiceInfo::new(#title) #setters)
    }
}

impl Literal for StatusInfo {
    fn literal(&self) -> TokenStream {
        let unset = Self::new(self.status, self.evidence);
        let mut setters = Setters::default();
        set!(setters, self, unset: label, summary, advice, notes, rate_limited);
        let status = self.status.literal();
        let evidence = self.evidence.literal();
        quote!(StatusInfo::new(#status, #evidence) #setters)
    }
}

impl Literal for ErrorBodyInfo {
    fn literal(&self) -> TokenStream {
        let setters = error_body_setters(self);
        let message = literals(self.message);
        quote!(ErrorBodyInfo::new(&[#(#message),*]) #setters)
    }
}

fn has_error_body(body: &ErrorBodyInfo) -> bool {
    !body.message.is_empty() || !error_body_setters(body).0.is_empty()
}

fn error_body_setters(body: &ErrorBodyInfo) -> Setters {
    let unset = ErrorBodyInfo::new(body.message);
    let mut setters = Setters::default();
    set!(setters, body, unset: name, code, success, rate_limited, no_data, no_data_statuses);
    setters
}
