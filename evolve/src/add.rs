//! A new endpoint, of which little more than the path need be known.

use codegen::names::{self, Case};
use codegen::{Catalogue, did_you_mean, path, spec};
use heck::ToTitleCase;

use super::change::{CatalogueChange, Desk, Refusal};
use super::place::Place;
use super::tree::Tree;

/// The facts about a new endpoint.
#[derive(Clone, Debug)]
pub struct Addition {
    /// From the base URL on.
    pub path: String,
    /// The group's file without its ending; a new group gets a new file.
    pub group: String,
    /// Its name in words; made from the path if not given.
    pub name: Option<String>,
    /// Its name in Rust, where the name in words makes another.
    pub ident: Option<String>,
    /// What it is for; `unknown` if not given.
    pub summary: Option<String>,
    /// Names of shared params and param sets; `unknown` if not given.
    pub params: Option<Vec<String>>,
    /// How the path is known, in the catalogue's word.
    pub evidence: String,
}

/// Makes the change that adds an endpoint.
pub fn add(catalogue: Catalogue, addition: &Addition) -> Result<CatalogueChange, Refusal> {
    let mut desk = Desk::open(catalogue)?;
    refuse_known(&desk, addition)?;
    if addition.group == "service" {
        let why = "`service` cannot be the name of a group, as service.yaml says what all groups share";
        return Err(Refusal::Said(why.to_owned()));
    }
    let entry = entry(addition);
    say_known_elsewhere(&mut desk, addition, &entry);
    let file = format!("{}.yaml", addition.group);
    if let Some((_, group)) = desk.checked.groups.iter().find(|(module, _)| *module == addition.group) {
        let endpoints = Place::file(&file).key("endpoints");
        match known_by_name(group, &entry) {
            Some(index) => complete(&mut desk, &endpoints.item(index), &entry),
            None => desk.extend(&endpoints, vec![entry]),
        }
    } else {
        if !names::is_ident(&addition.group, Case::Snake) {
            let group = &addition.group;
            let like = names::ident(group, Case::Snake).ok().filter(|ident| names::is_ident(ident, Case::Snake));
            let like = like.unwrap_or_else(|| "my_group".to_owned());
            return Err(Refusal::Said(format!("`{group}` cannot be the name of a group; write it like `{like}`")));
        }
        let head = Tree::map().with("title", addition.group.to_title_case()).with("summary", "unknown");
        desk.create(&file, head.with("endpoints", vec![entry]));
        let modules = desk.modules();
        let meant = did_you_mean(&addition.group, modules.iter().map(|(module, _)| module.as_str()));
        let meant = if meant.is_empty() { meant } else { format!("; {meant}") };
        desk.say(format!("the group `{}` is new{meant}", addition.group));
    }
    desk.close()
}

/// Refuses an endpoint that is there already.
fn refuse_known(desk: &Desk, addition: &Addition) -> Result<(), Refusal> {
    let groups = desk.checked.groups.iter();
    let mut endpoints = groups.flat_map(|(module, group)| group.endpoints.iter().map(move |known| (module, known)));
    match endpoints.find(|(_, known)| known.path.known().is_some_and(|path| *path == addition.path)) {
        Some((module, endpoint)) => Err(Refusal::Said(format!(
            "`{}` is there already, as `{module}.{}`",
            addition.path,
            method(endpoint).unwrap_or_default()
        ))),
        None => Ok(()),
    }
}

/// The method of an endpoint, if its name makes one.
fn method(endpoint: &spec::Endpoint) -> Option<String> {
    names::chosen(endpoint.ident.as_deref(), &endpoint.name, Case::Snake)
}

/// The endpoint of that name whose path is unknown.
fn known_by_name(group: &spec::Group, entry: &Tree) -> Option<usize> {
    let chosen = entry.text("ident").map(str::to_owned);
    let ident = names::chosen(chosen.as_ref(), entry.text("name")?, Case::Snake)?;
    let is_it = |known: &spec::Endpoint| known.path.known().is_none() && method(known).as_ref() == Some(&ident);
    group.endpoints.iter().position(is_it)
}

/// Notes an endpoint of the same name without a path in another group, which may be this one.
fn say_known_elsewhere(desk: &mut Desk, addition: &Addition, entry: &Tree) {
    let others = desk.checked.groups.iter().filter(|(module, _)| *module != addition.group);
    let named = others.filter_map(|(module, group)| Some((module, &group.endpoints[known_by_name(group, entry)?])));
    let lines: Vec<_> = named
        .map(|(module, known)| {
            let known = method(known).unwrap_or_default();
            format!("`{module}.{known}` waits for its path; if it is this endpoint, add it with `--group {module}`")
        })
        .collect();
    for line in lines {
        desk.say(line);
    }
}

/// Fills in unknown facts of an endpoint; known ones stay.
fn complete(desk: &mut Desk, at: &Place, entry: &Tree) {
    let known = at.tree(desk).clone();
    let name = known.text("name").unwrap_or_default();
    desk.say(format!("`{name}` was known by name, and now has a path"));
    for key in ["path", "evidence", "summary", "params", "body"] {
        let is_known = |tree: &&Tree| tree.as_text() != Some("unknown");
        // An endpoint with a path needs every key.
        let Some(new) = entry.get(key).filter(|new| known.get(key).is_none() || is_known(new)) else { continue };
        match known.get(key) {
            Some(Tree::List(listed)) => add_params(desk, at, listed, new),
            Some(old) if key != "evidence" && old.as_text() != Some("unknown") => {
                if old != new {
                    desk.say(format!("its {key} is known and stays as it is"));
                }
            }
            _ => desk.set(at, key, new.clone()),
        }
    }
}

/// Adds the params in a path to known params, which stay as they are.
fn add_params(desk: &mut Desk, endpoint: &Place, listed: &[Tree], new: &Tree) {
    let Tree::List(new) = new else { return };
    let is_listed = |new: &Tree| listed.iter().any(|known| param(known) == param(new));
    let (in_path, named): (Vec<_>, Vec<_>) =
        new.iter().filter(|new| !is_listed(new)).cloned().partition(|new| new.as_text().is_none());
    if !named.is_empty() {
        desk.say("its params are known and stay as they are, but for those in the path");
    }
    desk.extend(&endpoint.key("params"), in_path);
}

/// The param that an entry of `params` names.
fn param(entry: &Tree) -> Option<&str> {
    entry.as_text().or_else(|| ["use", "name"].iter().find_map(|key| entry.text(key)))
}

fn entry(addition: &Addition) -> Tree {
    let path = &addition.path;
    let in_path = path::params(path);
    let own = in_path.iter().map(|name| {
        Tree::map().with("name", *name).with("type", "string").with("in", "path").with("summary", "unknown")
    });
    let named = addition.params.iter().flatten().map(|name| name.as_str().into());
    // A param in the path has to be listed, and then the list is no longer unknown.
    let params = match (&addition.params, in_path.is_empty()) {
        (None, true) => "unknown".into(),
        _ => Tree::List(own.chain(named).collect()),
    };
    Tree::map()
        .with("name", addition.name.clone().unwrap_or_else(|| name_of(path)))
        .with_some("ident", addition.ident.as_deref())
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
    use codegen::load_texts;

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
- name: Basis Ratio
  path: unknown
  evidence: document
  summary: Basis over price.
  params: unknown
  body: unknown
";

    fn added(addition: &Addition) -> Result<String, String> {
        let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let change = add(catalogue, addition).map_err(|refusal| refusal.to_string())?;
        Ok(change.texts().map(|(_, text)| text.to_owned()).collect())
    }

    fn addition(path: &str, group: &str) -> Addition {
        let evidence = "reported".to_owned();
        let (path, group) = (path.to_owned(), group.to_owned());
        Addition { path, group, name: None, ident: None, summary: None, params: None, evidence }
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
    fn a_name_that_makes_what_is_taken_goes_with_another_ident() {
        let other = Addition { name: Some("Client".to_owned()), ..addition("/client", "market") };
        let finding = added(&other).expect_err("a finding");
        assert!(finding.contains("say another with `ident`"), "{finding}");
        let entry = "\
- name: Client
  ident: their_client
  path: /client
  evidence: reported
  summary: unknown
  params: unknown
  body: unknown
";
        let chosen = Addition { ident: Some("their_client".to_owned()), ..other };
        assert_eq!(added(&chosen), Ok(format!("{MARKET}{entry}")));
    }

    #[test]
    fn an_endpoint_known_by_name_gets_its_path() {
        let known =
            Addition { params: Some(Vec::new()), summary: Some("It.".to_owned()), ..addition("/basisRatio", "market") };
        let expected = MARKET
            .replace("path: unknown\n  evidence: document", "path: /basisRatio\n  evidence: reported")
            .replace("params: unknown", "params: []");
        assert_eq!(added(&known), Ok(expected));
    }

    #[test]
    fn beside_a_path_nothing_is_left_out() {
        let market = MARKET.replace("  params: unknown\n  body: unknown\n", "");
        let known = |params: Option<Vec<String>>| {
            let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market)]);
            let change = add(catalogue, &Addition { params, ..addition("/basisRatio", "market") }).expect("a change");
            change.texts().map(|(_, text)| text.to_owned()).collect::<String>()
        };
        assert!(known(None).ends_with("  params: unknown\n  body: unknown\n"));
        assert!(known(Some(vec!["coin".to_owned()])).ends_with("  params: [coin]\n  body: unknown\n"));
    }

    #[test]
    fn what_is_known_of_an_endpoint_stays_beside_its_path() {
        let depth = "\
- name: Depth
  path: unknown
  evidence: document
  summary: It.
  params: [{use: coin, required: reported}]
  body: unknown
";
        let market = [MARKET, depth].concat();
        let complete = |summary: &str, params: &[&str]| {
            let params = Some(params.iter().map(|name| (*name).to_owned()).collect());
            let summary = Some(summary.to_owned());
            let known = Addition { summary, params, ..addition("/depth/{venue}", "market") };
            let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market)]);
            add(catalogue, &known).map(|change| {
                let text: String = change.texts().map(|(_, text)| text.to_owned()).collect();
                (text, change.said().to_vec())
            })
        };
        let now_has = "`Depth` was known by name, and now has a path".to_owned();
        let (text, said) = complete("It.", &["coin"]).expect("a change");
        let expected = "\
- name: Depth
  path: '/depth/{venue}'
  evidence: reported
  summary: It.
  params: [{use: coin, required: reported}, {name: venue, type: string, in: path, summary: unknown}]
  body: unknown
";
        assert_eq!(text.strip_prefix(MARKET), Some(expected));
        assert_eq!(said, std::slice::from_ref(&now_has));
        let (_, said) = complete("That.", &["range"]).expect("a change");
        let stays = "its summary is known and stays as it is".to_owned();
        let stay = "its params are known and stay as they are, but for those in the path".to_owned();
        assert_eq!(said, [now_has, stays, stay]);
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
    fn one_that_waits_for_its_path_in_another_group_is_told() {
        let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let change = add(catalogue, &addition("/basisRatio", "markets")).expect("a change");
        let expected = [
            "`market.basis_ratio` waits for its path; if it is this endpoint, add it with `--group market`",
            "the group `markets` is new; did you mean `market`?",
        ];
        assert_eq!(change.said(), expected);
    }

    #[test]
    fn what_the_catalogue_refuses_is_refused() {
        let refusal = |path: &str, group: &str| added(&addition(path, group)).expect_err("a refusal");
        assert_eq!(refusal("/basis", "market"), "`/basis` is there already, as `market.basis`");
        assert!(refusal("basis2", "market").contains("error[path-start]"));
        assert!(refusal("https://a.example/basis", "market").contains("write what stands behind the base URL"));
        assert_eq!(
            refusal("/a", "service"),
            "`service` cannot be the name of a group, as service.yaml says what all groups share"
        );
        assert_eq!(refusal("/a", "Our Group"), "`Our Group` cannot be the name of a group; write it like `our_group`");
        assert_eq!(refusal("/a", "%"), "`%` cannot be the name of a group; write it like `my_group`");
    }
}
