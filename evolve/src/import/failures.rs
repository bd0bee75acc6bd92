//! Responses of failures become statuses of the service.

use codegen::names::{self, Case};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, evidence_of, is_evidence, is_place, items, text};
use super::service::some;
use crate::tree::Tree;

impl<'d> Reader<'d> {
    /// Every status of a failure, once.
    pub(super) fn errors(&self, evidence: &str) -> Vec<Tree> {
        let root = self.document.root();
        let mut errors: Vec<(u16, Tree)> = Vec::new();
        for (_, item) in entries(root, "paths") {
            let Some((item, _)) = self.document.follow(item) else { continue };
            let operation = self.document.operation(item);
            let responses = operation.into_iter().flat_map(|operation| entries(operation, "responses"));
            for (status, response) in responses.filter(|(status, _)| !status.starts_with('2')) {
                let number = status.parse::<u16>().ok().filter(|number| (400..600).contains(number));
                let Some(number) = number.filter(|number| errors.iter().all(|(known, _)| known != number)) else {
                    continue;
                };
                let response = self.document.follow(response).map_or(response, |(target, _)| target);
                errors.push((number, self.status(status, response, evidence)));
            }
        }
        errors.sort_by_key(|(number, _)| *number);
        errors.into_iter().map(|(_, error)| error).collect()
    }

    pub(super) fn status(&self, status: &str, response: &'d Value, evidence: &str) -> Tree {
        let said = self.said(response);
        Tree::map()
            .with("status", Tree::Number(status.to_owned()))
            .with("label", text(response, "x-label").unwrap_or("unknown"))
            .with("summary", said.text("summary").unwrap_or("unknown"))
            .with_some("advice", text(response, "x-advice").filter(|_| self.options.summaries))
            .with_some("notes", said.get("notes").cloned())
            .with("evidence", evidence_of(response).unwrap_or(evidence))
    }

    /// The places of message and code in a failure, as our own descriptions state them.
    pub(super) fn error_body(&self) -> Option<Tree> {
        let schemas = self.document.root().get("components")?;
        let (name, body) = entries(schemas, "schemas").find(|(_, schema)| schema.get("x-message").is_some())?;
        let places = |key: &str| {
            let places = items(body, key).iter().filter_map(Value::as_str).filter(|place| is_place(place));
            some(places.map(Tree::from).collect())
        };
        let evidence = evidence_of(body).unwrap_or(&self.options.evidence);
        // Only a name with evidence belongs to the interface; any other was made for the description.
        let named_by = text(body, "x-named-by").filter(|said| is_evidence(said));
        let named_by = named_by.filter(|_| names::is_ident(name, Case::Pascal));
        let tree = Tree::map()
            .with_some("name", named_by.map(|_| name))
            .with_some("named_by", named_by.filter(|known| *known != evidence))
            .with_some("message", Some(places("x-message")?))
            .with_some("code", places("x-code"));
        Some(tree.with("evidence", evidence))
    }
}
