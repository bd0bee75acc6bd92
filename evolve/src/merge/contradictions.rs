//! The differences between known endpoints and the draft, one note for each endpoint and kind of difference. None of
//! them is applied.

use codegen::type_expr::{Builtin, TypeExpr};

use super::bodies::kind;
use super::name_index::Index;
use super::{Gap, Merger, Source, known_text};
use crate::editor::Editor;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// The name of a param or field, and the kind of its values.
type Named = (String, &'static str);

impl Merger<'_> {
    /// Notes each difference between a known endpoint and the draft's, except in the parts that were filled in.
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
        // User input refers to the params of the catalogue.
        let named_there = if self.draft.source == Source::Person { &here } else { &there };
        let pairs = [
            ("param", here.params(here.entries(known)), named_there.params(there.entries(&gap.new)), gap.params),
            ("field", here.fields(known), there.fields(&gap.new), gap.body),
        ];
        if let (Some(here), Some(there)) = (here.body_kind(known), there.body_kind(&gap.new))
            && here != there
        {
            notes.push(format!("`{label}`: the body is {there} in the description, {here} in the catalogue"));
        }
        let time = self.editor.service.envelope_time().map(|time| time.name.to_string());
        for (what, here, there, is_filled) in pairs {
            let (Some(mut here), Some(mut there), false) = (here, there, is_filled) else { continue };
            for side in [&mut here, &mut there] {
                side.retain(|(name, _)| Some(name) != time.as_ref());
            }
            for (how, names) in differences(&here, &there, self.draft.source) {
                notes.push(format!("`{label}`: {what} {how}: {}", names.join(", ")));
            }
        }
        for note in notes {
            self.editor.note(note);
        }
    }
}

/// The names of each kind of difference.
fn differences(
    here: &[Named],
    there: &[Named],
    source: Source,
) -> impl Iterator<Item = (&'static str, Vec<String>)> + use<> {
    let missing = |from: &[Named], all: &[Named]| {
        let names = all.iter().map(|(name, _)| name).filter(|name| from.iter().all(|(other, _)| other != *name));
        names.cloned().collect::<Vec<_>>()
    };
    let differ = there.iter().filter_map(|(name, kind)| {
        let (_, known) = here.iter().find(|(other, _)| other == name)?;
        (known != kind && ![*known, *kind].contains(&"any"))
            .then(|| format!("{name} ({kind}, {known} in the catalogue)"))
    });
    let gone = if source == Source::Description { missing(there, here) } else { Vec::new() };
    let found = [
        ("not in the catalogue", missing(here, there)),
        ("not in the description", gone),
        ("of another type in the description", differ.collect()),
    ];
    found.into_iter().filter(|(_, names)| !names.is_empty())
}

/// The catalogue or the draft, as seen from the file of an endpoint.
struct Side<'a> {
    editor: &'a Editor,
    index: &'a Index,
    file: &'a str,
}

impl<'a> Side<'a> {
    /// The entries of an endpoint's params; `None` if they are unknown.
    fn entries(&self, endpoint: &YamlPath) -> Option<&'a [Tree]> {
        match endpoint.tree(self.editor).get("params")? {
            Tree::List(entries) => Some(entries),
            _ => None,
        }
    }

    /// The names and kinds of the params of `entries`. A param that this side does not define has the kind `any`.
    fn params(&self, entries: Option<&[Tree]>) -> Option<Vec<Named>> {
        let mut all = Vec::new();
        for entry in entries? {
            match entry.as_text().or(entry.text("use")).map(|name| (name, self.index.shared(name))) {
                Some((name, defined)) if defined.is_empty() => all.push((name.to_owned(), "any")),
                Some((_, defined)) => all.extend(defined.iter().map(|at| self.named(at.tree(self.editor)))),
                None => all.push(self.named(entry)),
            }
        }
        Some(all)
    }

    /// The kind of an entire body, if it is known.
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

    /// The fields that a body lists, or those of its record.
    fn fields(&self, endpoint: &YamlPath) -> Option<Vec<Named>> {
        let body = self.editor.body(endpoint.tree(self.editor))?;
        let (_, fields) = self.editor.fields(self.file, &body)?;
        Some(fields.iter().map(|field| self.named(field)).collect())
    }

    fn named(&self, tree: &Tree) -> Named {
        (tree.text("name").unwrap_or_default().to_owned(), self.kind_of(tree.text("type").unwrap_or_default()))
    }

    /// The JSON type of a catalogue type: only contradictions of the JSON type are certain.
    fn kind_of(&self, ty: &str) -> &'static str {
        match TypeExpr::parse(ty) {
            // A timestamp may also be sent as text.
            Some(TypeExpr::Builtin(Builtin::Any | Builtin::Timestamp)) | None => "any",
            Some(TypeExpr::Builtin(Builtin::Boolean)) => "boolean",
            Some(TypeExpr::Builtin(Builtin::String)) => "text",
            Some(TypeExpr::Builtin(_)) => "number",
            Some(TypeExpr::List(_)) => "list",
            Some(TypeExpr::Map(_)) => "object",
            Some(TypeExpr::Option(inner)) => self.kind_of(&inner.to_string()),
            Some(TypeExpr::Name(name)) if self.index.ty(name).is_some() => "text",
            Some(TypeExpr::Name(name)) => {
                let record = self.index.record(self.file, name).map(|at| at.tree(self.editor));
                let is_positional = record.is_some_and(|record| record.get("positional").is_some());
                if is_positional { "list" } else { "object" }
            }
        }
    }
}
