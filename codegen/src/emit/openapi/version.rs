//! Contains all differences between the two OpenAPI versions.

use serde_yaml::Value;

use crate::emit::json_object::{Object, typed};

/// A version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenApiVersion {
    /// Version 3.0.3, for tools without support for newer versions.
    V3_0,
    /// Version 3.1.0.
    V3_1,
}

impl OpenApiVersion {
    pub(super) fn number(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0.3",
            Self::V3_1 => "3.1.0",
        }
    }

    /// A schema that also allows `null`. An empty schema already allows everything.
    ///
    /// If `schema` is a reference, `referred` is the type of the schema to which it refers. Version 3.0 accepts
    /// `nullable` only next to a type.
    pub(super) fn nullable(self, schema: Object, referred: &str) -> Object {
        if schema.is_empty() {
            return schema;
        }
        let refers = schema.get("$ref").is_some();
        match (self, schema.get("type").cloned()) {
            (Self::V3_0, _) if refers => {
                Object::default().with("type", referred).with("nullable", true).with("allOf", vec![schema])
            }
            (Self::V3_0, _) => schema.with("nullable", true),
            (Self::V3_1, Some(ty)) if !refers => schema.with("type", vec![ty, Value::from("null")]),
            (Self::V3_1, _) => Object::default().with("anyOf", vec![schema, typed("null")]),
        }
    }

    /// Adds keywords to a schema. In 3.0 a reference is wrapped in `allOf`, because keywords next to it are ignored.
    pub(super) fn extended(self, schema: Object, keywords: Object) -> Object {
        if self == Self::V3_0 && schema.get("$ref").is_some() && !keywords.is_empty() {
            return Object::default().with("allOf", vec![schema]).and(keywords);
        }
        schema.and(keywords)
    }

    /// The schema of a list with a separate schema for each index. Version 3.0 has no keyword for such a list, so the
    /// schema allows any items.
    pub(super) fn tuple(self, items: Vec<Value>) -> Object {
        match self {
            Self::V3_0 => Object::default().with("items", Object::default()),
            Self::V3_1 => Object::default().with("prefixItems", items),
        }
    }

    /// The keyword for example values. Version 3.0 supports only one example.
    pub(super) fn examples<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Object {
        match self {
            Self::V3_0 => Object::default().with_some("example", values.into_iter().next()),
            Self::V3_1 => Object::default().with_list("examples", values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(object: Object) -> String {
        serde_json::to_string(&Value::from(object)).unwrap_or_default()
    }

    #[test]
    fn null_is_written_as_the_version_requires() {
        let number = || typed("number").with("minimum", 0);
        let reference = || Object::default().with("$ref", "#/a");
        for (schema, v3_0, v3_1) in [
            (Object::default(), "{}", "{}"),
            (number(), r#"{"type":"number","minimum":0,"nullable":true}"#, r#"{"type":["number","null"],"minimum":0}"#),
            (
                reference(),
                r##"{"type":"object","nullable":true,"allOf":[{"$ref":"#/a"}]}"##,
                r##"{"anyOf":[{"$ref":"#/a"},{"type":"null"}]}"##,
            ),
        ] {
            assert_eq!(json(OpenApiVersion::V3_0.nullable(schema.clone(), "object")), v3_0);
            assert_eq!(json(OpenApiVersion::V3_1.nullable(schema, "object")), v3_1);
        }
    }

    #[test]
    fn keys_next_to_a_reference_are_kept() {
        let reference = || Object::default().with("$ref", "#/a");
        let keywords = || Object::default().with("default", 1);
        let extended = |version: OpenApiVersion, keywords| json(version.extended(reference(), keywords));
        assert_eq!(extended(OpenApiVersion::V3_0, keywords()), r##"{"allOf":[{"$ref":"#/a"}],"default":1}"##);
        assert_eq!(extended(OpenApiVersion::V3_1, keywords()), r##"{"$ref":"#/a","default":1}"##);
        assert_eq!(extended(OpenApiVersion::V3_0, Object::default()), r##"{"$ref":"#/a"}"##);
    }
}
