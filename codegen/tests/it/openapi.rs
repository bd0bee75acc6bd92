//! Tests what the OpenAPI description says of records that OpenAPI cannot describe.

use codegen::OpenApiVersion;

const SERVICE: &str = "{title: A, version: v1, env_prefix: A, time: {unit: seconds, evidence: documented}}";
const GROUP: &str = "{title: Sets, endpoints: [{name: Prices, path: /prices, evidence: documented, params: [], body: \
     {data: set.rows, columns_at: set.names, time: day, series: [{name: day, type: timestamp}, {name: close, type: \
     number}]}}]}";

#[test]
fn records_without_names_have_the_known_names_in_their_description() {
    let texts = [("service.yaml", SERVICE), ("sets.yaml", GROUP)];
    let api = catalogue::resolve(&catalogue::load_texts(&texts)).expect("a valid catalogue");
    for version in [OpenApiVersion::V3_0, OpenApiVersion::V3_1] {
        let description = codegen::openapi(&api, version);
        let names = "are at `set.names`. Known names: `day` and `close`. Others can occur.";
        assert!(description.contains(names), "{description}");
    }
}
