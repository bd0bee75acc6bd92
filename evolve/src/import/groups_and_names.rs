//! The names and groups of endpoints: from id and tag, or from the path if they are missing.

use codegen::is_line;
use codegen::names::{self, Case};
use heck::{ToSnakeCase, ToTitleCase};
use serde_yaml::Value;

use super::Reader;
use super::document::{items, text};
use super::service::or_unknown;
use crate::rust_names::NamesInUse;
use crate::yaml_tree::Tree;

/// The module name of a tag, if no other tag uses it.
pub(super) fn module(tag: &str) -> String {
    NamesInUse::default().claim(tag, Case::Snake, names::Scope::Groups)
}

impl Reader<'_> {
    /// The module for an endpoint.
    pub(super) fn group(&mut self, operation: &Value, path: &str) -> String {
        let tag = items(operation, "tags").first().and_then(Value::as_str);
        let first = path.split('/').find(|segment| !segment.is_empty() && !segment.starts_with('{'));
        let like_path = || first.map(|first| self.document.tag_like(first).unwrap_or(first));
        let wanted = tag.or_else(like_path).unwrap_or("general").to_owned();
        let same = |(known, _): &&(String, String)| *known == wanted;
        let known = self.groups.iter().find(same).or_else(|| self.group_like(&wanted));
        let known = known.map(|(_, module)| module.clone());
        if let Some(module) = &known
            && !self.tags.insert(wanted.clone())
        {
            return module.clone();
        }
        self.tags.insert(wanted.clone());
        let module = known.unwrap_or_else(|| self.modules.claim(&wanted, Case::Snake, names::Scope::Groups));
        let root = self.document.root();
        let tag = items(root, "tags").iter().find(|tag| text(tag, "name") == Some(&wanted)).unwrap_or(&Value::Null);
        let title = text(tag, "x-displayName").map(str::to_owned);
        // A tag may be an identifier.
        let title_of_tag = || if wanted.contains(' ') { wanted.clone() } else { wanted.to_title_case() };
        let title = title.unwrap_or_else(title_of_tag);
        let summary = text(tag, "description").map(|text| self.prose(text)).unwrap_or_default();
        let title = if is_line(&title) { title } else { module.clone() };
        let head = Tree::map().with("title", title).with("summary", or_unknown(summary));
        self.draft.groups.push((module.clone(), head));
        self.groups.push((wanted, module.clone()));
        module
    }

    /// The group of the catalogue whose module matches a tag.
    fn group_like(&self, tag: &str) -> Option<&(String, String)> {
        let module = module(tag);
        self.groups[..self.old_groups].iter().find(|(_, known)| *known == module)
    }

    /// The name of an endpoint, from its id, or from its path if it has no id.
    pub(super) fn name(&mut self, operation: &Value, group: &str, path: &str) -> String {
        let id = text(operation, "operationId").unwrap_or_default().to_snake_case();
        let short = id.strip_prefix(group).and_then(|id| id.strip_prefix('_'));
        let by_path = path.split('/').filter(|segment| !segment.starts_with('{')).collect::<Vec<_>>().join(" ");
        let wanted = short.unwrap_or(&id).to_owned();
        let wanted = if names::ident(&wanted, Case::Snake).is_ok() { wanted } else { by_path };
        let name = wanted.to_title_case();
        let name = if names::ident(&name, Case::Snake).is_ok() { name } else { "Root".to_owned() };
        // The summary is the better name if it yields the same method.
        let summary = text(operation, "summary").filter(|summary| self.options.summaries && is_line(summary));
        let is_same = |summary: &&str| names::ident(summary, Case::Snake) == names::ident(&name, Case::Snake);
        let same = summary.filter(is_same);
        same.map_or(name, str::to_owned)
    }
}
