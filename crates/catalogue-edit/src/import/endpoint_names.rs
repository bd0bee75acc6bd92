//! Names endpoints and groups. The name of an endpoint is derived from the operation id, and its group from the first tag.
//! If the operation id or the tag is missing, the path is used instead.

use catalogue::is_line;
use catalogue::names::{self, Case};
use catalogue::spec::{Group, GroupBaseUrl};
use heck::{ToSnakeCase, ToTitleCase};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::tree::{items, text, text_or_empty};
use crate::rust_names::{module_name, module_of_host};

impl<'d> DescriptionReader<'d> {
    /// The module of an endpoint on a host. A group that is not in the draft yet is added.
    pub(super) fn group(&mut self, operation: &Value, path: &str, base_url: Option<&GroupBaseUrl>) -> String {
        let tag = items(operation, "tags").first().and_then(Value::as_str);
        let title = tag.or(first_literal(path)).unwrap_or("general");
        let mut module = self.module_of(title);
        let mut host = "";
        if !self.is_on_host(&module, base_url) {
            host = base_url.map_or("service", |base_url| base_url.name.as_str());
            let named = self.module_of(&format!("{title} {host}"));
            module = module_of_host(title, host, named, |module| self.is_on_host(module, base_url));
        }
        if !self.draft.content.groups.contains_key(&module) {
            let mut group = self.new_group(title, &module);
            if !host.is_empty() {
                group.title = format!("{} {}", group.title, host.to_title_case()).into();
            }
            if group.base_url.is_none() {
                group.base_url = base_url.cloned();
            }
            self.draft.content.groups.insert(module.clone(), group);
        }
        module
    }

    /// `true` if a group is on the host with a base URL, or is new.
    fn is_on_host(&self, module: &str, base_url: Option<&GroupBaseUrl>) -> bool {
        let group = self.draft.content.groups.get(module).or(self.catalogue.groups.get(module));
        let Some(group) = group else { return true };
        // In our own export, the group states its base URL.
        self.document.is_own_export() || name_of(group.base_url.as_ref()) == name_of(base_url)
    }

    /// The module of the known group with a title, or the one that is derived from the title.
    fn module_of(&self, title: &str) -> String {
        for (module, group) in &self.catalogue.groups {
            if *group.title == title {
                return module.clone();
            }
        }
        module_name(title)
    }

    fn new_group(&mut self, wanted_title: &str, module: &str) -> Group {
        let tag = self.tag(wanted_title, module).unwrap_or(&Value::Null);
        let base_url = self.exported_base_url(tag, &format!("the tag `{wanted_title}`"));
        let name = text(tag, "name").unwrap_or(wanted_title);
        let mut title = match text(tag, "x-displayName") {
            Some(shown) => shown.to_owned(),
            None if name.contains(' ') => name.to_owned(),
            // A tag without spaces may be an identifier, such as `openInterest`, so it is converted to separate words.
            None => name.to_title_case(),
        };
        if !is_line(&title) {
            module.clone_into(&mut title);
        }
        let summary = self.summary(tag, &["description"]);
        Group { title: title.into(), summary, base_url, ..Group::default() }
    }

    /// The description of a tag.
    fn tag(&self, title: &str, module: &str) -> Option<&'d Value> {
        for tag in items(&self.document.root, "tags") {
            if let Some(name) = text(tag, "name")
                && (name == title || module_name(name) == module)
            {
                return Some(tag);
            }
        }
        None
    }

    pub(super) fn endpoint_name(&self, operation: &Value, module: &str, path: &str) -> String {
        let id = text_or_empty(operation, "operationId").to_snake_case();
        let below_group = id.strip_prefix(module).and_then(|rest| rest.strip_prefix('_'));
        let mut words = below_group.unwrap_or(&id).to_owned();
        if !is_usable(&words) {
            words = literals(path);
        }
        let mut name = words.to_title_case();
        if !is_usable(&name) {
            "Root".clone_into(&mut name);
        }
        // If the summary and the operation id become the same method name, the summary is used, because it is more
        // readable.
        if let Some(summary) = text(operation, "summary")
            && self.options.summaries
            && is_line(summary)
            && names::ident(summary, Case::Snake) == names::ident(&name, Case::Snake)
        {
            return summary.to_owned();
        }
        name
    }
}

fn name_of(base_url: Option<&GroupBaseUrl>) -> Option<&str> {
    Some(&base_url?.name)
}

/// `true` if a name can become the name of a method.
fn is_usable(name: &str) -> bool {
    names::ident(name, Case::Snake).is_ok()
}

/// The first segment of a path that is no param.
fn first_literal(path: &str) -> Option<&str> {
    path.split('/').find(|segment| !segment.is_empty() && !segment.contains('{'))
}

/// The segments of a path that are no params, separated by spaces.
fn literals(path: &str) -> String {
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.retain(|segment| !segment.contains('{'));
    segments.join(" ")
}
