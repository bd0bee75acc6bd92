//! Reads the params of operations.

use codegen::is_line;
use codegen::model::{ListFormat, TimeForm, TimeFormat};
use codegen::spec::PARAM;
use codegen::type_expr::{Builtin, TypeExpr};
use serde_yaml::Value;

use super::Reader;
use super::document::{items, text, text_of};
use super::omissions::{PARAM as PARAM_KEYS, Weight};
use super::schemas::type_of;
use crate::draft_types::{innermost, item, record_in, type_of_name, written};
use crate::merge::is_within;
use crate::yaml_tree::Tree;

impl<'d> Reader<'d> {
    /// Returns the params of a path item and of its operation, in this order, as entries. The second value is `true` if
    /// all references could be resolved.
    pub(super) fn params(&mut self, path: &'d Value, operation: &'d Value, pointer: &str) -> (Vec<Tree>, bool) {
        let mut entries: Vec<(String, String, Tree)> = Vec::new();
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
                None => self.param(target, "", &format!("{pointer}/parameters/{name}")),
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
    fn shared(&mut self, id: &str, param: &'d Value) -> Option<Tree> {
        if !self.shared.contains_key(id) {
            let param = self.param(param, id, &format!("#/components/parameters/{id}"))?;
            self.shared.insert(id.to_owned(), self.draft.shared.len());
            self.draft.shared.push(param);
        }
        Some(id.into())
    }

    /// Returns the definition of an entry: the entry itself, or the shared param to which it refers.
    pub(super) fn definition<'t>(&'t self, entry: &'t Tree) -> &'t Tree {
        let shared = entry.as_text().and_then(|id| self.shared.get(id));
        shared.map_or(entry, |index| &self.draft.shared[*index])
    }

    /// Reads a param. `id` is the id of a shared param, and empty for any other param.
    fn param(&mut self, param: &'d Value, id: &str, pointer: &str) -> Option<Tree> {
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
        if param.get("schema").is_none() && item(&ty).is_none() {
            self.omissions.add(Weight::Missing, "a param whose value is JSON other than a list", pointer);
            return None;
        }
        let is_list = item(&ty).is_some();
        let (ty, list, list_as) = several(param, &ty, in_path);
        if is_list && list.is_none() {
            self.omissions.add(Weight::Fact, "an unsupported `style`, so the param accepts only one value", pointer);
        }
        if record_in(ty).is_some() || innermost(ty) != ty {
            self.omissions.add(Weight::Missing, "params that are objects or lists of lists", pointer);
            return None;
        }
        let mut own = self.facts(param);
        own.remove("range");
        let facts = own.or(self.facts_of_value(schema, ty, pointer));
        let mut facts = self.with_example(facts, ty, pointer);
        let example = facts.get("example").and_then(Tree::scalar);
        // `.` and `..` are no usable examples in a path, because a dot segment changes the path that contains it.
        let is_dotted = |example| in_path && matches!(example, "." | "..");
        if example.is_some_and(|one| is_dotted(one) || fixed.as_deref().is_some_and(|fixed| fixed != one)) {
            facts.remove("example");
        }
        let required = param.get("required").and_then(Value::as_bool) == Some(true);
        let required = (required && !in_path).then_some(self.options.evidence.as_str());
        let default = self.default(schema, ty, list.is_some(), &facts);
        if default.is_none() && self.default_of(schema).is_some() {
            self.omissions.add(Weight::Fact, "`default`", pointer);
        }
        let tree = Tree::map()
            .with_some("id", (!id.is_empty()).then_some(id))
            .with("name", name)
            .with("type", ty)
            .with_some("list_setter", list)
            .with_some("list_as", list_as.map(ListFormat::word))
            .with_some("in", in_path.then_some("path"));
        let tree = match fixed {
            Some(fixed) => tree.with("const_value", written(ty, &fixed)),
            None => tree.with_some("required", required).with_some("default", default.map(|one| written(ty, &one))),
        };
        let tree = tree.or(facts);
        // A shared param has its own evidence. Any other param inherits the evidence of its endpoint.
        let evidence = (!id.is_empty()).then_some(self.options.evidence.as_str());
        Some(tree.with_some("evidence", evidence).ordered(&PARAM))
    }

    /// Returns `true` if `value` is valid as the constant value of a param that has the type `plain_type(schema)`.
    fn can_be_fixed(&mut self, schema: &'d Value, value: &str, pointer: &str) -> bool {
        let ty = plain_type(schema);
        let facts = self.facts_of_value(schema, ty, pointer);
        self.fits(value, ty, &facts)
    }

    fn default(&self, schema: &'d Value, ty: &str, is_list: bool, facts: &Tree) -> Option<String> {
        let default = self.default_of(schema)?;
        let one = match default {
            Value::Sequence(several) if is_list => several.iter().map(text_of).collect::<Vec<_>>().join(","),
            one => text_of(one),
        };
        let mut values = if is_list { one.split(',').collect() } else { vec![one.as_str()] }.into_iter();
        values.all(|value| self.fits(value, ty, facts)).then_some(one)
    }

    /// Returns `true` if a text is a valid value of a type and within the range of the param.
    pub(super) fn fits(&self, text: &str, ty: &str, facts: &Tree) -> bool {
        let is_in_range =
            || facts.get("range").is_none_or(|range| text.parse().is_ok_and(|number| is_within(range, number)));
        match TypeExpr::parse(ty) {
            Some(TypeExpr::Builtin(Builtin::Timestamp)) if facts.get("format").is_some() => {
                let format = facts.text("format").and_then(TimeFormat::of);
                format.is_some_and(|format| TimeForm::Written(format).is_written(text))
            }
            Some(TypeExpr::Builtin(builtin)) => is_line(text) && builtin.is_written(text) && is_in_range(),
            Some(TypeExpr::List(item)) => self.fits(text, &item.to_string(), facts),
            Some(TypeExpr::Name(name)) => type_of_name(name).is_none_or(|index| {
                let ty = &self.draft.types[index].tree;
                let mut values = ty.entries("values").iter();
                ty.text("kind") == Some("identifier") || values.any(|value| value.text("value") == Some(text))
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

/// Returns the type of one value. If several values can be sent, also returns the `list_setter`, and the format of the
/// list if commas do not separate the values.
fn several<'t>(param: &Value, ty: &'t str, in_path: bool) -> (&'t str, Option<Tree>, Option<ListFormat>) {
    let Some(item) = item(ty) else { return (ty, None, None) };
    let style = text(param, "style").unwrap_or(if in_path { "simple" } else { "form" });
    let explode = param.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    let list_as = match (style, explode) {
        _ if param.get("content").is_some() => Some(ListFormat::Json),
        ("form", true) if !in_path => Some(ListFormat::Repeated),
        ("form" | "simple", false) => None,
        _ => return (item, None, None),
    };
    (item, Some(true.into()), list_as)
}
