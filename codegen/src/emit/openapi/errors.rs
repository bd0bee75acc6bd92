//! Error responses: one for each status, with the schema of the body as far as known.

use std::collections::BTreeMap;

use super::operation::json;
use super::schema::schema_ref;
use super::{Description, described};
use crate::emit::json_object::Object;
use crate::model::Status;

impl Description<'_> {
    /// References to the error responses, which every operation lists.
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

    /// The schema of error bodies: the JSON paths of the message and the code, merged into one object.
    pub(super) fn error_schema(&self) -> Option<Object> {
        let body = &self.api.service.error_body;
        let mut tree = Node::default();
        for path in &body.message {
            tree.leaf(path, "string");
        }
        for path in &body.code {
            tree.leaf(path, "");
        }
        let known = body.evidence?;
        let schema = self
            .node(&tree)
            .with("description", "The cause of the failure. Which members are present depends on the failure.")
            .with("x-evidence", known.word());
        Some(schema)
    }

    fn node(&self, node: &Node) -> Object {
        if node.below.is_empty() {
            return match node.leaf {
                Some("") | None => Object::default(),
                Some(ty) => Object::default().with("type", ty),
            };
        }
        // A value that occurs both with and without keys can have any type.
        if node.leaf.is_some() {
            return Object::default();
        }
        let properties =
            node.below.iter().map(|(key, below)| (key.clone(), self.version.nullable(self.node(below), "object")));
        Object::default().with("type", "object").with("properties", properties.collect::<Object>())
    }
}

/// The description of a status.
fn status_facts(status: &Status) -> Object {
    Object::default()
        .and(described(status.meaning(), [status.advice.as_str()], &status.notes))
        .with("x-evidence", status.evidence.word())
}

fn component(status: &Status) -> String {
    format!("Status{}", status.status)
}

/// A node of a body: its type, and the nodes below it.
#[derive(Default)]
struct Node {
    leaf: Option<&'static str>,
    below: BTreeMap<String, Node>,
}

impl Node {
    /// Adds a dotted path with its type; an empty type accepts any value.
    fn leaf(&mut self, path: &str, ty: &'static str) {
        let node = path.split('.').fold(self, |node, key| node.below.entry(key.to_owned()).or_default());
        node.leaf = Some(if node.leaf.is_some_and(|other| other != ty) { "" } else { ty });
    }
}
