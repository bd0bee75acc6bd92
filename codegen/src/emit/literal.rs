//! Facts of the model as the literals of the registry.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, TokenStreamExt, format_ident, quote};

use crate::model::{
    Api, Body, Endpoint, EndpointParam, Evidence, Field, Param, Range, RecordRef, SharedParam, Status, Type,
};

/// An identifier; `names` has made sure that it is one.
pub(super) fn ident(name: &str) -> Ident {
    format_ident!("{name}")
}

/// `Some(…)` or `None`.
pub(super) fn option<T: ToTokens>(value: Option<T>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}

impl ToTokens for Evidence {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(match self {
            Self::Document => quote!(Evidence::Document),
            Self::Published => quote!(Evidence::Published),
            Self::Reported => quote!(Evidence::Reported),
        });
    }
}

impl ToTokens for Range {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (min, max) = (option(self.min.map(number)), option(self.max.map(number)));
        tokens.append_all(quote!(Range { min: #min, max: #max }));
    }
}

/// A number with its digits in groups of three, as clippy reads them.
fn number(value: f64) -> TokenStream {
    let text = format!("{:?}", value.abs());
    let literal = match text.split_once('.') {
        Some((whole, fraction)) if whole.len() > 4 && !text.contains('e') => {
            let digits: Vec<_> =
                whole.as_bytes().rchunks(3).rev().map(|digits| String::from_utf8_lossy(digits)).collect();
            format!("{}.{fraction}", digits.join("_"))
        }
        _ => text,
    };
    let literal: TokenStream =
        literal.parse().unwrap_or_else(|_| Literal::f64_suffixed(value.abs()).into_token_stream());
    if value.is_sign_negative() { quote!(- #literal) } else { literal }
}

/// The Rust type of a value.
impl ToTokens for Type {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(match self {
            Self::String => quote!(String),
            Self::Integer => quote!(i64),
            Self::Count => quote!(u32),
            Self::Number => quote!(f64),
            Self::Boolean => quote!(bool),
            Self::Timestamp => quote!(Timestamp),
            Self::Any => quote!(Value),
            Self::Named(name) => ident(name).into_token_stream(),
            Self::Record(record) => ident(&record.ident).into_token_stream(),
            Self::List(item) => quote!(Vec<#item>),
        });
    }
}

/// The `ValueType` that describes a type.
pub(super) fn value_type(ty: &Type) -> TokenStream {
    match ty {
        Type::String => quote!(ValueType::String),
        Type::Integer => quote!(ValueType::Integer),
        Type::Count => quote!(ValueType::Count),
        Type::Number => quote!(ValueType::Number),
        Type::Boolean => quote!(ValueType::Boolean),
        Type::Timestamp => quote!(ValueType::Timestamp),
        Type::Any => quote!(ValueType::Any),
        Type::Named(name) => {
            let name = ident(name);
            quote!(ValueType::named::<#name>())
        }
        Type::Record(record) => {
            let name = ident(&record.ident);
            quote!(ValueType::record::<#name>())
        }
        Type::List(item) => {
            let item = value_type(item);
            quote!(ValueType::List(&#item))
        }
    }
}

fn record_info(record: &RecordRef) -> TokenStream {
    let name = ident(&record.ident);
    quote!(RecordInfo::of::<#name>())
}

/// `key: value,` unless the value is what `BLANK` has.
fn unless<T: ToTokens>(blank: bool, key: &str, value: T) -> TokenStream {
    let key = ident(key);
    if blank { TokenStream::new() } else { quote!(#key: #value,) }
}

/// A string that may be empty, left out if it is.
fn text(key: &str, text: &str) -> TokenStream {
    unless(text.is_empty(), key, text)
}

pub(super) fn field_info(field: &Field) -> TokenStream {
    if field.is_envelope_time { quote!(records::TIME) } else { field_literal(field) }
}

/// A field, spelled out.
pub(super) fn field_literal(field: &Field) -> TokenStream {
    let (name, wire_name, summary, evidence) = (&field.ident, &field.wire_name, &field.summary, field.evidence);
    let ty = value_type(&field.ty);
    let optional = field.optional.then(|| quote!(.optional()));
    let range = field.range;
    let range = (!range.is_all()).then(|| quote!(.range(#range)));
    let unit = Some(&field.unit).filter(|unit| !unit.is_empty()).map(|unit| quote!(.unit(#unit)));
    quote!(FieldInfo::new(#name, #wire_name, #ty, #evidence) #optional #range #unit .summary(#summary))
}

pub(super) fn status_info(status: &Status) -> TokenStream {
    let code = Literal::u16_unsuffixed(status.status);
    let (summary, evidence) = (&status.summary, status.evidence);
    let label = unless(status.label.is_none(), "label", option(status.label.as_ref()));
    let advice = text("advice", &status.advice);
    let notes = text("notes", &status.notes);
    quote!(StatusInfo { status: #code, #label summary: #summary, #advice #notes evidence: #evidence, ..StatusInfo::BLANK })
}

pub(super) fn param_info(param: &Param) -> TokenStream {
    let (name, wire_name, summary, evidence) = (&param.ident, &param.wire_name, &param.summary, param.evidence);
    let ty = value_type(&param.ty);
    let location = unless(!param.in_path, "location", quote!(ParamLocation::Path));
    let list = unless(param.list.is_none(), "list", option(param.list.as_ref()));
    let required = unless(param.required.is_none(), "required", option(param.required));
    let default = unless(param.default.is_none(), "default", option(param.default.as_ref()));
    let range = unless(param.range.is_all(), "range", param.range);
    let unit = text("unit", &param.unit);
    let notes = text("notes", &param.notes);
    quote!(ParamInfo {
        ident: #name,
        wire_name: #wire_name,
        #location
        ty: #ty,
        #list
        #required
        #default
        #range
        #unit
        summary: #summary,
        #notes
        evidence: #evidence,
        ..ParamInfo::BLANK
    })
}

/// A param as an endpoint takes it: the shared constant, with what is said anew.
fn endpoint_param(param: &EndpointParam, shared: &[SharedParam]) -> TokenStream {
    let Some((index, anew)) = param.shared else {
        return param_info(&param.param);
    };
    let shared = &shared[index];
    let constant = ident(&shared.constant);
    if !anew {
        return quote!(params::#constant);
    }
    let (used, defined) = (&param.param, &shared.param);
    let required = unless(used.required == defined.required, "required", option(used.required));
    let notes = unless(used.notes == defined.notes, "notes", &used.notes);
    let evidence = unless(used.evidence == defined.evidence, "evidence", used.evidence);
    quote!(ParamInfo { #required #notes #evidence ..params::#constant })
}

pub(super) fn body_info(body: &Body) -> TokenStream {
    match body {
        Body::Series { record, time, evidence } => {
            let record = option(record.as_ref().map(record_info));
            let time = option(time.as_ref());
            quote!(BodyInfo::Series { record: #record, time: #time, evidence: #evidence })
        }
        Body::Object { record, evidence } => {
            let record = record_info(record);
            quote!(BodyInfo::Object { record: #record, evidence: #evidence })
        }
        Body::Unknown => quote!(BodyInfo::Unknown),
    }
}

/// The params of an endpoint: those of a set by its name, the others one by one.
fn param_list(api: &Api, endpoint: &Endpoint, params: &[EndpointParam]) -> TokenStream {
    let set = endpoint.param_set.and_then(|set| api.param_sets.get(set));
    let own = params.iter().skip(set.map_or(0, |set| set.params.len()));
    let own = own.map(|param| endpoint_param(param, &api.shared_params));
    let set = set.map_or_else(
        || quote!(&[]),
        |set| {
            let set = ident(&set.constant);
            quote!(params::#set)
        },
    );
    quote!(ParamList { set: #set, own: &[#(#own),*] })
}

pub(super) fn endpoint_info(api: &Api, group: &str, endpoint: &Endpoint) -> TokenStream {
    let (name, title, summary, evidence) = (&endpoint.ident, &endpoint.name, &endpoint.summary, endpoint.evidence);
    let aliases = &endpoint.aliases;
    let aliases = unless(aliases.is_empty(), "aliases", quote!(&[#(#aliases),*]));
    let path = unless(endpoint.path.is_none(), "path", option(endpoint.path.as_ref()));
    let params = endpoint.params.as_ref().map(|params| param_list(api, endpoint, params));
    let params = unless(params.is_none(), "params", option(params));
    let body = unless(matches!(endpoint.body, Body::Unknown), "body", body_info(&endpoint.body));
    let notes = text("notes", &endpoint.notes);
    let deprecated = unless(endpoint.deprecated.is_none(), "deprecated", option(endpoint.deprecated.as_ref()));
    quote!(&EndpointInfo {
        group: #group,
        ident: #name,
        name: #title,
        #aliases
        summary: #summary,
        #path
        evidence: #evidence,
        #params
        #body
        #notes
        #deprecated
        ..EndpointInfo::BLANK
    })
}
