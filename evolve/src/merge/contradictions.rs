//! Compares known endpoints with the draft, and adds one note for each endpoint and kind of difference. The catalogue
//! is not changed.

use codegen::type_expr::{Builtin, TypeExpr};

use super::bodies::kind;
use super::name_index::Index;
use super::setters::is_argument;
use super::values::{is_identifier, value_texts};
use super::{Gap, Merger, Source, known_text};
use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// A param or field.
struct Named {
    name: String,
    /// The JSON type of the values; for a list or map, followed by the types of the items.
    kinds: Vec<&'static str>,
    /// The values of the type, if the type is an enum.
    values: Vec<String>,
    /// The definition of the param or field; for a `use` entry, with the overrides of the entry.
    definition: Tree,
}

/// Params or fields to compare: the text that introduces them in a note, the list of the catalogue, and the list of the
/// draft.
type Pair = (String, Vec<Named>, Vec<Named>);

impl Merger<'_> {
    /// Adds notes about the differences between a known endpoint and the drafted endpoint, except in the parts that
    /// were filled in.
    pub(super) fn note_contradictions(&mut self, known: &YamlPath, gap: &Gap) {
        let (entry, drafted) = (known.tree(self.editor), gap.new.tree(&self.draft.editor));
        let label = entry.text("path").or(entry.text("name")).unwrap_or_default().to_owned();
        let mut notes = Vec::new();
        let is_deprecated = drafted.get("deprecated").is_some();
        let keeps_summary =
            known_text(drafted, "summary").is_some_and(|text| known_text(entry, "summary") != Some(text));
        match self.draft.source {
            Source::Description if entry.get("deprecated").is_some() != is_deprecated => {
                let now = if is_deprecated { "deprecated" } else { "not deprecated" };
                notes.push(format!("`{label}` is {now} in the description"));
            }
            Source::Person if keeps_summary => notes.push(format!("`{label}`: the existing summary is kept")),
            _ => {}
        }
        let here = Side { editor: self.editor, index: &self.known, file: &known.file };
        let there = Side { editor: &self.draft.editor, index: &self.source, file: &gap.new.file };
        // Names in user input refer to the params of the catalogue.
        let named_there = if self.draft.source == Source::Person { &here } else { &there };
        let kinds = here.body_kind(entry).zip(there.body_kind(drafted)).filter(|(here, there)| here != there);
        if let Some((here, there)) = &kinds {
            notes.push(format!("`{label}`: the body is {there} in the description, but {here} in the catalogue"));
        }
        let pairs = [
            ("param", here.params(entry), named_there.params(drafted), gap.params),
            ("field", here.fields(entry), there.fields(drafted), gap.body || kinds.is_some()),
        ];
        let time = self.editor.service.envelope_time().map(|time| time.name.to_string());
        let mut waiting = Vec::new();
        for (what, known, new, is_filled) in pairs {
            let (Some(mut known), Some(mut new), false) = (known, new, is_filled) else { continue };
            for side in [&mut known, &mut new] {
                side.retain(|named| Some(&named.name) != time.as_ref());
            }
            waiting.push((format!("`{label}`: {what}"), known, new));
        }
        self.note_differences([&known.file, &gap.new.file], notes, waiting);
    }

    /// Adds notes about the differences between the known metadata and the drafted metadata.
    pub(super) fn note_metadata(&mut self) {
        let [here, there] =
            [(&*self.editor, &self.known), (&self.draft.editor, &self.source)].map(|(editor, index)| {
                let evidence = YamlPath::envelope().tree(editor).text("evidence");
                let fields = YamlPath::envelope().key("metadata").tree(editor).entries("fields");
                Side { editor, index, file: SERVICE }.all_named(fields, evidence)
            });
        if !here.is_empty() && !there.is_empty() {
            self.note_differences([SERVICE, SERVICE], Vec::new(), vec![("metadata: field".to_owned(), here, there)]);
        }
    }

    /// Adds notes about the differences between the params or fields of a file and those of a drafted file, and between
    /// the records of these fields. Each pair of records is compared once.
    fn note_differences(&mut self, [file, drafted]: [&str; 2], mut notes: Vec<String>, mut waiting: Vec<Pair>) {
        let here = Side { editor: self.editor, index: &self.known, file };
        let there = Side { editor: &self.draft.editor, index: &self.source, file: drafted };
        while !waiting.is_empty() {
            let (what, known, new) = waiting.remove(0);
            for (how, names) in differences(&known, &new, self.draft.source) {
                notes.push(format!("{what} {how}: {}", names.join(", ")));
            }
            let pairs = known.iter().filter_map(|known| Some((known, new.iter().find(|new| new.name == known.name)?)));
            for (known, new) in pairs.filter_map(|(known, new)| Some((here.record_of(known)?, there.record_of(new)?))) {
                if self.compared.insert((known.clone(), new.clone())) {
                    let (file, [known, new]) = (&known.file, [known.tree(here.editor), new.tree(there.editor)]);
                    let what = format!("`{}` in {file}: field", known.text("name").unwrap_or_default());
                    waiting.push((what, here.fields_of(known), there.fields_of(new)));
                }
            }
        }
        for note in notes {
            self.editor.note(note);
        }
    }

    /// Returns `true` if a known record has all fields of a drafted record, with the same JSON types. Names in the
    /// known record are resolved as in `file`.
    pub(super) fn has_fields_of(&self, file: &str, known: &Tree, new: &Tree) -> bool {
        let here = Side { editor: self.editor, index: &self.known, file };
        let there = Side { editor: &self.draft.editor, index: &self.source, file: SERVICE };
        known.get("positional") == new.get("positional")
            && differences(&here.fields_of(known), &there.fields_of(new), Source::Responses).is_empty()
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
            (new.has("required") && !known.has("required") && !known.has("const_value")).then(String::new)
        });
        // Of the known params, only arguments are compared, because the client requires no other param.
        compare("not required in the description", |known, new| {
            let is_sent = is_argument(&new.definition) || new.has("const_value");
            (is_argument(&known.definition) && !is_sent).then(String::new)
        });
        // A known field is compared only if it is documented, because any other field is an `Option` anyway.
        compare("optional in the description", |known, new| {
            let is_documented = known.definition.text("evidence") == Some("documented");
            (new.has("optional") && !known.has("optional") && is_documented).then(String::new)
        });
        compare("with another list format", |known, new| {
            let format = |list: &Named| list.definition.text("list_as").unwrap_or("commas").to_owned();
            let [known, new] = [known, new].map(|named| named.has("list_setter").then(|| format(named)));
            (known.is_some() && new.is_some() && new != known).then(|| in_both(new, known))
        });
        compare("with another range", other_range);
        compare("with another default", |known, new| {
            let written = |value: &Tree| value.scalar().map_or_else(|| value.inline(), str::to_owned);
            let [known, new] = [known, new].map(|named| named.definition.get("default").map(written));
            (new.is_some() && new != known).then(|| in_both(new, known))
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
    let is_list = new.has("list_setter") && !known.has("list_setter");
    let kinds: Vec<_> = is_list.then_some("list").into_iter().chain(new.kinds.iter().copied()).collect();
    // A `number` also accepts integers, so this difference is no contradiction.
    let mut pairs = known.kinds.iter().zip(&kinds).map(|(known, new)| (*known, *new));
    let differs =
        |(known, new)| known != new && ![known, new].contains(&"any") && (known, new) != ("number", "integer");
    pairs.any(differs).then(|| in_both(Some(kinds.join(" of ")), Some(known.kinds.join(" of "))))
}

fn other_range(known: &Named, new: &Named) -> Option<String> {
    let [was, now] = [known, new].map(|named| named.definition.get("range"));
    let limit = |range: Option<&Tree>, key: &str| range?.get(key)?.scalar()?.parse::<f64>().ok();
    // A `count` is never negative, so it needs no minimum.
    let is_implied = |key: &str| key == "min" && known.definition.text("type") == Some("count");
    let differs = |key: &&str| !is_implied(key) && limit(now, key).is_some() && limit(now, key) != limit(was, key);
    let is_other = known.kinds == new.kinds && ["min", "max"].iter().any(differs);
    is_other.then(|| in_both(now.map(Tree::inline), was.map(Tree::inline)))
}

fn in_both(new: Option<String>, known: Option<String>) -> String {
    let [new, known] = [new, known].map(|fact| fact.unwrap_or_else(|| "none".to_owned()));
    format!(" ({new} in the description, {known} in the catalogue)")
}

impl Named {
    fn has(&self, key: &str) -> bool {
        self.definition.get(key).is_some()
    }
}

/// One of the two compared sides, the catalogue or the draft, with the file in which names are looked up.
struct Side<'a> {
    editor: &'a Editor,
    index: &'a Index,
    file: &'a str,
}

impl<'a> Side<'a> {
    /// Returns the params to which an endpoint refers; `None` if they are unknown. A param that this side does not
    /// define has the JSON type `any`.
    fn params(&self, endpoint: &Tree) -> Option<Vec<Named>> {
        let Tree::List(entries) = endpoint.get("params")? else { return None };
        let mut all = Vec::new();
        for entry in entries {
            match entry.as_text().or(entry.text("use")).map(|name| (name, self.index.shared(name))) {
                Some((name, defined)) if defined.is_empty() => all.push(self.named(&Tree::map().with("name", name))),
                Some((_, defined)) => {
                    let definition = |at: &YamlPath| entry.clone().or(at.tree(self.editor).clone());
                    all.extend(defined.iter().map(|at| self.named(&definition(at))));
                }
                None => all.push(self.named(entry)),
            }
        }
        Some(all)
    }

    /// Returns the kind of an entire body, if it is known.
    fn body_kind(&self, endpoint: &Tree) -> Option<String> {
        let body = endpoint.get("body")?.clone();
        match (kind(&body), body.text("type").map(|ty| self.kind_of(ty))) {
            (Some("object"), _) => Some("an object".to_owned()),
            (Some(kind), _) => Some(format!("a {kind}")),
            (None, Some("list")) => Some("a list".to_owned()),
            (None, Some("object")) => Some("a map".to_owned()),
            (None, ty) => ty.filter(|ty| *ty != "any").map(|ty| format!("one {ty}")),
        }
    }

    /// Returns the fields that a body lists, or the fields of its record. A body of another type counts as one field.
    fn fields(&self, endpoint: &Tree) -> Option<Vec<Named>> {
        let body = endpoint.get("body")?.clone();
        if body.text("type").is_some_and(|ty| self.kind_of(ty) != "any") {
            return Some(vec![self.named(&body.with("name", "the entire body"))]);
        }
        let (list, fields) = self.editor.fields(self.file, &body)?;
        Some(self.all_named(fields, list.text("evidence").or(endpoint.text("evidence"))))
    }

    /// Returns the fields of a record.
    fn fields_of(&self, record: &Tree) -> Vec<Named> {
        self.all_named(record.entries("fields"), record.text("evidence"))
    }

    fn all_named(&self, fields: &[Tree], evidence: Option<&str>) -> Vec<Named> {
        let inherited = Tree::map().with_some("evidence", evidence);
        fields.iter().map(|field| self.named(&field.clone().or(inherited.clone()))).collect()
    }

    /// Returns the path of the record to which the type of a field refers.
    fn record_of(&self, field: &Named) -> Option<&'a YamlPath> {
        let expr = TypeExpr::parse(field.definition.text("type")?)?;
        self.index.record(self.file, &expr.innermost().to_string())
    }

    fn named(&self, definition: &Tree) -> Named {
        let [name, ty] = ["name", "type"].map(|key| definition.text(key).unwrap_or_default());
        let named = TypeExpr::parse(ty).and_then(|expr| self.index.ty(&expr.innermost().to_string()));
        let values = named.map(|at| at.tree(self.editor)).filter(|ty| !is_identifier(ty)).map(value_texts);
        let values = values.unwrap_or_default().into_iter().map(str::to_owned).collect();
        Named { name: name.to_owned(), kinds: self.kinds_of(ty), values, definition: definition.clone() }
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
            // A timestamp may be a number or a string.
            Some(TypeExpr::Builtin(Builtin::Any | Builtin::Timestamp)) | None => "any",
            Some(TypeExpr::Builtin(Builtin::Boolean)) => "boolean",
            Some(TypeExpr::Builtin(Builtin::String)) => "string",
            Some(TypeExpr::Builtin(Builtin::Number)) => "number",
            Some(TypeExpr::Builtin(_)) => "integer",
            Some(TypeExpr::List(_)) => "list",
            Some(TypeExpr::Map(_)) => "object",
            Some(TypeExpr::Option(inner)) => self.kind_of(&inner.to_string()),
            Some(TypeExpr::Name(name)) if self.index.ty(name).is_some() => "string",
            Some(TypeExpr::Name(name)) => {
                let record = self.index.record(self.file, name).map(|at| at.tree(self.editor));
                let is_positional = record.is_some_and(|record| record.get("positional").is_some());
                if is_positional { "list" } else { "object" }
            }
        }
    }
}
