//! Responses that tell of a failure become statuses of the service.

use serde_yaml::Value;

use super::Reader;
use super::document::{entries, evidence_of, is_evidence, items, text, text_of};
use super::service::{or_unknown, some};
use crate::tree::Tree;

const KEYS: &str = "$ref content description x-advice x-evidence x-label x-notes";

impl<'d> Reader<'d> {
    /// Every status that a failure has somewhere, once.
    pub(super) fn errors(&mut self, evidence: &str) -> Vec<Tree> {
        let root = self.document.root();
        let mut errors: Vec<(u16, Tree, &'d Value)> = Vec::new();
        for (path, item) in entries(root, "paths") {
            let Some((item, _)) = self.document.follow(item) else { continue };
            let operation = self.document.operation(item);
            let responses = operation.into_iter().flat_map(|operation| entries(operation, "responses"));
            for (status, response) in responses.filter(|(status, _)| !status.starts_with('2')) {
                let at = format!("`{path}`/responses/{status}");
                let Some(number) = status.parse::<u16>().ok().filter(|number| (400..600).contains(number)) else {
                    self.notes.missing(format!("the response `{status}`"), &at);
                    continue;
                };
                let own = response;
                let (response, reference) = self.document.follow(own).unwrap_or_else(|| {
                    self.notes.missing("a response that leads nowhere", &at);
                    (own, None)
                });
                if reference.is_some() {
                    self.sweep(own, "$ref", &at);
                }
                self.failure(response, reference.unwrap_or(&at));
                match errors.iter().find(|(known, ..)| *known == number) {
                    Some((.., first)) if text(first, "description") == text(response, "description") => {}
                    Some(_) => {
                        self.untold(response, "description", "a status that another endpoint has otherwise", &at);
                    }
                    None => errors.push((number, self.status(status, response, evidence), response)),
                }
            }
        }
        errors.sort_by_key(|(number, ..)| *number);
        errors.into_iter().map(|(_, error, _)| error).collect()
    }

    /// Notes what is said of a failure beside what it means.
    fn failure(&mut self, response: &'d Value, place: &str) {
        self.sweep(response, KEYS, place);
        if response.get("content").is_some() && !self.document.is_ours() {
            self.notes.aside("the body of a failure", place);
        }
    }

    pub(super) fn status(&mut self, status: &str, response: &'d Value, evidence: &str) -> Tree {
        let said = self.said(response);
        Tree::map()
            .with("status", Tree::Number(status.to_owned()))
            .with("label", text(response, "x-label").unwrap_or("unknown"))
            .with("summary", or_unknown(said.summary))
            .with_some("advice", text(response, "x-advice").filter(|_| self.options.summaries))
            .with_some("notes", said.notes)
            .with("evidence", evidence_of(response).unwrap_or(evidence))
    }

    /// Where a failure says what went wrong, as our own descriptions tell it.
    pub(super) fn error_body(&mut self) -> Option<Tree> {
        let schemas = self.document.root().get("components")?;
        let (name, body) = entries(schemas, "schemas").find(|(_, schema)| schema.get("x-message").is_some())?;
        self.swept.insert(format!("#/components/schemas/{name}"));
        let texts = |key: &str| some(items(body, key).iter().map(|text| Tree::Text(text_of(text))).collect());
        let evidence = evidence_of(body).unwrap_or(&self.options.evidence);
        // Only a name that is known is one of the interface; another was made for the description.
        let named_by = text(body, "x-named-by").filter(|said| is_evidence(said));
        let tree = Tree::map()
            .with_some("name", named_by.map(|_| name))
            .with_some("named_by", named_by.filter(|known| *known != evidence))
            .with_some("message", texts("x-message"))
            .with_some("code", texts("x-code"));
        Some(tree.with("evidence", evidence))
    }
}
