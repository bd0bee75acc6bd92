//! Emits a short, complete program for each endpoint.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{TokenStreamExt, quote};

use crate::emit::Package;
use crate::emit::literal::ident;
use crate::emit::render::print;
use crate::emit::requests::{call, sample};
use catalogue::model::{Api, Body, Builtin, Endpoint, Field, Group, NamedType, Param, Passing, RecordRef, Type, Value};

pub(super) fn program(api: &Api, package: &Package, group: &Group, endpoint: &Endpoint) -> String {
    let mut names = BTreeSet::from(["Client".to_owned()]);
    let request = request(api, endpoint, &mut names);
    let accessor = ident(&group.ident);
    let response = response(api, &endpoint.body);
    let variable = ident(response.variable);
    let printed = response.printed;
    let krate = ident(&package.ident());
    let main = quote! {
        #[tokio::main]
        async fn main() -> Result<(), #krate::Error> {
            let client = Client::from_env()?;
            let #variable = client.#accessor() #request .await?;
            #printed
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

/// The method call with the values that examples send. The types in the call are added to `names`, for the import.
fn request(api: &Api, endpoint: &Endpoint, names: &mut BTreeSet<String>) -> TokenStream {
    let mut request = call(endpoint, |param| value(api, param, param.passing(), names));
    for param in endpoint.known_params() {
        if !param.is_in_examples() || !param.is_set() {
            continue;
        }
        if let Some(setter) = api.setter(&param.ident) {
            let value = value(api, param, setter.passing(), names);
            let setter = ident(&setter.ident);
            request.append_all(quote!(.#setter(#value)));
        }
    }
    request
}

/// A response in an example.
struct Response {
    /// The name of its variable.
    variable: &'static str,
    /// The statement that prints it.
    printed: TokenStream,
}

fn response(api: &Api, body: &Body) -> Response {
    match body {
        Body::Series { record, time, .. } => {
            let first_number = print_first_number(api, record.as_ref(), time.as_deref());
            let printed = first_number.unwrap_or_else(|| quote!(println!("{record:?}");));
            Response { variable: "series", printed: quote!(for record in &series { #printed }) }
        }
        Body::Object { .. } => Response { variable: "object", printed: quote!(println!("{object:?}");) },
        Body::Unknown => Response { variable: "body", printed: quote!(println!("{body}");) },
    }
}

/// The statement that prints the time and the first number of a record.
fn print_first_number(api: &Api, record: Option<&RecordRef>, time: Option<&str>) -> Option<TokenStream> {
    let record = api.record(record?)?;
    let time = record.fields.iter().find(|field| Some(field.wire_name.as_str()) == time)?;
    let number = record.fields.iter().find(|field| field.ty == Type::Builtin(Builtin::Number))?;
    let format = format!("{} {}", placeholder(time), placeholder(number));
    let time = ident(&time.ident);
    let number = ident(&number.ident);
    Some(quote!(println!(#format, record.#time, record.#number);))
}

fn placeholder(field: &Field) -> &'static str {
    if field.is_option() { "{:?}" } else { "{}" }
}

/// An example value of a param. For a named type, the value is a constant of the type, if possible.
fn value(api: &Api, param: &Param, passing: Passing, names: &mut BTreeSet<String>) -> TokenStream {
    if let Some(ty) = api.named_type(&param.ty)
        && let Some(constant) = constant(ty, param)
    {
        names.insert(ty.ident.clone());
        let ty = ident(&ty.ident);
        let constant = ident(&constant.ident);
        return quote!(#ty::#constant);
    }
    if param.ty.time_form().is_some() {
        names.insert("Timestamp".to_owned());
    }
    sample(api, param, passing).expression
}

/// The constant of the example or, without an example, of the default or the first value. An example that is not a
/// constant is passed as text.
fn constant<'a>(ty: &'a NamedType, param: &Param) -> Option<&'a Value> {
    let example = param.example();
    let wanted = example.or(param.default_value());
    let exact = ty.values.iter().find(|value| Some(value.value.as_str()) == wanted);
    if example.is_some() { exact } else { exact.or(ty.values.first()) }
}
