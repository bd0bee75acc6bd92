//! Bodies that are unknown: the sandbox invents useful ones, and says so.
//!
//! The catalog and the availability of data are drawn from the registry. Once the catalogue knows a body,
//! its line here is dead and fails a test.

use generated_client::registry::{EndpointInfo, ValueType};
use generated_client::{SERVICE, Value};
use serde_json::json;

use crate::asked::Asked;
use crate::calendar::{MINUTE, block_start, to_wire};
use crate::known;
use crate::market::noise::Seed;
use crate::number::rounded;
use crate::window::FIRST_MOMENT;

type Body = fn(&Asked, i64) -> Value;

const BODIES: [(&str, Body); 3] = [("/catalog", catalog), ("/dataAvailability", availability), ("/ping", health)];

/// The body of an endpoint at a moment.
pub(crate) fn body(endpoint: &EndpointInfo, asked: &Asked, seed: Seed, now: i64) -> Value {
    let path = endpoint.path.unwrap_or_default();
    match BODIES.iter().find(|(known, _)| *known == path) {
        Some((_, body)) => body(asked, now),
        None => json!({
            "name": endpoint.name,
            "summary": endpoint.summary,
            "timestamp": to_wire(block_start(now, MINUTE)),
            "value": rounded(100.0 * seed.number(block_start(now, MINUTE)).unit(), 2),
        }),
    }
}

/// Every known coin, with every venue.
fn catalog(_: &Asked, _: i64) -> Value {
    let [coins, exchanges] = [known::traded(), known::venues()].map(|named| {
        let values = named.map_or(&[][..], |named| named.values);
        values.iter().map(|known| known.value).collect::<Vec<_>>()
    });
    json!({ "coins": coins, "exchanges": exchanges })
}

/// The range of data of an endpoint, or of each; an unknown endpoint has none.
fn availability(asked: &Asked, now: i64) -> Value {
    let range =
        |name: &str| json!({ "endpointName": name, "startTime": to_wire(FIRST_MOMENT), "endTime": to_wire(now) });
    let name = asked.params().find(|param| matches!(param.ty, ValueType::String));
    match name.and_then(|param| asked.one(param.wire_name)) {
        None => known::endpoints().map(|(path, _)| range(known::last_segment(path))).collect(),
        Some(name) if known::endpoint(&format!("/{name}")).is_some() => range(name),
        Some(name) => json!({ "endpointName": name, "startTime": null, "endTime": null }),
    }
}

fn health(_: &Asked, _: i64) -> Value {
    json!({ "status": "ok", "version": SERVICE.version })
}

#[cfg(test)]
mod tests {
    use generated_client::registry::BodyInfo;

    use super::*;

    #[test]
    fn every_line_belongs_to_an_unknown_body() {
        for (path, _) in BODIES {
            let endpoint = known::endpoint(path).unwrap_or_else(|| panic!("no endpoint has the path {path}"));
            assert!(matches!(endpoint.body, BodyInfo::Unknown), "the body of {path} is known now: its line is dead");
        }
    }
}
