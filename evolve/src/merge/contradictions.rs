//! Compares known endpoints with the draft, and adds one note for each endpoint and kind of difference. The catalogue
//! is not changed.

use codegen::spec::{Body, Endpoint, Evidence, Field, ListFormat, Param, ParamEntry, Range, Record, TypeKind};
use codegen::type_expr::{Builtin, TypeExpr};

use super::setters::is_argument;
use super::{Gap, Merger, Source};
use crate::content::{At, Content, FieldsOf, SERVICE};
use crate::yaml_layout;

/// A param or field.
#[derive(Debug, Default)]
struct Named {
    name: String,
    ty: String,
    /// The JSON type of the values; for a list or map, followed by the types of the items.
    kinds: Vec<&'static str>,
    /// The values of the type, if the type is an enum.
    values: Vec<String>,
    range: Option<Range>,
    param: Option<Param>,
    /// The definition of a field, with the evidence that it inherits.
    field: Option<Field>,
}

impl Named {
    fn is(&self, test: fn(&Param) -> bool) -> bool {
        self.param.as_ref().is_some_and(test)
    }

    /// Returns the format of several values, if the param accepts several.
    fn list(&self) -> Option<ListFormat> {
        let param = self.param.as_ref().filter(|param| param.list_setter.is_some())?;
        Some(param.list_as.unwrap_or_default())
    }

    fn default_value(&self) -> Option<String> {
        self.param.as_ref()?.default.as_deref().cloned()
    }

    fn is_optional(&self) -> bool {
        self.field.as_ref().is_some_and(|field| field.optional)
    }
}

/// Params or fields to compare: the text that introduces them in a note, the list of the catalogue, and the list of the
/// draft.
type Pair = (String, Vec<Named>, Vec<Named>);

impl Merger<'_> {
    /// Adds notes about the differences between a known endpoint and the drafted endpoint, except in the parts that
    /// were filled in.
    pub(super) fn note_contradictions(&mut self, at: &At, gap: &Gap<'_>) {
        let (entry, drafted) = (self.editor.endpoint(at).clone(), gap.new);
        let label = entry.path.known().unwrap_or(&entry.name);
        let mut notes = Vec::new();
        let is_deprecated = drafted.deprecated.is_some();
        match self.draft.source {
            Source::Description if entry.deprecated.is_some() != is_deprecated => {
                let now = if is_deprecated { "deprecated" } else { "not deprecated" };
                notes.push(format!("`{label}` is {now} in the description"));
            }
            Source::Person if !drafted.summary.is_empty() && entry.summary != drafted.summary => {
                notes.push(format!("`{label}`: the existing summary is kept"));
            }
            _ => {}
        }
        let here = Side { content: self.editor, module: &at.module };
        let there = Side { content: &self.draft.content, module: &gap.module };
        // Names in user input refer to the params of the catalogue.
        let named_there = if self.draft.source == Source::Person { &here } else { &there };
        let kinds = here.body_kind(&entry).zip(there.body_kind(drafted)).filter(|(here, there)| here != there);
        if let Some((here, there)) = &kinds {
            notes.push(format!("`{label}`: the body is {there} in the description, but {here} in the catalogue"));
        }
        let pairs = [
            ("param", here.params(&entry), named_there.params(drafted), gap.params),
            ("field", here.of_body(&entry), there.of_body(drafted), gap.body || kinds.is_some()),
        ];
        let time = self.known.service.envelope_time().map(|time| time.name.as_str());
        let mut waiting = Vec::new();
        for (what, known, new, is_filled) in pairs {
            let (Some(mut known), Some(mut new), false) = (known, new, is_filled) else { continue };
            for side in [&mut known, &mut new] {
                side.retain(|named| Some(named.name.as_str()) != time);
            }
            waiting.push((format!("`{label}`: {what}"), known, new));
        }
        self.note_differences([&at.module, &gap.module], notes, waiting);
    }

    /// Adds notes about the differences between the known metadata and the drafted metadata.
    pub(super) fn note_metadata(&mut self) {
        let Some(envelope) = &self.known.service.envelope else { return };
        let fields = envelope.metadata.as_ref().map_or(&[][..], |metadata| &metadata.fields);
        let here = Side { content: self.known, module: SERVICE }.all_named(fields, envelope.evidence);
        let there = Side { content: &self.draft.content, module: SERVICE };
        let there = there.all_named(&self.draft.metadata, envelope.evidence);
        if !here.is_empty() && !there.is_empty() {
            self.note_differences([SERVICE, SERVICE], Vec::new(), vec![("metadata: field".to_owned(), here, there)]);
        }
    }

    /// Adds notes about the differences between the params or fields of a file and those of a drafted file, and between
    /// the records of these fields. Each pair of records is compared once.
    fn note_differences(&mut self, modules: [&str; 2], mut notes: Vec<String>, mut waiting: Vec<Pair>) {
        let here = Side { content: self.editor, module: modules[0] };
        let there = Side { content: &self.draft.content, module: modules[1] };
        while !waiting.is_empty() {
            let (what, known, new) = waiting.remove(0);
            for (how, names) in differences(&known, &new, self.draft.source) {
                notes.push(format!("{what} {how}: {}", names.join(", ")));
            }
            let pairs = known.iter().filter_map(|known| Some((known, new.iter().find(|new| new.name == known.name)?)));
            for ((at, known), (_, new)) in
                pairs.filter_map(|(known, new)| Some((here.record(known)?, there.record(new)?)))
            {
                if self.compared.insert((at.clone(), new.name.to_string())) {
                    let what = format!("`{}` in {}.yaml: field", known.name, at.module);
                    waiting.push((what, here.of_record(known), there.of_record(new)));
                }
            }
        }
        for note in notes {
            self.editor.note(note);
        }
    }

    /// Returns `true` if a known record has all fields of a drafted record, with the same JSON types. Names in the
    /// known record are resolved as in `module`.
    pub(super) fn has_fields_of(&self, module: &str, known: &Record, new: &Record) -> bool {
        let here = Side { content: self.known, module };
        let there = Side { content: &self.draft.content, module: SERVICE };
        known.positional == new.positional
            && differences(&here.of_record(known), &there.of_record(new), Source::Responses).is_empty()
    }
}

/// Returns the kinds of differences, each with the params or fields that differ.
fn differences(here: &[Named], there: &[Named], source: Source) -> Vec<(&'static str, Vec<String>)> {
    let missing = |from: &[Named], all: &[Named]| {
        let names = all.iter().map(|named| &named.name).filter(|name| from.iter().all(|other| other.name != **name));
        names.cloned().collect::<Vec<_>>()
    };
    let mut found = vec![("not in the catalogue", missing(here, there))];
    let mut compare = |how, difference: fn(&Named, &Named) -> Option<String>| {
        let pairs = there.iter().filter_map(|new| Some((here.iter().find(|known| known.name == new.name)?, new)));
        found.push((how, pairs.filter_map(|(known, new)| Some(new.name.clone() + &difference(known, new)?)).collect()));
    };
    compare("with another type", other_type);
    if source == Source::Description {
        compare("required in the description", |known, new| {
            let is_sent = known.is(|param| param.required.is_some() || param.const_value.is_some());
            (new.is(|param| param.required.is_some()) && !is_sent).then(String::new)
        });
        // Of the known params, only arguments are compared, because the client requires no other param.
        compare("not required in the description", |known, new| {
            let is_sent = new.is(|param| is_argument(param) || param.const_value.is_some());
            (known.is(is_argument) && !is_sent).then(String::new)
        });
        // A known field is compared only if it is documented, because any other field is an `Option` anyway.
        compare("optional in the description", |known, new| {
            let evidence = known.field.as_ref().and_then(|field| field.evidence);
            let is_documented = evidence == Some(Evidence::Documented);
            (new.is_optional() && !known.is_optional() && is_documented).then(String::new)
        });
        compare("with another list format", |known, new| {
            let (is, was) = (new.list()?, known.list()?);
            (is != was).then(|| in_both(Some(is.word().to_owned()), Some(was.word().to_owned())))
        });
        compare("with another range", other_range);
        compare("with another default", |known, new| {
            let (is, was) = (new.default_value(), known.default_value());
            (is.is_some() && is != was).then(|| in_both(is, was))
        });
        compare("with values that are not in the catalogue", |known, new| {
            let lacks = |value: &&String| !known.values.is_empty() && !known.values.contains(value);
            let values: Vec<_> = new.values.iter().filter(lacks).map(String::as_str).collect();
            (!values.is_empty()).then(|| format!(" ({})", values.join(", ")))
        });
        found.push(("not in the description", missing(there, here)));
    }
    found.retain(|(_, names)| !names.is_empty());
    found
}

fn other_type(known: &Named, new: &Named) -> Option<String> {
    let is_list = new.list().is_some() && known.list().is_none();
    let kinds: Vec<_> = is_list.then_some("list").into_iter().chain(new.kinds.iter().copied()).collect();
    // A `number` also accepts integers, so this difference is no contradiction.
    let mut pairs = known.kinds.iter().zip(&kinds).map(|(known, new)| (*known, *new));
    let differs =
        |(known, new)| known != new && ![known, new].contains(&"any") && (known, new) != ("number", "integer");
    pairs.any(differs).then(|| in_both(Some(kinds.join(" of ")), Some(known.kinds.join(" of "))))
}

fn other_range(known: &Named, new: &Named) -> Option<String> {
    let limits = |named: &Named| {
        let range = named.range.clone().unwrap_or_default();
        [range.min.map(|min| *min), range.max.map(|max| *max)]
    };
    let (was, is) = (limits(known), limits(new));
    // A `count` is never negative, so it needs no minimum.
    let differs = |index: usize| is[index].is_some() && is[index] != was[index] && !(index == 0 && known.ty == "count");
    let shown = |named: &Named| named.range.as_ref().map(|range| yaml_layout::inline(&range.written()));
    (known.kinds == new.kinds && (differs(0) || differs(1))).then(|| in_both(shown(new), shown(known)))
}

fn in_both(new: Option<String>, known: Option<String>) -> String {
    let [new, known] = [new, known].map(|fact| fact.unwrap_or_else(|| "none".to_owned()));
    format!(" ({new} in the description, {known} in the catalogue)")
}

/// One of the two compared sides, the catalogue or the draft, with the module in which names are looked up.
#[derive(Clone, Copy)]
struct Side<'a> {
    content: &'a Content,
    module: &'a str,
}

impl<'a> Side<'a> {
    /// Returns the params to which an endpoint refers; `None` if they are unknown. A param that this side does not
    /// define has the JSON type `any`.
    fn params(&self, endpoint: &Endpoint) -> Option<Vec<Named>> {
        let entries = endpoint.params.known()?;
        let undefined = entries.iter().filter_map(|entry| match entry {
            ParamEntry::Name(name) if self.content.shared(name).is_empty() => Some(name.to_string()),
            _ => None,
        });
        let undefined = undefined.map(|name| Named { name, kinds: vec!["any"], ..Named::default() });
        let all = self.content.params_of(endpoint)?;
        Some(all.iter().map(|param| self.param(param)).chain(undefined).collect())
    }

    fn param(&self, param: &Param) -> Named {
        Named { param: Some(param.clone()), ..self.named(&param.name, &param.ty, param.range.as_deref()) }
    }

    /// Returns the kind of an entire body, if it is known.
    fn body_kind(&self, endpoint: &Endpoint) -> Option<String> {
        let body = endpoint.body.known()?;
        match (body, body.ty.as_ref().map(|ty| self.kind_of(ty))) {
            (Body { object: Some(_), .. }, _) => Some("an object".to_owned()),
            (Body { series: Some(_), .. }, _) => Some("a series".to_owned()),
            (_, Some("list")) => Some("a list".to_owned()),
            (_, Some("object")) => Some("a map".to_owned()),
            (_, ty) => ty.filter(|ty| *ty != "any").map(|ty| format!("one {ty}")),
        }
    }

    /// Returns the fields that a body lists, or the fields of its record. A body of another type counts as one field.
    fn of_body(&self, endpoint: &Endpoint) -> Option<Vec<Named>> {
        let body = endpoint.body.known()?;
        if let Some(ty) = body.ty.as_ref().filter(|ty| self.kind_of(ty) != "any") {
            return Some(vec![self.named("the entire body", ty, None)]);
        }
        let of = self.content.fields(self.module, body)?;
        Some(self.all_named(of.fields, of.evidence.unwrap_or(endpoint.evidence)))
    }

    /// Returns the fields of a record.
    fn of_record(&self, record: &Record) -> Vec<Named> {
        self.all_named(FieldsOf::of(record).fields, record.evidence)
    }

    fn all_named(&self, fields: &[Field], inherited: Evidence) -> Vec<Named> {
        let named = fields.iter().map(|field| {
            let definition = Field { evidence: field.evidence.or(Some(inherited)), ..field.clone() };
            Named { field: Some(definition), ..self.named(&field.name, &field.ty, field.range.as_deref()) }
        });
        named.collect()
    }

    /// Returns the record to which the type of a field refers.
    fn record(&self, field: &Named) -> Option<(At, &'a Record)> {
        let expr = TypeExpr::parse(&field.ty)?;
        self.content.record(self.module, &expr.innermost().to_string())
    }

    fn named(&self, name: &str, ty: &str, range: Option<&Range>) -> Named {
        let listed = TypeExpr::parse(ty).and_then(|expr| self.content.ty(&expr.innermost().to_string()));
        let listed = listed.filter(|ty| ty.kind == TypeKind::Enum).map_or(&[][..], |ty| &ty.values);
        Named {
            name: name.to_owned(),
            ty: ty.to_owned(),
            kinds: self.kinds_of(ty),
            values: listed.iter().map(|value| value.value.to_string()).collect(),
            range: range.cloned(),
            ..Named::default()
        }
    }

    fn kinds_of(&self, ty: &str) -> Vec<&'static str> {
        let mut kinds = vec![self.kind_of(ty)];
        if let Some(TypeExpr::List(item) | TypeExpr::Map(item)) = TypeExpr::parse(ty) {
            kinds.extend(self.kinds_of(item.to_string().trim_end_matches('?')));
        }
        kinds
    }

    /// Returns the JSON type of a type in the catalogue. Types are compared by their JSON types, because other
    /// differences are not necessarily contradictions.
    fn kind_of(&self, ty: &str) -> &'static str {
        match TypeExpr::parse(ty) {
            // A timestamp or a decimal may be a number or a string.
            Some(TypeExpr::Builtin(Builtin::Any | Builtin::Decimal | Builtin::Timestamp(_))) | None => "any",
            Some(TypeExpr::Builtin(Builtin::Boolean)) => "boolean",
            Some(TypeExpr::Builtin(Builtin::String)) => "string",
            Some(TypeExpr::Builtin(Builtin::Number)) => "number",
            Some(TypeExpr::Builtin(Builtin::Integer | Builtin::Count)) => "integer",
            Some(TypeExpr::List(_)) => "list",
            Some(TypeExpr::Map(_)) => "object",
            Some(TypeExpr::Option(inner)) => self.kind_of(&inner.to_string()),
            Some(TypeExpr::Name(name)) if self.content.ty(name).is_some() => "string",
            Some(TypeExpr::Name(name)) => {
                let record = self.content.record(self.module, name);
                if record.is_some_and(|(_, record)| record.positional) { "list" } else { "object" }
            }
        }
    }
}
