//! Emits `requests.rs`: tests of the sent requests, with one line for each endpoint and for each setter.
//!
//! This module computes the expected values from the catalogue. The crate `sandbox` contains the functions that compare
//! these values with a request.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::File;
use super::literal::{Literal, ident};
use super::render;
use catalogue::model::{Api, Builtin, Endpoint, Group, ListFormat, Param, Passing, Setter, TimeForm, TimeFormat, Type};
use catalogue::url_path;

pub(super) fn file(api: &Api) -> File {
    let mut tests = Vec::new();
    for group in &api.groups {
        tests.extend(endpoints_test(api, group));
    }
    tests.extend(setters_test(api));
    let imports = "\nuse ::sandbox::request_checks::{client, endpoint, setter};\nuse crate::*;\n";
    let docs = "Tests of the requests of every endpoint and every setter.";
    render::file("requests.rs", "", docs, imports, tests)
}

/// The test of a group. For each endpoint, it compares the request without optional params with the expected path.
fn endpoints_test(api: &Api, group: &Group) -> Option<TokenStream> {
    let accessor = ident(&group.ident);
    let mut checks = Vec::new();
    for endpoint in group.methods() {
        let path = sample_path(api, endpoint);
        let request = sample_call(api, endpoint);
        checks.push(quote!(endpoint(#path, #accessor #request);));
    }
    let handle = quote!(let #accessor = client.#accessor(););
    test(&accessor, &group.endpoints, &handle, &checks)
}

/// The test of all setters: each setter is called on the first endpoint that has it.
fn setters_test(api: &Api) -> Option<TokenStream> {
    let mut checks: BTreeMap<&str, TokenStream> = BTreeMap::new();
    for described in setters_on_endpoints(api) {
        let name = described.setter.ident.as_str();
        if !checks.contains_key(name) {
            checks.insert(name, setter_check(api, &described));
        }
    }
    let checks: Vec<_> = checks.into_values().collect();
    test(&ident("every_setter"), api.endpoints(), &quote!(), &checks)
}

/// A test of these endpoints; `None` if it has no checks.
fn test<'a>(
    name: &Ident,
    endpoints: impl IntoIterator<Item = &'a Endpoint>,
    preparation: &TokenStream,
    checks: &[TokenStream],
) -> Option<TokenStream> {
    if checks.is_empty() {
        return None;
    }
    // Deprecated endpoints are tested too.
    let is_deprecated = endpoints.into_iter().any(|endpoint| endpoint.declared.deprecated.is_some());
    let allow = if is_deprecated { quote!(#[allow(deprecated)]) } else { TokenStream::new() };
    Some(quote! {
        #[test]
        #allow
        fn #name() {
            let client: Client = client();
            #preparation
            #(#checks)*
        }
    })
}

/// A setter of a param of an endpoint.
struct SetterOnEndpoint<'a> {
    group: &'a Group,
    endpoint: &'a Endpoint,
    param: &'a Param,
    setter: &'a Setter,
}

fn setters_on_endpoints(api: &Api) -> Vec<SetterOnEndpoint<'_>> {
    let mut setters = Vec::new();
    for group in &api.groups {
        for endpoint in group.methods() {
            for param in endpoint.known_params() {
                if !param.is_set() {
                    continue;
                }
                for (name, _) in param.setters() {
                    if let Some(setter) = api.setter(name) {
                        setters.push(SetterOnEndpoint { group, endpoint, param, setter });
                    }
                }
            }
        }
    }
    setters
}

fn setter_check(api: &Api, described: &SetterOnEndpoint<'_>) -> TokenStream {
    let SetterOnEndpoint { group, endpoint, param, setter } = described;
    let accessor = ident(&group.ident);
    let name = ident(&setter.ident);
    let call = sample_call(api, endpoint);
    let sample = sample(api, param, setter.passing());
    let value = &sample.expression;
    let argument = if setter.several { quote!([#value, #value]) } else { quote!(#value) };
    let sent = sent_text(param, setter, sample.wire);
    let expected = format!("{}={}", encoded(&setter.param.declared.name, QUERY), encoded(&sent, QUERY));
    quote!(setter(client.#accessor() #call.#name(#argument), #expected);)
}

/// The text that the setter sends for the value, or for two equal values.
fn sent_text(param: &Param, setter: &Setter, wire: String) -> String {
    let count = if setter.several { 2 } else { 1 };
    match param.declared.list_as {
        ListFormat::Commas => vec![wire; count].join(","),
        ListFormat::Spaces => vec![wire; count].join(" "),
        ListFormat::Pipes => vec![wire; count].join("|"),
        ListFormat::Colons => vec![wire; count].join(":"),
        ListFormat::Semicolons => vec![wire; count].join(";"),
        ListFormat::Repeated => wire,
        ListFormat::Json => {
            let item = if param.ty.is_text() { serde_json::Value::from(wire).to_string() } else { wire };
            format!("[{}]", vec![item; count].join(","))
        }
    }
}

/// The method call of an endpoint. `value` returns the expression of an argument.
pub(super) fn call(endpoint: &Endpoint, mut value: impl FnMut(&Param) -> TokenStream) -> TokenStream {
    let method = ident(&endpoint.ident);
    let mut arguments = Vec::new();
    for param in endpoint.arguments() {
        let value = value(param);
        arguments.push(if param.passing().several { quote!([#value]) } else { value });
    }
    quote!(.#method(#(#arguments),*))
}

fn sample_call(api: &Api, endpoint: &Endpoint) -> TokenStream {
    call(endpoint, |param| sample(api, param, param.passing()).expression)
}

/// The path of an endpoint, with a [`Sample`] of each param in the path.
pub(super) fn sample_path(api: &Api, endpoint: &Endpoint) -> String {
    let mut path = url_path::without_fragment(endpoint.path.as_deref().unwrap_or_default()).to_owned();
    for param in endpoint.known_params() {
        if param.in_path() {
            let placeholder = format!("{{{}}}", param.declared.name);
            let sample = sample(api, param, param.passing());
            path = path.replace(&placeholder, &encoded(&sample.wire, SEGMENT));
        }
    }
    path
}

/// A sample value of a param.
pub(super) struct Sample {
    pub(super) expression: TokenStream,
    /// The text that is sent.
    pub(super) wire: String,
}

/// The sample is the example of the param, if it is suitable; a timestamp has its own sample.
pub(super) fn sample(api: &Api, param: &Param, passing: Passing) -> Sample {
    let example = param.example();
    match &param.ty {
        Type::Builtin(Builtin::Integer) => match example {
            Some(digits) => integer_sample(digits.to_owned(), "i64", passing),
            None => integer_sample(integer_in_range(param).to_string(), "i64", passing),
        },
        Type::Builtin(Builtin::Count) => match example {
            Some(digits) => integer_sample(digits.to_owned(), "u64", passing),
            None => integer_sample(count_in_range(param).to_string(), "u64", passing),
        },
        Type::Builtin(Builtin::Number) => {
            let number = example_number(param).unwrap_or(number_in_range(param));
            Sample { expression: number.literal(), wire: number.to_string() }
        }
        Type::Builtin(Builtin::Boolean) => {
            let flag = example != Some("false");
            Sample { expression: flag.literal(), wire: flag.to_string() }
        }
        Type::Builtin(Builtin::Timestamp(form)) => {
            Sample { expression: quote!(Timestamp::from_unix_seconds(1_700_000_000)), wire: sample_time(*form) }
        }
        // Any other type of a param is a text.
        _ => {
            let text = example.or_else(|| named_value(api, param)).unwrap_or("a");
            Sample { expression: quote!(#text), wire: text.to_owned() }
        }
    }
}

/// The literal has a type suffix if the argument does not determine the type.
fn integer_sample(digits: String, ty: &str, passing: Passing) -> Sample {
    let literal = if passing.exact { digits.clone() } else { format!("{digits}_{ty}") };
    Sample { expression: literal.parse().unwrap_or_else(|_| quote!(7)), wire: digits }
}

/// The time 1,700,000,000 in its format on the wire.
fn sample_time(form: TimeForm) -> String {
    match form {
        // Each unit is a thousandth of the previous one.
        TimeForm::Counted(unit) => format!("1700000000{}", "000".repeat(unit as usize)),
        TimeForm::Written(format) => format.example().to_owned(),
        TimeForm::Local(_) => TimeFormat::Iso8601.example().to_owned(),
    }
}

fn example_number(param: &Param) -> Option<f64> {
    param.example()?.parse().ok()
}

fn number_in_range(param: &Param) -> f64 {
    param.range.min.or(param.range.max).unwrap_or(0.5)
}

/// The smallest integer in the range of a param, or the largest if the range has no minimum.
#[expect(clippy::cast_possible_truncation, reason = "the conversion of a number out of range saturates")]
fn integer_in_range(param: &Param) -> i64 {
    whole_in_range(param) as i64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion of a number out of range saturates"
)]
fn count_in_range(param: &Param) -> u64 {
    whole_in_range(param) as u64
}

fn whole_in_range(param: &Param) -> f64 {
    match (param.range.min, param.range.max) {
        (Some(min), _) => min.ceil(),
        (None, Some(max)) => max.floor(),
        (None, None) => 7.0,
    }
}

/// A value of the named type of a param: the default, or the first value. The default of a list may be a text with
/// several values, such as `a,b`, which is not a value of the type.
fn named_value<'a>(api: &'a Api, param: &Param) -> Option<&'a str> {
    let values = &api.named_type(&param.ty)?.values;
    if let Some(default) = &param.declared.default {
        for value in values {
            if *default == value.value {
                return Some(&value.value);
            }
        }
    }
    Some(&values.first()?.value)
}

/// The characters that are not percent-encoded in a path segment, in addition to letters and digits.
const SEGMENT: &[u8] = b"-._~";

/// The characters that are not percent-encoded in a query, in addition to letters and digits.
const QUERY: &[u8] = b"-._~,:";

fn encoded(text: &str, plain: &[u8]) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}
