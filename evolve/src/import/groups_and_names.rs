//! Chooses the names and groups of endpoints. The name is derived from the operation id, and the group from the first
//! tag. If the operation id or the tag is missing, the path is used instead.

use codegen::is_line;
use codegen::names::{self, Case};
use codegen::spec::Group;
use heck::{ToSnakeCase, ToTitleCase};
use serde_yaml::Value;

use super::Reader;
use super::document::{items, text};
use crate::rust_names::NamesInUse;

/// Returns the module name for a tag.
fn module(tag: &str) -> String {
    NamesInUse::default().claim(tag, Case::Snake, names::Scope::Groups)
}

impl Reader<'_> {
    /// Returns the module for an endpoint, which is derived from its first tag or from the first segment of its path.
    pub(super) fn group(&mut self, operation: &Value, path: &str) -> String {
        let tag = items(operation, "tags").first().and_then(Value::as_str);
        let first = path.split('/').find(|segment| !segment.is_empty() && !segment.starts_with('{'));
        let wanted = tag.or(first).unwrap_or("general");
        let known = self.known.groups.iter().find(|(_, group)| *group.title == wanted);
        let module = known.map_or_else(|| module(wanted), |(module, _)| module.clone());
        if !self.draft.content.groups.contains_key(&module) {
            let head = self.head(wanted, &module);
            self.draft.content.groups.insert(module.clone(), head);
        }
        module
    }

    /// Returns the title and the summary of a group.
    fn head(&self, wanted: &str, own: &str) -> Group {
        let is_own = |tag: &&Value| text(tag, "name").is_some_and(|name| name == wanted || module(name) == own);
        let tag = items(&self.document.root, "tags").iter().find(is_own).unwrap_or(&Value::Null);
        let name = text(tag, "name").unwrap_or(wanted);
        // A tag without spaces may be an identifier, such as `openInterest`, so it is converted to separate words.
        let title = if name.contains(' ') { name.to_owned() } else { name.to_title_case() };
        let title = text(tag, "x-displayName").map_or(title, str::to_owned);
        let title = if is_line(&title) { title } else { own.to_owned() };
        Group { title: title.into(), summary: self.summary(tag, &["description"]), ..Group::default() }
    }

    /// Returns the name of an endpoint, which is derived from the operation id or, if that is missing, from the path.
    pub(super) fn name(&mut self, operation: &Value, group: &str, path: &str) -> String {
        let id = text(operation, "operationId").unwrap_or_default().to_snake_case();
        let short = id.strip_prefix(group).and_then(|id| id.strip_prefix('_'));
        let by_path = path.split('/').filter(|segment| !segment.starts_with('{')).collect::<Vec<_>>().join(" ");
        let wanted = short.unwrap_or(&id).to_owned();
        let wanted = if names::ident(&wanted, Case::Snake).is_ok() { wanted } else { by_path };
        let name = wanted.to_title_case();
        let name = if names::ident(&name, Case::Snake).is_ok() { name } else { "Root".to_owned() };
        // If the summary and the operation id become the same method name, the summary is used, because it is more
        // readable.
        let summary = text(operation, "summary").filter(|summary| self.options.summaries && is_line(summary));
        let is_same = |summary: &&str| names::ident(summary, Case::Snake) == names::ident(&name, Case::Snake);
        summary.filter(is_same).map_or(name, str::to_owned)
    }
}
