//! Merges the bodies of endpoints, and the metadata next to the records of every series.

use std::collections::HashSet;

use codegen::spec::{BODY, FIELD};

use super::{Gap, Merger, known_value};
use crate::rust_names::{NamesInUse, ident_of};
use crate::yaml_edit::Step;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// Returns the key that makes a body a series or an object.
pub(super) fn kind(body: &Tree) -> Option<&'static str> {
    ["series", "object"].into_iter().find(|kind| body.get(kind).is_some())
}

impl Merger<'_> {
    /// Returns `true` if the body of an endpoint is unknown, or if only its kind is known and the draft contains its
    /// fields.
    pub(super) fn is_body_open(&self, here: &Tree, new: &YamlPath) -> bool {
        let Some(known) = here.get("body").cloned().filter(|body| body.as_text() != Some("unknown")) else {
            return true;
        };
        let drafted = new.tree(&self.draft.editor).get("body");
        kind(&known).is_some_and(|kind| {
            let has_fields = |body: &Tree| known_value(body, kind).is_some();
            !has_fields(&known) && drafted.is_some_and(has_fields)
        })
    }

    /// Returns the drafted body of an endpoint with the names of the catalogue. `inherited` is the evidence of the
    /// endpoint.
    pub(super) fn body(&self, new: &YamlPath, known: Option<&Tree>, inherited: &str) -> Tree {
        let endpoint = new.tree(&self.draft.editor);
        let mut body = endpoint.get("body").cloned().unwrap_or(Tree::Null);
        let ty = body.text("type").map(|ty| self.ty(ty));
        body.set(&BODY, "type", ty);
        // `time: none` declares that the series has no time, so it is kept.
        if known.is_some_and(|known| known.text("time") == Some("none")) {
            body.put("time", "none".into(), &["evidence"]);
        }
        if let Some(kind) = kind(&body) {
            let mut idents = self.omit_time(&mut body);
            let fields: Option<Tree> = match body.get(kind) {
                Some(Tree::List(fields)) => Some(self.fields(fields, &mut idents).into()),
                named => named.and_then(Tree::as_text).map(|name| self.ty(name).into()),
            };
            body.set(&BODY, kind, fields);
        }
        if known.is_some() && body != Tree::Null {
            let evidence = body.text("evidence").or(endpoint.text("evidence")).unwrap_or_default().to_owned();
            body.remove("evidence");
            // The evidence is written before the fields, because there may be many fields.
            if evidence != inherited {
                body.put("evidence", evidence.into(), &[]);
            }
        }
        body
    }

    /// Copies the time of a known series to its new body. Facts that the new fields contradict are noted.
    pub(super) fn keep_time(&mut self, here: &Tree, body: &mut Tree, gap: &Gap) {
        let Some(known) = here.get("body") else { return };
        let envelope = self.editor.service.envelope_time().map(|time| time.name.to_string());
        // OpenAPI has no type for numeric timestamps, so the drafted type of the time is `integer`.
        let is_time =
            |field: &&mut Tree| field.text("name") == known.text("time") && field.text("type") == Some("integer");
        if let (Some(Tree::List(fields)), None) = (body.get_mut("series"), known.get("format"))
            && let Some(field) = fields.iter_mut().find(is_time)
        {
            field.set(&FIELD, "type", Some("timestamp"));
            field.remove("range");
        }
        let fields = self.editor.fields(gap.file(), body).map_or(&[][..], |(_, fields)| fields);
        let is_timestamp = |field: &Tree| field.text("type") == Some("timestamp");
        let has_time = |time: &str| fields.iter().any(|field| field.text("name") == Some(time) && is_timestamp(field));
        let is_shared = |time: &str| body.get("time").is_none() && envelope.as_deref() == Some(time);
        let mut lost = Vec::new();
        if let Some(time) = known.text("time") {
            if time == "none" || has_time(time) || is_shared(time) {
                body.put("time", time.into(), &["evidence"]);
            } else {
                lost.push(format!("`time: {time}`"));
            }
        }
        let time = body.text("time").or(envelope.as_deref()).map(str::to_owned);
        let own = body.entries("series").iter().position(|field| field.text("name") == time.as_deref());
        // The unit belongs to the time field if the body lists the time field, otherwise to the body.
        let is_listed = matches!(body.get("series"), Some(Tree::List(_)));
        let is_body = is_listed && own.is_none() && time.is_some() && time == envelope;
        for key in ["unit", "format"] {
            let Some(value) = known.text(key) else { continue };
            let timed = match own {
                Some(index) => body.at_mut(&[Step::Key("series"), Step::Item(index)]),
                None => Some(&mut *body).filter(|_| is_body),
            };
            match timed {
                Some(timed) if timed.get("unit").or(timed.get("format")).is_none_or(|form| form == &value.into()) => {
                    let before = if is_body { vec!["evidence", "time"] } else { FIELD.before(key) };
                    timed.put(key, value.into(), &before);
                }
                _ => lost.push(format!("`{key}: {value}`")),
            }
        }
        if !lost.is_empty() {
            let (name, lost) = (here.text("name").unwrap_or_default(), lost.join(", "));
            self.editor.note(format!("the body of `{name}` loses {lost}, because the new fields contradict it"));
        }
    }

    /// Removes the envelope's time field from the listed fields of a body, and moves its format to the body. A series
    /// with another time field, or with positional records, is not changed. The returned set contains the Rust name of
    /// the time field, because the emitted record still has the field.
    fn omit_time(&self, body: &mut Tree) -> NamesInUse {
        let mut idents = NamesInUse::default();
        let time = YamlPath::envelope().key("time").tree(self.editor);
        let is_listed = ["time", "positional"].iter().any(|key| body.get(key).is_some());
        let (Some(ident), Some("series"), false) = (ident_of(time), kind(body), is_listed) else { return idents };
        idents.note(ident);
        if let Some(Tree::List(fields)) = body.get_mut("series")
            && let Some(index) = fields.iter().position(|field| field.get("name") == time.get("name"))
        {
            let format = fields.remove(index).get("format").cloned();
            body.set(&BODY, "format", format);
        }
        idents
    }

    /// Returns the fields of the metadata in the draft, if the catalogue has none.
    pub(super) fn new_metadata(&self) -> &[Tree] {
        let metadata = YamlPath::envelope().key("metadata");
        let known = metadata.tree(self.editor);
        let is_open = *known != Tree::Null && known.entries("fields").is_empty();
        if is_open { metadata.tree(&self.draft.editor).entries("fields") } else { &[] }
    }

    /// Writes the fields of the metadata, if the catalogue has none.
    pub(super) fn write_metadata(&mut self) {
        let fields = self.fields(self.new_metadata(), &mut NamesInUse::default());
        self.editor.extend(&YamlPath::envelope().key("metadata").key("fields"), fields);
    }

    /// Replaces known lists of fields with the widened lists.
    pub(super) fn write_lists(&mut self) {
        for (at, drafted) in &self.draft.lists {
            let Some((parent, key)) = at.parent() else { continue };
            let around = parent.tree(self.editor);
            let fields = self.fields(drafted, &mut self.omit_time(&mut around.clone()));
            let owner = around.text("name").map(|name| format!("{name}.")).unwrap_or_default();
            let known: HashSet<_> = self.editor.entries(at).iter().map(|field| field.text("name")).collect();
            let new = fields.iter().filter(|field| !known.contains(&field.text("name")));
            let note = |field: &Tree| {
                let [name, ty] = ["name", "type"].map(|key| field.text(key).unwrap_or_default());
                format!("`{owner}{name}` is new ({ty})")
            };
            new.map(note).collect::<Vec<_>>().into_iter().for_each(|note| self.editor.note(note));
            self.editor.set(&parent, key, fields);
        }
    }
}
