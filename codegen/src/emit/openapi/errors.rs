//! Emits one error response for each status, with the schema of its body as far as it is known.

use super::operation::json;
use super::schema::schema_ref;
use super::{Description, described, source};
use crate::emit::docs;
use crate::emit::json_object::{Object, typed};
use crate::model::{Builtin, Status, Type};

impl Description<'_> {
    /// Returns a reference to each error response. Every operation lists all of them.
    pub(super) fn error_refs(&self) -> impl Iterator<Item = (String, Object)> {
        self.api.service.errors.iter().map(|status| {
            let reference = format!("#/components/responses/{}", component(status));
            (status.status.to_string(), Object::default().with("$ref", reference))
        })
    }

    pub(super) fn error_responses(&self) -> Object {
        let content = self.error_schema().map(|_| json(schema_ref(&self.names.error)));
        let errors = self.api.service.errors.iter();
        errors.map(|status| (component(status), status_facts(status).with_some("content", content.clone()))).collect()
    }

    /// Returns the schema of error bodies: an object that contains the message and the code at their JSON paths.
    pub(super) fn error_schema(&self) -> Option<Object> {
        let body = &self.api.service.error_body;
        let known = body.evidence?;
        let text = self.value(&Type::Option(Type::Builtin(Builtin::String).into()));
        let message = body.message.iter().map(|path| (path, text.clone()));
        let code = body.code.iter().map(|path| (path, Object::default()));
        let description = "The cause of the failure. The members that are present depend on the failure.";
        let schema = typed("object").and(described(description, [source(known)], ""));
        Some(message.chain(code).fold(schema, |schema, (path, value)| self.inserted(schema, path, value, false)))
    }
}

/// Returns a description with the meaning, the advice and the source of a status.
fn status_facts(status: &Status) -> Object {
    described(&status.summary, [docs::prose(&docs::sentence(&status.advice)), source(status.evidence)], &status.notes)
}

fn component(status: &Status) -> String {
    format!("Status{}", status.status)
}
