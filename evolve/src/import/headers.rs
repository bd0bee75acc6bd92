//! Headers that every request carries with one value: as our own descriptions list them, or as params that every
//! operation requires with the same value.

use codegen::is_line;
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, is_evidence, items, text};
use super::params::fixed;
use crate::tree::Tree;

impl<'d> Reader<'d> {
    pub(super) fn headers(&self, evidence: &str) -> Vec<Tree> {
        let listed = items(self.document.root(), "x-headers").iter().filter_map(listed);
        let mut operations = self.fixed_headers().into_iter();
        let Some(mut common) = operations.next() else { return listed.collect() };
        operations
            .for_each(|other| common.retain(|(name, value, _)| other.iter().any(|(n, v, _)| n == name && v == value)));
        let fixed = common.into_iter().map(|(name, value, param)| {
            let summary = self.said(param).get("summary").cloned();
            Tree::map().with("name", name).with("value", value).with_some("summary", summary).with("evidence", evidence)
        });
        listed.chain(fixed).collect()
    }

    /// The headers that each operation requires with one value.
    fn fixed_headers(&self) -> Vec<Vec<(&'d str, String, &'d Value)>> {
        let paths = entries(self.document.root(), "paths").filter_map(|(_, item)| self.document.follow(item));
        let reading = paths.filter_map(|(item, _)| Some((item, self.document.operation(item)?)));
        let of_one = |(item, operation): (&'d Value, &'d Value)| {
            let all = items(item, "parameters").iter().chain(items(operation, "parameters"));
            let headers = all.filter_map(|param| self.document.follow(param)).filter_map(|(param, _)| {
                let name = text(param, "name").filter(|name| text(param, "in") == Some("header") && is_line(name))?;
                Some((name, fixed(param, param.get("schema")?)?, param))
            });
            headers.collect()
        };
        reading.map(of_one).collect()
    }
}

fn listed(header: &Value) -> Option<Tree> {
    let said = |key: &str| text(header, key).filter(|text| is_line(text));
    let evidence = said("evidence").filter(|said| is_evidence(said))?;
    let tree = Tree::map().with("name", said("name")?).with("value", said("value")?);
    Some(tree.with_some("summary", said("summary")).with("evidence", evidence))
}
