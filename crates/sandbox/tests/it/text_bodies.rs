//! Tests of bodies in another format than JSON: a client reads the same records in every format.

use catalogue::load_texts;
use runtime::record::AnyRecord;
use runtime::registry::Registry;
use runtime::{AnyBody, AnyClient};
use sandbox::Sandbox;

use crate::support::NOW;

const SERVICE: &str = "title: Rates\nversion: '1'\nenv_prefix: RATES\ntime: {unit: seconds, evidence: documented}\n";

/// A catalogue with an endpoint whose body has these keys.
fn registry(keys: &str) -> Registry {
    let group = format!(
        "title: Market\n\
         endpoints:\n\
         - name: Rates\n  \
           path: /rates\n  \
           evidence: documented\n  \
           params:\n  \
           - {{name: from, type: timestamp, evidence: documented}}\n  \
           - {{name: limit, type: count, evidence: documented}}\n  \
           history: {{from: from, limit: limit, every: 1h, evidence: documented}}\n  \
           body:\n    \
             time: time\n    \
             {keys}\n    \
             series:\n    \
             - {{name: time, type: timestamp}}\n    \
             - {{name: rate, type: number}}\n    \
             - {{name: volume, type: decimal}}\n    \
             - {{name: trades, type: count}}\n    \
             - {{name: is_final, type: boolean}}\n    \
             - {{name: note, type: string, example: 'a, \"b\"'}}\n"
    );
    let texts = [("service.yaml", SERVICE), ("market.yaml", &group)];
    let api = catalogue::check(&load_texts(&texts)).unwrap_or_else(|errors| panic!("{errors}"));
    catalogue::registry(&api)
}

async fn records(keys: &str) -> Vec<AnyRecord> {
    let registry = registry(keys);
    let sandbox = Sandbox::of(&registry).stop_clock_at(NOW).start().unwrap();
    let client = AnyClient::builder(registry.service, sandbox.base_url()).build().unwrap();
    let endpoint = registry.endpoint("market.rates").unwrap();
    let AnyBody::Series(series) = client.endpoint(endpoint).query("limit", 20).await.unwrap() else {
        panic!("no series")
    };
    assert_eq!(series.times().iter().flatten().count(), 20);
    series.records
}

#[tokio::test]
async fn records_are_the_same_in_every_format() {
    for positional in ["", "positional: true\n    "] {
        let in_json = records(positional).await;
        let written = serde_json::to_string(&in_json[0]).unwrap();
        assert!(written.contains("\"a, \\\"b\\\"\""), "{written}");
        for format in ["csv", "ndjson"] {
            assert_eq!(records(&format!("{positional}as: {format}")).await, in_json, "{positional}{format}");
        }
    }
}
