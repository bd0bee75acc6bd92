//! Responses that tell of a failure become statuses of the service.

use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::facts::{or_unknown, some};
use crate::evolve::tree::Tree;

impl<'d> Reader<'d> {
    /// Every status that a failure has somewhere, once.
    pub(super) fn errors(&mut self, evidence: &str) -> Vec<Tree> {
        let root = self.document.root();
        let mut errors: Vec<(u16, Tree)> = Vec::new();
        for (_, item) in entries(root, "paths") {
            for (status, response) in item.get("get").into_iter().flat_map(|operation| entries(operation, "responses"))
            {
                let Ok(number) = status.parse::<u16>() else {
                    if !status.starts_with('2') {
                        self.notes.add(format!("the response `{status}`"), "#/paths");
                    }
                    continue;
                };
                if !(400..600).contains(&number) || errors.iter().any(|(known, _)| *known == number) {
                    continue;
                }
                let response = self.document.follow(response).map_or(response, |(response, _)| response);
                let error = self.status(status, response, evidence);
                errors.push((number, error));
            }
        }
        errors.sort_by_key(|(number, _)| *number);
        errors.into_iter().map(|(_, error)| error).collect()
    }

    pub(super) fn status(&mut self, status: &str, response: &'d Value, evidence: &str) -> Tree {
        let said = self.said(response);
        Tree::map()
            .with("status", Tree::Number(status.to_owned()))
            .with("label", text(response, "x-label").unwrap_or("unknown"))
            .with("summary", or_unknown(said.summary))
            .with_some("advice", text(response, "x-advice").filter(|_| self.options.summaries))
            .with_some("notes", said.notes)
            .with("evidence", text(response, "x-evidence").unwrap_or(evidence))
    }

    /// Where a failure says what went wrong, as our own descriptions tell it.
    pub(super) fn error_body(&mut self) -> Option<Tree> {
        let schemas = self.document.root().get("components")?;
        let (name, body) = entries(schemas, "schemas").find(|(_, schema)| schema.get("x-message").is_some())?;
        self.swept.insert(format!("#/components/schemas/{name}"));
        let texts = |key: &str| some(items(body, key).iter().map(|text| Tree::Text(text_of(text))).collect());
        let evidence = text(body, "x-evidence").unwrap_or(&self.options.evidence);
        let tree = Tree::map().with_some("message", texts("x-message")).with_some("code", texts("x-code"));
        Some(tree.with("evidence", evidence))
    }
}
