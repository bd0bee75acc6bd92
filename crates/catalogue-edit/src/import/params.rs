//! Reads the params of operations.

use catalogue::is_line;
use catalogue::model::{ListFormat, TimeForm};
use catalogue::spec::{Field, Param, ParamEntry, ParamLocation, Range, TypeKind};
use catalogue::type_expr::{Builtin, TypeExpr};
use catalogue::url_path;
use serde_yaml::Value;

use super::Reader;
use super::document::{items, text, text_of};
use super::omissions::{PARAM as PARAM_KEYS, Weight};
use super::schemas::{is_time_example, type_of};
use crate::content::is_within;
use crate::draft::{SEVERAL, TIMESTAMP, holding, innermost, item, path_param, record_in, telling, type_of_name};

impl<'d> Reader<'d> {
    /// Returns the params of an endpoint; `None` if the list may be incomplete (`is_unknown`) and the path has no params.
    /// Params that are missing in the list although they are in the path are added, and params whose key `in` contradicts
    /// the path are omitted.
    pub(super) fn params(
        &mut self,
        path: &str,
        listed: impl Iterator<Item = &'d Value>,
        is_unknown: bool,
        pointer: &str,
    ) -> Option<Vec<ParamEntry>> {
        let (params, are_all) = self.listed_params(listed, pointer);
        let in_path = url_path::params(path);
        let is_unknown = (is_unknown || !are_all) && in_path.is_empty();
        let is_fit = |param: &Param| (param.location == ParamLocation::Path) == in_path.contains(&param.name.as_str());
        let (kept, omitted): (Vec<_>, Vec<_>) = params.into_iter().partition(|param| !is_unknown && is_fit(param));
        for param in omitted {
            let contradiction = "its location (`in`) contradicts the path";
            let why = if is_unknown { "the other params are unknown" } else { contradiction };
            self.omissions.add(Weight::Missing, format!("the param `{}`, because {why}", param.name), pointer);
        }
        let is_missing = |name: &&str| kept.iter().all(|param| param.name.as_str() != *name);
        let missing: Vec<Param> = in_path.into_iter().filter(is_missing).map(path_param).collect();
        let entry = |param: Param| match param.id {
            Some(id) => ParamEntry::Name(id),
            None => ParamEntry::Own(Box::new(param)),
        };
        (!is_unknown).then(|| kept.into_iter().chain(missing).map(entry).collect())
    }

    /// Reads a list of params. The second value is `true` if all references could be resolved.
    fn listed_params(&mut self, listed: impl Iterator<Item = &'d Value>, pointer: &str) -> (Vec<Param>, bool) {
        let (mut params, mut are_all): (Vec<Param>, _) = (Vec::new(), true);
        for (index, param) in listed.enumerate() {
            let Some((target, reference)) = self.resolve(param, &format!("{pointer}/parameters/{index}")) else {
                are_all = false;
                continue;
            };
            let id = reference.and_then(|reference| reference.strip_prefix("#/components/parameters/"));
            let own = format!("{pointer}/parameters/{}", text(target, "name").unwrap_or_default());
            if let Some(deep) = self.deep_params(target, &own) {
                params.extend(deep);
                continue;
            }
            let param = match id {
                Some(id) => self.shared_param(id, target),
                None => self.param(target, None, &own),
            };
            let Some(param) = param else { continue };
            // A param of the operation replaces the same param of the path item.
            match params.iter_mut().find(|known| known.name == param.name) {
                Some(known) if known.location == param.location => *known = param,
                Some(_) => {
                    let why = "a param with the same name as a param in another part of the URL";
                    self.omissions.add(Weight::Missing, why, &own);
                }
                None => params.push(param),
            }
        }
        (params, are_all)
    }

    /// Returns a shared param. A param that is not known yet is read first.
    fn shared_param(&mut self, id: &str, param: &'d Value) -> Option<Param> {
        if let Some(known) = self.draft.content.service.params.iter().find(|known| known.id().as_str() == id) {
            return Some(known.clone());
        }
        let param = self.param(param, Some(id), &format!("#/components/parameters/{id}"))?;
        self.draft.content.service.params.push(param.clone());
        Some(param)
    }

    /// Reads a param. Only a shared param has an id.
    fn param(&mut self, param: &'d Value, id: Option<&str>, pointer: &str) -> Option<Param> {
        let name = text(param, "name").unwrap_or_default();
        let location = text(param, "in").unwrap_or_default();
        let in_path = location == "path";
        self.omissions.unread(param, PARAM_KEYS, pointer);
        if location == "header" {
            self.header_param(param, pointer);
            return None;
        }
        if !in_path && location != "query" {
            self.omissions.add(Weight::Missing, format!("params `in: {location}`"), pointer);
            return None;
        }
        let key = self.known.service.credentials.api_key.as_ref().and_then(|key| key.query.as_ref());
        if key.is_some_and(|key| **key == name) && !in_path {
            // The client adds the API key itself.
            return None;
        }
        let content = param.get("content").and_then(|content| content.get("application/json")?.get("schema"));
        let (Some(schema), true) = (param.get("schema").or(content), is_line(name)) else {
            self.omissions.add(Weight::Missing, "a param without a `schema` or with an invalid name", pointer);
            return None;
        };
        let is_required = param.get("required").and_then(Value::as_bool) == Some(true);
        let fixed = if is_required && !in_path { self.fixed(schema, pointer) } else { None };
        let ty = match &fixed {
            Some(_) => plain_type(schema).to_owned(),
            None => self.value(schema, name, &format!("{pointer}/schema")),
        };
        let is_time = param.get("example").is_some_and(|example| is_time_example(example, name));
        let ty = if is_time && ty == "integer" { TIMESTAMP.to_owned() } else { ty };
        // The type of a param cannot be `decimal`; a string is exact too.
        let ty = if innermost(&ty) == "decimal" { holding(&ty, "string") } else { ty };
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
        let facts = self.facts(Some(param), schema, ty, pointer);
        // `.` and `..` are no usable examples in a path, because a dot segment changes the path that contains it.
        let is_dotted = |example: &str| in_path && matches!(example, "." | "..");
        let is_usable = |example: &String| !is_dotted(example) && fixed.as_ref().is_none_or(|fixed| fixed == example);
        let default = self.document.default_of(schema);
        let usable = default.and_then(|default| self.usable_default(default, list, &facts));
        if default.is_some() && usable.is_none() {
            self.omissions.add(Weight::Fact, "`default`", pointer);
        }
        let own_evidence = self.own_evidence(param);
        let evidence = own_evidence.unwrap_or(self.options.evidence);
        // A required param is always sent, so a default has no effect, but is an example.
        let is_sent = is_required || in_path;
        let example = facts.example.or(usable.clone().filter(|_| is_sent && !list).map(Into::into));
        Some(Param {
            summary: telling(facts.summary, name),
            // The id of a shared param is compared with references, so it is set even if it is the name.
            id: id.map(Into::into),
            name: name.into(),
            also_named: self.also_named(param),
            ty: facts.ty,
            list_setter: list.then(|| SEVERAL.into()),
            list_as,
            location: if in_path { ParamLocation::Path } else { ParamLocation::Query },
            default: usable.filter(|_| !is_sent).map(Into::into),
            required: (is_required && !in_path && fixed.is_none()).then_some(evidence),
            example: example.filter(|example| is_usable(example)),
            const_value: fixed.map(Into::into),
            range: facts.range,
            unit: facts.unit,
            format: facts.format,
            // A shared param has its own evidence. Any other param inherits the evidence of its endpoint, unless our own
            // export states another one.
            evidence: own_evidence.or(id.map(|_| evidence)),
            ..Param::default()
        })
    }

    /// Returns the only value that a param accepts, if there is only one and the type of the param allows it.
    fn fixed(&mut self, schema: &'d Value, pointer: &str) -> Option<String> {
        let one = if let [one] = items(schema, "enum") { Some(one) } else { schema.get("const") };
        let one = one.filter(|one| one.is_string() || one.is_number() || one.is_bool());
        let one = one.map(text_of).filter(|one| is_line(one))?;
        let facts = self.facts(None, schema, plain_type(schema), pointer);
        self.fits(&one, &facts).then_some(one)
    }

    fn usable_default(&self, default: &Value, is_list: bool, facts: &Field) -> Option<String> {
        let one = match default {
            Value::Sequence(several) if is_list => several.iter().map(text_of).collect::<Vec<_>>().join(","),
            one => text_of(one),
        };
        let mut values = if is_list { one.split(',').collect() } else { vec![one.as_str()] }.into_iter();
        values.all(|value| self.fits(value, facts)).then_some(one)
    }

    /// Returns `true` if a text is a valid value of a field or param: of its type, in its format and within its range.
    pub(super) fn fits(&self, text: &str, facts: &Field) -> bool {
        let is_in_range = |range: &Range| text.parse().is_ok_and(|number| is_within(range, number));
        match (TypeExpr::parse(&facts.ty), facts.format.as_deref()) {
            (Some(TypeExpr::Builtin(Builtin::Timestamp(_))), Some(format)) => {
                TimeForm::Written(*format).is_written(text)
            }
            (Some(TypeExpr::Builtin(builtin)), _) => {
                is_line(text) && builtin.is_written(text) && facts.range.as_deref().is_none_or(is_in_range)
            }
            (Some(TypeExpr::List(item)), _) => self.fits(text, &Field { ty: item.to_string().into(), ..facts.clone() }),
            (Some(TypeExpr::Name(name)), _) => type_of_name(name).is_none_or(|index| {
                let ty = &self.draft.content.service.types[index];
                ty.kind == TypeKind::Identifier || ty.values.iter().any(|value| value.value.as_str() == text)
            }),
            (Some(TypeExpr::Map(_) | TypeExpr::Option(_)) | None, _) => is_line(text),
        }
    }
}

/// Returns the type of a param with a constant value: `string`, unless the value is a number or a boolean.
fn plain_type(schema: &Value) -> &str {
    let ty = type_of(schema);
    if matches!(ty, "integer" | "number" | "boolean") { ty } else { "string" }
}

/// Returns the type of one value, `true` if several values can be sent, and the format of several values.
fn several<'t>(param: &Value, ty: &'t str, in_path: bool) -> (&'t str, bool, ListFormat) {
    let Some(item) = item(ty) else { return (ty, false, ListFormat::Commas) };
    let style = text(param, "style").unwrap_or(if in_path { "simple" } else { "form" });
    let explode = param.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    let list_as = match (style, explode) {
        _ if param.get("content").is_some() => ListFormat::Json,
        ("form" | "spaceDelimited" | "pipeDelimited", true) if !in_path => ListFormat::Repeated,
        ("form" | "simple", false) => ListFormat::Commas,
        ("spaceDelimited", false) if !in_path => ListFormat::Spaces,
        ("pipeDelimited", false) if !in_path => ListFormat::Pipes,
        _ => return (item, false, ListFormat::Commas),
    };
    (item, true, list_as)
}
