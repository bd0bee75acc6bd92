//! The builder of a description, and what its parts share.

use super::component_names::ComponentNames;
use super::version::OpenApiVersion;
use crate::emit::json_object::Object;
use crate::emit::markdown;
use crate::emit::snippets::Snippets;
use catalogue::model::{Api, Endpoint, Group};

/// Builds an OpenAPI description from the model.
pub(super) struct Description<'a> {
    pub(super) api: &'a Api,
    pub(super) version: OpenApiVersion,
    pub(super) names: ComponentNames,
    /// The code samples; without a client, there are none.
    pub(super) snippets: Option<&'a Snippets<'a>>,
}

impl<'a> Description<'a> {
    pub(super) fn new(api: &'a Api, version: OpenApiVersion, snippets: Option<&'a Snippets<'a>>) -> Self {
        Self { api, version, names: ComponentNames::of(api), snippets }
    }
}

/// The operation id, from which other generators derive the method name.
///
/// The id is the group and the endpoint, joined by an underscore. If a group with a longer name already yields this id,
/// two underscores join them: the endpoint `b_c` of the group `a` becomes `a__b_c` if the group `a_b` has an endpoint
/// `c`.
pub(super) fn operation_id(api: &Api, group: &Group, endpoint: &Endpoint) -> String {
    let id = format!("{}_{}", group.ident, endpoint.ident);
    for other in &api.groups {
        if other.ident.len() <= group.ident.len() {
            continue;
        }
        let prefix = format!("{}_", other.ident);
        if let Some(rest) = id.strip_prefix(&prefix)
            && other.endpoints.iter().any(|endpoint| endpoint.ident == rest)
        {
            return format!("{}__{}", group.ident, endpoint.ident);
        }
    }
    id
}

/// A description with the summary, the facts and the notes as paragraphs. Summary and notes are escaped; the facts are
/// already Markdown.
pub(super) fn described(summary: &str, facts: impl IntoIterator<Item = String>, notes: &str) -> Object {
    let paragraphs = [markdown::prose(summary), markdown::joined(facts), markdown::prose(notes)];
    Object::default().with_text("description", &markdown::joined_by("\n\n", paragraphs))
}

/// `None` if the object has no keys, so that it is omitted.
pub(super) fn some(object: Object) -> Option<Object> {
    (!object.is_empty()).then_some(object)
}
