//! Tests of responses that are divided into pages.

use runtime::registry::{
    BodyInfo, EndpointInfo, EnvelopeInfo, Evidence, FieldInfo, GroupInfo, PagesInfo, ParamInfo, RecordInfo, Registry,
    ServiceInfo, TimeUnit, ValueType,
};
use runtime::{AnyBody, AnyClient};
use sandbox::Sandbox;

use crate::support::NOW;

static SERVICE: ServiceInfo = ServiceInfo {
    envelope: Some(EnvelopeInfo { data: "data", metadata: None, time: None }),
    ..ServiceInfo::new("Paged")
};

static METADATA: RecordInfo = RecordInfo::new("Metadata", &[]);

static RECORD: RecordInfo = RecordInfo::new(
    "Record",
    &[
        FieldInfo::new("time", "time", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
        FieldInfo::new("value", "value", ValueType::Number, Evidence::Documented),
    ],
);

const PARAMS: &[ParamInfo] = &[
    ParamInfo::new("cursor", "cursor", ValueType::String, Evidence::Documented),
    ParamInfo::new("offset", "offset", ValueType::Count, Evidence::Documented),
    ParamInfo::new("page", "page", ValueType::Count, Evidence::Documented),
    ParamInfo::new("size", "size", ValueType::Count, Evidence::Documented),
];

const fn endpoint(name: &'static str, path: &'static str, pages: PagesInfo) -> EndpointInfo {
    EndpointInfo {
        path: Some(path),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series { record: Some(&RECORD), time: Some("time"), evidence: Evidence::Documented },
        pages: Some(pages.sized("size")),
        ..EndpointInfo::new("market", name, name)
    }
}

static ENDPOINTS: [EndpointInfo; 4] = [
    endpoint("by_cursor", "/cursor", PagesInfo::cursor("meta.next", "cursor")),
    endpoint("by_link", "/link", PagesInfo::link("next_url")),
    endpoint("by_offset", "/offset", PagesInfo::offset("offset", Some("count"))),
    endpoint("by_number", "/number", PagesInfo::number("page", Some("meta.pages"), Some("meta.total"))),
];

static GROUP: GroupInfo = GroupInfo {
    ident: "market",
    title: "Market",
    summary: "",
    aliases: &[],
    notes: "",
    endpoints: &[&ENDPOINTS[0], &ENDPOINTS[1], &ENDPOINTS[2], &ENDPOINTS[3]],
};

static GROUPS: &[&GroupInfo] = &[&GROUP];

#[tokio::test]
async fn all_pages_have_all_records_once() {
    let registry = Registry::new(&SERVICE, GROUPS, &METADATA);
    let sandbox = Sandbox::of(&registry).stop_clock_at(NOW).start().unwrap();
    let client = AnyClient::builder(&SERVICE, sandbox.base_url()).build().unwrap();
    for endpoint in &ENDPOINTS {
        let mut pages = client.endpoint(endpoint).query("size", 40).all_pages();
        let mut times = Vec::new();
        while let Some(page) = pages.next().await {
            let AnyBody::Series(series) = page.unwrap() else { panic!("{endpoint} returns no series") };
            assert!(series.len() <= 40);
            times.extend(series.times());
        }
        assert_eq!((times.len(), pages.account().pages, pages.account().is_complete), (150, 4, true), "{endpoint}");
        assert!(times.is_sorted() && times.first() < times.last(), "{endpoint}");
        times.dedup();
        assert_eq!(times.len(), 150, "{endpoint}");
    }
}
