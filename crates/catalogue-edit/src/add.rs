//! Adds a new endpoint, for which only the path is required.

use catalogue::names::{self, Case};
use catalogue::spec::{Endpoint, Evidence, Group, Known, ParamEntry};
use catalogue::{Catalogue, url_path};
use heck::ToTitleCase;

use crate::catalogue_change::CatalogueChange;
use crate::content::{Content, SERVICE, ident_of, label, new_service};
use crate::draft::{Draft, DraftOrigin, path_param};
use crate::editor::Editor;
use crate::learn::learn_query;
use crate::merge::{ClientNames, merge};
use crate::observed_query::{ObservedQuery, QueryParam};
use crate::refusal::Refusal;

/// The facts about a new endpoint.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The path after the base URL, with the query of a request if there is one.
    pub path: String,
    /// The name of the group's file without its extension. A new group gets a new file.
    pub group: String,
    /// The human-readable name; if omitted, it is derived from the path.
    pub name: Option<String>,
    /// The Rust name of the method, if the name derived from `name` is unsuitable.
    pub rust_name: Option<String>,
    /// The purpose of the endpoint; omitted if it is unknown.
    pub summary: Option<String>,
    /// The names of shared params and param sets; if omitted, the params are `unknown`.
    pub params: Option<Vec<String>>,
    /// The evidence of the path.
    pub evidence: Evidence,
    /// The title of the service, if the endpoint is the first of a new catalogue.
    pub service: String,
}

/// Returns the change that adds an endpoint to a catalogue. Without a catalogue, the endpoint starts one.
pub fn add(catalogue: Option<Catalogue>, addition: &Addition) -> Result<CatalogueChange, Refusal> {
    let Some((path, rest)) = addition.path.split_once('?') else { return add_path(catalogue, addition, "") };
    // The name of one of several endpoints on a path is the last part.
    let (query, name) = match rest.split_once('#') {
        Some((query, name)) => (query, format!("#{name}")),
        None => (rest, String::new()),
    };
    let path = format!("{path}{name}");
    add_path(catalogue, &Addition { path, ..addition.clone() }, query)
}

/// Adds an endpoint with the params of a query.
fn add_path(catalogue: Option<Catalogue>, addition: &Addition, query: &str) -> Result<CatalogueChange, Refusal> {
    let mut editor = match catalogue {
        Some(catalogue) => Editor::open(catalogue)?,
        None => started(addition),
    };
    let group = &addition.group;
    if group == SERVICE {
        let why = "`service` cannot be the name of a group: service.yaml contains the facts that all groups share";
        return Err(why.into());
    }
    let entry = entry(&editor.content, addition);
    let mut notes = notes_about_endpoints(&editor.content, addition, &entry)?;
    if !editor.content.groups.contains_key(group) {
        notes.push(note_about_new_group(&editor.content, group)?);
    }
    let query = QueryParam::all(query);
    notes.extend(notes_about_query(&addition.path, &query));
    editor.note_all(notes);
    let drafted = Group { title: group.to_title_case().into(), endpoints: vec![entry], ..Group::default() };
    let mut draft = Draft::new(DraftOrigin::Person);
    draft.content.groups.insert(group.clone(), drafted);
    merge(&mut editor, &draft);
    let query = ObservedQuery::of(&query);
    // A path that is not valid cannot be found; the check of the catalogue reports it.
    if let Ok((_, at)) = editor.content.find(&addition.path) {
        learn_query(&mut editor, addition.evidence, &at, &query);
    }
    editor.close()
}

/// Starts a catalogue, of whose service only the title is known.
fn started(addition: &Addition) -> Editor {
    let service = new_service(addition.service.to_title_case());
    let mut editor = Editor::new(Content { service, ..Content::default() });
    editor.note("a new catalogue is started; in service.yaml, `title`, `version`, `env_prefix` and `time` are guesses");
    editor
}

/// Rejects a path that exists, and returns notes about endpoints of other groups that may be the same.
fn notes_about_endpoints(known: &Content, addition: &Addition, entry: &Endpoint) -> Result<Vec<String>, Refusal> {
    let template = url_path::template(&addition.path);
    let mut notes = Vec::new();
    for (at, endpoint) in known.endpoints() {
        let label = label(&at, endpoint);
        match endpoint.path.known() {
            Some(path) if url_path::template(path) == template => {
                return Err(format!("`{}` already exists as `{label}`", addition.path).into());
            }
            None if at.module != addition.group && ident_of(endpoint) == ident_of(entry) => {
                let group = &at.module;
                notes.push(format!("`{label}` has no path yet; to add the path to it, use `--group {group}`"));
            }
            _ => {}
        }
    }
    Ok(notes)
}

/// Returns a note about each param of the query that has the name of a param of the path, of which only that one is added.
fn notes_about_query(path: &str, query: &[QueryParam]) -> Vec<String> {
    let mut notes = Vec::new();
    for QueryParam { name, .. } in query {
        if url_path::params(path).contains(&name.as_str()) {
            notes.push(format!("the query param `{name}` is left out: the path has a param with this name"));
        }
    }
    notes
}

/// Rejects the name of a new group that is not valid.
fn note_about_new_group(known: &Content, group: &str) -> Result<String, Refusal> {
    if !names::is_ident(group, Case::Snake) {
        let like = match names::ident(group, Case::Snake) {
            Ok(ident) if names::is_ident(&ident, Case::Snake) => ident,
            _ => "my_group".to_owned(),
        };
        return Err(format!("`{group}` is not a valid group name; use a name like `{like}`").into());
    }
    let note = format!("the group `{group}` is new");
    match wording::did_you_mean(group, known.groups.keys().map(String::as_str)) {
        Some(meant) => Ok(format!("{note}; {meant}")),
        None => Ok(note),
    }
}

fn entry(known: &Content, addition: &Addition) -> Endpoint {
    let path = &addition.path;
    let name = match &addition.name {
        Some(name) => name.clone(),
        None => free_name(known, &addition.group, path),
    };
    Endpoint {
        name: name.into(),
        rust_name: addition.rust_name.as_deref().map(Into::into),
        path: Known::Known(path.as_str().into()),
        evidence: addition.evidence,
        summary: one_line(addition.summary.as_deref().unwrap_or_default()),
        params: params(addition),
        ..Endpoint::default()
    }
}

/// A text as one paragraph, which the catalogue keeps as it is.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The params in the path, and those that the user named.
fn params(addition: &Addition) -> Known<Vec<ParamEntry>> {
    let mut entries = Vec::new();
    for name in url_path::params(&addition.path) {
        entries.push(ParamEntry::Own(Box::new(path_param(name))));
    }
    // A path with params needs a list of params, so `unknown` is possible only if the path has no params.
    if addition.params.is_none() && entries.is_empty() {
        return Known::Unknown;
    }
    for name in addition.params.iter().flatten() {
        entries.push(ParamEntry::Name(name.as_str().into()));
    }
    Known::Known(entries)
}

/// Derives the name of an endpoint from its path: the words of the last path segment that is not a param, and of the
/// segments before it if that name is taken or reserved. If no name is free, returns the shortest one, about which the
/// check of the catalogue reports an error.
fn free_name(known: &Content, group: &str, path: &str) -> String {
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.retain(|segment| !segment.is_empty() && !segment.starts_with('{'));
    let taken = ClientNames::of(known);
    for count in 1..=segments.len() {
        let name = segments[segments.len() - count..].join(" ").to_title_case();
        let Ok(ident) = names::ident(&name, Case::Snake) else { continue };
        if has_open_path(known, group, &ident) || taken.is_free_method(group, &ident) {
            return name;
        }
    }
    match segments.last() {
        Some(last) => last.to_title_case(),
        None => "Root".to_owned(),
    }
}

/// `true` if a group has an endpoint of this name whose path is unknown, because the new path completes it.
fn has_open_path(known: &Content, group: &str, ident: &str) -> bool {
    let Some(group) = known.groups.get(group) else { return false };
    group.endpoints.iter().any(|known| known.path.known().is_none() && ident_of(known).as_deref() == Some(ident))
}

#[cfg(test)]
mod tests {
    use crate::*;
    use catalogue::load_texts;

    const SERVICE: &str = "\
title: A
version: '1'
summary: A service.
env_prefix: A
time: {unit: seconds, evidence: documented}
params:
- {name: coin, type: string, summary: The coin., evidence: documented}
";
    const MARKET: &str = "\
# yaml-language-server: $schema=catalogue.schema.json
title: Market
summary: The market.
endpoints:
- name: Basis  # the first
  path: /basis
  evidence: documented
  summary: Perpetual price minus spot price.
  params: []
  body: unknown
- name: Basis Ratio
  path: unknown
  evidence: documented
  summary: Basis over price.
  params: unknown
  body: unknown
";

    fn added(addition: &Addition) -> Result<String, String> {
        let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let change = add(Some(catalogue), addition).map_err(|refusal| refusal.to_string())?;
        Ok(change.texts().map(|(_, text)| text.to_owned()).collect())
    }

    fn addition(path: &str, group: &str) -> Addition {
        let evidence = Evidence::Reported;
        let (path, group, service) = (path.to_owned(), group.to_owned(), "tide tables".to_owned());
        Addition { path, group, name: None, rust_name: None, summary: None, params: None, evidence, service }
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
  - {name: symbol, type: string, in: path}
  - coin
  body: unknown
";
        assert_eq!(added(&known), Ok(format!("{MARKET}{entry}")));
    }

    #[test]
    fn white_space_in_a_summary_becomes_a_blank() {
        let known = Addition { summary: Some(" Orders\n\tthat rest. ".to_owned()), ..addition("/orders", "market") };
        let text = added(&known).expect("a catalogue");
        assert!(text.contains("  summary: Orders that rest.\n"), "{text}");
    }

    #[test]
    fn conflicting_name_needs_another_ident() {
        let other = Addition { name: Some("Client".to_owned()), ..addition("/client", "market") };
        let error = added(&other).expect_err("an error");
        assert!(error.contains("set another name with `rust_name`"), "{error}");
        let entry = "\
- name: Client
  rust_name: their_client
  path: /client
  evidence: reported
  params: unknown
  body: unknown
";
        let chosen = Addition { rust_name: Some("their_client".to_owned()), ..other };
        assert_eq!(added(&chosen), Ok(format!("{MARKET}{entry}")));
    }

    #[test]
    fn taken_or_reserved_name_is_preceded_by_the_segment_before_it() {
        for (path, group, expected) in [
            ("/spot/basis", "market", "name: Spot Basis\n"),
            ("/v2/spot/{coin}/basis/{id}", "market", "name: Spot Basis\n"),
            ("/oauth/client", "market", "name: Oauth Client\n"),
            ("/spot/basis", "other", "name: Basis\n"),
            ("/x/basis_ratio", "market", "path: /x/basis_ratio\n"),
        ] {
            let text = added(&addition(path, group)).expect("a catalogue");
            assert!(text.contains(expected), "{path}: {text}");
        }
    }

    #[test]
    fn a_query_becomes_params() {
        let text = added(&addition("/rates/{pair}?from=2024-01-31&count=10&client=a%20b&apikey=k", "market"));
        let entry = "\
- name: Rates
  path: /rates/{pair}
  evidence: reported
  params:
  - {name: pair, type: string, in: path}
  - {name: from, type: timestamp, format: date}
  - {name: count, type: count}
  - {name: client, type: string}
  body: unknown
";
        let text = text.expect("a catalogue");
        assert!(text.contains(entry), "{text}");
        assert!(text.contains("query: apikey"), "{text}");
        let known = load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let twice = add(Some(known), &addition("/rates/{pair}?pair=x", "market")).expect("a catalogue");
        let left_out = "the query param `pair` is left out: the path has a param with this name";
        assert!(twice.notes().iter().any(|note| note == left_out), "{:?}", twice.notes());
        let without = added(&addition("/rates?", "market")).expect("a catalogue");
        assert!(without.contains("  path: /rates\n  evidence: reported\n  params: unknown\n"), "{without}");
        let of_several = added(&addition("/rates?count=10#daily", "market")).expect("a catalogue");
        assert!(of_several.contains("  path: /rates#daily\n"), "{of_several}");
        assert!(of_several.contains("  - {name: count, type: count}\n"), "{of_several}");
    }

    #[test]
    fn an_endpoint_known_by_name_gets_its_path() {
        let known =
            Addition { params: Some(Vec::new()), summary: Some("It.".to_owned()), ..addition("/basisRatio", "market") };
        let expected = MARKET
            .replace("path: unknown\n  evidence: documented", "path: /basisRatio\n  evidence: reported")
            .replace("params: unknown", "params: []");
        assert_eq!(added(&known), Ok(expected));
    }

    #[test]
    fn path_entry_lists_every_part() {
        let market = MARKET.replace("  params: unknown\n  body: unknown\n", "");
        let known = |params: Option<Vec<String>>| {
            let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market)]);
            let change =
                add(Some(catalogue), &Addition { params, ..addition("/basisRatio", "market") }).expect("a change");
            change.texts().map(|(_, text)| text.to_owned()).collect::<String>()
        };
        assert!(known(None).ends_with("  params: unknown\n  body: unknown\n"));
        assert!(known(Some(vec!["coin".to_owned()])).ends_with("  params: [coin]\n  body: unknown\n"));
    }

    #[test]
    fn known_facts_are_kept_when_a_path_is_added() {
        let depth = "\
- name: Depth
  path: unknown
  evidence: documented
  summary: It.
  params: [{use: coin, evidence: reported}]
  body: unknown
";
        let market = [MARKET, depth].concat();
        let complete = |summary: &str, params: &[&str]| {
            let params = Some(params.iter().map(|name| (*name).to_owned()).collect());
            let summary = Some(summary.to_owned());
            let known = Addition { summary, params, ..addition("/depth/{venue}", "market") };
            let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market)]);
            add(Some(catalogue), &known).map(|change| {
                let text: String = change.texts().map(|(_, text)| text.to_owned()).collect();
                (text, change.notes().to_vec())
            })
        };
        let now_has = "the path of `Depth` was unknown and is now set".to_owned();
        let (text, notes) = complete("It.", &["coin"]).expect("a change");
        let expected = "\
- name: Depth
  path: '/depth/{venue}'
  evidence: reported
  summary: It.
  params: [{use: coin, evidence: reported}, {name: venue, type: string, in: path}]
  body: unknown
";
        assert_eq!(text.strip_prefix(MARKET), Some(expected));
        assert_eq!(notes, std::slice::from_ref(&now_has));
        let (_, notes) = complete("That.", &["range"]).expect("a change");
        let stays = "`/depth/{venue}`: the existing summary is kept".to_owned();
        let stay = "`/depth/{venue}`: param not in the catalogue: range".to_owned();
        assert_eq!(notes, [now_has, stays, stay]);
    }

    #[test]
    fn evidence_is_written_only_if_it_differs_from_that_of_the_new_path() {
        for (path_evidence, own) in [("reported", ""), ("documented", ", evidence: reported")] {
            let depth = |path: &str, evidence: &str, own: &str| {
                format!(
                    "- name: Depth\n  path: {path}\n  evidence: {evidence}\n  summary: It.\n  params: \
                     [{{name: top, type: string, summary: It.{own}}}]\n  body: {{type: number{own}}}\n"
                )
            };
            let market = [MARKET, &depth("unknown", "reported", "")].concat();
            let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market)]);
            let known =
                Addition { evidence: Evidence::of(path_evidence).expect("evidence"), ..addition("/depth", "market") };
            let change = add(Some(catalogue), &known).expect("a change");
            let text: String = change.texts().map(|(_, text)| text.to_owned()).collect();
            assert_eq!(text.strip_prefix(MARKET), Some(depth("/depth", path_evidence, own).as_str()));
        }
    }

    #[test]
    fn new_group_starts_like_its_siblings() {
        let expected = "\
# yaml-language-server: $schema=catalogue.schema.json
title: Open Interest
endpoints:
- name: Open Interest Delta
  path: /openInterestDelta
  evidence: reported
  params: unknown
  body: unknown
";
        assert_eq!(added(&addition("/openInterestDelta", "open_interest")).as_deref(), Ok(expected));
    }

    #[test]
    fn first_endpoint_starts_a_catalogue() {
        let change = add(None, &addition("/depth", "market")).expect("a change");
        let texts: Vec<_> = change.texts().map(|(name, text)| (name, text.to_owned())).collect();
        let service = "\
title: Tide Tables
version: '1'
env_prefix: TIDE_TABLES
time: {unit: seconds, evidence: reported}
";
        assert_eq!(texts[1], ("service.yaml", service.to_owned()));
        assert!(texts[0].0 == "market.yaml" && texts[0].1.contains("path: /depth"), "{texts:?}");
        assert!(change.notes()[0].contains("`title`, `version`, `env_prefix` and `time` are guesses"));
    }

    #[test]
    fn same_name_without_path_in_another_group_is_reported() {
        let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)]);
        let change = add(Some(catalogue), &addition("/basisRatio", "markets")).expect("a change");
        let expected = [
            "`market.basis_ratio` has no path yet; to add the path to it, use `--group market`",
            "the group `markets` is new; did you mean `market`?",
        ];
        assert_eq!(change.notes(), expected);
    }

    #[test]
    fn path_with_another_name_of_its_param_is_rejected() {
        let market = MARKET.replace("path: /basis", "path: /basis/{symbol}").replace("params: []", "params: [symbol]");
        let market = market.replace("[symbol]", "[{name: symbol, type: string, in: path, summary: It.}]");
        let catalogue = load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market)]);
        let other = Addition { name: Some("Other".to_owned()), ..addition("/basis/{id}", "market") };
        let refusal = add(Some(catalogue), &other).expect_err("a refusal");
        assert_eq!(refusal.to_string(), "`/basis/{id}` already exists as `market.basis`");
    }

    #[test]
    fn invalid_entry_is_rejected() {
        let refusal = |path: &str, group: &str| added(&addition(path, group)).expect_err("a refusal");
        assert_eq!(refusal("/basis", "market"), "`/basis` already exists as `market.basis`");
        assert!(refusal("basis2", "market").contains("error[path-start]"));
        assert!(refusal("https://a.example/basis", "market").contains("write the path relative to the base URL"));
        assert_eq!(
            refusal("/a", "service"),
            "`service` cannot be the name of a group: service.yaml contains the facts that all groups share"
        );
        assert_eq!(refusal("/a", "Our Group"), "`Our Group` is not a valid group name; use a name like `our_group`");
        assert_eq!(refusal("/a", "%"), "`%` is not a valid group name; use a name like `my_group`");
    }
}
