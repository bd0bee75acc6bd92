//! The body of an endpoint: unknown fields are listed, and known ones are merged with the response's.

use codegen::model::TimeFormat;
use codegen::type_expr::TypeExpr;

use super::fields::{FieldList, Topic, is_former};
use super::guess::keys_of_data;
use super::kind::BodyKind;
use super::time::make_time;
use crate::change::{Editor, Refusal};
use crate::place::Place;
use crate::seen::Seen;
use crate::tree::Tree;

impl Topic<'_> {
    /// Edits the body of an endpoint, and the records that it names.
    pub(super) fn body(&self, editor: &mut Editor, index: usize, kind: BodyKind, seen: &Seen) -> Result<(), Refusal> {
        let endpoint = self.place(index);
        let entry = endpoint.tree(editor).clone();
        let known = &editor.body(&entry).unwrap_or(Tree::Null);
        let inherited = known.text("evidence").or(entry.text("evidence")).unwrap_or_default();
        let own = known.text("time");
        let promised = editor.checked.service.envelope_time();
        let shared = promised.map(|time| time.name.to_string()).filter(|_| kind == BodyKind::Series);
        let body = endpoint.key("body");
        if kind == BodyKind::Value {
            return self.value(editor, &body, (known, inherited), seen);
        }
        match known.get(kind.key()) {
            Some(Tree::List(listed)) => {
                let shared = shared.filter(|time| !seen.by_place && own.is_none_or(|own| own == time));
                self.refuse_another(listed, inherited, seen)?;
                let has_time = shared.as_ref().is_none_or(|time| self.has_time(editor, time, known, seen));
                let at = body.key(kind.key());
                let time = shared.clone().filter(|_| has_time);
                let place = FieldList { time, ..FieldList::new(at.clone(), inherited) };
                self.merge(editor, &place, seen)?;
                let list = editor.entries(&at).to_vec();
                if has_time {
                    self.drop_time(editor, &body, &list, own);
                } else {
                    let time = self.other_time(editor, &list, shared.as_deref());
                    editor.set(&body, "time", time);
                }
                Ok(())
            }
            Some(Tree::Text(record)) if record != "unknown" => {
                if let Some(named) = editor.record(&self.file, record).map(|at| at.tree(editor)) {
                    let evidence = named.text("evidence").unwrap_or_default();
                    self.refuse_another(named.entries("fields"), evidence, seen)?;
                }
                self.merge_record(editor, record, seen)
            }
            _ => self.open(editor, &body, (known, inherited), kind, shared.as_deref(), seen),
        }
    }

    /// Lists unknown fields. The kind of the body may be known better than they are.
    fn open(
        &self,
        editor: &mut Editor,
        body: &Place,
        (known, inherited): (&Tree, &str),
        kind: BodyKind,
        shared: Option<&str>,
        seen: &Seen,
    ) -> Result<(), Refusal> {
        if let Some(keys) = keys_of_data(seen) {
            return Err(Refusal::Message(format!(
                "its keys are data and no names of fields, like {keys}; leave it `unknown`, and the client hands it over \
                 as it is"
            )));
        }
        let named = known.text("time");
        let own = named.filter(|own| self.has_own_time(editor, own, seen));
        let envelope = shared.filter(|time| !seen.by_place && own.is_none_or(|own| own == *time));
        let has_time = envelope.is_some_and(|time| self.has_time(editor, time, known, seen));
        let mut list = self.list(editor, seen, envelope.filter(|_| has_time))?;
        for field in &mut list {
            make_time(field, own);
        }
        let is_placed = seen.by_place && shared.is_some_and(|time| seen.fields.get(time).is_some());
        let is_known =
            kind == BodyKind::Object || is_placed || own == named && (has_time || envelope.is_none() && own.is_some());
        let time = match shared.filter(|_| has_time) {
            _ if is_known => own.map(str::to_owned),
            Some(shared) => {
                self.note(editor, format!("the body gets `time: {shared}`"));
                Some(shared.to_owned())
            }
            None => Some(self.other_time(editor, &list, shared)),
        };
        self.say_learned(editor, &list, seen);
        self.doubt_keys(editor, "the body", seen, &list);
        let weaker = self.weaker_evidence(inherited).filter(|_| known.get(kind.key()).is_some());
        if let Some(own) = weaker {
            list = list.into_iter().map(|field| field.with("evidence", own)).collect();
        }
        let evidence = if weaker.is_some() { known.text("evidence") } else { Some(self.learning.evidence.as_str()) };
        let new = Tree::map()
            .with_some("evidence", evidence)
            .with_some("time", time)
            .with_some("positional", seen.by_place.then_some(true))
            .with(kind.key(), list);
        set_body(editor, body, new);
        Ok(())
    }

    /// The type of a body that is neither a series nor one object.
    fn value(
        &self,
        editor: &mut Editor,
        body: &Place,
        (known, inherited): (&Tree, &str),
        seen: &Seen,
    ) -> Result<(), Refusal> {
        if let Some(expr) = known.text("type").and_then(TypeExpr::parse) {
            let Some(wider) = self.widened(editor, "body", &expr, seen)? else { return Ok(()) };
            let words = seen.words();
            self.note(
                editor,
                format!(
                    "the body is {expr} (evidence: {inherited}), but the responses have {words}; it becomes {wider}"
                ),
            );
            editor.set(body, "type", wider);
            if let Some(own) = self.weaker_evidence(inherited) {
                editor.set(body, "evidence", own);
            }
            return Ok(());
        }
        let name = format!("{} entry", self.endpoint.rsplit('.').next().unwrap_or_default());
        let (ty, form) = self.new_type(editor, &name, seen)?;
        if ty == "any" {
            return Err(Refusal::Message(format!(
                "its body is {}, for which the catalogue has no type; leave it `unknown`, and the client hands it over \
                 as it is",
                seen.words()
            )));
        }
        // A body has no key for the format of its times.
        let plain = if form.is_some_and(|form| TimeFormat::of(form).is_some()) { "string" } else { "integer" };
        let ty = if form.is_some() { ty.replace("timestamp", plain) } else { ty };
        self.note(editor, format!("the body is a `{ty}`"));
        let new = Tree::map().with("evidence", self.learning.evidence.as_str()).with("type", ty);
        set_body(editor, body, new);
        Ok(())
    }

    fn say_learned(&self, editor: &mut Editor, list: &[Tree], seen: &Seen) {
        let fields = list.iter().filter_map(|field| {
            let optional = if field.get("optional").is_some() { ", optional" } else { "" };
            Some(format!("{} ({}{optional})", field.text("name")?, field.text("type")?))
        });
        let fields: Vec<_> = fields.collect();
        let fields = if fields.is_empty() { "no fields".to_owned() } else { fields.join(", ") };
        let records = if seen.times == 1 { "1 record".to_owned() } else { format!("{} records", seen.times) };
        self.note(editor, format!("learned from {records}: {fields}"));
    }

    /// Rejects records without any of the listed fields, unless these are from the previous version.
    fn refuse_another(&self, listed: &[Tree], evidence: &str, seen: &Seen) -> Result<(), Refusal> {
        let fields = listed.iter().filter(|field| !is_former(field, evidence));
        let names: Vec<_> = fields.filter_map(|field| field.text("name")).collect();
        if names.is_empty() || names.iter().any(|name| seen.fields.get(name).is_some()) {
            return Ok(());
        }
        let found: Vec<_> = seen.fields.0.iter().map(|(name, _)| name.as_str()).collect();
        Err(Refusal::Message(format!(
            "it has none of the fields that the catalogue lists ({}) but {}, so it is probably the reply of another \
             endpoint; if it is not, make the fields `unknown` in {} to learn them anew",
            names.join(", "),
            if found.is_empty() { "no field at all".to_owned() } else { found.join(", ") },
            self.file
        )))
    }
}

/// Sets the body of an endpoint.
fn set_body(editor: &mut Editor, body: &Place, new: Tree) {
    if let Some((endpoint, key)) = body.parent() {
        editor.set(&endpoint, key, new);
    }
}
