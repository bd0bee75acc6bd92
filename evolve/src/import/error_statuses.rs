//! Converts error responses to statuses of the service.

use serde_yaml::Value;

use super::Reader;
use super::document::entries;
use crate::yaml_tree::Tree;

impl<'d> Reader<'d> {
    /// Every error status, once.
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

    fn status(&self, status: &str, response: &'d Value, evidence: &str) -> Tree {
        Tree::map()
            .with("status", Tree::Number(status.to_owned()))
            .with("label", "unknown")
            .with("summary", self.summary(response, &["description"]).as_deref().unwrap_or("unknown"))
            .with("evidence", evidence)
    }
}
