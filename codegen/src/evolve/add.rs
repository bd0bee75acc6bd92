//! A new endpoint, of which little more than the path need be known.

use heck::ToTitleCase;

use super::change::{Change, Desk, Refusal};
use super::edit::Step;
use super::group;
use super::tree::Tree;
use crate::load::Catalogue;
use crate::names::{self, Case};

/// What is known of a new endpoint.
#[derive(Clone, Debug)]
pub struct Addition {
    /// From the base URL on.
    pub path: String,
    /// The group's file without its ending; a new one comes into being.
    pub group: String,
    /// Words; made from the path if not given.
    pub name: Option<String>,
    /// What it is for; `unknown` if not given.
    pub summary: Option<String>,
    /// Names of shared params and param sets; `unknown` if not given.
    pub params: Option<Vec<String>>,
    /// How the path is known: `document`, `published` or `reported`.
    pub evidence: String,
}

/// Makes the change that adds an endpoint.
pub fn add(catalogue: Catalogue, addition: &Addition) -> Result<Change, Refusal> {
    let mut desk = Desk::open(catalogue)?;
    let entry = entry(addition);
    let file = format!("{}.yaml", addition.group);
    if desk.modules().iter().any(|(module, _)| *module == addition.group) {
        desk.extend(&file, &[Step::Key("endpoints")], vec![entry])?;
    } else {
        if !names::is_ident(&addition.group, Case::Snake) {
            let group = &addition.group;
            return Err(Refusal::Said(format!("`{group}` cannot be the name of a group; write it like `my_group`")));
        }
        let head = Tree::map().with("title", addition.group.to_title_case()).with("summary", "unknown");
        desk.create(&file, &group::file(&head, &[entry]))?;
        desk.say(format!("the group `{}` is new", addition.group));
    }
    desk.close()
}

fn entry(addition: &Addition) -> Tree {
    let path = &addition.path;
    let in_path: Vec<&str> =
        path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}')).collect();
    let own = in_path.iter().map(|name| {
        Tree::map().with("name", *name).with("type", "string").with("in", "path").with("summary", "unknown")
    });
    let named = addition.params.iter().flatten().map(|name| name.as_str().into());
    // What stands in the path has to be listed, and then nothing else is left unknown.
    let params = match (&addition.params, in_path.is_empty()) {
        (None, true) => "unknown".into(),
        _ => Tree::List(own.chain(named).collect()),
    };
    Tree::map()
        .with("name", addition.name.clone().unwrap_or_else(|| name_of(path)))
        .with("path", path.as_str())
        .with("evidence", addition.evidence.as_str())
        .with("summary", addition.summary.as_deref().unwrap_or("unknown"))
        .with("params", params)
        .with("body", "unknown")
}

/// The words of the last segment that is not a param.
fn name_of(path: &str) -> String {
    let segments = path.rsplit('/').filter(|segment| !segment.is_empty() && !segment.starts_with('{'));
    segments.map(ToTitleCase::to_title_case).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load_texts;

    const SERVICE: &str = "\
title: A
version: '1'
summary: A service.
env_prefix: A
time: {unit: seconds, evidence: document}
params:
- {name: coin, type: string, summary: The coin., evidence: document}
";
    const MARKET: &str = "\
# yaml-language-server: $schema=catalogue.schema.json
title: Market
summary: The market.
endpoints:
- name: Basis  # the first
  path: /basis
  evidence: document
  summary: Perpetual price minus spot price.
  params: []
  body: unknown
";

    fn added(addition: &Addition) -> Result<String, String> {
        let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let change = add(catalogue, addition).map_err(|refusal| refusal.to_string())?;
        Ok(change.texts().map(|(_, text)| text.to_owned()).collect())
    }

    fn addition(path: &str, group: &str) -> Addition {
        let evidence = "reported".to_owned();
        Addition { path: path.to_owned(), group: group.to_owned(), name: None, summary: None, params: None, evidence }
    }

    #[test]
    fn an_endpoint_goes_to_the_end_of_its_group() {
        let known = Addition {
            name: Some("Book".to_owned()),
            summary: Some("Orders that rest.".to_owned()),
            params: Some(vec!["coin".to_owned()]),
            ..addition("/books/{symbol}", "market")
        };
        let entry = "\
- name: Book
  path: /books/{symbol}
  evidence: reported
  summary: Orders that rest.
  params:
  - {name: symbol, type: string, in: path, summary: unknown}
  - coin
  body: unknown
";
        assert_eq!(added(&known), Ok(format!("{MARKET}{entry}")));
    }

    #[test]
    fn a_new_group_begins_as_its_siblings_do() {
        let expected = "\
# yaml-language-server: $schema=catalogue.schema.json
title: Open Interest
summary: unknown
endpoints:
- name: Open Interest Delta
  path: /openInterestDelta
  evidence: reported
  summary: unknown
  params: unknown
  body: unknown
";
        assert_eq!(added(&addition("/openInterestDelta", "open_interest")).as_deref(), Ok(expected));
    }

    #[test]
    fn what_the_catalogue_refuses_is_refused() {
        let refusal = |path: &str, group: &str| added(&addition(path, group)).expect_err("a refusal");
        assert!(refusal("/basis", "market").contains("error[duplicate-path]"));
        assert!(refusal("basis2", "market").contains("error[path-start]"));
        assert_eq!(refusal("/a", "My Group"), "`My Group` cannot be the name of a group; write it like `my_group`");
    }
}
