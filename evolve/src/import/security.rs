//! Security schemes become credentials, if the client knows their kind.

use std::collections::HashSet;

use codegen::names::{Case, Scope};
use codegen::spec::FIELD;
use codegen::{is_line, may_carry_key, path};
use serde_yaml::{Mapping, Value};

use super::Reader;
use super::document::{entries, evidence_of, items, text};
use super::headers::is_value;
use super::notes::Weight;
use super::numbered_types::{record_in, type_of_name};
use super::service::some;
use crate::naming::NamesInUse;
use crate::tree::Tree;

/// Whether credentials are optional: then an empty requirement is one of the alternatives.
pub(super) fn is_optional(root: &Value) -> bool {
    items(root, "security").iter().any(|one| one.as_mapping().is_some_and(Mapping::is_empty))
}

impl<'d> Reader<'d> {
    pub(super) fn credentials(&mut self, evidence: &str, base: &str) -> Option<Tree> {
        let components = self.document.root().get("components")?;
        let (mut key, mut token) = (None, None);
        let is_optional = is_optional(self.document.root());
        let has_flow = entries(components, "securitySchemes").any(|(_, scheme)| scheme.get("flows").is_some());
        for (name, scheme) in entries(components, "securitySchemes") {
            let Some((scheme, _)) = self.document.follow(scheme) else { continue };
            let evidence = evidence_of(scheme).unwrap_or(evidence).to_owned();
            let header = text(scheme, "name").unwrap_or_default();
            let is_bearer = text(scheme, "type") == Some("http")
                && text(scheme, "scheme").is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"));
            let (header, prefix) = if is_bearer {
                ("Authorization", Some("Bearer "))
            } else {
                (header, text(scheme, "x-prefix").filter(|text| is_value(text)))
            };
            let is_key = text(scheme, "type") == Some("apiKey") && text(scheme, "in") == Some("header");
            let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
            if (is_bearer && !has_flow || is_key && may_carry_key(header)) && key.is_none() {
                let said = Tree::map().with("header", header).with_some("prefix", prefix);
                key = Some(said.with_some("optional", is_optional.then_some(true)).with("evidence", evidence));
            } else if let (Some(flow), None) = (flow, &token) {
                token = self.flow(scheme, flow, &evidence, base);
                if token.is_none() {
                    let why = "a token path that is not below the base URL, or cannot be written down";
                    self.notes.explain(Weight::Missing, why, &format!("#/components/securitySchemes/{name}"));
                }
            } else {
                let why = "a security scheme that the client does not know";
                self.notes.explain(Weight::Missing, why, &format!("#/components/securitySchemes/{name}"));
            }
        }
        let credentials = Tree::map().with_some("api_key", key).with_some("client_credentials", token);
        (credentials != Tree::map()).then_some(credentials)
    }

    fn flow(&mut self, scheme: &'d Value, flow: &'d Value, evidence: &str, base: &str) -> Option<Tree> {
        let url = text(scheme, "x-path").or(text(flow, "tokenUrl"))?;
        path::check(url, false).ok()?;
        // Every base URL ends in that path already.
        let url = url.strip_prefix(base).filter(|rest| rest.starts_with('/')).unwrap_or(url);
        let fields = entries(scheme, "x-reply").collect::<Vec<_>>().into_iter();
        let mut reply: Vec<Tree> = fields.filter_map(|(name, field)| self.reply_field(name, field, evidence)).collect();
        let mut taken = NamesInUse::default();
        for field in &mut reply {
            let name = field.text("name").unwrap_or_default();
            let ident = taken.chosen(name, field.text("ident"), Case::Snake, Scope::Fields);
            field.set(&FIELD, "ident", ident);
        }
        let mut statuses = HashSet::new();
        let errors = items(scheme, "x-errors").iter().filter_map(|error| {
            let status = error.get("status").and_then(Value::as_u64).filter(|status| (300..600).contains(status))?;
            statuses.insert(status).then(|| self.status(&status.to_string(), error, evidence))
        });
        let errors: Vec<Tree> = errors.collect();
        let tree = Tree::map()
            .with("path", url)
            .with("label", text(scheme, "x-label").unwrap_or("Token"))
            .with("evidence", evidence)
            .with_some("reply", some(reply))
            .with_some("errors", some(errors))
            .with_some("notes", text(scheme, "x-notes").filter(|_| self.options.summaries));
        Some(tree)
    }

    /// A field of the reply with the token.
    fn reply_field(&mut self, name: &str, field: &'d Value, inherited: &str) -> Option<Tree> {
        let place = format!("#/components/securitySchemes/x-reply/{name}");
        let mut field = self.field(field, name, &place, true);
        field.inherit(inherited);
        let ty = field.text("type")?;
        let is_plain = !ty.contains('<') && record_in(ty).is_none() && type_of_name(ty).is_none();
        (is_plain && is_line(name)).then_some(field)
    }
}
