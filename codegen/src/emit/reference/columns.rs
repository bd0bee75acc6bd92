//! Returns the contents of the columns in the tables of params and fields.

use std::fmt::Display;

use crate::emit::docs::{self, code};
use crate::emit::literal;
use catalogue::model::{Api, Builtin, Evidence, Field, ListFormat, Param, TimeForm, Type, UnknownFact};
use wording::Facts;

/// Returns the setters of a param.
pub(super) fn setters(param: &Param) -> String {
    param.setters().map(|(setter, _)| code(setter)).collect::<Vec<_>>().join(", ")
}

/// Returns whether a param is required.
pub(super) fn required(param: &Param) -> String {
    match (param.in_path(), param.required) {
        (true, _) => "yes, in the path".to_owned(),
        (false, Some(Evidence::Documented)) => "yes".to_owned(),
        (false, Some(evidence)) => format!("yes ({})", evidence.label()),
        (false, None) => "no".to_owned(),
    }
}

/// Returns the description of a param, without the facts that have a column.
pub(super) fn meaning(api: &Api, param: &Param) -> String {
    // Longer lists are in the section of the type.
    let values =
        api.named_type(&param.ty).filter(|ty| !ty.open && ty.values.len() <= 8).map_or(&[][..], |ty| &ty.values);
    let facts = Facts {
        source: "",
        values: values.iter().map(|value| value.value.as_str()).collect(),
        const_value: param.const_value.as_ref().map(|value| value.as_str()),
        example: param.example.as_ref().map(|example| example.as_str()),
        ..docs::param_facts(param)
    };
    let list = Some(param.list_as).filter(|list_as| *list_as != ListFormat::Commas);
    let list = list.map(|list_as| docs::several(&param.name, Some(list_as)));
    docs::joined([docs::meaning(&param.summary), docs::stated(&facts), list.unwrap_or_default()])
}

/// Returns the unit of a field. A number without a unit has the unit `undocumented` if `is_unknown`, or if the field
/// lists the unit as unknown.
pub(super) fn unit(field: &Field, is_unknown: bool) -> String {
    let is_unknown = is_unknown || field.unknown.contains(&UnknownFact::Unit);
    let unit = if field.unit.is_empty() && is_unknown && field.ty.is_numeric() { "undocumented" } else { &field.unit };
    docs::prose(unit)
}

/// Returns a sentence with the range of a field.
pub(super) fn range(field: &Field) -> String {
    docs::stated(&Facts { unit: "", source: "", ..docs::field_facts(field) })
}

/// Returns the type of a field in the client.
pub(super) fn rust_type(field: &Field) -> String {
    let ty = literal::rust_type(&field.ty).to_string().replace(' ', "");
    let ty = ty.replace("::std::collections::", "").replace(',', ", ");
    if field.is_option() { format!("Option<{ty}>") } else { ty }
}

/// Formats values as a list.
pub(super) fn values(values: impl IntoIterator<Item: Display>) -> String {
    docs::cell(values.into_iter().map(|value| code(&value.to_string())).collect::<Vec<_>>().join(", "))
}

/// Returns the default of a param, which may be several values.
pub(super) fn default(param: &Param) -> String {
    values(param.default.iter().flat_map(|default| default.split(',')))
}

/// Describes a type. The name of a named type is a link to its values on the front page.
pub(super) fn linked(ty: &Type, front: &str) -> String {
    match ty {
        Type::Named(name) => format!("[`{name}`]({front}#{})", name.to_lowercase()),
        other => name(other),
    }
}

/// Returns the name of a type for readers, similar to its name in the catalogue.
pub(super) fn name(ty: &Type) -> String {
    match ty {
        Type::Builtin(Builtin::Count) => "count (`u64`)".to_owned(),
        Type::Builtin(Builtin::Timestamp(TimeForm::Written(format))) => format!("timestamp ({})", format.word()),
        Type::Builtin(builtin) => builtin.name().to_owned(),
        Type::Named(name) => format!("`{name}`"),
        Type::Record(record) | Type::Recursive(record) => format!("`{}`", record.ident),
        Type::List(item) => format!("list of {}", self::name(item)),
        Type::Map(item) => format!("map of {}", self::name(item)),
        Type::Option(given) => format!("{} or null", self::name(given)),
    }
}
