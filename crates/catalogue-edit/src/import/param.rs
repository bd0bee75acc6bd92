//! Reads one param: its type, its facts, and how several values are sent.

use catalogue::is_line;
use catalogue::model::ListFormat;
use catalogue::spec::{Param, ParamLocation};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::{PARAM, Weight};
use super::schema_facts::type_of;
use super::schemas::is_time_example;
use super::tree::{is_true, text, text_or_empty};
use crate::draft::{SEVERAL, summary_unless_repeated};
use crate::drafted_type::{TIMESTAMP, innermost, item, record_index, replace_innermost};

/// A param as the description declares it.
#[derive(Clone, Copy, Debug)]
struct DeclaredParam<'d> {
    declaration: &'d Value,
    name: &'d str,
    schema: &'d Value,
    location: ParamLocation,
    is_required: bool,
}

impl DeclaredParam<'_> {
    fn is_in_path(&self) -> bool {
        self.location == ParamLocation::Path
    }

    fn is_always_sent(&self) -> bool {
        self.is_required || self.is_in_path()
    }

    /// `true` if a text can be the example of the param, which may have a fixed value.
    fn can_have_example(&self, example: &str, fixed: Option<&str>) -> bool {
        // `.` and `..` are no usable examples in a path, because a dot segment changes the path that contains it.
        let is_dot_segment = self.is_in_path() && matches!(example, "." | "..");
        !is_dot_segment && fixed.is_none_or(|fixed| fixed == example)
    }

    /// The format of several values; `None` if the client cannot send the `style` of the param.
    fn list_format(&self) -> Option<ListFormat> {
        if self.declaration.get("content").is_some() {
            return Some(ListFormat::Json);
        }
        if let Some(word) = own_list(self.declaration).and_then(|list| text(list, "as")) {
            return ListFormat::of(word);
        }
        let default_style = if self.is_in_path() { "simple" } else { "form" };
        let style = text(self.declaration, "style").unwrap_or(default_style);
        let explode = self.declaration.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
        match (style, explode) {
            ("form" | "simple", false) => Some(ListFormat::Commas),
            _ if self.is_in_path() => None,
            ("form" | "spaceDelimited" | "pipeDelimited", true) => Some(ListFormat::Repeated),
            ("spaceDelimited", false) => Some(ListFormat::Spaces),
            ("pipeDelimited", false) => Some(ListFormat::Pipes),
            _ => None,
        }
    }
}

/// The values of a param in a request.
#[derive(Debug)]
struct SentValues {
    /// The type of one value.
    ty: String,
    /// The format of several values; `None` if the param has only one.
    list_as: Option<ListFormat>,
}

impl<'d> DescriptionReader<'d> {
    /// Reads a param. Only a shared param has an id.
    pub(super) fn param(&mut self, declaration: &'d Value, id: Option<&str>, pointer: &str) -> Option<Param> {
        self.omissions.unread(declaration, PARAM, pointer);
        let declared = self.declared_param(declaration, pointer)?;
        let mut fixed = None;
        if declared.is_required && !declared.is_in_path() {
            fixed = self.fixed_value(declared.schema, pointer);
        }
        let ty = self.param_type(&declared, fixed.is_some(), pointer);
        let sent = self.sent_values(&declared, &ty, pointer)?;
        let facts = self.facts(Some(declaration), declared.schema, &sent.ty, pointer);
        let default = self.usable_default(declared.schema, sent.list_as.is_some(), &facts, pointer);
        let mut param = Param {
            summary: summary_unless_repeated(facts.summary, declared.name),
            // The id of a shared param is compared with references, so it is set even if it is the name.
            id: id.map(Into::into),
            name: declared.name.into(),
            also_named: self.also_named(declaration),
            ty: facts.ty,
            location: declared.location,
            example: facts.example,
            range: facts.range,
            unit: facts.unit,
            format: facts.format,
            ..Param::default()
        };
        self.set_evidence(&mut param, &declared, fixed.is_some());
        if let Some(list_as) = sent.list_as {
            param.list_setter = Some(SEVERAL.into());
            param.list_as = list_as;
        }
        if !declared.is_always_sent() {
            param.default = default.map(Into::into);
        } else if param.example.is_none() && sent.list_as.is_none() {
            // A param that is always sent needs no default, but its default is an example.
            param.example = default.map(Into::into);
        }
        param.example = param.example.filter(|example| declared.can_have_example(example, fixed.as_deref()));
        param.const_value = fixed.map(Into::into);
        Some(param)
    }

    /// The declaration of a param that the catalogue can have; others are noted.
    fn declared_param(&mut self, declaration: &'d Value, pointer: &str) -> Option<DeclaredParam<'d>> {
        let name = text_or_empty(declaration, "name");
        let location = match text_or_empty(declaration, "in") {
            "path" => ParamLocation::Path,
            "query" => ParamLocation::Query,
            "header" => {
                self.header_param(declaration, pointer);
                return None;
            }
            other => {
                self.omissions.add(Weight::Missing, format!("params `in: {other}`"), pointer);
                return None;
            }
        };
        // The client adds the API key itself.
        if location == ParamLocation::Query && self.is_key(name) {
            return None;
        }
        let own_schema = own_list(declaration).and_then(|list| list.get("schema"));
        let schema = own_schema.or(declaration.get("schema")).or(json_schema(declaration));
        if schema.is_none() || !is_line(name) {
            self.omissions.add(Weight::Missing, "a param without a `schema` or with an invalid name", pointer);
            return None;
        }
        let is_required = is_true(declaration, "required");
        Some(DeclaredParam { declaration, name, schema: schema?, location, is_required })
    }

    /// Reads a param in a header. If the service cannot have it, the param is an omission.
    fn header_param(&mut self, declaration: &Value, pointer: &str) {
        let name = text_or_empty(declaration, "name");
        // OpenAPI declares these headers in other parts, and ignores params of these names.
        if ["accept", "authorization", "content-type"].contains(&name.to_ascii_lowercase().as_str()) {
            return;
        }
        if !self.headers.add(name, declaration) {
            self.omissions.add(Weight::Missing, "params `in: header`", pointer);
        }
    }

    /// `true` if a query param of this name carries the API key.
    fn is_key(&self, name: &str) -> bool {
        match &self.catalogue.service.credentials.api_key {
            Some(key) => key.query.as_ref().is_some_and(|param| **param == name),
            None => false,
        }
    }

    fn param_type(&mut self, declared: &DeclaredParam<'d>, is_fixed: bool, pointer: &str) -> String {
        let ty = if is_fixed {
            scalar_type(declared.schema).to_owned()
        } else {
            self.type_at(declared.schema, declared.name, &format!("{pointer}/schema"))
        };
        if ty == "integer"
            && let Some(example) = declared.declaration.get("example")
            && is_time_example(example, declared.name)
        {
            return TIMESTAMP.to_owned();
        }
        // The type of a param cannot be `decimal`; a string is exact too.
        if innermost(&ty) == "decimal" {
            return replace_innermost(&ty, "string");
        }
        ty
    }

    /// The values that a param of a type sends; `None` if the catalogue cannot have such a param.
    fn sent_values(&mut self, declared: &DeclaredParam<'d>, ty: &str, pointer: &str) -> Option<SentValues> {
        let mut sent = SentValues { ty: ty.to_owned(), list_as: None };
        if let Some(item) = item(ty) {
            // A list in a URL cannot contain `null`.
            item.trim_end_matches('?').clone_into(&mut sent.ty);
            sent.list_as = declared.list_format();
            if sent.list_as.is_none() {
                let what = "an unsupported `style`, so the param accepts only one value";
                self.omissions.add(Weight::Fact, what, pointer);
            }
        } else if declared.declaration.get("schema").is_none() {
            self.omissions.add(Weight::Missing, "a param whose value is JSON other than a list", pointer);
            return None;
        }
        if record_index(&sent.ty).is_some() || innermost(&sent.ty) != sent.ty {
            self.omissions.add(Weight::Missing, "params that are objects or lists of lists", pointer);
            return None;
        }
        Some(sent)
    }

    /// Sets the evidence of a param and of its being required. A shared param has its own evidence. Any other param
    /// inherits the evidence of its endpoint, unless our own export states another one.
    fn set_evidence(&self, param: &mut Param, declared: &DeclaredParam<'d>, is_fixed: bool) {
        let stated = self.stated_evidence(declared.declaration);
        let evidence = stated.unwrap_or(self.options.evidence);
        if declared.is_required && !declared.is_in_path() && !is_fixed {
            param.required = Some(evidence);
        }
        param.evidence = if param.id.is_some() { Some(evidence) } else { stated };
    }
}

/// The list of values that our own export states for a param whose separator OpenAPI cannot state.
fn own_list(declaration: &Value) -> Option<&Value> {
    declaration.get("x-list")
}

/// The schema of a param whose value is JSON.
fn json_schema(declaration: &Value) -> Option<&Value> {
    declaration.get("content")?.get("application/json")?.get("schema")
}

/// The type of a param with a fixed value: `string`, unless the value is a number or a boolean.
pub(super) fn scalar_type(schema: &Value) -> &str {
    match type_of(schema) {
        ty @ ("integer" | "number" | "boolean") => ty,
        _ => "string",
    }
}
