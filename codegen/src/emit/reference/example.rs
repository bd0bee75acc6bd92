//! Emits a short, complete program for each endpoint.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::Package;
use crate::emit::literal::ident;
use crate::emit::render::print;
use crate::emit::requests::{call, sample};
use catalogue::model::{Api, Body, Builtin, Endpoint, Group, Param, Passing, Record, Type};

pub(super) fn program(api: &Api, package: &Package, group: &Group, endpoint: &Endpoint) -> String {
    let mut names = BTreeSet::from(["Client".to_owned()]);
    let request = request(api, endpoint, &mut names);
    let accessor = ident(&group.ident);
    let (name, shown) = shown(api, &endpoint.body);
    let (name, krate) = (ident(name), ident(&package.ident()));
    let main = quote! {
        #[tokio::main]
        async fn main() -> Result<(), #krate::Error> {
            let client = Client::from_env()?;
            let #name = client.#accessor() #request .await?;
            #shown
            Ok(())
        }
    };
    let names: Vec<_> = names.into_iter().collect();
    let uses = match names.as_slice() {
        [name] => name.clone(),
        names => format!("{{{}}}", names.join(", ")),
    };
    format!("use {}::{uses};\n\n{}", package.ident(), print(&main))
}

/// Returns the method call with all required values. The types in the call are added to `names`, for the import.
fn request(api: &Api, endpoint: &Endpoint, names: &mut BTreeSet<String>) -> TokenStream {
    let call = call(endpoint, |param| value(api, param, param.passing(), names));
    let needed = endpoint.known_params().filter(|param| param.required.is_some() && param.is_set());
    let needed = needed.filter_map(|param| Some((param, api.setter(&param.ident)?)));
    let setters: Vec<_> = needed
        .map(|(param, setter)| {
            let (setter, value) = (ident(&setter.ident), value(api, param, setter.passing(), names));
            quote!(.#setter(#value))
        })
        .collect();
    quote!(#call #(#setters)*)
}

/// Returns a variable name for the response, and a statement that prints the response.
fn shown(api: &Api, body: &Body) -> (&'static str, TokenStream) {
    match body {
        Body::Series { record, time, .. } => {
            let printed = record.as_ref().and_then(|record| first_number(api.record(record)?, time.as_deref()));
            let printed = printed.unwrap_or_else(|| quote!(println!("{record:?}");));
            ("series", quote!(for record in &series { #printed }))
        }
        Body::Object { .. } => ("object", quote!(println!("{object:?}");)),
        Body::Unknown => ("body", quote!(println!("{body}");)),
    }
}

/// Returns the statement that prints the time and the first number of a record.
fn first_number(record: &Record, time: Option<&str>) -> Option<TokenStream> {
    let time = record.fields.iter().find(|field| Some(field.wire_name.as_str()) == time)?;
    let number = record.fields.iter().find(|field| field.ty == Type::Builtin(Builtin::Number))?;
    let format = [time, number].map(|field| if field.is_option() { "{:?}" } else { "{}" }).join(" ");
    let (time, number) = (ident(&time.ident), ident(&number.ident));
    Some(quote!(println!(#format, record.#time, record.#number);))
}

/// Returns an example value of a param. For a named type, the value is a constant of the type, if possible.
fn value(api: &Api, param: &Param, passing: Passing, names: &mut BTreeSet<String>) -> TokenStream {
    if let Some(ty) = api.named_type(&param.ty) {
        let wanted = param.example.as_deref().or(param.default.as_deref());
        let of = |value: &&catalogue::model::Value| wanted == Some(&value.value);
        // Without an example, the first constant is used. An example that is not a constant is passed as text.
        let any = || ty.values.first().filter(|_| param.example.as_deref().is_none());
        if let Some(value) = ty.values.iter().find(of).or_else(any) {
            names.insert(ty.ident.clone());
            let (ty, value) = (ident(&ty.ident), ident(&value.ident));
            return quote!(#ty::#value);
        }
    }
    if param.ty.time_form().is_some() {
        names.insert("Timestamp".to_owned());
    }
    sample(api, param, passing).0
}
