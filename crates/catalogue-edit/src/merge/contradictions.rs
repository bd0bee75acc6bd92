//! Compares known endpoints with the draft, and adds one note for each endpoint and kind of difference. The catalogue
//! is not changed.

use std::collections::{HashSet, VecDeque};

use catalogue::spec::{
    Body, Endpoint, Envelope, Evidence, Field, ListFormat, Param, ParamEntry, Range, Record, TypeKind,
};
use catalogue::type_expr::{Builtin, TypeExpr};

use super::setters::is_argument;
use super::{Gap, Merger};
use crate::content::{At, Content, SERVICE};
use crate::draft::Source;
use crate::yaml_layout;

/// A param or field.
struct Named {
    /// The definition. A field is compared like a param that is never sent.
    facts: Param,
    /// `true` for a field that can be missing.
    optional: bool,
    /// The JSON type of the values; for a list or map, followed by the types of the items.
    kinds: Vec<&'static str>,
    /// The values of the type, if the type is an enum.
    values: Vec<String>,
}

/// A kind of difference: its text, and a function from the known and the new definition to the text after the name, if
/// they differ.
type Difference = (&'static str, fn(&Named, &Named) -> Option<String>);

const TYPES: Difference = ("with another type", |known, new| {
    let is_list = list_of(new).is_some() && list_of(known).is_none();
    let kinds: Vec<_> = is_list.then_some("list").into_iter().chain(new.kinds.iter().copied()).collect();
    // A `number` also accepts integers, so this difference is no contradiction.
    let differs =
        |(known, new)| known != new && ![known, new].contains(&"any") && (known, new) != ("number", "integer");
    let mut pairs = known.kinds.iter().zip(&kinds).map(|(known, new)| (*known, *new));
    pairs.any(differs).then(|| in_both(&kinds.join(" of "), &known.kinds.join(" of ")))
});

/// The differences that only a description proves, because it lists all facts about an endpoint.
const OF_DESCRIPTIONS: [Difference; 7] = [
    ("required in the description", |known, new| {
        let is_sent = known.facts.required.is_some() || known.facts.const_value.is_some();
        (new.facts.required.is_some() && !is_sent).then(String::new)
    }),
    // Of the known params, only arguments are compared, because the client requires no other param.
    ("not required in the description", |known, new| {
        let is_sent = is_argument(&new.facts) || new.facts.const_value.is_some();
        (is_argument(&known.facts) && !is_sent).then(String::new)
    }),
    // A known field is compared only if it is documented, because any other field is an `Option` anyway.
    ("optional in the description", |known, new| {
        let is_documented = known.facts.evidence == Some(Evidence::Documented);
        (new.optional && !known.optional && is_documented).then(String::new)
    }),
    ("with another list format", |known, new| {
        let (is, was) = (list_of(new)?, list_of(known)?);
        (is != was).then(|| in_both(is.word(), was.word()))
    }),
    ("with another range", |known, new| {
        let limits = |named: &Named| {
            let Range { min, max } = named.facts.range.as_deref().cloned().unwrap_or_default();
            // A `count` is never negative, so it needs no minimum.
            [min.filter(|_| *known.facts.ty != "count"), max]
        };
        let is_other = limits(new).iter().zip(&limits(known)).any(|(is, was)| is.is_some() && is != was);
        let shown = |named: &Named| {
            let range = named.facts.range.as_deref();
            range.map_or_else(|| "none".to_owned(), |range| yaml_layout::inline(&range.written()))
        };
        (known.kinds == new.kinds && is_other).then(|| in_both(&shown(new), &shown(known)))
    }),
    ("with another default", |known, new| {
        let (is, was) = (new.facts.default.as_ref()?, known.facts.default.as_ref());
        (was != Some(is)).then(|| in_both(is, was.map_or("none", |was| was.as_str())))
    }),
    ("with values that are not in the catalogue", |known, new| {
        let lacks = |value: &&String| !known.values.is_empty() && !known.values.contains(value);
        let values: Vec<_> = new.values.iter().filter(lacks).map(String::as_str).collect();
        (!values.is_empty()).then(|| format!(" ({})", values.join(", ")))
    }),
];

/// The format of several values, if a param accepts several.
fn list_of(Named { facts, .. }: &Named) -> Option<ListFormat> {
    facts.list_setter.as_ref().map(|_| facts.list_as)
}

fn in_both(new: &str, known: &str) -> String {
    format!(" ({new} in the description, {known} in the catalogue)")
}

/// The kinds of differences, each with the params or fields that differ.
fn differences(here: &[Named], there: &[Named], source: Source) -> Vec<(&'static str, Vec<String>)> {
    let missing = |from: &[Named], all: &[Named]| {
        let missing = all.iter().filter(|named| find(from, named).is_none());
        missing.map(|named| named.facts.name.to_string()).collect::<Vec<_>>()
    };
    let of_pairs = |(how, difference): &Difference| {
        let texts = there.iter().filter_map(|new| {
            let text = difference(find(here, new)?, new)?;
            Some(format!("{}{text}", new.facts.name))
        });
        (*how, texts.collect())
    };
    let mut found = vec![("not in the catalogue", missing(here, there)), of_pairs(&TYPES)];
    if source == Source::Description {
        found.extend(OF_DESCRIPTIONS.iter().map(of_pairs));
        found.push(("not in the description", missing(there, here)));
    }
    found.retain(|(_, names)| !names.is_empty());
    found
}

/// The param or field of a list that has the same name.
fn find<'n>(list: &'n [Named], wanted: &Named) -> Option<&'n Named> {
    list.iter().find(|named| named.facts.name == wanted.facts.name)
}

/// Returns notes about the differences between params or fields of the catalogue and those of the draft, and between
/// the records of these fields. The pair consists of the text that introduces the differences, and the two lists. Each
/// pair of records is compared once.
fn compared(
    [here, there]: [Side<'_>; 2],
    source: Source,
    records: &mut HashSet<(At, String)>,
    pair: (String, Vec<Named>, Vec<Named>),
) -> Vec<String> {
    let (mut waiting, mut notes) = (VecDeque::from([pair]), Vec::new());
    while let Some((what, known, new)) = waiting.pop_front() {
        for (how, names) in differences(&known, &new, source) {
            notes.push(format!("{what} {how}: {}", names.join(", ")));
        }
        for field in &known {
            let new = find(&new, field).and_then(|new| there.record(new));
            let Some(((at, known), (_, new))) = here.record(field).zip(new) else { continue };
            if records.insert((at.clone(), new.name.to_string())) {
                let what = format!("`{}` in {}.yaml: field", known.name, at.module);
                waiting.push_back((what, here.of_record(known), there.of_record(new)));
            }
        }
    }
    notes
}

impl Merger<'_> {
    /// Adds notes about the differences between a known endpoint and the drafted endpoint, except in the parts that
    /// were filled in.
    pub(super) fn note_contradictions(&mut self, at: &At, gap: &Gap<'_>) {
        let (entry, drafted, source) = (self.editor.endpoint(at), gap.new, self.draft.source);
        let label = entry.path.known().unwrap_or(&entry.name);
        let mut notes = Vec::new();
        if source == Source::Description && entry.deprecated.is_some() != drafted.deprecated.is_some() {
            let not = if drafted.deprecated.is_some() { "" } else { "not " };
            notes.push(format!("`{label}` is {not}deprecated in the description"));
        }
        if source == Source::Person && !drafted.summary.is_empty() && entry.summary != drafted.summary {
            notes.push(format!("`{label}`: the existing summary is kept"));
        }
        let here = Side { content: self.editor, module: &at.module };
        let there = Side { content: &self.draft.content, module: &gap.module };
        let kinds = here.body_kind(entry).zip(there.body_kind(drafted)).filter(|(here, there)| here != there);
        if let Some((here, there)) = &kinds {
            notes.push(format!("`{label}`: the body is {there} in the description, but {here} in the catalogue"));
        }
        // Names in user input refer to the params of the catalogue.
        let params_there = if source == Source::Person { here } else { there };
        let pairs = [
            ("param", here.params(entry), params_there.params(drafted), gap.params || gap.further_params),
            ("field", here.of_body(entry), there.of_body(drafted), gap.body || kinds.is_some()),
        ];
        let time = self.known.service.envelope_time().map(|time| &time.name);
        for (what, known, new, _) in pairs.into_iter().filter(|(.., is_filled)| !is_filled) {
            let (Some(mut known), Some(mut new)) = (known, new) else { continue };
            for side in [&mut known, &mut new] {
                side.retain(|named| Some(&named.facts.name) != time);
            }
            let what = format!("`{label}`: {what}");
            notes.extend(compared([here, there], source, &mut self.compared, (what, known, new)));
        }
        self.editor.note_all(notes);
    }

    /// Adds notes about the differences between the known metadata and the drafted metadata.
    pub(super) fn note_metadata(&mut self) {
        let Some(Envelope { metadata: Some(known), evidence, .. }) = &self.known.service.envelope else { return };
        if known.fields.is_empty() || self.draft.metadata.is_empty() {
            return;
        }
        let [here, there] = [self.known, &self.draft.content].map(|content| Side { content, module: SERVICE });
        let (known, new) = (here.all_named(&known.fields, *evidence), there.all_named(&self.draft.metadata, *evidence));
        let pair = ("metadata: field".to_owned(), known, new);
        self.editor.note_all(compared([here, there], self.draft.source, &mut self.compared, pair));
    }

    /// `true` if a known record has all fields of a drafted record, with the same JSON types. Names in the known record
    /// are resolved as in `module`.
    pub(super) fn has_fields_of(&self, module: &str, known: &Record, new: &Record) -> bool {
        let here = Side { content: self.known, module };
        let there = Side { content: &self.draft.content, module: SERVICE };
        known.positional == new.positional
            && differences(&here.of_record(known), &there.of_record(new), Source::Responses).is_empty()
    }
}

/// One of the two compared sides, the catalogue or the draft, with the module in which names are looked up.
#[derive(Clone, Copy)]
struct Side<'a> {
    content: &'a Content,
    module: &'a str,
}

impl<'a> Side<'a> {
    /// The params to which an endpoint refers; `None` if they are unknown. A param that this side does not define has
    /// the type `any`.
    fn params(&self, endpoint: &Endpoint) -> Option<Vec<Named>> {
        let undefined = endpoint.params.known()?.iter().filter_map(|entry| match entry {
            ParamEntry::Name(name) if self.content.defined(entry).is_empty() => Some(name.clone()),
            _ => None,
        });
        let undefined = undefined.map(|name| Param { name, ty: "any".into(), ..Param::default() });
        let all = self.content.params_of(endpoint)?.into_iter().chain(undefined);
        Some(all.map(|param| self.named(param, false)).collect())
    }

    /// The kind of an entire body, if it is known.
    fn body_kind(&self, endpoint: &Endpoint) -> Option<String> {
        let body = endpoint.body.known()?;
        Some(match (body, body.ty.as_ref().map(|ty| self.kinds(ty)[0])) {
            (Body { object: Some(_), .. }, _) => "an object".to_owned(),
            (Body { series: Some(_), .. }, _) => "a series".to_owned(),
            (_, Some("list")) => "a list".to_owned(),
            (_, Some("object")) => "a map".to_owned(),
            (_, Some("any") | None) => return None,
            (_, Some(kind)) => format!("one {kind}"),
        })
    }

    /// The fields that a body lists, or the fields of its record. A body of another type counts as one field.
    fn of_body(&self, endpoint: &Endpoint) -> Option<Vec<Named>> {
        let body = endpoint.body.known()?;
        if let Some(ty) = body.ty.as_ref().filter(|ty| self.kinds(ty) != ["any"]) {
            let all = Param { name: "the entire body".into(), ty: ty.clone(), ..Param::default() };
            return Some(vec![self.named(all, false)]);
        }
        self.content.body_record(self.module, endpoint).map(|record| self.of_record(&record))
    }

    /// The fields of a record.
    fn of_record(&self, record: &Record) -> Vec<Named> {
        self.all_named(&record.fields, record.evidence)
    }

    fn all_named(&self, fields: &[Field], inherited: Evidence) -> Vec<Named> {
        let named = fields.iter().map(|Field { name, ty, range, evidence, optional, .. }| {
            let (name, ty, range, evidence) = (name.clone(), ty.clone(), range.clone(), evidence.or(Some(inherited)));
            self.named(Param { name, ty, range, evidence, ..Param::default() }, *optional)
        });
        named.collect()
    }

    /// The record to which the type of a field refers.
    fn record(&self, field: &Named) -> Option<(At, &'a Record)> {
        self.content.record(self.module, &TypeExpr::parse(&field.facts.ty)?.innermost().to_string())
    }

    fn named(&self, facts: Param, optional: bool) -> Named {
        let listed = TypeExpr::parse(&facts.ty).and_then(|expr| self.content.ty(&expr.innermost().to_string()));
        let listed = listed.filter(|ty| ty.kind == TypeKind::Enum).map_or(&[][..], |ty| &ty.values);
        let values = listed.iter().map(|value| value.value.to_string()).collect();
        Named { kinds: self.kinds(&facts.ty), values, facts, optional }
    }

    /// The JSON type of a type in the catalogue; for a list or map, followed by the types of the items. Types are
    /// compared by their JSON types, because other differences are not necessarily contradictions.
    fn kinds(&self, ty: &str) -> Vec<&'static str> {
        TypeExpr::parse(ty).map_or_else(|| vec!["any"], |expr| self.kinds_of(&expr))
    }

    fn kinds_of(&self, expr: &TypeExpr<'_>) -> Vec<&'static str> {
        let (kind, item) = match expr {
            // A timestamp or a decimal may be a number or a string.
            TypeExpr::Builtin(Builtin::Any | Builtin::Decimal | Builtin::Timestamp(_)) => ("any", None),
            TypeExpr::Builtin(Builtin::Count) => ("integer", None),
            TypeExpr::Builtin(builtin) => (builtin.name(), None),
            TypeExpr::List(item) => ("list", Some(item)),
            TypeExpr::Map(item) => ("object", Some(item)),
            TypeExpr::Option(inner) => return self.kinds_of(inner),
            TypeExpr::Name(name) if self.content.ty(name).is_some() => ("string", None),
            TypeExpr::Name(name) => {
                let record = self.content.record(self.module, name);
                (if record.is_some_and(|(_, record)| record.positional) { "list" } else { "object" }, None)
            }
        };
        std::iter::once(kind).chain(item.into_iter().flat_map(|item| self.kinds_of(item))).collect()
    }
}
