//! Params of operations.

use codegen::is_line;
use codegen::model::{TimeForm, TimeFormat};
use serde_yaml::Value;

use super::Reader;
use super::document::{is_evidence, items, text, text_of};
use super::plan::{Annotations, PlannedParam, TakenParam, Ty};
use super::schema::is_moment;
use crate::merge::Several;

const KEYS: &str = "\
    $ref description example explode in name required schema style x-evidence x-ident x-list x-notes x-refused \
    x-required x-served x-single x-type x-unit x-works";

impl<'d> Reader<'d> {
    /// The params of an operation, those of its path first, and whether none of them leads nowhere.
    pub(super) fn params(&mut self, path: &'d Value, operation: &'d Value, place: &str) -> (Vec<TakenParam>, bool) {
        let mut taken: Vec<(String, String, TakenParam)> = Vec::new();
        let mut are_all = true;
        let all = items(path, "parameters").iter().chain(items(operation, "parameters"));
        for (index, param) in all.enumerate() {
            let Some((target, reference)) = self.document.follow(param) else {
                self.notes.missing("a param that leads nowhere, so that nobody knows which there are", place);
                are_all = false;
                continue;
            };
            if reference.is_some() {
                self.sweep(param, "$ref", &format!("{place}/parameters/{index}"));
            }
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
                Some(_) => {
                    self.notes.missing("a second param of one name", &format!("{place}/parameters/{name}"));
                }
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
            let required = param.get("required").and_then(Value::as_bool) == Some(true);
            let required = if required { "required " } else { "" };
            self.notes.missing(format!("{required}params `in: {location}`"), place);
            return None;
        }
        if !is_line(name) {
            self.notes.missing("a param whose name cannot be written down", place);
            return None;
        }
        self.sweep(param, KEYS, place);
        let Some(schema) = param.get("schema") else {
            self.notes.missing("a param without a `schema`", place);
            return None;
        };
        let value = self.value(schema, name, &format!("{place}/schema"));
        if value.nullable {
            self.notes.add("a param that can be `null`", place);
        }
        let is_list = matches!(value.ty, Ty::List(_));
        let (ty, several) = self.several(param, value.ty, in_path, place);
        let ty = if is_moment(param) { Ty::Builtin("timestamp") } else { ty };
        if ty.record().is_some() || matches!(ty, Ty::List(_)) {
            self.notes.missing("params that are objects or lists of lists", place);
            return None;
        }
        let said = self.said_of_value(schema, &ty, place);
        let said = Annotations { min: None, max: None, ..self.said(param) }.or(said);
        let example = said.example.clone().filter(|example| self.fits(example, &ty, &said));
        if example != said.example {
            self.notes.add("an `example` that is no value of its type", place);
        }
        let said = Annotations { example, ..said };
        let required = param.get("required").and_then(Value::as_bool) == Some(true);
        let required = text(param, "x-required")
            .filter(|said| is_evidence(said))
            .or((required && !in_path).then_some(self.options.evidence.as_str()));
        Some(PlannedParam {
            id: id.to_owned(),
            rank: self.rank("parameters", id),
            name: name.to_owned(),
            default: self.default(schema, &ty, is_list, &said, place),
            served: self.values(param, "x-served", &ty, &said, place),
            works: self.values(param, "x-works", &ty, &said, place),
            refused: self.values(param, "x-refused", &ty, &said, place),
            single: text(param, "x-single").filter(|said| is_evidence(said)).map(str::to_owned),
            ty,
            several,
            in_path,
            required: required.map(str::to_owned),
            said,
        })
    }

    /// The type of one value, and whether several can be sent, with commas between them.
    fn several(&mut self, param: &'d Value, ty: Ty, in_path: bool, place: &str) -> (Ty, Several) {
        let style = text(param, "style").unwrap_or(if in_path { "simple" } else { "form" });
        let Ty::List(item) = ty else {
            if !matches!(style, "form" | "simple") {
                self.notes.add(format!("`style: {style}`"), place);
            }
            return (ty, Several::No);
        };
        let explode = param.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
        let with_commas = matches!((style, explode), ("form" | "simple", false));
        if !with_commas {
            self.notes.missing(
                "params that are repeated, or written otherwise than with commas, which take one value",
                place,
            );
            return (*item, Several::No);
        }
        (*item, text(param, "x-list").map_or(Several::Yes, |list| Several::By(list.to_owned())))
    }

    fn default(
        &mut self,
        schema: &'d Value,
        ty: &Ty,
        is_list: bool,
        said: &Annotations,
        place: &str,
    ) -> Option<String> {
        let default = self.default_of(schema)?;
        let one = match default {
            Value::Sequence(several) if is_list => several.iter().map(text_of).collect::<Vec<_>>().join(","),
            one => text_of(one),
        };
        let mut values = if is_list { one.split(',').collect() } else { vec![one.as_str()] }.into_iter();
        let fits = values.all(|value| self.fits(value, ty, said));
        if !fits {
            self.notes.add("a `default` that is no value of its type", place);
        }
        fits.then_some(one)
    }

    /// The values that an extension lists.
    fn values(&mut self, param: &'d Value, key: &str, ty: &Ty, said: &Annotations, place: &str) -> Vec<String> {
        let (fitting, others): (Vec<_>, Vec<_>) =
            items(param, key).iter().map(text_of).partition(|value| self.fits(value, ty, said));
        if !others.is_empty() {
            self.notes.add(format!("values of `{key}` that are none of their type"), place);
        }
        fitting
    }

    /// What a moment is written as, if it is text.
    fn written(&self, said: &Annotations) -> Option<TimeFormat> {
        let usual = self.document.root().get("x-time").and_then(|time| text(time, "format"));
        TimeFormat::of(said.format.as_deref().or(usual.filter(|_| said.unit.is_none()))?)
    }

    /// Whether a text writes a value of a type within its range.
    fn fits(&self, text: &str, ty: &Ty, said: &Annotations) -> bool {
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
            Ty::Named(index) => {
                let ty = &self.plan.types[*index];
                ty.is_open || ty.values.iter().any(|value| value.value == text)
            }
            _ => is_line(text),
        }
    }
}
