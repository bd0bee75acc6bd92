//! Schemas become types and records. What a schema says and a type cannot is noted.

use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::plan::{PlannedField, PlannedRecord, PlannedType, PlannedValue, Said, Ty};

/// What is said of schemas that is understood; anything else is noted.
pub(super) const KEYS: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maximum",
    "minimum",
    "nullable",
    "oneOf",
    "properties",
    "required",
    "type",
    "x-body",
    "x-enum-varnames",
    "x-evidence",
    "x-group",
    "x-ident",
    "x-kind",
    "x-notes",
    "x-range",
    "x-shapes",
    "x-type",
    "x-unit",
    "x-values",
];

/// Formats that are a type of the catalogue.
const FORMATS: &[&str] = &["int32", "int64", "uint32", "float", "double", ""];

/// Nothing readable is nested nearly as deep.
const DEPTH: usize = 24;

/// A type, and whether `null` can stand for it.
pub(super) struct Valued {
    pub(super) ty: Ty,
    pub(super) nullable: bool,
}

fn any() -> Valued {
    Valued { ty: Ty::Builtin("any"), nullable: false }
}

impl<'d> Reader<'d> {
    /// The type of a schema that stands at a place; `name` is what an unnamed one would be called.
    pub(super) fn value(&mut self, schema: &'d Value, name: &str, place: &str) -> Valued {
        let Some((schema, reference)) = self.document.follow(schema) else {
            self.notes.add("a reference that leads nowhere, which becomes `any`", place);
            return any();
        };
        let name = reference.and_then(|reference| reference.rsplit('/').next()).unwrap_or(name);
        let place = reference.unwrap_or(place);
        if place.matches('/').count() > DEPTH {
            self.notes.add("a schema nested too deep, which becomes `any`", place);
            return any();
        }
        self.sweep(schema, KEYS, place);
        self.choice(schema, name, place).unwrap_or_else(|| self.plain(schema, name, place))
    }

    /// Schemas made of others.
    fn choice(&mut self, schema: &'d Value, name: &str, place: &str) -> Option<Valued> {
        if let [one] = items(schema, "allOf")
            && schema.get("properties").is_none()
        {
            let value = self.value(one, name, &format!("{place}/allOf/0"));
            return Some(Valued { nullable: value.nullable || is_nullable(schema), ..value });
        }
        let key = ["anyOf", "oneOf"].into_iter().find(|key| !items(schema, key).is_empty())?;
        let is_null = |option: &&Value| text(option, "type") == Some("null");
        let (nulls, others): (Vec<&Value>, Vec<&Value>) = items(schema, key).iter().partition(|option| is_null(option));
        let nullable = !nulls.is_empty() || is_nullable(schema);
        if let [one] = others.as_slice() {
            let value = self.value(one, name, &format!("{place}/{key}/0"));
            return Some(Valued { nullable: value.nullable || nullable, ..value });
        }
        self.notes.add(format!("`{key}` of several, which becomes `any`"), place);
        Some(Valued { ty: Ty::Builtin("any"), nullable })
    }

    fn plain(&mut self, schema: &'d Value, name: &str, place: &str) -> Valued {
        let nullable = is_nullable(schema);
        let format = text(schema, "format").unwrap_or_default();
        if !FORMATS.contains(&format) {
            self.notes.add(format!("`format: {format}`"), place);
        }
        let ty = match self.type_of(schema, place) {
            "array" if is_moment(schema) => Ty::List(Box::new(Ty::Builtin("timestamp"))),
            _ if is_moment(schema) => Ty::Builtin("timestamp"),
            "string" => self.text_type(schema, name, place),
            "integer" if format == "uint32" => Ty::Builtin("count"),
            "integer" => Ty::Builtin("integer"),
            "number" => Ty::Builtin("number"),
            "boolean" => Ty::Builtin("boolean"),
            "array" => self.list(schema, name, place),
            "object" => self.object(schema, name, place).map_or(Ty::Builtin("any"), Ty::Record),
            _ => Ty::Builtin("any"),
        };
        if matches!(ty, Ty::Builtin("integer" | "number" | "boolean")) && schema.get("enum").is_some() {
            self.notes.add("an `enum` of other values than text", place);
        }
        Valued { ty, nullable }
    }

    /// The one type of a schema beside `null`, guessed from other keys where it is left out.
    fn type_of(&mut self, schema: &'d Value, place: &str) -> &'d str {
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Sequence(several)) => {
                several.iter().filter_map(Value::as_str).filter(|ty| *ty != "null").collect()
            }
            _ if schema.get("properties").is_some() || schema.get("allOf").is_some() => vec!["object"],
            _ if schema.get("items").is_some() => vec!["array"],
            _ if items(schema, "enum").iter().any(Value::is_string) => vec!["string"],
            _ => vec![],
        };
        match types.as_slice() {
            [one] => one,
            [] => "",
            _ => {
                self.notes.add("several `type`s, which become `any`", place);
                ""
            }
        }
    }

    fn list(&mut self, schema: &'d Value, name: &str, place: &str) -> Ty {
        let Some(item) = schema.get("items") else { return Ty::List(Box::new(Ty::Builtin("any"))) };
        let single = crate::evolve::naming::singular(name);
        let value = self.value(item, &single, &format!("{place}/items"));
        let depth = std::iter::successors(Some(&value.ty), |ty| match ty {
            Ty::List(item) => Some(item),
            _ => None,
        });
        if depth.count() > 4 {
            self.notes.add("lists nested too deep, which become `any`", place);
            return Ty::Builtin("any");
        }
        if value.nullable {
            self.notes.add("items of a list that can be `null`, which become `any`", place);
            return Ty::List(Box::new(Ty::Builtin("any")));
        }
        Ty::List(Box::new(value.ty))
    }

    /// Text, or a named type of it.
    fn text_type(&mut self, schema: &'d Value, name: &str, place: &str) -> Ty {
        let is_open = text(schema, "x-kind") == Some("identifier");
        let (mut values, mut left) = (Vec::new(), 0);
        let described = items(schema, "x-values");
        let listed = items(schema, "enum");
        for value in if described.is_empty() { listed } else { described } {
            let text_value = value.get("value").map_or_else(|| text_of(value), text_of);
            let said = Said {
                summary: text(value, "summary").map(|text| self.prose(text)).unwrap_or_default(),
                ident: text(value, "ident").map(str::to_owned),
                evidence: text(value, "evidence").map(str::to_owned),
                ..Said::default()
            };
            // `null` among the values says that the value can be null, which the type says too.
            if value.is_null() {
                continue;
            }
            if super::is_writable(&text_value)
                && !text_value.contains(',')
                && !values.iter().any(|known: &PlannedValue| known.value == text_value)
            {
                values.push(PlannedValue { value: text_value, said });
            } else {
                left += 1;
            }
        }
        if left > 0 {
            self.notes.add("values of an `enum` that cannot be written down", place);
        }
        if values.len() == 1 && described.is_empty() && !is_component(place) {
            self.notes.add("an `enum` of one value, which becomes text", place);
            return Ty::Builtin("string");
        }
        if values.is_empty() && !is_open {
            return Ty::Builtin("string");
        }
        Ty::Named(self.named_type(schema, name, place, is_open, values))
    }

    fn named_type(
        &mut self,
        schema: &'d Value,
        name: &str,
        place: &str,
        is_open: bool,
        values: Vec<PlannedValue>,
    ) -> usize {
        let same = |known: &PlannedType| {
            known.is_open == is_open
                && known.values.iter().map(|value| &value.value).eq(values.iter().map(|value| &value.value))
        };
        // Inline enums repeat; one type serves all that are the same.
        let known =
            self.plan.types.iter().position(|known| same(known) && (!is_component(place) || known.name == name));
        known.unwrap_or_else(|| {
            let said = self.said(schema);
            let shapes = schema.get("x-shapes").cloned();
            let rank = self.rank("schemas", name);
            self.plan.types.push(PlannedType {
                name: name.to_owned(),
                owner: owner(place),
                rank,
                is_open,
                said,
                values,
                shapes,
            });
            self.plan.types.len() - 1
        })
    }

    /// A record; `None` for an object whose fields nobody lists.
    pub(super) fn object(&mut self, schema: &'d Value, name: &str, place: &str) -> Option<usize> {
        if let Some(known) = self.plan.records.iter().position(|record| record.origin == place) {
            // While its fields are still being read, it would contain itself.
            if self.open.contains(&known) {
                self.notes.add("a record that contains itself, and has `any` there", place);
                return None;
            }
            return Some(known);
        }
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        self.collect(schema, place, &mut properties, &mut required, 0);
        if properties.is_empty() {
            self.notes.add("an object without listed fields, which becomes `any`", place);
            return None;
        }
        let said = self.said(schema);
        let index = self.plan.records.len();
        let record = PlannedRecord {
            name: name.to_owned(),
            owner: owner(place),
            rank: self.rank("schemas", name),
            origin: place.to_owned(),
            said,
            fields: Vec::new(),
            groups: std::collections::BTreeSet::new(),
            // Our own descriptions say which group has a record; what they name for none belongs to all.
            is_shared: self.document.is_ours() && is_component(place) && schema.get("x-group").is_none(),
            uses: 0,
        };
        self.plan.records.push(record);
        self.open.push(index);
        let mut fields = Vec::new();
        for (key, property) in properties {
            if !super::is_writable(&key) {
                self.notes.add(format!("the field {key:?}, whose name cannot be written down"), place);
                continue;
            }
            let at = format!("{place}/properties/{key}");
            if property.get("default").is_some() {
                self.notes.add("`default` of a field", &at);
            }
            let value = self.value(property, &key, &at);
            if let Some(inner) = value.ty.record() {
                self.plan.records[inner].uses += 1;
            }
            let optional = value.nullable || !required.contains(&key);
            let said = self.said_of_value(property, &value.ty);
            fields.push(PlannedField { name: key, ty: value.ty, optional, said });
        }
        self.open.pop();
        self.plan.records[index].fields = fields;
        Some(index)
    }

    /// Notes what is said of fields that are not listed.
    fn say_more(&mut self, schema: &Value, place: &str) {
        match schema.get("additionalProperties") {
            None => {}
            Some(Value::Bool(false)) => {
                self.notes.add("`additionalProperties: false`, as every object may grow", place);
            }
            Some(_) => {
                self.notes.add("fields beyond the listed ones (`additionalProperties`), which the client keeps", place);
            }
        }
    }

    /// The properties of an object and of all that it is made of; those that stand nearer win.
    fn collect(
        &mut self,
        schema: &'d Value,
        place: &str,
        properties: &mut Vec<(String, &'d Value)>,
        required: &mut Vec<String>,
        depth: usize,
    ) {
        self.say_more(schema, place);
        for part in items(schema, "allOf") {
            match self.document.follow(part) {
                Some((part, reference)) if depth < DEPTH => {
                    self.swept.extend(reference.map(str::to_owned));
                    if !items(part, "anyOf").is_empty() || !items(part, "oneOf").is_empty() {
                        self.notes.add("alternatives within `allOf`", place);
                    }
                    if depth > 0 || part.get("properties").is_some() {
                        self.sweep(part, KEYS, place);
                    }
                    self.collect(part, place, properties, required, depth + 1);
                }
                _ => self.notes.add("a part of `allOf` that leads nowhere", place),
            }
        }
        required.extend(items(schema, "required").iter().filter_map(Value::as_str).map(str::to_owned));
        for (key, property) in entries(schema, "properties") {
            match properties.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => *known = property,
                None => properties.push((key.to_owned(), property)),
            }
        }
    }

    /// What is said of a field where it stands, or else where its schema does.
    pub(super) fn said_of_value(&mut self, schema: &'d Value, ty: &Ty) -> Said {
        let target = self.document.follow(schema).map_or(schema, |(target, _)| target);
        let is_shared = matches!(ty, Ty::Named(_) | Ty::Record(_));
        let own = self.said(schema);
        let far = if is_shared { Said::default() } else { self.said(target) };
        // An item's bounds are those of the value where several are taken.
        let items = schema.get("items").map(|items| self.said(items)).unwrap_or_default();
        let bound =
            |bound: fn(&Said) -> Option<f64>| bound(&own).or(bound(&far)).or(bound(&items)).filter(|_| ty.is_number());
        let zero = |min: Option<f64>| min.filter(|min| *ty != Ty::Builtin("count") || *min != 0.0);
        let (min, max) = (zero(bound(|said| said.min)), bound(|said| said.max));
        let is_range = min.zip(max).is_none_or(|(min, max)| min <= max);
        if !is_range {
            self.notes.add("a range without a number in it", "#");
        }
        Said {
            summary: if own.summary.is_empty() { far.summary.clone() } else { own.summary.clone() },
            ident: own.ident.clone().or(far.ident.clone()),
            unit: own.unit.clone().or(far.unit.clone()),
            notes: own.notes.clone().or(far.notes.clone()),
            evidence: own.evidence.clone().or(far.evidence.clone()),
            min: min.filter(|_| is_range),
            max: max.filter(|_| is_range),
        }
    }

    /// What an object says of what it describes, if that is to be taken over.
    pub(super) fn said(&mut self, value: &'d Value) -> Said {
        let range = value.get("x-range");
        let bound = |key: &str, own: &str| value.get(key).or(range.and_then(|range| range.get(own)))?.as_f64();
        Said {
            summary: text(value, "description").map(|text| self.prose(text)).unwrap_or_default(),
            ident: text(value, "x-ident").map(str::to_owned),
            unit: text(value, "x-unit").map(str::to_owned),
            notes: text(value, "x-notes").filter(|_| self.options.summaries).map(str::to_owned),
            evidence: text(value, "x-evidence").map(str::to_owned),
            min: bound("minimum", "min"),
            max: bound("maximum", "max"),
        }
    }
}

/// Whether a number is a moment: OpenAPI has no word for it.
pub(super) fn is_moment(schema: &Value) -> bool {
    text(schema, "x-type") == Some("timestamp")
}

/// Whether a schema has a name of its own.
fn is_component(place: &str) -> bool {
    place.starts_with("#/components/schemas/") && place.matches('/').count() == 3
}

/// What a place stands in: the component, or the path of the operation.
fn owner(place: &str) -> String {
    match place.strip_prefix("#/components/") {
        Some(rest) => rest.split('/').nth(1).unwrap_or_default().to_owned(),
        None => place.trim_start_matches('`').split('`').next().unwrap_or_default().to_owned(),
    }
}

fn is_nullable(schema: &Value) -> bool {
    let in_types = items(schema, "type").iter().any(|ty| ty.as_str() == Some("null"));
    in_types || schema.get("nullable").and_then(Value::as_bool) == Some(true)
}
