//! The parts of the front page about all requests and replies: time, envelope, rate limits, the body of a failure, and
//! values of params that are known to work on an endpoint or to be refused by it.

use super::known;
use crate::emit::docs::{self, code, prose};
use crate::emit::reference::tables::{self, row, table};
use crate::model::{Api, Endpoint, ErrorBody, Param, Service};

/// What stands above the params that endpoints share.
const PARAMS: &str = "The pages of the groups tell which of them an endpoint takes, and what else it does.";

/// The params that some endpoint takes as they are defined.
pub(super) fn params(api: &Api) -> String {
    let taken = api.methods().flat_map(|endpoint| endpoint.params.iter().flatten()).filter_map(|param| param.shared);
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
Each fact says how it is known:

| word | who says so |
|---|---|
| documented | the interface document |
| published | the provider's public documentation |
| reported | public clients that agree |
| former | the provider's description of the former version of the interface |

Only a documented field is sure to be there: the others can be absent.
The client refuses a request only by what is documented or published.";

pub(super) fn evidence() -> String {
    format!("\n## Evidence\n\n{EVIDENCE}\n")
}

/// How a point in time is written.
pub(super) fn time(service: &Service) -> String {
    let (moments, known) = (docs::moments(service.time_form), known(service.time_evidence));
    format!("\n## Time\n\n{moments} {known} A field of another form says so.\n")
}

/// What stands around the records of a series.
pub(super) fn envelope(api: &Api) -> String {
    let Some(envelope) = &api.service.envelope else { return String::new() };
    let metadata = envelope.metadata.as_ref();
    let beside = metadata.map(|key| format!(", and what is said of them in {}", code(key))).unwrap_or_default();
    let mut text = format!(
        "\n## Envelope\n\nA series is one object, with its records in {}{beside}. {}\n",
        code(&envelope.data),
        known(envelope.evidence)
    );
    if let Some(time) = &envelope.time {
        let marks = docs::lower_first(prose(&time.summary).trim_end_matches('.'));
        text += &format!(
            "A record has its time in {}: {marks}. {} An endpoint with another field for it says so.\n",
            code(&time.wire_name),
            known(time.evidence)
        );
    }
    let fields = api.records.iter().find(|record| record.ident == "Metadata").map(|record| record.fields.as_slice());
    if let (Some(key), Some(fields @ [_, ..])) = (metadata, fields) {
        text += &format!("The fields of {}:\n\n{}", code(key), tables::fields(fields.iter()));
    }
    text
}

/// What the rate limits are, and which of them the client keeps.
pub(super) fn rate_limits(service: &Service) -> String {
    if service.limits.is_empty() {
        return String::new();
    }
    let is_unknown = service.limits.iter().any(|limit| limit.applies_to.is_none());
    let kept = if is_unknown { "Of some it is unknown what they apply to, so the client" } else { "The client" };
    format!(
        "\n## Rate limits\n\n\
         A rate limit is how many requests may be sent in any span of so many seconds, and how many may be under way at a \
         time.\n{kept} keeps them all, unless it is built with `rate_limit`.\n\n{}",
        tables::limits(&service.limits)
    )
}

/// The schema name of an error body, and the field that holds its message.
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
    let rows: Vec<_> = api.methods().flat_map(rows).collect();
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
