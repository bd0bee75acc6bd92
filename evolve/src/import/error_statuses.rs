//! Converts error responses to the error statuses of the service.

use std::collections::BTreeMap;

use codegen::spec::Status;

use super::Reader;
use super::document::entries;
use super::omissions::Weight;

impl Reader<'_> {
    /// Returns every error status once. `has_body` is `true` if the catalogue already describes the body of errors.
    pub(super) fn errors(&mut self, has_body: bool) -> Vec<Status> {
        let mut errors = BTreeMap::new();
        for (path, operation) in self.document.gets() {
            for (status, response) in entries(operation, "responses") {
                let Some(number) = error_status(status) else { continue };
                let pointer = format!("`{path}`/responses/{status}");
                let (response, reference) = self.resolve(response, &pointer).unwrap_or((response, None));
                if response.get("content").is_some() && !has_body {
                    let why = "the body of an error response, which you have to describe in `error_body`";
                    self.omissions.add(Weight::Fact, why, reference.unwrap_or(&pointer));
                }
                errors.entry(number).or_insert_with(|| Status {
                    status: number.into(),
                    summary: self.summary(response, &["description"]),
                    evidence: self.options.evidence,
                    ..Status::default()
                });
            }
        }
        errors.into_values().collect()
    }
}

/// Returns the number of an error status; `None` for any other key of `responses`, such as `4XX` and `default`.
pub(super) fn error_status(status: &str) -> Option<u16> {
    status.parse().ok().filter(|number| (400..600).contains(number))
}
