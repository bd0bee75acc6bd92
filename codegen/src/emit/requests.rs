//! Emits `requests.rs`: tests of the sent requests, with one line for each endpoint and for each setter.
//!
//! This module computes the expected values from the catalogue. The crate `sandbox` contains the functions that compare
//! these values with a request.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::File;
use super::literal::{self, ident};
use super::render;
use catalogue::model::{Api, Builtin, Endpoint, Group, ListFormat, Param, Passing, Setter, TimeForm, Type};
use catalogue::url_path;

pub(super) fn file(api: &Api) -> File {
    let endpoints = api.groups.iter().filter_map(|group| endpoints(api, group));
    let imports = "\nuse ::sandbox::request_checks::{client, endpoint, setter};\nuse crate::*;\n";
    let docs = "Tests of the requests of every endpoint and every setter.";
    render::file("requests.rs", "", docs, imports, endpoints.chain(setters(api)))
}

/// Returns the test of a group. For each endpoint, the test compares the request without optional params with the
/// expected path.
fn endpoints(api: &Api, group: &Group) -> Option<TokenStream> {
    let accessor = ident(&group.ident);
    let checks = group.methods().map(|described| {
        let path = sample_path(api, described);
        let request = call(described, |param| sample(api, param, param.passing()).0);
        quote!(endpoint(#path, #accessor #request);)
    });
    let handle = quote!(let #accessor = client.#accessor(););
    test(&accessor, &group.endpoints, &handle, checks)
}

/// Returns the test of all setters: each setter is called on the first endpoint that has it.
fn setters(api: &Api) -> Option<TokenStream> {
    let first = first_with(api);
    let checks = api.setters.iter().filter_map(|described| setter(api, &first, described));
    test(&ident("every_setter"), api.endpoints(), &quote!(), checks)
}

/// Returns a test of these endpoints; `None` if it has no checks.
fn test<'a>(
    name: &Ident,
    endpoints: impl IntoIterator<Item = &'a Endpoint>,
    preparation: &TokenStream,
    checks: impl Iterator<Item = TokenStream>,
) -> Option<TokenStream> {
    // Deprecated endpoints are tested too.
    let is_deprecated = endpoints.into_iter().any(|endpoint| endpoint.deprecated.is_some());
    let allow = is_deprecated.then(|| quote!(#[allow(deprecated)]));
    let checks: Vec<_> = checks.collect();
    (!checks.is_empty()).then(|| {
        quote! {
            #[test]
            #allow
            fn #name() {
                let client: Client = client();
                #preparation
                #(#checks)*
            }
        }
    })
}

fn setter(api: &Api, first: &First<'_>, described: &Setter) -> Option<TokenStream> {
    let (group, endpoint, param) = first.get(described.ident.as_str())?;
    let (accessor, name) = (ident(&group.ident), ident(&described.ident));
    let call = call(endpoint, |param| sample(api, param, param.passing()).0);
    let passing = described.passing();
    let (value, wire) = sample(api, param, passing);
    let argument = if passing.several { quote!([#value, #value]) } else { value };
    let count = if passing.several { 2 } else { 1 };
    let wire = match param.list_as {
        ListFormat::Commas => vec![wire; count].join(","),
        ListFormat::Repeated => wire,
        ListFormat::Json => {
            let item = if param.ty.is_text() { serde_json::Value::from(wire).to_string() } else { wire };
            format!("[{}]", vec![item; count].join(","))
        }
    };
    let expected = format!("{}={}", encoded(&described.param.name, QUERY), encoded(&wire, QUERY));
    Some(quote!(setter(client.#accessor() #call.#name(#argument), #expected);))
}

/// Maps the name of each setter to the first endpoint that has the setter, with its group and the param.
type First<'a> = HashMap<&'a str, (&'a Group, &'a Endpoint, &'a Param)>;

fn first_with(api: &Api) -> First<'_> {
    let endpoints = api.groups.iter().flat_map(|group| group.methods().map(move |endpoint| (group, endpoint)));
    let mut first = First::new();
    for (group, endpoint) in endpoints {
        for param in endpoint.known_params().filter(|param| param.is_set()) {
            for (setter, _) in param.setters() {
                first.entry(setter).or_insert((group, endpoint, param));
            }
        }
    }
    first
}

/// Returns the method call of an endpoint. `value` returns the expression for an argument.
pub(super) fn call(endpoint: &Endpoint, mut value: impl FnMut(&Param) -> TokenStream) -> TokenStream {
    let method = ident(&endpoint.ident);
    let params = endpoint.known_params().filter(|param| param.is_argument());
    let arguments = params.map(|param| {
        let value = value(param);
        if param.passing().several { quote!([#value]) } else { value }
    });
    quote!(.#method(#(#arguments),*))
}

/// Returns the path of an endpoint, with the value of [`sample`] for each param in the path.
fn sample_path(api: &Api, endpoint: &Endpoint) -> String {
    let mut path = url_path::without_fragment(endpoint.path.as_deref().unwrap_or_default()).to_owned();
    for param in endpoint.known_params().filter(|param| param.in_path()) {
        path = path.replace(&format!("{{{}}}", param.name), &encoded(&sample(api, param, param.passing()).1, SEGMENT));
    }
    path
}

/// Returns a sample value of a param, as a Rust expression and as the text that is sent. Except for a timestamp, the
/// value is the example of the param, if there is a suitable one. A number has a type suffix if the argument does not
/// determine the type.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion of a number out of range saturates"
)]
pub(super) fn sample(api: &Api, param: &Param, passing: Passing) -> (TokenStream, String) {
    let known = param.example.as_ref().map(|example| example.as_str());
    let whole = |text: String, ty: &str| {
        let text = known.map_or(text, str::to_owned);
        let literal = if passing.exact { text.clone() } else { format!("{text}_{ty}") };
        (literal.parse().unwrap_or_else(|_| quote!(7)), text)
    };
    match &param.ty {
        Type::Builtin(Builtin::Integer) => whole(bound(param).map_or(7, |bound| bound as i64).to_string(), "i64"),
        Type::Builtin(Builtin::Count) => whole(bound(param).map_or(7, |bound| bound as u64).to_string(), "u64"),
        Type::Builtin(Builtin::Number) => {
            let bound = param.range.min.or(param.range.max);
            let number = known.and_then(|known| known.parse().ok()).or(bound).unwrap_or(0.5);
            (literal::number(number), number.to_string())
        }
        Type::Builtin(Builtin::Boolean) => {
            let flag = known != Some("false");
            (quote!(#flag), flag.to_string())
        }
        Type::Builtin(Builtin::Timestamp(form)) => {
            let wire = match form {
                // Each unit is a thousandth of the previous one.
                TimeForm::Counted(unit) => format!("1700000000{}", "000".repeat(*unit as usize)),
                TimeForm::Written(format) => format.example().to_owned(),
            };
            (quote!(Timestamp::from_unix_seconds(1_700_000_000)), wire)
        }
        // Any other type of a param is a text.
        _ => {
            let value = known.or_else(|| named_value(api, param)).unwrap_or("a");
            (quote!(#value), value.to_owned())
        }
    }
}

/// Returns a value of the named type of a param: the default, or the first value. The default of a list may be a text
/// with several values, such as `a,b`, which is not a value of the type.
fn named_value<'a>(api: &'a Api, param: &Param) -> Option<&'a str> {
    let mut values = api.named_type(&param.ty)?.values.iter().map(|value| value.value.as_str());
    let default = values.clone().find(|value| param.default.as_ref().is_some_and(|default| default.as_str() == *value));
    default.or_else(|| values.next())
}

/// Returns the smallest integer in the range of a param, or the largest if the range has no minimum.
fn bound(param: &Param) -> Option<f64> {
    param.range.min.map(f64::ceil).or(param.range.max.map(f64::floor))
}

/// The characters that are not percent-encoded in a path segment, in addition to letters and digits.
const SEGMENT: &[u8] = b"-._~";

/// The characters that are not percent-encoded in a query, in addition to letters and digits.
const QUERY: &[u8] = b"-._~,:";

fn encoded(text: &str, plain: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
