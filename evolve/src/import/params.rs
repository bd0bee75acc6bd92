//! Params of operations.

use codegen::is_line;
use codegen::model::{ListStyle, TimeForm, TimeFormat};
use serde_yaml::Value;

use super::Reader;
use super::document::{is_evidence, items, text, text_of};
use super::notes::Weight;
use super::plan::{Annotations, PlannedParam, TakenParam, Ty};
use super::schema::{is_moment, type_of};
use crate::merge::Several;

impl<'d> Reader<'d> {
    /// The params of an operation, those of its path first, and whether none of them leads nowhere.
    pub(super) fn params(&mut self, path: &'d Value, operation: &'d Value, place: &str) -> (Vec<TakenParam>, bool) {
        let mut taken: Vec<(String, String, TakenParam)> = Vec::new();
        let mut are_all = true;
        let all = items(path, "parameters").iter().chain(items(operation, "parameters"));
        for param in all {
            let Some((target, reference)) = self.document.follow(param) else {
                are_all = false;
                continue;
            };
            let key = |key: &str| text(target, key).unwrap_or_default().to_owned();
            let (name, location) = (key("name"), key("in"));
            let id = reference.and_then(|reference| reference.strip_prefix("#/components/parameters/"));
            let read = match id {
                Some(id) => self.shared(id, target).map(TakenParam::Shared),
                None => self
                    .param(target, "", &format!("{place}/parameters/{name}"))
                    .map(|param| TakenParam::Own(Box::new(param))),
            };
            let Some(read) = read else { continue };
            // One of the operation stands for one of its path.
            let same = taken.iter().position(|(known, ..)| *known == name);
            match same {
                Some(index) if taken[index].1 == location => taken[index].2 = read,
                Some(_) => {}
                None => taken.push((name, location, read)),
            }
        }
        (taken.into_iter().map(|(.., taken)| taken).collect(), are_all)
    }

    /// What the params are called, whether they can be taken over or not.
    pub(super) fn names_of_params(&self, path: &'d Value, operation: &'d Value) -> Vec<String> {
        let all = items(path, "parameters").iter().chain(items(operation, "parameters"));
        all.filter_map(|param| Some(text(self.document.follow(param)?.0, "name")?.to_owned())).collect()
    }

    fn shared(&mut self, id: &str, param: &'d Value) -> Option<usize> {
        if let Some(known) = self.plan.shared.iter().position(|param| param.id == id) {
            return Some(known);
        }
        let param = self.param(param, id, &format!("#/components/parameters/{id}"))?;
        self.plan.shared.push(param);
        Some(self.plan.shared.len() - 1)
    }

    fn param(&mut self, param: &'d Value, id: &str, place: &str) -> Option<PlannedParam> {
        let name = text(param, "name").unwrap_or_default();
        let location = text(param, "in").unwrap_or_default();
        let in_path = location == "path";
        if !in_path && location != "query" {
            return None;
        }
        let content = param.get("content").and_then(|content| content.get("application/json")?.get("schema"));
        let (Some(schema), true) = (param.get("schema").or(content), is_line(name)) else {
            let why = "a param without a `schema`, or whose name cannot be written down";
            self.notes.explain(Weight::Missing, why, place);
            return None;
        };
        let fixed = fixed(param, schema).filter(|_| !in_path);
        let ty = match &fixed {
            Some(_) => plain_type(schema),
            None => self.value(schema, name, &format!("{place}/schema")).ty,
        };
        if param.get("schema").is_none() && !matches!(ty, Ty::List(_)) {
            self.notes.explain(Weight::Missing, "a param that is JSON, and no list", place);
            return None;
        }
        let (ty, several, list_as) = several(param, ty, in_path);
        let is_list = !matches!(several, Several::No);
        let ty = if is_moment(param) { Ty::Builtin("timestamp") } else { ty };
        if ty.record().is_some() || matches!(ty, Ty::List(_) | Ty::Map(_)) {
            self.notes.explain(Weight::Missing, "params that are objects or lists of lists", place);
            return None;
        }
        let said = self.said_of_value(schema, &ty);
        let said = Annotations { min: None, max: None, ..self.said(param) }.or(said);
        let example = said.example.clone().filter(|example| self.fits(example, &ty, &said));
        let said = Annotations { example, ..said };
        let required = param.get("required").and_then(Value::as_bool) == Some(true);
        let required = text(param, "x-required")
            .filter(|said| is_evidence(said))
            .or((required && !in_path).then_some(self.options.evidence.as_str()))
            .filter(|_| fixed.is_none());
        Some(PlannedParam {
            id: id.to_owned(),
            rank: self.rank("parameters", id),
            name: name.to_owned(),
            default: self.default(schema, &ty, is_list, &said).filter(|_| fixed.is_none()),
            served: self.values(param, "x-served", &ty, &said),
            works: self.values(param, "x-works", &ty, &said),
            refused: self.values(param, "x-refused", &ty, &said),
            single: text(param, "x-single").filter(|said| is_evidence(said)).map(str::to_owned),
            ty,
            several,
            list_as,
            fixed,
            in_path,
            required: required.map(str::to_owned),
            said,
        })
    }

    fn default(&self, schema: &'d Value, ty: &Ty, is_list: bool, said: &Annotations) -> Option<String> {
        let default = self.default_of(schema)?;
        let one = match default {
            Value::Sequence(several) if is_list => several.iter().map(text_of).collect::<Vec<_>>().join(","),
            one => text_of(one),
        };
        let mut values = if is_list { one.split(',').collect() } else { vec![one.as_str()] }.into_iter();
        values.all(|value| self.fits(value, ty, said)).then_some(one)
    }

    /// The values that an extension lists.
    fn values(&self, param: &'d Value, key: &str, ty: &Ty, said: &Annotations) -> Vec<String> {
        items(param, key).iter().map(text_of).filter(|value| self.fits(value, ty, said)).collect()
    }

    /// What a moment is written as, if it is text.
    fn written(&self, said: &Annotations) -> Option<TimeFormat> {
        let usual = self.document.root().get("x-time").and_then(|time| text(time, "format"));
        TimeFormat::of(said.format.as_deref().or(usual.filter(|_| said.unit.is_none()))?)
    }

    /// Whether a text writes a value of a type within its range.
    pub(super) fn fits(&self, text: &str, ty: &Ty, said: &Annotations) -> bool {
        let within = |number: f64| {
            said.min.is_none_or(|min| number >= min.number) && said.max.is_none_or(|max| number <= max.number)
        };
        match ty {
            Ty::Builtin("timestamp") if self.written(said).is_some() => {
                self.written(said).is_some_and(|format| TimeForm::Written(format).is_written(text))
            }
            Ty::Builtin("integer" | "timestamp") => text.parse::<i64>().is_ok() && text.parse().is_ok_and(within),
            Ty::Builtin("count") => text.parse::<u64>().is_ok() && text.parse().is_ok_and(within),
            Ty::Builtin("number") => text.parse::<f64>().is_ok_and(|number| number.is_finite() && within(number)),
            Ty::Builtin("boolean") => text.parse::<bool>().is_ok(),
            Ty::List(item) => self.fits(text, item, said),
            Ty::Named(index) => {
                let ty = &self.plan.types[*index];
                ty.is_open || ty.values.iter().any(|value| value.value == text)
            }
            _ => is_line(text),
        }
    }
}

/// The value of a param that has to be sent and takes no other.
pub(super) fn fixed(param: &Value, schema: &Value) -> Option<String> {
    if let Some(said) = text(param, "x-fixed") {
        return Some(said.to_owned());
    }
    let is_required = param.get("required").and_then(Value::as_bool) == Some(true);
    let one = match items(schema, "enum") {
        [one] => Some(one),
        _ => schema.get("const"),
    };
    let one = one.filter(|one| is_required && (one.is_string() || one.is_number() || one.is_bool()));
    one.map(text_of).filter(|one| is_line(one))
}

/// The type of what takes one value.
fn plain_type(schema: &Value) -> Ty {
    Ty::Builtin(match type_of(schema) {
        "integer" => "integer",
        "number" => "number",
        "boolean" => "boolean",
        _ => "string",
    })
}

/// The type of one value, whether several can be sent, and how if not with commas between them.
fn several(param: &Value, ty: Ty, in_path: bool) -> (Ty, Several, Option<ListStyle>) {
    let Ty::List(item) = ty else { return (ty, Several::No, None) };
    let style = text(param, "style").unwrap_or(if in_path { "simple" } else { "form" });
    let explode = param.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    let list_as = match (style, explode) {
        _ if param.get("content").is_some() => Some(ListStyle::Json),
        ("form", true) if !in_path => Some(ListStyle::Repeated),
        ("form" | "simple", false) => None,
        _ => return (*item, Several::No, None),
    };
    (*item, text(param, "x-list").map_or(Several::Yes, |list| Several::By(list.to_owned())), list_as)
}
