//! Facts of the model as the literals of the registry.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, TokenStreamExt, format_ident, quote};

use crate::model::{
    Api, Body, Endpoint, EndpointParam, Evidence, Field, History, HistorySource, ListFormat, Param, Range, RecordRef,
    SharedParam, Status, TimeForm, TimeFormat, TimeUnit, Type,
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
            Self::Documented => quote!(Evidence::Documented),
            Self::Published => quote!(Evidence::Published),
            Self::Reported => quote!(Evidence::Reported),
            Self::PreviousVersion => quote!(Evidence::PreviousVersion),
        });
    }
}

impl ToTokens for TimeForm {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(match self {
            Self::Counted(TimeUnit::Seconds) => quote!(TimeUnit::Seconds),
            Self::Counted(TimeUnit::Milliseconds) => quote!(TimeUnit::Milliseconds),
            Self::Written(TimeFormat::Iso8601) => quote!(TimeUnit::Iso8601),
            Self::Written(TimeFormat::Date) => quote!(TimeUnit::Date),
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
pub(super) fn number(value: f64) -> TokenStream {
    let text = format!("{:?}", value.abs());
    let literal = match text.split_once('.') {
        Some((whole, fraction)) if !text.contains('e') => {
            format!(
                "{}.{}",
                grouped(whole.as_bytes().rchunks(3).rev(), whole),
                grouped(fraction.as_bytes().chunks(3), fraction)
            )
        }
        _ => text,
    };
    let literal: TokenStream =
        literal.parse().unwrap_or_else(|_| Literal::f64_suffixed(value.abs()).into_token_stream());
    if value.is_sign_negative() { quote!(-#literal) } else { literal }
}

/// The same of a number without fraction.
pub(super) fn integer(value: u64) -> TokenStream {
    let digits = value.to_string();
    let literal = grouped(digits.as_bytes().rchunks(3).rev(), &digits);
    literal.parse().unwrap_or_else(|_| Literal::u64_unsuffixed(value).into_token_stream())
}

fn grouped<'a>(groups: impl Iterator<Item = &'a [u8]>, digits: &str) -> String {
    if digits.len() < 5 {
        return digits.to_owned();
    }
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join("_")
}

/// The Rust type of a value.
impl ToTokens for Type {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(match self {
            Self::String => quote!(String),
            Self::Integer => quote!(i64),
            Self::Count => quote!(u64),
            Self::Number => quote!(f64),
            Self::Boolean => quote!(bool),
            Self::Timestamp(_) => quote!(Timestamp),
            Self::Any => quote!(Value),
            Self::Named(name) => ident(name).into_token_stream(),
            Self::Record(record) => ident(&record.ident).into_token_stream(),
            Self::List(item) => quote!(Vec<#item>),
            Self::Map(item) => quote!(::std::collections::BTreeMap<String, #item>),
            Self::Option(given) => quote!(Option<#given>),
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
        Type::Timestamp(form) => quote!(ValueType::Timestamp(#form)),
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
        Type::Map(item) => {
            let item = value_type(item);
            quote!(ValueType::Map(&#item))
        }
        Type::Option(given) => {
            let given = value_type(given);
            quote!(ValueType::Option(&#given))
        }
    }
}

fn record_info(record: &RecordRef) -> TokenStream {
    let name = ident(&record.ident);
    quote!(RecordInfo::of::<#name>())
}

/// `.key(value)`, unless the value is empty.
pub(super) fn link<T: ToTokens>(key: &str, value: Option<T>) -> TokenStream {
    let key = ident(key);
    value.map_or_else(TokenStream::new, |value| quote!(.#key(#value)))
}

/// The same for text that may be empty.
pub(super) fn text(key: &str, text: &str) -> TokenStream {
    link(key, Some(text).filter(|text| !text.is_empty()))
}

/// A field, by the name of its constant if it is the envelope's.
pub(super) fn field_info(field: &Field) -> TokenStream {
    if field.is_envelope_time { quote!(records::TIME) } else { field_literal(field) }
}

/// A field, spelled out.
pub(super) fn field_literal(field: &Field) -> TokenStream {
    let Field { ident: name, wire_name, evidence, .. } = field;
    let ty = value_type(&field.ty);
    let optional = field.optional.then(|| quote!(.optional()));
    let range = link("range", Some(field.range).filter(|range| !range.is_all()));
    let (unit, summary, notes) =
        (text("unit", &field.unit), text("summary", &field.summary), text("notes", &field.notes));
    let example = link("example", field.example.as_ref());
    quote!(FieldInfo::new(#name, #wire_name, #ty, #evidence) #optional #range #example #unit #summary #notes)
}

pub(super) fn status_info(status: &Status) -> TokenStream {
    let (code, evidence) = (Literal::u16_unsuffixed(status.status), status.evidence);
    let (label, summary) = (link("label", status.label.as_ref()), link("summary", status.summary.as_ref()));
    let (advice, notes) = (text("advice", &status.advice), text("notes", &status.notes));
    quote!(StatusInfo::new(#code, #evidence) #label #summary #advice #notes)
}

pub(super) fn param_info(param: &Param) -> TokenStream {
    let Param { ident: name, wire_name, evidence, .. } = param;
    let ty = value_type(&param.ty);
    let in_path = param.in_path.then(|| quote!(.in_path()));
    let style = match param.list_as {
        ListFormat::Commas => quote!(),
        ListFormat::Repeated => quote!(.repeated()),
        ListFormat::Json => quote!(.as_json()),
    };
    let fixed = link("const_value", param.const_value.as_ref());
    let (list, required) = (link("list_setter", param.list_setter.as_ref()), link("required", param.required));
    let default = link("default", param.default.as_ref());
    let range = link("range", Some(param.range).filter(|range| !range.is_all()));
    let (unit, summary, notes) =
        (text("unit", &param.unit), text("summary", &param.summary), text("notes", &param.notes));
    let (served, works) =
        (values("allowed_values", &param.allowed_values), values("tested_values", &param.tested_values));
    let (refused, example) =
        (values("rejected_values", &param.rejected_values), link("example", param.example.as_ref()));
    let single = link("single_value", param.single_value);
    quote! {
        ParamInfo::new(#name, #wire_name, #ty, #evidence)
        #in_path #list #style #fixed #required #single #default #range #served #works #refused #example #unit #summary #notes
    }
}

/// A list of values, if there is one.
fn values(key: &str, values: &[String]) -> TokenStream {
    link(key, Some(values).filter(|values| !values.is_empty()).map(|values| quote!(&[#(#values),*])))
}

/// A param as an endpoint takes it: the shared constant, with the endpoint's own changes.
fn endpoint_param(param: &EndpointParam, shared: &[SharedParam]) -> TokenStream {
    let Some((index, anew)) = param.shared else {
        return param_info(&param.param);
    };
    let (used, shared) = (&param.param, &shared[index]);
    let (constant, defined) = (ident(&shared.constant), &shared.param);
    if !anew {
        return quote!(params::#constant);
    }
    let notes = link("notes", Some(&used.notes).filter(|_| used.notes != defined.notes));
    let known_by = link("known_by", Some(used.evidence).filter(|_| used.evidence != defined.evidence));
    let default = link("default", used.default.as_ref().filter(|_| used.default != defined.default));
    let anew = |key, said: &[String], before: &[String]| if said == before { quote!() } else { values(key, said) };
    let served = anew("allowed_values", &used.allowed_values, &defined.allowed_values);
    let works = anew("tested_values", &used.tested_values, &defined.tested_values);
    let refused = anew("rejected_values", &used.rejected_values, &defined.rejected_values);
    let example = link("example", used.example.as_ref().filter(|_| used.example != defined.example));
    quote!(params::#constant #known_by #default #served #works #refused #example #notes)
}

fn body(body: &Body) -> TokenStream {
    match body {
        Body::Series { record, time, time_form, evidence } => {
            let (record, time) = (option(record.as_ref().map(record_info)), option(time.as_ref()));
            let time_unit = link("time_unit", *time_form);
            quote!(.series(#record, #time, #evidence) #time_unit)
        }
        Body::Object { record, evidence } => {
            let record = record_info(record);
            quote!(.object(#record, #evidence))
        }
        Body::Unknown => TokenStream::new(),
    }
}

/// The params of an endpoint: those of a set by its name, the others one by one.
fn params(api: &Api, endpoint: &Endpoint) -> TokenStream {
    let Some(params) = &endpoint.params else { return TokenStream::new() };
    let set = endpoint.param_set.and_then(|set| api.param_sets.get(set));
    let (of_set, own) = params.split_at(set.map_or(0, |set| set.params.len()));
    let literal = |param| endpoint_param(param, &api.shared_params);
    let own = own.iter().map(literal);
    let changed: Vec<_> = of_set.iter().filter(|param| matches!(param.shared, Some((_, true)))).map(literal).collect();
    let changed = (!changed.is_empty()).then(|| quote!(.changed_params(&[#(#changed),*])));
    let set = set.map(|set| ident(&set.constant)).map_or_else(|| quote!(&[]), |set| quote!(params::#set));
    quote!(.params(#set, &[#(#own),*]) #changed)
}

pub(super) fn endpoint_info(api: &Api, group: &str, endpoint: &Endpoint) -> TokenStream {
    let Endpoint { ident: name, name: title, evidence, aliases, .. } = endpoint;
    let aliases = link("aliases", Some(quote!(&[#(#aliases),*])).filter(|_| !aliases.is_empty()));
    let path = endpoint
        .path
        .as_ref()
        .map_or_else(|| quote!(.name_evidence(#evidence)), |path| quote!(.path(#path, #evidence)));
    let (summary, notes) = (text("summary", &endpoint.summary), text("notes", &endpoint.notes));
    let (params, body) = (params(api, endpoint), body(&endpoint.body));
    let deprecated = link("deprecated", endpoint.deprecated.as_ref());
    let weight =
        link("weight", Some(endpoint.weight).filter(|weight| *weight != 1).map(|weight| integer(weight.into())));
    let history = match &endpoint.history {
        HistorySource::Service => TokenStream::new(),
        HistorySource::Endpoint(own) => {
            let own = history_info(own);
            quote!(.history_source(HistorySource::Endpoint(&#own)))
        }
        HistorySource::Unknown => quote!(.history_source(HistorySource::Unknown)),
    };
    quote!(&EndpointInfo::new(#group, #name, #title) #aliases #summary #path #params #body #history #weight #notes #deprecated)
}

pub(super) fn history_info(history: &History) -> TokenStream {
    let History { from, to, limit, step, evidence, .. } = history;
    let sort = history.sort.as_ref().map(|(param, oldest_first)| quote!(.sort(#param, #oldest_first)));
    quote!(HistoryInfo::new(#from, #to, #limit, #step, #evidence) #sort)
}
