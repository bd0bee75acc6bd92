//! Tests of the page at `/`: it has every endpoint with its form, no external resources, and no key.
//!
//! `cargo xtask verify page` tests the page in a browser.

use runtime::registry::{
    EndpointInfo, Evidence, GroupInfo, ParamInfo, RecordInfo, Registry, ServiceInfo, TypeInfo, ValueInfo, ValueType,
};
use sandbox::Sandbox;
use test_service::invented::REGISTRY;

use crate::catalogue;
use crate::support::Server;

#[tokio::test]
async fn page_has_every_endpoint_with_its_params() {
    let registry = catalogue::registry();
    let html = Server::with(Sandbox::of(&registry)).at_root("/").await.text;
    let articles = html.split("<article ").skip(1).map(|rest| rest.split("</article>").next().unwrap());
    let articles = articles.collect::<Vec<_>>();
    let endpoints = registry.endpoints().collect::<Vec<_>>();
    assert_eq!(articles.len(), endpoints.len());
    for (article, endpoint) in articles.into_iter().zip(endpoints) {
        assert!(article.starts_with(&format!("id=\"{endpoint}\"")), "{endpoint}: {}", &article[..80]);
        assert_eq!(article.contains("<form "), endpoint.path.is_some(), "{endpoint}");
        assert_eq!(article.contains("Known by name only"), endpoint.path.is_none(), "{endpoint}");
        for param in endpoint.params() {
            assert!(article.contains(&format!(" name=\"{}\"", param.wire_name)), "{endpoint}: {}", param.wire_name);
        }
        let reference = format!("docs/reference/{}.md", endpoint.group);
        assert!(article.contains(&reference), "{endpoint}");
    }
}

#[tokio::test]
async fn page_needs_no_key_and_no_other_host() {
    let server = Server::with(Sandbox::of(&REGISTRY).api_key("canary-key").client_credentials("id", "canary-secret"));
    let page = server.at_root("/").await;
    assert_eq!((page.status, page.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    assert!(!page.text.contains("canary"));
    let loaded = page.text.split(['"', '\'']).filter(|text| text.starts_with("/page/")).collect::<Vec<_>>();
    assert!(loaded.len() >= 3, "{loaded:?}");
    for path in loaded {
        let file = server.at_root(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert!(!file.text.contains("https:") && !file.text.contains("canary"), "{path}");
        assert!(file.headers["content-security-policy"].starts_with("default-src 'none'; script-src 'self'"), "{path}");
    }
    assert_eq!(server.at_root("/page/other.js").await.status, 403);
}

#[tokio::test]
async fn a_required_param_starts_with_its_first_accepted_value() {
    const KNOWN: Evidence = Evidence::Documented;
    static VALUES: [ValueInfo; 2] = [ValueInfo::new("north", "", KNOWN), ValueInfo::new("south", "", KNOWN)];
    static OPEN: TypeInfo = TypeInfo { open: true, ..TypeInfo::new("Station", &VALUES) };
    static CLOSED: TypeInfo = TypeInfo::new("Side", &VALUES);
    const fn param(name: &'static str, ty: ValueType) -> ParamInfo {
        ParamInfo { required: Some(KNOWN), rejected_values: &["north"], ..ParamInfo::new(name, name, ty, KNOWN) }
    }
    static PARAMS: [ParamInfo; 4] = [
        param("one", ValueType::Named(&OPEN)),
        param("closed", ValueType::Named(&CLOSED)),
        ParamInfo { list_setter: Some("all"), ..param("several", ValueType::Named(&OPEN)) },
        ParamInfo { allowed_values: &["north", "south"], ..param("allowed", ValueType::String) },
    ];
    static ENDPOINT: EndpointInfo = EndpointInfo {
        path: Some("/wind"),
        evidence: KNOWN,
        param_lists: Some(&[&PARAMS]),
        ..EndpointInfo::new("sky", "wind", "Wind")
    };
    static GROUP: GroupInfo =
        GroupInfo { ident: "sky", title: "Sky", summary: "", aliases: &[], notes: "", endpoints: &[&ENDPOINT] };
    static GROUPS: [&GroupInfo; 1] = [&GROUP];
    static SERVICE: ServiceInfo = ServiceInfo::new("Weather");
    static METADATA: RecordInfo = RecordInfo::new("Metadata", &[]);
    let registry = Registry::new(&SERVICE, &GROUPS, &METADATA);
    let html = Server::with(Sandbox::of(&registry)).at_root("/").await.text;
    for marked in [
        " name=\"one\" list=\"values-Station\" value=\"south\"",
        "<option value=\"south\" selected>south</option></select><p class=\"help\" id=\"sky.wind-closed-help\">",
        " name=\"several\" value=\"south\" checked>",
        "<option value=\"south\" selected>south</option></select><p class=\"help\" id=\"sky.wind-allowed-help\">",
    ] {
        assert!(html.contains(marked), "{marked} in {html}");
    }
}
