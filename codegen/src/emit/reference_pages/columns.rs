//! The contents of the columns in the tables of params and fields.

use std::fmt::Display;

use crate::emit::literal;
use crate::emit::markdown::{self, code};
use crate::emit::sentences;
use catalogue::model::{Api, Builtin, Evidence, Field, ListFormat, Param, TimeForm, Type, UnknownFact};
use wording::Facts;

/// The setters of a param.
pub(super) fn setters(param: &Param) -> String {
    let setters: Vec<_> = param.setters().map(|(setter, _)| code(setter)).collect();
    setters.join(", ")
}

/// Says whether a param is required.
pub(super) fn required(param: &Param) -> String {
    match param.declared.required {
        _ if param.in_path() => "yes, in the path".to_owned(),
        Some(Evidence::Documented) => "yes".to_owned(),
        Some(evidence) => format!("yes ({})", evidence.label()),
        None => "no".to_owned(),
    }
}

/// The longest list of values that a description contains; longer lists are in the section of the type.
const MAX_VALUES: usize = 8;

/// The description of a param, without the facts that have a column.
pub(super) fn meaning(api: &Api, param: &Param) -> String {
    let declared = &param.declared;
    let mut values = Vec::new();
    if let Some(ty) = api.named_type(&param.ty)
        && !ty.open
        && ty.values.len() <= MAX_VALUES
    {
        values.extend(ty.values.iter().map(|value| value.value.as_str()));
    }
    let facts = Facts {
        source: "",
        values,
        const_value: declared.const_value.as_ref().map(|value| value.as_str()),
        example: param.example(),
        ..sentences::param_facts(param)
    };
    let list = match declared.list_as {
        ListFormat::Commas => String::new(),
        other => sentences::several(&declared.name, Some(other)),
    };
    markdown::joined([sentences::meaning(&declared.summary), sentences::stated(&facts), list])
}

/// The unit of a field. A number without a unit has the unit `undocumented` if `is_unknown`, or if the field
/// lists the unit as unknown.
pub(super) fn unit(field: &Field, is_unknown: bool) -> String {
    let is_unknown = is_unknown || field.unknown.contains(&UnknownFact::Unit);
    let unit = if field.unit.is_empty() && is_unknown && field.ty.is_numeric() { "undocumented" } else { &field.unit };
    markdown::prose(unit)
}

/// A sentence with the range of a field.
pub(super) fn range(field: &Field) -> String {
    sentences::stated(&Facts { unit: "", source: "", ..sentences::field_facts(field) })
}

/// The type of a field in the client.
pub(super) fn rust_type(field: &Field) -> String {
    let ty = literal::rust_type(&field.ty).to_string().replace(' ', "");
    let ty = ty.replace("::std::collections::", "").replace(',', ", ");
    if field.is_option() { format!("Option<{ty}>") } else { ty }
}

/// Formats values as a list.
pub(super) fn values(values: impl IntoIterator<Item: Display>) -> String {
    let codes: Vec<_> = values.into_iter().map(|value| code(&value.to_string())).collect();
    markdown::cell(codes.join(", "))
}

/// The default of a param, which may be several values.
pub(super) fn default(param: &Param) -> String {
    match &param.declared.default {
        Some(default) => values(default.split(',')),
        None => String::new(),
    }
}

/// Describes a type. The name of a named type is a link to its values on the front page.
pub(super) fn linked(ty: &Type, front: &str) -> String {
    match ty {
        Type::Named(name) => format!("[`{name}`]({front}#{})", name.to_lowercase()),
        other => name(other),
    }
}

/// The name of a type for readers, similar to its name in the catalogue.
pub(super) fn name(ty: &Type) -> String {
    match ty {
        Type::Builtin(Builtin::Count) => "count (`u64`)".to_owned(),
        Type::Builtin(Builtin::Timestamp(TimeForm::Written(format))) => format!("timestamp ({})", format.word()),
        Type::Builtin(Builtin::Timestamp(TimeForm::Local(zone))) => format!("timestamp (iso8601, {zone})"),
        Type::Builtin(builtin) => builtin.name().to_owned(),
        Type::Named(name) => format!("`{name}`"),
        Type::Record(record) | Type::Recursive(record) => format!("`{}`", record.ident),
        Type::List(item) => format!("list of {}", self::name(item)),
        Type::Map(item) => format!("map of {}", self::name(item)),
        Type::Option(given) => format!("{} or null", self::name(given)),
    }
}
