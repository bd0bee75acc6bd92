//! What the front page says of the service as a whole: credentials, the body of a failure, and values of params that
//! are known to work on an endpoint or to be refused by it.

use super::known;
use crate::emit::docs::{self, code, prose};
use crate::emit::reference::tables::{self, row, table};
use crate::model::{Api, Endpoint, ErrorBody, Param, Service};

/// What stands above the params that endpoints share.
const PARAMS: &str = "The pages of the groups tell which of them an endpoint takes, and what else it does.";

/// The params that some endpoint takes as they are defined.
pub(super) fn params(api: &Api) -> String {
    let endpoints = api.groups.iter().flat_map(|group| &group.endpoints).filter(|endpoint| endpoint.path.is_some());
    let taken = endpoints.flat_map(|endpoint| endpoint.params.iter().flatten()).filter_map(|param| param.shared);
    let taken: Vec<_> = taken.filter(|(_, anew)| !anew).map(|(index, _)| index).collect();
    let shared = api.shared_params.iter().enumerate().filter(|(index, _)| taken.contains(index));
    let shared: Vec<_> = shared.map(|(_, shared)| &shared.param).collect();
    if shared.is_empty() {
        return String::new();
    }
    format!("\n## Params\n\n{PARAMS}\n\n{}", tables::params(shared.into_iter()))
}

/// What the grades of evidence mean, for all pages.
const EVIDENCE: &str = "\
Each fact says how it is known: documented in the interface document; published in the provider's public documentation;
reported by public clients that agree; or former, from the provider's description of the former version of the interface.
Only a documented field is sure to be there: the others can be absent. The client refuses a request only by what is
documented or published.";

pub(super) fn evidence() -> String {
    format!("\n## Evidence\n\n{EVIDENCE}\n")
}

/// How a time is counted, and what stands around the records of a series.
pub(super) fn replies(api: &Api) -> String {
    let service = &api.service;
    let times = format!("{} A field of another form says so.", docs::moments(service.time_form));
    let envelope = service.envelope.as_ref().map(|envelope| {
        let metadata = envelope.metadata.as_ref().map(|key| format!(", what is said of it in {}", code(key)));
        let known = docs::lower_first(&known(envelope.evidence));
        format!("\nA series stands in {}{}, {known}", code(&envelope.data), metadata.unwrap_or_default())
    });
    let fields = api.records.iter().find(|record| record.ident == "Metadata").map(|record| record.fields.as_slice());
    let fields =
        fields.filter(|fields| !fields.is_empty()).map(|fields| format!("\n\n{}", tables::fields(fields.iter())));
    let text = times + &envelope.unwrap_or_default() + fields.unwrap_or_default().trim_end();
    format!("\n## Replies\n\n{text}\n")
}

pub(super) fn credentials(service: &Service) -> String {
    let key = service.api_key.as_ref().map(|key| {
        let behind =
            if key.prefix.is_empty() { String::new() } else { format!(", behind {}", code(key.prefix.trim())) };
        let optional = if key.optional { " Requests are answered without it too." } else { "" };
        format!("- An API key in the header {}{behind}.{optional} {}\n", code(&key.header), known(key.evidence))
    });
    let token = service.client_credentials.as_ref().map(|flow| {
        let printed = format!("printed as \u{201c}{}\u{201d}", prose(&flow.label));
        let parts = [
            format!("A bearer token from {}, {printed}.", code(&format!("POST {}", flow.path))),
            known(flow.evidence),
            prose(&flow.notes),
        ];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("- {}\n", parts.join(" "))
    });
    let headers = service.headers.iter().map(|header| {
        let parts = [format!("The header {} is always {}.", code(&header.name), code(&header.value))];
        let parts = parts.into_iter().chain([prose(&header.summary), known(header.evidence)]);
        format!("- {}\n", parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    });
    let list: String = key.into_iter().chain(token).chain(headers).collect();
    if list.is_empty() { list } else { format!("\n## Credentials\n\n{list}") }
}

/// What a body that tells of a failure is called, and where it says what went wrong.
pub(super) fn error_body(body: &ErrorBody) -> String {
    let name = body.name.as_ref().map(|(name, evidence)| {
        let how = docs::lower_first(&known(*evidence));
        format!("The schema of their body is called {}, {how}", code(name))
    });
    let places = body.evidence.filter(|_| !body.message.is_empty()).map(|evidence| {
        let places: Vec<_> = body.message.iter().chain(&body.code).map(|place| code(place)).collect();
        let how = docs::lower_first(&known(evidence));
        format!("It says what went wrong in {}, the first that is there, {how}", places.join(", "))
    });
    let parts: Vec<_> = name.into_iter().chain(places).collect();
    if parts.is_empty() { String::new() } else { format!("\n{}\n", parts.join("\n")) }
}

/// One line for each param of an endpoint of which single values are known to work, or not to.
pub(super) fn values(api: &Api) -> String {
    let endpoints = api.groups.iter().flat_map(|group| &group.endpoints).filter(|endpoint| endpoint.path.is_some());
    let rows: Vec<_> = endpoints.flat_map(rows).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["endpoint", "param", "served only", "known to work", "refused", "default"];
    format!("\n## Values by endpoint\n\n{}", table(heads, rows.into_iter()))
}

fn rows(endpoint: &Endpoint) -> impl Iterator<Item = String> {
    let params = endpoint.params.iter().flatten().filter(|param| param.shared.is_none_or(|(_, anew)| anew));
    params.map(|param| &param.param).filter(|param| is_known(param)).map(|param| {
        let codes = |values: &[String]| values.iter().map(|value| code(value)).collect::<Vec<_>>().join(", ");
        let default: Vec<String> =
            param.default.iter().flat_map(|default| default.split(',')).map(Into::into).collect();
        let path = code(endpoint.path.as_deref().unwrap_or_default());
        let values = [&param.served, &param.works, &param.refused, &default].map(|values| codes(values));
        let [served, works, refused, default] = values;
        row([path, code(&param.wire_name), served, works, refused, default])
    })
}

fn is_known(param: &Param) -> bool {
    !(param.served.is_empty() && param.works.is_empty() && param.refused.is_empty())
}
