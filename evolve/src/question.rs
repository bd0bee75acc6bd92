//! The requests to send to the service to get responses to learn from.

use std::collections::BTreeSet;

use codegen::model::{Api, Body, Endpoint, Group};
use codegen::{Catalogue, did_you_mean};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::change::Refusal;
use super::learn::near;
use crate::checked::api;

/// Characters that must be encoded in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An endpoint to request.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name in Rust with its group: `orderflow.buy_volume`.
    pub endpoint: String,
    path: String,
    /// Wire names of the params; `None` if they are unknown.
    params: Option<Vec<String>>,
}

impl Question {
    /// The question for an endpoint, if it has a path.
    fn new(group: &Group, endpoint: &Endpoint) -> Option<Self> {
        let path = endpoint.path.clone()?;
        let params = endpoint.params.as_ref();
        let params = params.map(|params| params.iter().map(|param| param.param.wire_name.clone()).collect());
        Some(Self { endpoint: label(group, endpoint), path, params })
    }

    /// The question for one endpoint, by its path or one of its names.
    pub fn of(catalogue: &Catalogue, endpoint: &str) -> Result<Self, Refusal> {
        let api = api(catalogue)?;
        let (mut all, mut known, mut pathless) = (Vec::new(), Vec::new(), None);
        for (group, spec) in endpoints(&api) {
            let label = label(group, spec);
            let is_meant = [&label, &spec.ident, &spec.name].contains(&&endpoint.to_owned())
                || spec.path.as_deref() == Some(endpoint);
            match Self::new(group, spec) {
                Some(question) if is_meant => all.push(question),
                Some(question) => known.extend([question.path, label]),
                None if is_meant => pathless = Some((&group.ident, &spec.name)),
                None => {}
            }
        }
        match all.len() {
            1 => Ok(all.remove(0)),
            0 => {
                if let Some((group, name)) = pathless {
                    return Err(Refusal::Message(format!(
                        "of `{endpoint}` only the name is known; \
                         `cargo xtask add PATH --group {group} --name \"{name}\"` adds a path"
                    )));
                }
                let remedy = near(endpoint, &known);
                Err(Refusal::Message(format!("the catalogue has no endpoint `{endpoint}` with a path; {remedy}")))
            }
            _ => {
                let labels: Vec<_> = all.iter().map(|question| format!("`{}`", question.endpoint)).collect();
                Err(Refusal::Message(format!("several endpoints are called `{endpoint}`: {}", labels.join(", "))))
            }
        }
    }

    /// Rejects params that the endpoint is known not to have.
    pub fn takes(&self, given: &[(String, String)]) -> Result<(), Refusal> {
        let Some(params) = &self.params else { return Ok(()) };
        match given.iter().find(|(name, _)| !params.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let meant = did_you_mean(name, params.iter().map(String::as_str));
                let listed =
                    || if params.is_empty() { "none".to_owned() } else { format!("`{}`", params.join("`, `")) };
                let help = if meant.is_empty() { format!("the catalogue has {}", listed()) } else { meant };
                Err(Refusal::Message(format!("{} takes no param `{name}`; {help}", self.endpoint)))
            }
        }
    }

    /// Rejects params that no endpoint is known to have: a misspelt one would be sent to none.
    pub fn any_takes(questions: &[Self], given: &[(String, String)]) -> Result<(), Refusal> {
        let known: BTreeSet<&str> =
            questions.iter().flat_map(|question| question.params.iter().flatten()).map(String::as_str).collect();
        match given.iter().find(|(name, _)| !known.is_empty() && !known.contains(name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                let meant = did_you_mean(name, known.into_iter());
                let help = if meant.is_empty() { meant } else { format!("; {meant}") };
                Err(Refusal::Message(format!("none of these endpoints is known to have a param `{name}`{help}")))
            }
        }
    }

    /// A question for every endpoint with a path whose fields are unknown.
    pub fn untyped(catalogue: &Catalogue) -> Result<Vec<Self>, Refusal> {
        let is_untyped =
            |endpoint: &Endpoint| matches!(endpoint.body, Body::Unknown | Body::Series { record: None, .. });
        let api = api(catalogue)?;
        let untyped = endpoints(&api).filter(|(_, endpoint)| is_untyped(endpoint));
        Ok(untyped.filter_map(|(group, endpoint)| Self::new(group, endpoint)).collect())
    }

    /// The path with its params filled in, and those of the given params that the endpoint may take.
    pub fn request(&self, given: &[(String, String)]) -> Result<(String, Vec<(String, String)>), Refusal> {
        let mut path = self.path.clone();
        let mut query = Vec::new();
        for (name, value) in given {
            let place = format!("{{{name}}}");
            if path.contains(&place) {
                path = path.replace(&place, &utf8_percent_encode(value, SEGMENT).to_string());
            } else if self.params.as_ref().is_none_or(|params| params.contains(name)) {
                query.push((name.clone(), value.clone()));
            }
        }
        match path.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
            Some((missing, _)) => {
                Err(Refusal::Message(format!("{}: the path needs `--param {missing}=…`", self.endpoint)))
            }
            None => Ok((path, query)),
        }
    }
}

fn endpoints(api: &Api) -> impl Iterator<Item = (&Group, &Endpoint)> {
    api.groups.iter().flat_map(|group| group.endpoints.iter().map(move |endpoint| (group, endpoint)))
}

fn label(group: &Group, endpoint: &Endpoint) -> String {
    format!("{}.{}", group.ident, endpoint.ident)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_param_that_the_endpoint_does_not_take_is_refused() {
        let table = [
            (Some(vec!["symbol", "limit"]), Ok(())),
            (Some(vec!["symbol", "limits"]), Err("books takes no param `limit`; did you mean `limits`?")),
            (Some(vec!["symbol", "venue"]), Err("books takes no param `limit`; the catalogue has `symbol`, `venue`")),
            (None, Ok(())),
        ];
        let given = [("symbol", "BTC"), ("limit", "5")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        for (params, expected) in table {
            let params = params.map(|params| params.into_iter().map(str::to_owned).collect());
            let question = Question { endpoint: "books".to_owned(), path: "/books/{symbol}".to_owned(), params };
            let refused = question.takes(&given).map_err(|refusal| refusal.to_string());
            assert_eq!(refused, expected.map_err(str::to_owned));
        }
    }

    #[test]
    fn a_param_that_no_endpoint_takes_is_refused() {
        let question = |params: Option<&[&str]>| Question {
            endpoint: "books".to_owned(),
            path: "/books".to_owned(),
            params: params.map(|params| params.iter().map(|&name| name.to_owned()).collect()),
        };
        let given = [("coin".to_owned(), "BTC".to_owned())];
        let refused = |params: &[Option<&[&str]>]| {
            let questions: Vec<_> = params.iter().copied().map(question).collect();
            Question::any_takes(&questions, &given).map_err(|refusal| refusal.to_string())
        };
        assert_eq!(refused(&[Some(&["limit"]), Some(&["coin"])]), Ok(()));
        assert_eq!(refused(&[None]), Ok(()), "its params are unknown");
        let why = "none of these endpoints is known to have a param `coin`; did you mean `coins`?";
        assert_eq!(refused(&[Some(&["coins"]), None]), Err(why.to_owned()));
    }

    #[test]
    fn an_endpoint_without_a_path_cannot_be_asked_until_it_has_one() {
        let service = "title: A\nversion: '1'\nsummary: A service.\nenv_prefix: A\n\
                       time: {unit: seconds, evidence: documented}\n";
        let market = "title: Market\nsummary: The market.\nendpoints:\n\
            - {name: Basis, path: /basis, evidence: documented, summary: It., params: [], body: unknown}\n\
            - {name: Basis Ratio, path: unknown, evidence: documented, summary: It., params: unknown, body: unknown}\n";
        let asked = |name: &str| {
            let catalogue = codegen::load_texts(&[("service.yaml", service), ("market.yaml", market)]);
            Question::of(&catalogue, name).map(|question| question.path).map_err(|refusal| refusal.to_string())
        };
        let why = "; `cargo xtask add PATH --group market --name \"Basis Ratio\"` adds a path";
        assert_eq!(asked("Basis"), Ok("/basis".to_owned()));
        assert_eq!(asked("Basis Ratio"), Err(format!("of `Basis Ratio` only the name is known{why}")));
    }

    #[test]
    fn a_request_has_what_its_endpoint_takes() {
        let given = [("symbol", "BTC/€"), ("limit", "5"), ("coin", "BTC")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let table = [
            ("/books/{symbol}", Some(vec!["symbol", "limit"]), Ok("/books/BTC%2F%E2%82%AC limit=5")),
            ("/books", None, Ok("/books symbol=BTC/€ limit=5 coin=BTC")),
            ("/books", Some(vec![]), Ok("/books")),
            ("/books/{venue}", None, Err("books: the path needs `--param venue=…`")),
        ];
        for (path, params, expected) in table {
            let params = params.map(|params| params.into_iter().map(str::to_owned).collect());
            let question = Question { endpoint: "books".to_owned(), path: path.to_owned(), params };
            let made = question
                .request(&given)
                .map(|(path, query)| query.iter().fold(path, |line, (name, value)| format!("{line} {name}={value}")));
            assert_eq!(made.map_err(|refusal| refusal.to_string()), expected.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
