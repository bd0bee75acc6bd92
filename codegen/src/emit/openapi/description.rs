//! The builder of a description, and what its parts share.

use super::component_names::ComponentNames;
use super::version::OpenApiVersion;
use crate::emit::docs;
use crate::emit::json_object::Object;
use catalogue::model::{Api, Endpoint, Group};

/// Builds an OpenAPI description from the model.
pub(super) struct Description<'a> {
    pub(super) api: &'a Api,
    pub(super) version: OpenApiVersion,
    pub(super) names: ComponentNames,
}

impl<'a> Description<'a> {
    pub(super) fn new(api: &'a Api, version: OpenApiVersion) -> Self {
        Self { api, version, names: ComponentNames::of(api) }
    }
}

/// Returns the operation id, from which other generators derive the method name.
///
/// The id is the group and the endpoint, joined by an underscore. If a group with a longer name already yields this id,
/// two underscores join them: the endpoint `b_c` of the group `a` becomes `a__b_c` if the group `a_b` has an endpoint
/// `c`.
pub(super) fn operation_id(api: &Api, group: &Group, endpoint: &Endpoint) -> String {
    let id = format!("{}_{}", group.ident, endpoint.ident);
    let is_same_id = |other: &Group| {
        let rest = id.strip_prefix(&other.ident).and_then(|rest| rest.strip_prefix('_'));
        other.ident.len() > group.ident.len() && other.endpoints.iter().any(|met| rest == Some(&met.ident))
    };
    if api.groups.iter().any(is_same_id) { format!("{}__{}", group.ident, endpoint.ident) } else { id }
}

/// Returns a description with the summary, the facts and the notes as paragraphs. Summary and notes are escaped; the
/// facts are already Markdown.
pub(super) fn described(summary: &str, facts: impl IntoIterator<Item = String>, notes: &str) -> Object {
    let paragraphs = [docs::prose(summary), docs::joined(facts), docs::prose(notes)];
    Object::default().with_text("description", &docs::joined_by("\n\n", paragraphs))
}

pub(super) fn some(object: Object) -> Option<Object> {
    (!object.is_empty()).then_some(object)
}
