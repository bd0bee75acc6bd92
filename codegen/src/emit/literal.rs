//! Converts facts of the model to Rust literals: types, numbers, and entries of the registry.

use std::fmt::Debug;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, TokenStreamExt, format_ident, quote};

use catalogue::model::{
    Api, Body, Builtin, Endpoint, EndpointParam, Evidence, Field, FieldSource, History, Known, ListFormat, Param,
    Range, RecordRef, RecordTime, SharedParam, Status, Text, TimeForm, Type, UnknownFact,
};

/// Converts a name to an identifier. The module `names` has already checked that the name is a valid identifier.
pub(super) fn ident(name: &str) -> Ident {
    format_ident!("{name}")
}

/// Converts an `Option` to a Rust expression: `Some(…)` or `None`.
pub(super) fn option<T: ToTokens>(value: Option<T>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}

/// Returns the path of a variant of the runtime's enum `of`. The name of the variant is the `Debug` output of `value`.
pub(super) fn variant(of: &str, value: impl Debug) -> TokenStream {
    let (of, variant) = (ident(of), format_ident!("{value:?}"));
    quote!(#of::#variant)
}

pub(super) fn evidence(evidence: Evidence) -> TokenStream {
    variant("Evidence", evidence)
}

pub(super) fn time_unit(form: TimeForm) -> TokenStream {
    match form {
        TimeForm::Counted(unit) => variant("TimeUnit", unit),
        TimeForm::Written(format) => variant("TimeUnit", format),
    }
}

/// Returns a float literal with digits in groups of three, as clippy requires.
pub(super) fn number(value: f64) -> TokenStream {
    let text = format!("{:?}", value.abs());
    let literal = match text.split_once('.') {
        Some((whole, fraction)) if !text.contains('e') => {
            let whole = grouped(whole.as_bytes().rchunks(3).rev(), whole);
            format!("{whole}.{}", grouped(fraction.as_bytes().chunks(3), fraction))
        }
        _ => text,
    };
    let literal: TokenStream =
        literal.parse().unwrap_or_else(|_| Literal::f64_suffixed(value.abs()).into_token_stream());
    if value.is_sign_negative() { quote!(-#literal) } else { literal }
}

/// Returns an integer literal with digits in groups of three.
pub(super) fn integer(value: impl Into<u64>) -> TokenStream {
    let value = value.into();
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

/// Returns the Rust type of a record.
pub(super) fn record_type(record: &RecordRef) -> Ident {
    ident(&record.ident)
}

/// Returns the Rust type of a value.
pub(super) fn rust_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Builtin(builtin) => ident(builtin.rust_name()).into_token_stream(),
        Type::Named(name) => ident(name).into_token_stream(),
        Type::Record(record) | Type::Recursive(record) => record_type(record).into_token_stream(),
        Type::List(item) => {
            let item = rust_type(item);
            quote!(Vec<#item>)
        }
        Type::Map(item) => {
            let item = rust_type(item);
            quote!(::std::collections::BTreeMap<String, #item>)
        }
        Type::Option(given) => {
            let given = rust_type(given);
            quote!(Option<#given>)
        }
    }
}

/// Returns the Rust type of the body of a response.
pub(super) fn body_type(body: &Body) -> TokenStream {
    match body {
        Body::Series { record: Some(record), .. } => {
            let record = record_type(record);
            quote!(Series<#record>)
        }
        Body::Series { record: None, .. } => quote!(Series<Value>),
        Body::Object { record, .. } => record_type(record).into_token_stream(),
        Body::Unknown => quote!(Value),
    }
}

/// Returns the expression that describes a type in the registry.
pub(super) fn value_type(ty: &Type) -> TokenStream {
    let name = rust_type(ty);
    match ty {
        Type::Builtin(Builtin::Timestamp(form)) => {
            let unit = time_unit(*form);
            quote!(ValueType::Timestamp(#unit))
        }
        Type::Builtin(builtin) => variant("ValueType", builtin),
        Type::Named(_) => quote!(ValueType::named::<#name>()),
        Type::Record(_) => quote!(ValueType::record::<#name>()),
        Type::Recursive(_) => quote!(ValueType::recursive::<#name>()),
        Type::List(item) => value_type_of("List", item),
        Type::Map(item) => value_type_of("Map", item),
        Type::Option(item) => value_type_of("Option", item),
    }
}

fn value_type_of(kind: &str, item: &Type) -> TokenStream {
    let (kind, item) = (ident(kind), value_type(item));
    quote!(ValueType::#kind(&#item))
}

/// A fact of an entry of the registry. Its tokens are the call `.key(value)` of its setter, or nothing if the entry has
/// this value without a call.
pub(super) struct Fact {
    key: &'static str,
    value: TokenStream,
    is_set: bool,
}

impl ToTokens for Fact {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (key, value) = (ident(self.key), &self.value);
        tokens.append_all(self.is_set.then(|| quote!(.#key(#value))));
    }
}

/// Returns a fact that is set if there is a value.
pub(super) fn set<T: ToTokens>(key: &'static str, value: Option<T>) -> Fact {
    Fact { key, is_set: value.is_some(), value: value.map(ToTokens::into_token_stream).unwrap_or_default() }
}

/// Returns a fact of type `Option`.
pub(super) fn some<T: ToTokens>(key: &'static str, value: Option<T>) -> Fact {
    Fact { key, is_set: value.is_some(), value: option(value) }
}

/// Returns a fact that is a text; without a call, it is empty.
pub(super) fn text(key: &'static str, text: &str) -> Fact {
    Fact { key, is_set: !text.is_empty(), value: text.to_token_stream() }
}

/// Returns a fact that is a list; without a call, it is empty.
pub(super) fn values<T: ToTokens>(key: &'static str, values: &[T]) -> Fact {
    Fact { key, is_set: !values.is_empty(), value: quote!(&[#(#values),*]) }
}

/// Returns a fact that is a list of texts.
pub(super) fn texts(key: &'static str, texts: &[Text]) -> Fact {
    values(key, &strings(texts))
}

/// Returns texts without their locations.
pub(super) fn strings(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(|text| text.as_str()).collect()
}

/// Returns a fact that is a flag.
pub(super) fn flag(key: &'static str, flag: bool) -> Fact {
    set(key, flag.then_some(true))
}

fn range(range: Range) -> Fact {
    let min = option(range.min.map(number));
    let max = option(range.max.map(number));
    Fact { key: "range", is_set: range != Range::default(), value: quote!(Range { min: #min, max: #max }) }
}

/// Returns the list of unknown facts.
fn unknown(facts: &[UnknownFact]) -> Fact {
    values("unknown", &facts.iter().map(UnknownFact::text).collect::<Vec<_>>())
}

/// Returns a field of a record as an expression: a constant for the time field of the envelope, otherwise a literal.
pub(super) fn field_info(field: &Field) -> TokenStream {
    if field.is_envelope_time { quote!(records::TIME) } else { field_literal(field) }
}

/// Returns a field as a literal.
pub(super) fn field_literal(field: &Field) -> TokenStream {
    let Field { ident: name, wire_name, .. } = field;
    let evidence = evidence(field.evidence);
    let ty = value_type(&field.ty);
    let source = set("source", source(&field.source));
    let nulls = values("nulls", &field.nulls);
    let quoted = flag("quoted", field.quoted);
    let optional = flag("optional", field.optional);
    let (range, example) = (range(field.range), some("example", field.example.as_ref()));
    let (unit, summary, notes) =
        (text("unit", &field.unit), text("summary", &field.summary), text("notes", &field.notes));
    let unknown = unknown(&field.unknown);
    quote! {
        FieldInfo::new(#name, #wire_name, #ty, #evidence)
            #source #nulls #quoted #optional #range #example #unit #summary #notes #unknown
    }
}

/// Returns the part of a response that contains a value, unless it is the record.
fn source(source: &FieldSource) -> Option<TokenStream> {
    match source {
        FieldSource::Record => None,
        FieldSource::Group(path) => Some(quote!(FieldSource::Group(#path))),
        FieldSource::Period(year, period) => Some(quote!(FieldSource::Period(#year, #period))),
    }
}

pub(super) fn status_info(status: &Status) -> TokenStream {
    let (code, evidence) = (Literal::u32_unsuffixed(*status.status), evidence(status.evidence));
    let (label, summary) = (some("label", status.label.known()), text("summary", &status.summary));
    let (advice, notes) = (text("advice", &status.advice), text("notes", &status.notes));
    let rate_limited = flag("rate_limited", status.rate_limited);
    quote!(StatusInfo::new(#code, #evidence) #label #summary #advice #notes #rate_limited)
}

/// Returns all facts of a param. For any two params, the lists have the same setters.
fn param_facts(param: &Param) -> [Fact; 16] {
    [
        set("location", param.in_path().then(|| quote!(ParamLocation::Path))),
        some("list_setter", param.list_setter.as_deref()),
        set("list_as", (param.list_as != ListFormat::Commas).then(|| variant("ListFormat", param.list_as))),
        some("const_value", param.const_value.as_deref()),
        some("required", param.required.map(evidence)),
        some("single_value", param.single_value.map(evidence)),
        some("default", param.default.as_deref()),
        range(param.range),
        texts("allowed_values", &param.allowed_values),
        texts("tested_values", &param.tested_values),
        texts("rejected_values", &param.rejected_values),
        some("example", param.example.as_deref()),
        text("unit", &param.unit),
        text("summary", &param.summary),
        text("notes", &param.notes),
        unknown(&param.unknown),
    ]
}

pub(super) fn param_info(param: &Param) -> TokenStream {
    let (ident, name, ty, evidence) =
        (&param.ident, param.name.as_str(), value_type(&param.ty), evidence(param.evidence));
    let facts = param_facts(param);
    quote!(ParamInfo::new(#ident, #name, #ty, #evidence) #(#facts)*)
}

/// Returns a param of an endpoint as an expression: for a shared param, its constant, followed by calls that set what
/// the endpoint describes anew; for any other param, a literal.
fn endpoint_param(param: &EndpointParam, shared: &[SharedParam]) -> TokenStream {
    let Some((index, _)) = param.shared else {
        return param_info(&param.param);
    };
    let (own, shared) = (&param.param, &shared[index]);
    let (constant, shared) = (ident(&shared.constant), &shared.param);
    let evidence = set("evidence", (own.evidence != shared.evidence).then(|| evidence(own.evidence)));
    let facts = param_facts(own).into_iter().zip(param_facts(shared));
    let facts = facts.filter(|(own, shared)| own.value.to_string() != shared.value.to_string());
    // An empty value is set too, because it replaces the value of the shared param.
    let facts = facts.map(|(own, _)| Fact { is_set: true, ..own });
    quote!(params::#constant #evidence #(#facts)*)
}

fn body(body: &Body) -> TokenStream {
    match body {
        Body::Series { record, data, is_optional, time, key, evidence: known } => {
            let evidence = evidence(*known);
            let item = record.as_ref().map_or_else(|| quote!(Value), |record| record_type(record).into_token_stream());
            let time = option(time.as_ref());
            let data = some("data", data.as_ref());
            let is_optional = flag("data_optional", *is_optional);
            let key = values("key", key);
            quote!(.series::<#item>(#time, #evidence) #data #is_optional #key)
        }
        Body::Object { record, evidence: known } => {
            let (record, evidence) = (record_type(record), evidence(*known));
            quote!(.body(BodyInfo::Object { record: RecordInfo::of::<#record>(), evidence: #evidence }))
        }
        Body::Unknown => TokenStream::new(),
    }
}

/// Divides params into lists: each param set that they contain in the same order and with the same descriptions, with
/// its index, and the params before and after it.
pub(super) fn param_lists<'a>(api: &Api, params: &'a [EndpointParam]) -> Vec<(Option<usize>, &'a [EndpointParam])> {
    let shared: Vec<_> = params.iter().map(|param| param.shared).collect();
    let sets = api.param_sets.iter().enumerate().filter(|(_, set)| !set.params.is_empty());
    let found = sets.filter_map(|(index, set)| {
        let set: Vec<_> = set.params.iter().map(|param| Some((*param, false))).collect();
        let start = shared.windows(set.len()).position(|part| part == set)?;
        Some((index, start..start + set.len()))
    });
    let Some((set, range)) = found.max_by_key(|(_, range)| range.len()) else {
        return params.first().map(|_| (None, params)).into_iter().collect();
    };
    let (before, after) = (param_lists(api, &params[..range.start]), param_lists(api, &params[range.end..]));
    [before, vec![(Some(set), &params[range])], after].concat()
}

/// Returns the call that sets the params of an endpoint: the constants of param sets, and lists of other params.
fn accepts(api: &Api, params: &[EndpointParam]) -> TokenStream {
    let lists = param_lists(api, params).into_iter().map(|(set, params)| {
        let set = set.map(|set| ident(&api.param_sets[set].constant));
        let params = params.iter().map(|param| endpoint_param(param, &api.shared_params));
        set.map_or_else(|| quote!(&[#(#params),*]), |set| quote!(params::#set))
    });
    quote!(.accepts(&[#(#lists),*]))
}

pub(super) fn endpoint_info(api: &Api, group: &str, endpoint: &Endpoint) -> TokenStream {
    let name = endpoint.declared.name.as_str();
    let source = endpoint.declared.evidence;
    let ident = &endpoint.ident;
    let history = match &endpoint.history {
        None => None,
        Some(Known::Known(own)) => Some(history_info(own)).map(|own| quote!(HistorySource::Endpoint(&#own))),
        Some(Known::Unknown) => Some(quote!(HistorySource::Unknown)),
    };
    let weight_by = endpoint.weight_by.as_ref().map(|by| {
        let (param, steps) = (by.param.as_str(), by.steps.iter());
        let steps = steps.map(|step| [step.max, step.weight].map(integer)).map(|[max, weight]| quote!((#max, #weight)));
        quote!((#param, &[#(#steps),*]))
    });
    let facts: [&dyn ToTokens; 13] = [
        &values("aliases", &endpoint.declared.aliases),
        &text("summary", &endpoint.summary),
        &some("path", endpoint.path.as_ref()),
        &set("evidence", (source != Evidence::Documented).then(|| evidence(source))),
        &endpoint.params.as_ref().map(|params| accepts(api, params)),
        &body(&endpoint.body),
        &set("history_source", history),
        &flag("is_example", endpoint.is_example),
        &set("weight", Some(endpoint.weight).filter(|weight| *weight != 1).map(integer)),
        &some("weight_by", weight_by),
        &text("notes", &endpoint.notes),
        &unknown(&endpoint.unknown),
        &some("deprecated", endpoint.deprecated.as_ref()),
    ];
    quote!(&EndpointInfo::of(#group, #ident).name(#name) #(#facts)*)
}

pub(super) fn history_info(history: &History) -> TokenStream {
    let History { from, to, limit, step, .. } = history;
    let evidence = evidence(history.evidence);
    let [from, to, limit, step] = [from, to, limit, step].map(|name| name.as_ref().map_or("", |name| name.as_str()));
    let order = history.order().map(|(param, oldest_first)| (param.as_str(), oldest_first.as_str()));
    let sort = option(order.map(|(param, oldest_first)| quote!((#param, #oldest_first))));
    let [every, oldest] = history.seconds().map(|time| option(time.map(duration)));
    let time_is_end = history.time_is == RecordTime::End;
    quote!(HistoryInfo {
        from: #from, to: #to, limit: #limit, step: #step, every: #every, oldest: #oldest, time_is_end: #time_is_end,
        sort: #sort, evidence: #evidence
    })
}

/// Returns a length of time, given in seconds.
pub(super) fn duration(seconds: u64) -> TokenStream {
    let seconds = integer(seconds);
    quote!(::std::time::Duration::from_secs(#seconds))
}
