//! Emits the types of an endpoint's rows.

use catalogue::model::{Api, Builtin, Evidence, Field, Record, Type};
use wording::{Facts, is_python_name};

use super::super::json_object::quoted;
use super::super::sentences;
use super::method::{Method, options, record};
use super::text::docstring;

/// Emits the type of an endpoint's rows, whose docs have the meaning, the unit and the source of each field.
pub(super) fn row(method: &Method<'_>, api: &Api) -> String {
    let Some(record) = record(method.endpoint, api) else { return format!("\n{} = _Row\n", method.row()) };
    let mut members: Vec<(String, String)> = Vec::new();
    for param in options(method.endpoint, api, true) {
        members.push((param.declared.name.to_string(), "_NotRequired[str]".to_owned()));
    }
    for field in &record.fields {
        members.retain(|(name, _)| *name != field.wire_name);
        members.push((field.wire_name.clone(), field_type(field)));
    }
    members.push(("endpoint".to_owned(), "_NotRequired[str]".to_owned()));
    members.push(("unknown_fields".to_owned(), "_NotRequired[_t.Dict[str, _t.Any]]".to_owned()));
    typed_dict(&method.row(), &members, &row_docs(method, record))
}

/// Emits the type of an endpoint's rows in a table, and the names of its columns.
pub(super) fn table_row(method: &Method<'_>, api: &Api) -> String {
    let Some(record) = record(method.endpoint, api) else { return String::new() };
    let mut members: Vec<(String, String)> = Vec::new();
    for param in options(method.endpoint, api, true) {
        members.push((param.declared.name.to_string(), "_t.Optional[str]".to_owned()));
    }
    for field in &record.fields {
        // A field with the name of a param has no column of its own.
        if members.iter().all(|(name, _)| *name != field.wire_name) {
            members.push((field.wire_name.clone(), column_type(field)));
        }
    }
    for (name, ty) in [
        ("endpoint", "str"),
        ("unknown_fields", "_t.Optional[str]"),
        ("fetched_at", "_NotRequired[_t.Optional[_datetime]]"),
    ] {
        members.push((name.to_owned(), ty.to_owned()));
    }
    let columns: Vec<_> = members.iter().map(|(name, _)| quoted(name)).collect();
    let dict = typed_dict(&method.table_row(), &members, &[(*method.endpoint.declared.summary).to_owned()]);
    format!("{dict}\n{} = _t.Literal[{}]\n", method.column(), columns.join(", "))
}

/// Emits a type of dicts with these members, as a class unless one of the names is not a name in Python.
fn typed_dict(name: &str, members: &[(String, String)], docs: &[String]) -> String {
    if members.iter().all(|(member, _)| is_python_name(member)) {
        let mut text = format!("\nclass {name}(_t.TypedDict):\n{}", docstring("    ", docs));
        for (member, ty) in members {
            text.push_str(&format!("    {member}: {ty}\n"));
        }
        return text;
    }
    let items: Vec<_> = members.iter().map(|(member, ty)| format!("{}: {ty}", quoted(member))).collect();
    format!("\n{name} = _t.TypedDict({}, {{{}}})\n", quoted(name), items.join(", "))
}

fn row_docs(method: &Method<'_>, record: &Record) -> Vec<String> {
    let mut lines = vec![(*method.endpoint.declared.summary).to_owned(), String::new()];
    for field in &record.fields {
        // An editor shows these docs without the page that explains the labels.
        let others = sentences::stated(&Facts { source: "", ..sentences::field_facts(field) });
        let mut facts = vec![field.summary.clone(), others, source(field.evidence)];
        facts.retain(|fact| !fact.is_empty());
        lines.push(format!("{}: {}", field.wire_name, facts.join(" ")));
    }
    lines
}

/// The source of a fact, unless it is documented.
fn source(evidence: Evidence) -> String {
    if evidence == Evidence::Documented { String::new() } else { format!("Source: {}.", evidence.label()) }
}

fn field_type(field: &Field) -> String {
    let ty = value_type(&field.ty);
    if field.optional { format!("_t.Optional[{ty}]") } else { ty }
}

/// The type of a value in a table, whose objects and lists are texts in JSON.
fn column_type(field: &Field) -> String {
    let (ty, optional) = match &field.ty {
        Type::Option(of) => (&**of, true),
        ty => (ty, field.optional || *ty == Type::Builtin(Builtin::Any)),
    };
    let ty = match ty {
        Type::Builtin(Builtin::Integer | Builtin::Count) => "int",
        Type::Builtin(Builtin::Number) => "float",
        Type::Builtin(Builtin::Boolean) => "bool",
        Type::Builtin(Builtin::Timestamp(_)) => "_datetime",
        _ => "str",
    };
    if optional { format!("_t.Optional[{ty}]") } else { ty.to_owned() }
}

/// The type of a value in a row, which is read from JSON: a time is text.
fn value_type(ty: &Type) -> String {
    match ty {
        Type::Builtin(Builtin::Integer | Builtin::Count) => "int".to_owned(),
        Type::Builtin(Builtin::Number) => "float".to_owned(),
        Type::Builtin(Builtin::Boolean) => "bool".to_owned(),
        Type::Builtin(Builtin::String | Builtin::Decimal | Builtin::Timestamp(_)) | Type::Named(_) => "str".to_owned(),
        Type::Record(_) | Type::Recursive(_) => "_t.Dict[str, _t.Any]".to_owned(),
        Type::List(of) => format!("_t.List[{}]", value_type(of)),
        Type::Map(of) => format!("_t.Dict[str, {}]", value_type(of)),
        Type::Option(of) => format!("_t.Optional[{}]", value_type(of)),
        Type::Builtin(Builtin::Any) => "_t.Any".to_owned(),
    }
}
