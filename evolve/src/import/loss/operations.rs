//! Operations side by side: their params and responses.

use serde_yaml::Value;

use super::schema::{ANY, UNKNOWN};
use super::{Subtraction, find, keys, nearest, starts_alike};
use crate::import::body::{good_reply, is_json};
use crate::import::document::{Layer, entries_of, items, text};
use crate::import::notes::Weight;

impl<'d> Subtraction<'d> {
    pub(super) fn paths(&mut self, paths: &'d Value) {
        for (path, item) in entries_of(paths) {
            if !path.starts_with('/') {
                self.lose(Weight::Fact, format!("`{path}`"), "#/paths");
                continue;
            }
            let place = format!("`{path}`");
            let Some(item) = self.follow(item, &place) else { continue };
            for (key, value, at) in keys(&item) {
                match key {
                    "get" | "parameters" | "$ref" => {}
                    "post" | "put" | "patch" | "delete" | "head" | "options" | "trace" => {
                        self.lose(Weight::Missing, format!("`{key}`: it only reads"), at);
                    }
                    _ => self.value(key, value, None, at),
                }
            }
            let Some(operation) = find(&item, "get") else { continue };
            let kept = self.paths.get(path).and_then(|path| self.kept.root().get("paths")?.get(path)?.get("get"));
            match kept {
                Some(kept) => self.operation(&item, operation, kept, &place),
                None => self.lose_all(Weight::Missing, "a path".to_owned(), &place),
            }
        }
    }

    fn operation(&mut self, item: &[Layer<'d>], operation: &'d Value, kept: &'d Value, place: &str) {
        let Some(layers) = self.follow(operation, place) else { return };
        let summaries = ["summary", "description"].map(|key| kept.get(key).and_then(Value::as_str).unwrap_or_default());
        for (key, value, at) in keys(&layers) {
            match key {
                "operationId" | "parameters" | "$ref" => {}
                "summary" | "description" => {
                    let said = value.as_str().unwrap_or_default();
                    let same = summaries.iter().find(|kept| starts_alike(said, kept)).copied();
                    self.text(key, said, same, at);
                }
                "tags" => {
                    if value.as_sequence().is_some_and(|tags| tags.len() > 1) {
                        let why = "further tags of an endpoint, which stands in the group of the first";
                        self.lose(Weight::Aside, why.to_owned(), at);
                    }
                }
                "responses" => self.responses(value, &kept["responses"], at),
                _ => self.value(key, value, kept.get(key), at),
            }
        }
        let lists = [find(item, "parameters"), find(&layers, "parameters")].map(|list| {
            let list = list.and_then(Value::as_sequence).into_iter().flatten().enumerate();
            list.collect::<Vec<_>>()
        });
        let own: Vec<_> = lists[1].iter().filter_map(|(_, param)| self.said.param(param)).collect();
        for (index, param) in &lists[0] {
            // A param of the operation replaces that of the path.
            if self.said.param(param).is_none_or(|named| !own.contains(&named)) {
                self.param(param, *index, kept, place);
            }
        }
        for (index, param) in &lists[1] {
            self.param(param, *index, kept, place);
        }
    }

    fn param(&mut self, param: &'d Value, index: usize, operation: &'d Value, place: &str) {
        let named = self.said.param(param);
        let name = named.map_or_else(|| index.to_string(), |(name, _)| name.to_owned());
        let Some(said) = self.follow(param, &format!("{place}/parameters/{name}")) else { return };
        let mut all = items(operation, "parameters").iter();
        let Some(kept) = all.find(|kept| self.kept.param(kept) == named) else {
            let is_header = |kept: &&Value| {
                named.is_some_and(|(name, of)| of == "header" && text(kept, "name") == Some(&name.to_ascii_lowercase()))
            };
            if let Some(kept) = items(self.kept.root(), "x-headers").iter().find(is_header) {
                return self.header(&said, kept);
            }
            let at = said.last().map_or(place, |(_, at)| at);
            let required = if find(&said, "required") == Some(&true.into()) { "required " } else { "" };
            let location = named.map_or("", |(_, location)| location);
            self.lose_all(Weight::Missing, format!("{required}params `in: {location}`"), at);
            return;
        };
        let kept = self.kept.referred(kept, "");
        let is_required = find(&kept, "x-required").is_some() || find(&kept, "required") == Some(&true.into());
        for (key, value, at) in keys(&said) {
            match key {
                "name" | "in" | "schema" | "style" | "explode" | "$ref" => {}
                "required" if is_required => {}
                "example" | "examples" => self.example(key, value, &kept, at),
                _ => self.value(key, value, nearest(&kept, key, value), at),
            }
        }
        self.schema_of_param(&said, &kept);
    }

    /// A param that became a header of every request.
    fn header(&mut self, said: &[Layer<'d>], kept: &'d Value) {
        for (key, value, at) in keys(said) {
            match key {
                "name" | "in" | "required" | "schema" | "$ref" => {}
                "description" => self.value(key, value, kept.get("summary"), at),
                _ => self.lose_key(key, at),
            }
        }
    }

    fn responses(&mut self, responses: &'d Value, kept: &'d Value, place: &str) {
        let good = good_reply(responses).map(|(status, _)| status);
        for (status, response) in entries_of(responses) {
            let at = format!("{place}/responses/{status}");
            let same = match good {
                Some(good) if good == status => kept.get("200"),
                _ if status.starts_with('2') => None,
                _ => kept.get(status),
            };
            let Some(same) = same else {
                self.lose(Weight::Missing, format!("the response `{status}`"), &at);
                continue;
            };
            let Some(said) = self.follow(response, &at) else { continue };
            let kept = self.kept.referred(same, "");
            let contents = [&said, &kept].map(|layers| find(layers, "content"));
            self.others(&said, &kept, &["content"]);
            if let Some(content) = contents[0] {
                let at = said.last().map_or(at.as_str(), |(_, at)| at);
                self.content(content, contents[1], good == Some(status), at);
            }
        }
    }

    /// The bodies in each media type; only JSON is read.
    fn content(&mut self, said: &'d Value, kept: Option<&'d Value>, is_good: bool, place: &str) {
        let Some(kept) = kept.and_then(|kept| kept.get("application/json")) else {
            return self.lose(Weight::Aside, "the body of a failure".to_owned(), place);
        };
        let json = entries_of(said).find(|(kind, _)| is_json(kind));
        for (kind, content) in entries_of(said) {
            if Some(kind) != json.map(|(kind, _)| kind) {
                let weight = if json.is_none() && is_good { Weight::Missing } else { Weight::Aside };
                self.lose(weight, format!("the body as `{kind}`"), place);
                continue;
            }
            self.others(&[(content, format!("{place}/{kind}"))], &[], &["schema"]);
            if let Some(schema) = content.get("schema") {
                let kept = self.kept.layers(kept.get("schema").unwrap_or(&Value::Null), "");
                self.schema(schema, &kept, &format!("{place}/schema"), if is_good { UNKNOWN } else { ANY });
            }
        }
    }
}
