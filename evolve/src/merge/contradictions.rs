//! Notes the differences between known endpoints and the draft, in one note for each endpoint and kind of difference.
//! The catalogue is not changed.

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
    /// The JSON type of its values.
    kind: &'static str,
    /// The values of its type, if it is an enum.
    values: Vec<String>,
    /// The definition of the param or field; for a `use` entry, with the overrides of the entry.
    definition: Tree,
}

impl Merger<'_> {
    /// Notes each difference between a known endpoint and the drafted endpoint, except in the parts that were filled
    /// in.
    pub(super) fn note_contradictions(&mut self, known: &YamlPath, gap: &Gap) {
        let (here, there) = (known.tree(self.editor), gap.new.tree(&self.draft.editor));
        let label = here.text("path").or(here.text("name")).unwrap_or_default().to_owned();
        let mut notes = Vec::new();
        let is_deprecated = there.get("deprecated").is_some();
        match self.draft.source {
            Source::Description if here.get("deprecated").is_some() != is_deprecated => {
                let now = if is_deprecated { "deprecated" } else { "not deprecated" };
                notes.push(format!("`{label}` is {now} in the description"));
            }
            Source::Person
                if known_text(there, "summary").is_some_and(|text| known_text(here, "summary") != Some(text)) =>
            {
                notes.push(format!("`{label}`: the existing summary is kept"));
            }
            _ => {}
        }
        let here = Side { editor: self.editor, index: &self.known, file: &known.file };
        let there = Side { editor: &self.draft.editor, index: &self.source, file: &gap.new.file };
        // Names in user input refer to the params of the catalogue.
        let named_there = if self.draft.source == Source::Person { &here } else { &there };
        let pairs = [
            ("param", here.params(here.entries(known)), named_there.params(there.entries(&gap.new)), gap.params),
            ("field", here.fields(known), there.fields(&gap.new), gap.body),
        ];
        if let (Some(here), Some(there)) = (here.body_kind(known), there.body_kind(&gap.new))
            && here != there
        {
            notes.push(format!("`{label}`: the body is {there} in the description, but {here} in the catalogue"));
        }
        let time = self.editor.service.envelope_time().map(|time| time.name.to_string());
        for (what, here, there, is_filled) in pairs {
            let (Some(mut here), Some(mut there), false) = (here, there, is_filled) else { continue };
            for side in [&mut here, &mut there] {
                side.retain(|named| Some(&named.name) != time.as_ref());
            }
            for (how, names) in differences(&here, &there, self.draft.source) {
                notes.push(format!("`{label}`: {what} {how}: {}", names.join(", ")));
            }
        }
        for note in notes {
            self.editor.note(note);
        }
    }

    /// Returns `true` if a known record has all fields of a drafted record, with the same JSON types. The items of
    /// `file` can refer to the known record.
    pub(super) fn has_fields_of(&self, file: &str, known: &Tree, new: &Tree) -> bool {
        let here = Side { editor: self.editor, index: &self.known, file };
        let there = Side { editor: &self.draft.editor, index: &self.source, file: SERVICE };
        let [known_fields, new_fields] = [(here, known), (there, new)]
            .map(|(side, record)| record.entries("fields").iter().map(|field| side.named(field)).collect::<Vec<_>>());
        known.get("positional") == new.get("positional")
            && differences(&known_fields, &new_fields, Source::Responses).is_empty()
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
        // A known param that is not an argument is not compared, because the client does not require it anyway.
        compare("not required in the description", |known, new| {
            let is_sent = is_argument(&new.definition) || new.has("const_value");
            (is_argument(&known.definition) && !is_sent).then(String::new)
        });
        // A known field is compared only if it is documented, because any other field is an `Option` anyway.
        compare("optional in the description", |known, new| {
            let is_documented = known.definition.text("evidence") == Some("documented");
            (new.has("optional") && !known.has("optional") && is_documented).then(String::new)
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
    let kind = if is_list { "list" } else { new.kind };
    // A `number` also accepts integers, so this difference is no contradiction.
    (kind != known.kind && ![known.kind, kind].contains(&"any") && (known.kind, kind) != ("number", "integer"))
        .then(|| format!(" ({kind} in the description, {} in the catalogue)", known.kind))
}

fn other_range(known: &Named, new: &Named) -> Option<String> {
    let [was, now] = [known, new].map(|named| named.definition.get("range"));
    let limit = |range: Option<&Tree>, key: &str| range?.get(key)?.scalar()?.parse::<f64>().ok();
    // A `count` is never negative, so it needs no minimum.
    let is_implied = |key: &str| key == "min" && known.definition.text("type") == Some("count");
    let differs = |key: &&str| !is_implied(key) && limit(now, key).is_some() && limit(now, key) != limit(was, key);
    let is_other = known.kind == new.kind && ["min", "max"].iter().any(differs);
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

/// The catalogue or the draft, as seen from the file of an endpoint.
struct Side<'a> {
    editor: &'a Editor,
    index: &'a Index,
    file: &'a str,
}

impl<'a> Side<'a> {
    /// Returns the entries of an endpoint's `params`; `None` if they are unknown.
    fn entries(&self, endpoint: &YamlPath) -> Option<&'a [Tree]> {
        if let Tree::List(entries) = endpoint.tree(self.editor).get("params")? { Some(entries) } else { None }
    }

    /// Returns the params to which `entries` refer. A param that this side does not define has the JSON type `any`.
    fn params(&self, entries: Option<&[Tree]>) -> Option<Vec<Named>> {
        let mut all = Vec::new();
        for entry in entries? {
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
    fn body_kind(&self, endpoint: &YamlPath) -> Option<String> {
        let body = self.editor.body(endpoint.tree(self.editor))?;
        match (kind(&body), body.text("type")) {
            (Some("object"), _) => Some("an object".to_owned()),
            (Some(kind), _) => Some(format!("a {kind}")),
            (None, ty) => ty.filter(|ty| TypeExpr::parse(ty) != Some(TypeExpr::Builtin(Builtin::Any))).map(|ty| {
                match self.kind_of(ty) {
                    "list" => "a list".to_owned(),
                    "object" => "a map".to_owned(),
                    other => format!("one {other}"),
                }
            }),
        }
    }

    /// Returns the fields that a body lists, or the fields of its record.
    fn fields(&self, endpoint: &YamlPath) -> Option<Vec<Named>> {
        let endpoint = endpoint.tree(self.editor);
        let body = self.editor.body(endpoint)?;
        let (list, fields) = self.editor.fields(self.file, &body)?;
        let inherited = Tree::map().with_some("evidence", list.text("evidence").or(endpoint.text("evidence")));
        Some(fields.iter().map(|field| self.named(&field.clone().or(inherited.clone()))).collect())
    }

    fn named(&self, definition: &Tree) -> Named {
        let [name, ty] = ["name", "type"].map(|key| definition.text(key).unwrap_or_default());
        let named = TypeExpr::parse(ty).and_then(|expr| self.index.ty(&expr.innermost().to_string()));
        let values = named.map(|at| at.tree(self.editor)).filter(|ty| !is_identifier(ty)).map(value_texts);
        let values = values.unwrap_or_default().into_iter().map(str::to_owned).collect();
        Named { name: name.to_owned(), kind: self.kind_of(ty), values, definition: definition.clone() }
    }

    /// Returns the JSON type of a type in the catalogue. Types are compared by their JSON types, because other
    /// differences may not be contradictions.
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
