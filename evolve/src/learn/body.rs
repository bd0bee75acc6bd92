//! Learns the body of an endpoint: new fields become part of a draft, and known fields are widened to fit the
//! responses.

use codegen::model::TimeFormat;
use codegen::type_expr::TypeExpr;

use super::body_kind::BodyKind;
use super::draft::Reader;
use super::fields::{FieldList, is_previous};
use super::guess_type::keys_of_data;
use super::time::make_time;
use crate::draft_types::holding;
use crate::editor::Refusal;
use crate::observed_values::Observed;
use crate::yaml_tree::Tree;

impl Reader<'_> {
    /// Reads the body of an endpoint, and the records in it.
    pub(super) fn body(&mut self, kind: BodyKind, seen: &Observed) -> Result<(), Refusal> {
        let entry = self.endpoint.tree(self.editor).clone();
        let known = entry.get("body").cloned().unwrap_or(Tree::Null);
        let inherited = known.text("evidence").or(entry.text("evidence")).unwrap_or_default();
        let envelope = self.editor.service.envelope_time();
        let shared = envelope.map(|time| time.name.to_string()).filter(|_| kind == BodyKind::Series);
        if kind == BodyKind::Value {
            return self.value(&known, inherited, seen);
        }
        match known.get(kind.key()) {
            Some(Tree::List(listed)) => {
                self.refuse_another(listed, inherited, seen)?;
                self.widen_body(kind, &known, inherited, shared, seen);
            }
            Some(Tree::Text(record)) if record != "unknown" => {
                if let Some(named) = self.editor.record(&self.file, record).map(|at| at.tree(self.editor)) {
                    let evidence = named.text("evidence").unwrap_or_default();
                    self.refuse_another(named.entries("fields"), evidence, seen)?;
                }
                self.known_record(record, seen);
            }
            _ => self.body = Some(self.draft(&known, kind, shared.as_deref(), seen)?),
        }
        Ok(())
    }

    /// Widens the fields that a body lists, and updates its `time`.
    fn widen_body(&mut self, kind: BodyKind, known: &Tree, inherited: &str, shared: Option<String>, seen: &Observed) {
        let body = self.endpoint.key("body");
        let own = known.text("time");
        let shared = shared.filter(|time| !seen.by_position && own.is_none_or(|own| own == time));
        let has_time = shared.as_ref().is_none_or(|time| self.has_time(time, known, seen));
        let time = shared.clone().filter(|_| has_time);
        let list = FieldList { time, evidence: inherited.to_owned(), ..FieldList::default() };
        let fields = self.widen_list(&body.key(kind.key()), &list, seen);
        if has_time {
            self.drop_time(&body, &fields, own);
        } else {
            let time = self.other_time(&fields, shared.as_deref());
            self.editor.set(&body, "time", time);
        }
    }

    /// Returns a draft of a body whose fields are unknown. The kind of the body may be known.
    fn draft(&mut self, known: &Tree, kind: BodyKind, shared: Option<&str>, seen: &Observed) -> Result<Tree, Refusal> {
        if let Some(keys) = keys_of_data(seen) {
            return Err(Refusal::Message(format!(
                "the keys of the body look like data, not field names: {keys}; leave the body `unknown` to get raw JSON"
            )));
        }
        let named = known.text("time");
        let own = named.filter(|own| self.has_own_time(own, seen));
        let envelope = shared.filter(|time| !seen.by_position && own.is_none_or(|own| own == *time));
        let has_time = envelope.is_some_and(|time| self.has_time(time, known, seen));
        let mut fields = self.new_fields(seen, |name| envelope.filter(|_| has_time) != Some(name));
        for field in &mut fields {
            make_time(field, own);
        }
        let is_positional = seen.by_position && shared.is_some_and(|time| seen.fields.get(time).is_some());
        let is_known = kind == BodyKind::Object
            || is_positional
            || own == named && (has_time || envelope.is_none() && own.is_some());
        let time = match shared.filter(|_| has_time) {
            _ if is_known => own.map(str::to_owned),
            Some(shared) => {
                self.editor.note(format!("the body gets `time: {shared}`"));
                Some(shared.to_owned())
            }
            None => Some(self.other_time(&fields, shared)),
        };
        self.note_equal_fields("the body", seen, &fields);
        let body = Tree::map().with_some("time", time);
        Ok(body.with_some("positional", seen.by_position.then_some(true)).with(kind.key(), fields))
    }

    /// Learns the type of a body that is neither a series nor one object.
    fn value(&mut self, known: &Tree, inherited: &str, seen: &Observed) -> Result<(), Refusal> {
        if let Some(expr) = known.text("type").and_then(TypeExpr::parse) {
            let Some(wider) = self.wider("body", &expr, seen) else { return Ok(()) };
            let found = seen.describe();
            self.editor.note(format!(
                "the body is {expr} (evidence: {inherited}), but the responses have {found}; it becomes {wider}"
            ));
            let body = self.endpoint.key("body");
            self.editor.set(&body, "type", wider);
            if let Some(own) = self.weaker_evidence(inherited) {
                self.editor.set(&body, "evidence", own);
            }
            return Ok(());
        }
        let name = format!("{} entry", self.owner());
        let (ty, form) = self.new_type(&name, seen);
        if ty == "any" {
            return Err(Refusal::Message(format!(
                "the body is {}, for which the catalogue has no type; leave the body `unknown`, and the client returns \
                 raw JSON",
                seen.describe()
            )));
        }
        // A body has no key for the format of its timestamps, so timestamps become strings or integers.
        let plain = if form.is_some_and(|form| TimeFormat::of(form).is_some()) { "string" } else { "integer" };
        self.body = Some(Tree::map().with("type", if form.is_some() { holding(&ty, plain) } else { ty }));
        Ok(())
    }

    /// Adds a note with the learned type or fields of a body that was unknown.
    pub(super) fn note_learned(&mut self, kind: BodyKind, seen: &Observed) {
        let body = self.endpoint.key("body").tree(self.editor);
        if let Some(ty) = body.text("type") {
            return self.editor.note(format!("the body is a `{ty}`"));
        }
        let fields = body.entries(kind.key()).iter().filter_map(|field| {
            let optional = if field.get("optional").is_some() { ", optional" } else { "" };
            Some(format!("{} ({}{optional})", field.text("name")?, field.text("type")?))
        });
        let fields: Vec<_> = fields.collect();
        let fields = if fields.is_empty() { "no fields".to_owned() } else { fields.join(", ") };
        let records = if seen.times == 1 { "1 record".to_owned() } else { format!("{} records", seen.times) };
        self.editor.note(format!("learned from {records}: {fields}"));
    }

    /// Rejects records that have none of the fields in the catalogue. Fields that are known only from the previous
    /// version do not count.
    fn refuse_another(&self, listed: &[Tree], evidence: &str, seen: &Observed) -> Result<(), Refusal> {
        let fields = listed.iter().filter(|field| !is_previous(field, evidence));
        let names: Vec<_> = fields.filter_map(|field| field.text("name")).collect();
        if names.is_empty() || names.iter().any(|name| seen.fields.get(name).is_some()) {
            return Ok(());
        }
        let found: Vec<_> = seen.fields.0.iter().map(|(name, _)| name.as_str()).collect();
        Err(Refusal::Message(format!(
            "the response has none of the fields in the catalogue ({}), but has {}, so it is probably from another \
             endpoint; otherwise, set the fields to `unknown` in {} to learn them again",
            names.join(", "),
            if found.is_empty() { "no fields".to_owned() } else { found.join(", ") },
            self.file
        )))
    }
}
