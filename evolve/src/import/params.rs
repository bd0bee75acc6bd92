//! Reads the params of operations.

use codegen::is_line;
use codegen::model::{ListFormat, TimeForm};
use codegen::spec::{Param, ParamEntry, ParamLocation, TypeKind};
use codegen::type_expr::{Builtin, TypeExpr};
use serde_yaml::Value;

use super::Reader;
use super::document::{items, text, text_of};
use super::omissions::{PARAM as PARAM_KEYS, Weight};
use super::schemas::{is_time_example, type_of};
use super::value_facts::Facts;
use crate::draft_types::{SEVERAL, TIMESTAMP, innermost, item, record_in, type_of_name};
use crate::merge::is_within;

impl<'d> Reader<'d> {
    /// Returns the params of a path item and of its operation, in this order, as entries. The second value is `true` if
    /// all references could be resolved.
    pub(super) fn params(&mut self, path: &'d Value, operation: &'d Value, pointer: &str) -> (Vec<ParamEntry>, bool) {
        let mut entries: Vec<(String, String, ParamEntry)> = Vec::new();
        let mut are_all = true;
        let all = items(path, "parameters").iter().chain(items(operation, "parameters"));
        for (index, param) in all.enumerate() {
            let Some((target, reference)) = self.resolve(param, &format!("{pointer}/parameters/{index}")) else {
                are_all = false;
                continue;
            };
            let key = |key: &str| text(target, key).unwrap_or_default().to_owned();
            let (name, location) = (key("name"), key("in"));
            let id = reference.and_then(|reference| reference.strip_prefix("#/components/parameters/"));
            let entry = match id {
                Some(id) => self.shared(id, target),
                None => self
                    .param(target, "", &format!("{pointer}/parameters/{name}"))
                    .map(|param| ParamEntry::Own(Box::new(param))),
            };
            let Some(entry) = entry else { continue };
            // A param of the operation replaces the same param of the path item.
            let same = entries.iter().position(|(known, ..)| *known == name);
            match same {
                Some(index) if entries[index].1 == location => entries[index].2 = entry,
                Some(_) => {
                    let why = "a param with the same name as a param in another part of the URL";
                    self.omissions.add(Weight::Missing, why, &format!("{pointer}/parameters/{name}"));
                }
                None => entries.push((name, location, entry)),
            }
        }
        (entries.into_iter().map(|(.., entry)| entry).collect(), are_all)
    }

    /// Returns the entry for a shared param. If the param is not known yet, it is read first.
    fn shared(&mut self, id: &str, param: &'d Value) -> Option<ParamEntry> {
        if self.shared_param(id).is_none() {
            let param = self.param(param, id, &format!("#/components/parameters/{id}"))?;
            self.draft.shared.push(param);
        }
        Some(ParamEntry::Name(id.into()))
    }

    fn shared_param(&self, id: &str) -> Option<&Param> {
        self.draft.shared.iter().find(|param| param.id().as_str() == id)
    }

    /// Returns the definition of an entry: the entry itself, or the shared param to which it refers.
    pub(super) fn definition<'t>(&'t self, entry: &'t ParamEntry) -> Option<&'t Param> {
        match entry {
            ParamEntry::Own(param) => Some(param),
            ParamEntry::Name(id) => self.shared_param(id),
            ParamEntry::Use(_) => None,
        }
    }

    /// Reads a param. `id` is the id of a shared param, and empty for any other param.
    fn param(&mut self, param: &'d Value, id: &str, pointer: &str) -> Option<Param> {
        let name = text(param, "name").unwrap_or_default();
        let location = text(param, "in").unwrap_or_default();
        let in_path = location == "path";
        self.omissions.unread(param, PARAM_KEYS, pointer);
        if !in_path && location != "query" {
            self.omissions.add(Weight::Missing, format!("params `in: {location}`"), pointer);
            return None;
        }
        if self.key_param.as_deref() == Some(name) && !in_path {
            // The client adds the API key itself.
            return None;
        }
        let content = param.get("content").and_then(|content| content.get("application/json")?.get("schema"));
        let (Some(schema), true) = (param.get("schema").or(content), is_line(name)) else {
            self.omissions.add(Weight::Missing, "a param without a `schema` or with an invalid name", pointer);
            return None;
        };
        let fixed = fixed(param, schema).filter(|value| !in_path && self.can_be_fixed(schema, value, pointer));
        let ty = match &fixed {
            Some(_) => plain_type(schema).to_owned(),
            None => self.value(schema, name, &format!("{pointer}/schema")).ty,
        };
        let is_time = param.get("example").is_some_and(|example| is_time_example(example, name));
        let ty = if is_time && ty == "integer" { TIMESTAMP.to_owned() } else { ty };
        if param.get("schema").is_none() && item(&ty).is_none() {
            self.omissions.add(Weight::Missing, "a param whose value is JSON other than a list", pointer);
            return None;
        }
        let is_list = item(&ty).is_some();
        let (ty, list, list_as) = several(param, &ty, in_path);
        if is_list && !list {
            self.omissions.add(Weight::Fact, "an unsupported `style`, so the param accepts only one value", pointer);
        }
        if record_in(ty).is_some() || innermost(ty) != ty {
            self.omissions.add(Weight::Missing, "params that are objects or lists of lists", pointer);
            return None;
        }
        let own = Facts { range: None, ..self.facts(param) };
        let facts = own.or(self.facts_of_value(schema, ty, pointer));
        let mut facts = self.with_example(facts, ty, pointer);
        // `.` and `..` are no usable examples in a path, because a dot segment changes the path that contains it.
        let is_dotted = |example: &str| in_path && matches!(example, "." | "..");
        let is_usable = |example: &String| !is_dotted(example) && fixed.as_ref().is_none_or(|fixed| fixed == example);
        facts.example = facts.example.filter(is_usable);
        let required = param.get("required").and_then(Value::as_bool) == Some(true);
        let required = (required && !in_path && fixed.is_none()).then_some(self.options.evidence);
        let default = self.default(schema, ty, list, &facts);
        if default.is_none() && self.default_of(schema).is_some() {
            self.omissions.add(Weight::Fact, "`default`", pointer);
        }
        Some(Param {
            // The id of a shared param is compared with references, so it is set even if it is the name.
            id: (!id.is_empty()).then(|| id.into()),
            name: name.into(),
            ty: ty.into(),
            list_setter: list.then(|| SEVERAL.into()),
            list_as,
            location: if in_path { ParamLocation::Path } else { ParamLocation::Query },
            default: default.filter(|_| fixed.is_none()).map(Into::into),
            const_value: fixed.map(Into::into),
            required,
            summary: facts.summary,
            example: facts.example.map(Into::into),
            range: facts.range.map(Into::into),
            format: facts.format.map(Into::into),
            // A shared param has its own evidence. Any other param inherits the evidence of its endpoint.
            evidence: (!id.is_empty()).then_some(self.options.evidence),
            ..Param::default()
        })
    }

    /// Returns `true` if `value` is valid as the constant value of a param that has the type `plain_type(schema)`.
    fn can_be_fixed(&mut self, schema: &'d Value, value: &str, pointer: &str) -> bool {
        let ty = plain_type(schema);
        let facts = self.facts_of_value(schema, ty, pointer);
        self.fits(value, ty, &facts)
    }

    fn default(&self, schema: &'d Value, ty: &str, is_list: bool, facts: &Facts) -> Option<String> {
        let default = self.default_of(schema)?;
        let one = match default {
            Value::Sequence(several) if is_list => several.iter().map(text_of).collect::<Vec<_>>().join(","),
            one => text_of(one),
        };
        let mut values = if is_list { one.split(',').collect() } else { vec![one.as_str()] }.into_iter();
        values.all(|value| self.fits(value, ty, facts)).then_some(one)
    }

    /// Returns `true` if a text is a valid value of a type and within the range of the param.
    pub(super) fn fits(&self, text: &str, ty: &str, facts: &Facts) -> bool {
        let is_in_range =
            || facts.range.as_ref().is_none_or(|range| text.parse().is_ok_and(|number| is_within(range, number)));
        match TypeExpr::parse(ty) {
            Some(TypeExpr::Builtin(Builtin::Timestamp(_))) if facts.format.is_some() => {
                facts.format.is_some_and(|format| TimeForm::Written(format).is_written(text))
            }
            Some(TypeExpr::Builtin(builtin)) => is_line(text) && builtin.is_written(text) && is_in_range(),
            Some(TypeExpr::List(item)) => self.fits(text, &item.to_string(), facts),
            Some(TypeExpr::Name(name)) => type_of_name(name).is_none_or(|index| {
                let ty = &self.draft.types[index].0;
                ty.kind == TypeKind::Identifier || ty.values.iter().any(|value| value.value.as_str() == text)
            }),
            _ => is_line(text),
        }
    }
}

/// Returns the only value that a required param accepts, if there is only one.
pub(super) fn fixed(param: &Value, schema: &Value) -> Option<String> {
    let is_required = param.get("required").and_then(Value::as_bool) == Some(true);
    let one = if let [one] = items(schema, "enum") { Some(one) } else { schema.get("const") };
    let one = one.filter(|one| is_required && (one.is_string() || one.is_number() || one.is_bool()));
    one.map(text_of).filter(|one| is_line(one))
}

/// Returns the type of a param with a constant value: `string`, unless the value is a number or a boolean.
fn plain_type(schema: &Value) -> &str {
    let ty = type_of(schema);
    if matches!(ty, "integer" | "number" | "boolean") { ty } else { "string" }
}

/// Returns the type of one value, `true` if several values can be sent, and the format of the list if commas do not
/// separate the values.
fn several<'t>(param: &Value, ty: &'t str, in_path: bool) -> (&'t str, bool, Option<ListFormat>) {
    let Some(item) = item(ty) else { return (ty, false, None) };
    let style = text(param, "style").unwrap_or(if in_path { "simple" } else { "form" });
    let explode = param.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    let list_as = match (style, explode) {
        _ if param.get("content").is_some() => Some(ListFormat::Json),
        ("form", true) if !in_path => Some(ListFormat::Repeated),
        ("form" | "simple", false) => None,
        _ => return (item, false, None),
    };
    (item, true, list_as)
}
