//! The requests that `cargo xtask learn --live` sends to get responses.

use std::collections::BTreeSet;

use codegen::spec::Endpoint;
use codegen::{Catalogue, did_you_mean, url_path};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::content::{At, Content, label};
use super::editor::Refusal;

/// Characters that must be encoded in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An endpoint to request.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// The name in Rust with the group: `orderflow.buy_volume`.
    pub endpoint: String,
    path: String,
    /// The wire names of the params; `None` if they are unknown.
    params: Option<Vec<String>>,
}

impl LiveRequest {
    /// Creates the request for an endpoint; returns `None` if the path is unknown.
    fn new(content: &Content, at: &At) -> Option<Self> {
        let endpoint = content.endpoint(at);
        let params = content.params_of(endpoint);
        let params = params.map(|params| params.into_iter().map(|param| param.name.to_string()).collect());
        let path = url_path::without_fragment(endpoint.path.known()?).to_owned();
        Some(Self { endpoint: label(at, endpoint), path, params })
    }

    /// Returns the request for the endpoint that has this path or name.
    pub fn of(catalogue: Catalogue, wanted: &str) -> Result<Self, Refusal> {
        let content = Content::checked(catalogue)?;
        let (_, at) = content.find(wanted)?;
        Self::new(&content, &at).ok_or_else(|| {
            let (group, name) = (&at.module, &content.endpoint(&at).name);
            Refusal::Message(format!(
                "`{wanted}` has no path; `cargo xtask add PATH --group {group} --name \"{name}\"` adds one"
            ))
        })
    }

    /// Returns a request for each endpoint that has a path and whose fields are unknown.
    pub fn untyped(catalogue: Catalogue) -> Result<Vec<Self>, Refusal> {
        let content = Content::checked(catalogue)?;
        let is_untyped = |(at, endpoint): &(At, &Endpoint)| {
            let body = endpoint.body.known();
            body.is_none_or(|body| body.ty.is_none() && content.fields(&at.module, body).is_none())
        };
        let untyped = content.endpoints().filter(is_untyped);
        Ok(untyped.filter_map(|(at, _)| Self::new(&content, &at)).collect())
    }

    /// Rejects a param that none of the endpoints has. Otherwise, a misspelt param would be omitted from every request
    /// without an error.
    pub fn check_params(requests: &[Self], given: &[(String, String)]) -> Result<(), Refusal> {
        let lists: Vec<_> = requests.iter().filter_map(|request| request.params.as_ref()).collect();
        let known: BTreeSet<&str> = lists.iter().copied().flatten().map(String::as_str).collect();
        let is_unknown = |(name, _): &&(String, String)| !lists.is_empty() && !known.contains(name.as_str());
        let Some((name, _)) = given.iter().find(is_unknown) else { return Ok(()) };
        let meant = did_you_mean(name, known.iter().copied());
        let listed: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        let help = match listed.join(", ") {
            _ if !meant.is_empty() => meant,
            none if none.is_empty() => "the catalogue lists no params".to_owned(),
            listed => format!("known params: {listed}"),
        };
        let of = if let [one] = requests { &one.endpoint } else { "any of these endpoints" };
        Err(Refusal::Message(format!("`{name}` is not a param of {of}; {help}")))
    }

    /// Returns the path with its params filled in, and the given query params. A query param that the endpoint does not
    /// have is omitted.
    pub fn parts(&self, given: &[(String, String)]) -> Result<(String, Vec<(String, String)>), Refusal> {
        let mut path = self.path.clone();
        let mut query = Vec::new();
        for (name, value) in given {
            let in_path = format!("{{{name}}}");
            if path.contains(&in_path) {
                path = path.replace(&in_path, &utf8_percent_encode(value, SEGMENT).to_string());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn param_that_no_endpoint_has_is_rejected() {
        let known = |params: &[&str]| Some(params.iter().map(|&name| name.to_owned()).collect());
        let request = |params: Option<Vec<String>>| LiveRequest {
            endpoint: "books".to_owned(),
            path: "/books/{symbol}".to_owned(),
            params,
        };
        let table = [
            (vec![known(&["symbol", "limit"])], Ok(())),
            (vec![known(&["limits"])], Err("`limit` is not a param of books; did you mean `limits`?")),
            (vec![known(&["coin", "venue"])], Err("`limit` is not a param of books; known params: `coin`, `venue`")),
            (vec![known(&[])], Err("`limit` is not a param of books; the catalogue lists no params")),
            (vec![None], Ok(())),
            (vec![known(&["coin"]), known(&["limit"])], Ok(())),
            (
                vec![known(&["limits"]), None],
                Err("`limit` is not a param of any of these endpoints; did you mean `limits`?"),
            ),
        ];
        let given = [("limit".to_owned(), "5".to_owned())];
        for (params, expected) in table {
            let requests: Vec<_> = params.into_iter().map(request).collect();
            let rejected = LiveRequest::check_params(&requests, &given).map_err(|refusal| refusal.to_string());
            assert_eq!(rejected, expected.map_err(str::to_owned));
        }
    }

    #[test]
    fn endpoint_without_a_path_has_no_request() {
        let service = "title: A\nversion: '1'\nsummary: A service.\nenv_prefix: A\n\
                       time: {unit: seconds, evidence: documented}\n";
        let market = "title: Market\nsummary: The market.\nendpoints:\n\
            - {name: Basis, path: /basis, evidence: documented, summary: It., params: [], body: unknown}\n\
            - {name: Basis Ratio, path: unknown, evidence: documented, summary: It., params: unknown, body: unknown}\n";
        let path_of = |name: &str| {
            let catalogue = codegen::load_texts(&[("service.yaml", service), ("market.yaml", market)]);
            LiveRequest::of(catalogue, name).map(|request| request.path).map_err(|refusal| refusal.to_string())
        };
        let why = "; `cargo xtask add PATH --group market --name \"Basis Ratio\"` adds one";
        assert_eq!(path_of("Basis"), Ok("/basis".to_owned()));
        assert_eq!(path_of("Basis Ratio"), Err(format!("`Basis Ratio` has no path{why}")));
    }

    #[test]
    fn endpoints_without_fields_are_untyped() {
        let service = "title: A\nversion: '1'\nsummary: A service.\nenv_prefix: A\n\
            time: {unit: seconds, evidence: documented}\n\
            envelope: {data: data, evidence: documented, time: {name: time, type: timestamp, summary: It.}}\n\
            params:\n- {name: coin, type: string, summary: It., evidence: documented}\n\
            - {name: limit, type: count, summary: It., evidence: documented}\n\
            param_sets:\n- {name: page, params: [coin, limit]}\n";
        let endpoint = |name: &str, params: &str, body: &str| {
            format!(
                "- {{name: {name}, path: /{name}, evidence: documented, summary: It., params: {params}, body: {body}}}\n"
            )
        };
        let market = [
            "title: Market\nsummary: The market.\nendpoints:\n".to_owned(),
            endpoint("one", "unknown", "unknown").replace("path: /one", "path: '/one#daily'"),
            endpoint("two", "[page]", "{series: unknown}"),
            endpoint("three", "[coin]", "{series: unknown}"),
            endpoint("four", "[]", "{type: string}"),
            endpoint("five", "[]", "{series: [{name: price, type: number, summary: It.}]}"),
            endpoint("six", "[{name: id, type: string, summary: It.}]", "unknown")
                .replace("path: /six", "path: unknown"),
        ];
        let catalogue = codegen::load_texts(&[("service.yaml", service), ("market.yaml", &market.concat())]);
        let requests = LiveRequest::untyped(catalogue).expect("a catalogue");
        let found: Vec<_> = requests.iter().map(|one| (one.endpoint.as_str(), one.params.clone())).collect();
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let expected =
            [("market.one", None), ("market.two", names(&["coin", "limit"])), ("market.three", names(&["coin"]))];
        assert_eq!(found, expected);
        assert_eq!(requests[0].path, "/one", "a fragment is not sent");
    }

    #[test]
    fn request_has_the_params_of_its_endpoint() {
        let given = [("symbol", "BTC/€"), ("limit", "5"), ("coin", "BTC")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let table = [
            ("/books/{symbol}", Some(vec!["symbol", "limit"]), Ok("/books/BTC%2F%E2%82%AC limit=5")),
            ("/books", None, Ok("/books symbol=BTC/€ limit=5 coin=BTC")),
            ("/books", Some(vec![]), Ok("/books")),
            ("/books/{venue}", None, Err("books: the path needs `--param venue=…`")),
        ];
        for (path, params, expected) in table {
            let params = params.map(|params| params.into_iter().map(str::to_owned).collect());
            let request = LiveRequest { endpoint: "books".to_owned(), path: path.to_owned(), params };
            let made = request
                .parts(&given)
                .map(|(path, query)| query.iter().fold(path, |line, (name, value)| format!("{line} {name}={value}")));
            assert_eq!(made.map_err(|refusal| refusal.to_string()), expected.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
