//! The words for things of the client in a sentence.

use codegen::model::{Body, Endpoint, Field, Group, Param, RecordForm};
use quote::ToTokens;

use super::pairs::{Placed, Standing};

/// `client.orderflow()`.
pub(super) fn accessor(group: &Group) -> String {
    format!("`client.{}()`", group.ident)
}

/// `client.orderflow().basis(symbol)`.
pub(super) fn method(placed: Placed<'_>) -> String {
    let arguments: Vec<_> = arguments(placed.endpoint).map(Param::argument).collect();
    format!("`client.{}().{}({})`", placed.group.ident, placed.endpoint.ident, arguments.join(", "))
}

/// The same, with the type of each argument.
pub(super) fn signature(placed: Placed<'_>) -> String {
    let arguments: Vec<_> = arguments(placed.endpoint)
        .map(|param| {
            let ty = rust(&param.ty);
            let ty = if param.list.is_some() { format!("[{ty}]") } else { ty };
            format!("{}: {ty}", param.argument())
        })
        .collect();
    format!("`client.{}().{}({})`", placed.group.ident, placed.endpoint.ident, arguments.join(", "))
}

/// The arguments of a method.
pub(super) fn arguments(endpoint: &Endpoint) -> impl Iterator<Item = &Param> {
    endpoint.params.iter().flatten().map(|param| &param.param).filter(|param| param.is_argument())
}

/// `.bucket()`, or `.exchange()` and `.exchanges()`, with the verb that follows.
pub(super) fn setters(param: &Param) -> String {
    match &param.list {
        None => format!("`.{}()` is", param.ident),
        Some(list) => format!("`.{}()` and `.{list}()` are", param.ident),
    }
}

/// `orderflow::BasisRecord`.
pub(super) fn record(standing: Standing<'_>) -> String {
    let module = standing.module.map(|module| format!("{module}::")).unwrap_or_default();
    format!("`{module}{}`", standing.record.ident)
}

/// A type as Rust writes it.
pub(super) fn rust(ty: &impl ToTokens) -> String {
    ty.to_token_stream().to_string().replace(' ', "")
}

/// The body of a method's reply.
pub(super) fn body(body: &Body) -> String {
    format!("`{}`", rust(body))
}

/// The type of a field, absence included.
pub(super) fn field_type(field: &Field) -> String {
    if field.is_option() { format!("Option<{}>", rust(&field.ty)) } else { rust(&field.ty) }
}

/// How a record is written on the wire.
pub(super) fn form(form: RecordForm) -> &'static str {
    match form {
        RecordForm::Object => "by the names of its fields",
        RecordForm::Positional => "by the places of its fields",
        RecordForm::Value => "as a whole",
    }
}
