//! Tests that an endpoint that is selected at run time has the same requests, values and errors as the emitted method
//! of that endpoint.

use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{
    BodyInfo, EndpointInfo, Evidence, FieldInfo, ListFormat, ParamInfo, ParamLocation, Range, RecordInfo, RecordLayout,
    TimeUnit, ValueType,
};
use runtime::{AnyBody, AnySeries, Endpoint, ErrorKind, Value};
use test_service::invented::{self, Client, Exchange, GROUPS, Levels, Ratio, Timeframe};
use test_service::scripted::{Service, reply};

use crate::ranges::{HOUR, START, answer, at};

/// `BOOK`, `NAMELESS` and `TOTAL` are endpoints without an emitted method.
static BOOK: EndpointInfo = EndpointInfo {
    path: Some("/books/{symbol}"),
    param_lists: Some(&[&[
        ParamInfo {
            location: ParamLocation::Path,
            ..ParamInfo::new("symbol", "symbol", ValueType::String, Evidence::Documented)
        },
        ParamInfo {
            required: Some(Evidence::Documented),
            also_named: &["way", "direction"],
            ..ParamInfo::new("side", "side", ValueType::String, Evidence::Documented)
        },
        ParamInfo {
            range: Range { min: Some(1.0), max: Some(9.0) },
            ..ParamInfo::new("depth", "depth", ValueType::Count, Evidence::Documented)
        },
        ParamInfo {
            list_setter: Some("venues"),
            list_as: ListFormat::Json,
            ..ParamInfo::new("venue", "venue", ValueType::String, Evidence::Documented)
        },
    ]]),
    body: BodyInfo::Series { record: Some(&LEVELS), time: Some("at"), evidence: Evidence::Documented },
    ..EndpointInfo::new("market", "book", "Book")
};

static NAMELESS: EndpointInfo = EndpointInfo::new("market", "nameless", "Nameless");

static TOTAL: EndpointInfo = EndpointInfo {
    path: Some("/total"),
    body: BodyInfo::Object { record: &LEVEL, evidence: Evidence::Documented },
    ..EndpointInfo::new("market", "total", "Total")
};

static LEVEL: RecordInfo = RecordInfo::new(
    "Level",
    &[
        FieldInfo::new("price", "price", ValueType::Number, Evidence::Documented),
        FieldInfo { optional: true, ..FieldInfo::new("orders", "orders", ValueType::Count, Evidence::Reported) },
    ],
);

static PAIR: RecordInfo = RecordInfo {
    layout: RecordLayout::Positional,
    ..RecordInfo::new(
        "Pair",
        &[
            FieldInfo::new("first", "first", ValueType::Integer, Evidence::Documented),
            FieldInfo::new("second", "second", ValueType::Boolean, Evidence::Documented),
        ],
    )
};

static LEVELS: RecordInfo = RecordInfo::new(
    "Levels",
    &[
        FieldInfo::new("at", "at", ValueType::Timestamp(TimeUnit::Milliseconds), Evidence::Documented),
        FieldInfo::new("venue", "venue", ValueType::named::<Exchange>(), Evidence::Documented),
        FieldInfo {
            optional: true,
            ..FieldInfo::new("levels", "levels", ValueType::List(&ValueType::Record(&LEVEL)), Evidence::Documented)
        },
        FieldInfo {
            optional: true,
            ..FieldInfo::new(
                "sums",
                "sums",
                ValueType::Map(&ValueType::Option(&ValueType::Number)),
                Evidence::Documented,
            )
        },
        FieldInfo { optional: true, ..FieldInfo::new("pair", "pair", ValueType::Record(&PAIR), Evidence::Documented) },
        FieldInfo { optional: true, ..FieldInfo::new("extra", "extra", ValueType::Any, Evidence::PreviousVersion) },
    ],
);

fn series(body: AnyBody) -> AnySeries {
    match body {
        AnyBody::Series(series) => series,
        other => panic!("no series: {other:?}"),
    }
}

fn written(value: &impl serde_core::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

const WHOLE: &str = r#"{"data":[{"openDate":1700000000,"ratio":0.25,"new":[1,2.5]},{"openDate":1700003600,"ratio":-1}],"metadata":{"exchanges":["north_spot"],"unsupportedExchanges":[]},"more":null}"#;

#[tokio::test(start_paused = true)]
async fn typed_and_dynamic_results_are_equal() {
    let client = Service::new(|_, _| reply(200, &[], WHOLE)).client();
    let typed = client.market().ratio().symbol("B").await.unwrap();
    let listed = series(client.endpoint(Ratio::INFO).query("symbol", "B").await.unwrap());
    assert_eq!((written(&typed), written(&listed)), (WHOLE.to_owned(), WHOLE.to_owned()));
    assert_eq!(format!("{:?}", typed.records), format!("{:?}", listed.records));
    assert_eq!((typed.times(), typed.columns().len()), (listed.times(), listed.columns().len()));
    let ratios = |column: Option<runtime::Column<'_>>| column.unwrap().numbers().collect::<Vec<_>>();
    assert_eq!(ratios(typed.column("ratio")), ratios(listed.column("ratio")));
    assert_eq!(typed.records[0].unknown_fields, *listed.records[0].unknown_fields().unwrap());
    assert_eq!(listed.metadata.get("exchanges"), Some(Value::from(vec!["north_spot"])));
    // Records without a table contain the fields of the response.
    let typed = client.market().levels().await.unwrap();
    let listed = series(client.endpoint(Levels::INFO).await.unwrap());
    assert_eq!((listed.info().is_none(), written(&typed.records)), (true, written(&listed.records)));
    assert_eq!(listed.records[0].as_any(), Some(&typed.records[0]));
    assert_eq!(listed.records[1].value("ratio").and_then(FieldValue::number), Some(-1.0));
}

#[tokio::test(start_paused = true)]
async fn unsupported_values_are_read_without_a_static_type() {
    let body = WHOLE.replace(r#""unsupportedExchanges":[]"#, r#""unsupportedExchanges":["b_spot",7]"#);
    for (body, expected) in [(WHOLE.to_owned(), &[][..]), (body, &["b_spot", "7"])] {
        let client = Service::new(move |_, _| reply(200, &[], &body)).client();
        let listed = series(client.endpoint(Ratio::INFO).query("symbol", "B").await.unwrap());
        assert_eq!(listed.unsupported_values(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn every_endpoint_of_the_registry_can_be_requested() {
    let service = Service::new(|_, _| reply(200, &[], WHOLE));
    let client = service.client();
    for endpoint in GROUPS.iter().flat_map(|group| group.endpoints) {
        let body = client.endpoint(endpoint).await.unwrap();
        assert_eq!(matches!(body, AnyBody::Series(_)), endpoint.group == "market", "{endpoint}");
    }
    assert_eq!(service.paths(), ["ratio", "levels", "health"]);
}

#[tokio::test(start_paused = true)]
async fn values_of_every_type_are_those_of_the_table() {
    let body = r#"{"data":[{"at":1700000000250,"venue":"north_spot","levels":[{"price":1.5,"orders":7},{"price":"2"}],"sums":{"b":null,"a":1},"pair":[3,true],"extra":{"x":[1]},"new":0},{"at":1700000001000,"venue":"v"}],"metadata":{}}"#;
    let client = Service::new(move |_, _| reply(200, &[], body)).client();
    let listed = series(client.endpoint(&BOOK).query("symbol", "B").query("side", "ask").await.unwrap());
    let expected = r#"[{"at":1700000000250,"venue":"north_spot","levels":[{"price":1.5,"orders":7},{"price":"2"}],"sums":{"a":1,"b":null},"pair":[3,true],"extra":{"x":[1]},"new":0},{"at":1700000001000,"venue":"v"}]"#;
    assert_eq!(written(&listed.records), expected);
    let [first, _] = &listed.records[..] else { panic!("{:?}", listed.records) };
    let at = at(1_700_000_000) + std::time::Duration::from_millis(250);
    assert_eq!(first.value("at").and_then(FieldValue::timestamp), Some(at));
    assert_eq!((first.values().len(), first.info().map(|info| info.name)), (6, Some("Levels")));
    let Some(FieldValue::Record(pair)) = first.value("pair") else { panic!("{first:?}") };
    assert_eq!(pair.values().len(), 2);
    assert!(first.value("nothing").is_none() && first.value("new").is_none());
    assert_eq!(first.unknown_fields().and_then(|fields| fields.get("new")), Some(0.into()));
}

#[tokio::test(start_paused = true)]
async fn values_are_read_by_name() {
    let body = r#"{"data":[{"at":1,"venue":"v","levels":[{"price":1.5,"orders":7,"new":2}],"sums":{"a":1},"pair":[3,true]},{"at":2,"venue":"v","sums":{"a":1}},{"at":3,"venue":"v","sums":{"a":null}}]}"#;
    let client = Service::new(move |_, _| reply(200, &[], body)).client();
    let listed = series(client.endpoint(&BOOK).query("symbol", "B").query("side", "ask").await.unwrap());
    let [first, second, third] = &listed.records[..] else { panic!("{:?}", listed.records) };
    let value = |record, name| AnyRecord::value(record, name).unwrap();
    let FieldValue::List(levels) = value(first, "levels") else { panic!("{first:?}") };
    let Some(FieldValue::Record(level)) = levels.iter().next() else { panic!("{first:?}") };
    assert_eq!(level.value("orders").and_then(FieldValue::number), Some(7.0));
    assert_eq!(level.unknown_fields().get("new"), Some(2.into()));
    let FieldValue::Record(pair) = value(first, "pair") else { panic!("{first:?}") };
    assert_eq!(pair.value("first").and_then(FieldValue::number), Some(3.0));
    assert_eq!((value(first, "pair").is_null(), value(second, "pair").is_null()), (false, true));
    let sums = [first, second, third].map(|record| value(record, "sums"));
    assert!(sums[0] == sums[1] && sums[1] != sums[2], "{sums:?}");
    assert_eq!(format!("{sums:?}"), r#"[{"a": 1.0}, {"a": 1.0}, {"a": None}]"#);
}

#[tokio::test(start_paused = true)]
async fn records_of_different_types_are_unequal() {
    static DEPTH: RecordInfo = RecordInfo::new("Depth", LEVEL.fields);
    static OTHER: EndpointInfo = EndpointInfo {
        path: Some("/other"),
        body: BodyInfo::Object { record: &DEPTH, evidence: Evidence::Documented },
        ..EndpointInfo::new("market", "other", "Other")
    };
    let client = Service::new(|_, _| reply(200, &[], r#"{"price": 2.5}"#)).client();
    let (one, again) = (client.endpoint(&TOTAL).await.unwrap(), client.endpoint(&TOTAL).await.unwrap());
    let other = client.endpoint(&OTHER).await.unwrap();
    assert!(one == again && one != other, "{one:?}, {other:?}");
}

#[tokio::test(start_paused = true)]
async fn single_object_is_a_record() {
    let client = Service::new(|_, _| reply(200, &[], r#"{"price": 2.5, "new": 1}"#)).client();
    let AnyBody::Record(record) = client.endpoint(&TOTAL).await.unwrap() else { panic!("no record") };
    assert_eq!(record.value("price").and_then(FieldValue::number), Some(2.5));
    assert_eq!(written(&record), r#"{"price":2.5,"new":1}"#);
    let client = Service::new(|_, _| reply(200, &[], r#"{"price": null}"#)).client();
    let error = client.endpoint(&TOTAL).await.unwrap_err().to_string();
    assert!(error.contains("`price`: expected a number, found `null`"), "{error}");
}

/// Returns the error for a response with this body.
async fn error_for(endpoint: &'static EndpointInfo, body: &'static str) -> String {
    let client = Service::new(move |_, _| reply(200, &[], body)).client();
    let request = client.endpoint(endpoint).query("symbol", "B").query("side", "ask");
    request.await.unwrap_err().to_string()
}

#[tokio::test(start_paused = true)]
async fn mismatch_fails_like_in_the_typed_record() {
    let bad = r#"{"data": [{"openDate": 1700000000, "ratio": 0.5}, {"openDate": 1700000001, "ratio": "x"}]}"#;
    let client = Service::new(move |_, _| reply(200, &[], bad)).client();
    let typed = client.market().ratio().await.unwrap_err();
    let listed = client.endpoint(Ratio::INFO).await.unwrap_err();
    assert_eq!(typed.to_string(), listed.to_string());
    let good = series(client.endpoint(Ratio::INFO).skip_bad_records().await.unwrap());
    assert_eq!((good.records.len(), good.bad_records[0].path()), (1, "data[1].ratio"));
    let deep = r#"{"data": [{"at": 1, "venue": "v", "levels": [{"price": 1}, {"price": true}]}]}"#;
    let error = error_for(&BOOK, deep).await;
    assert!(error.contains("`data[0].levels[1].price`: expected a number, found `true`"), "{error}");
    for (value, expected) in [
        (
            r#"{"data": [{"at": 1, "venue": "v", "sums": {"a": []}}]}"#,
            "`data[0].sums.a`: expected a number, found a list",
        ),
        (r#"{"data": [{"at": 1, "venue": "v", "pair": [1, 2]}]}"#, "`data[0].pair[1]`: expected `true` or `false`"),
        (r#"{"data": [{"at": 1, "venue": "v", "pair": {}}]}"#, "`data[0].pair`: expected a list, found an object"),
        (r#"{"data": [{"at": 1}]}"#, "`data[0].venue`: expected text, found nothing"),
        (r#"{"data": {}}"#, "expected a list of records"),
    ] {
        let error = error_for(&BOOK, value).await;
        assert!(error.contains(expected) && error.starts_with("market.book"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn params_are_checked_by_the_registry() {
    let service = Service::new(|_, _| reply(200, &[], "{}"));
    let client = service.client();
    let book = || client.endpoint(&BOOK);
    let request = || book().query("symbol", "a/b").query("side", "ask");
    for (request, expected) in [
        (book(), "market.book (GET /books/{symbol}): missing required param `symbol`"),
        (book().query("symbol", "B"), "missing required param `side`"),
        (request().query("symbol", ".."), r#"`symbol` cannot be ".." in a path"#),
        (request().query("depth", 10), "`depth` is 10, expected from 1 to 9"),
        (request().query("depth", "many"), r#"`depth` is not a number: "many""#),
        (request().query_list("venue", Vec::<String>::new()), "`venue` is empty; set a value or omit it"),
        (client.endpoint(&NAMELESS), "market.nameless (GET ): the path of this endpoint is unknown"),
    ] {
        let error = request.await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!((error.kind(), error.endpoint().is_some()), (ErrorKind::Builder, true));
    }
    assert_eq!(service.seen(), (0, 0));
    let request = request().query("new", "x").query_list("venue", ["u", "v"]);
    assert_eq!(request.to_string(), "GET /books/a%2Fb?side=ask&venue=%5B%22u%22,%22v%22%5D&new=x");
    let set = [("symbol", "a/b"), ("side", "ask"), ("venue", r#"["u","v"]"#), ("new", "x")];
    assert_eq!(request.params().collect::<Vec<_>>(), set);
    // An earlier name sets the param, which is sent under its present name.
    for name in ["way", "direction"] {
        let renamed = book().query("symbol", "B").query(name, "bid").query("side", "ask");
        assert_eq!(renamed.to_string(), "GET /books/B?side=ask");
    }
    let listed = client.endpoint(Ratio::INFO).query("startTime", at(7)).query_list("exchange", ["a", "b"]);
    let typed = client.market().ratio().start_time(at(7)).exchanges(["a", "b"]);
    assert_eq!((listed.to_string(), listed.endpoint().ident), (typed.to_string(), "ratio"));
}

fn hours(client: &Client) -> invented::Request<runtime::Dynamic> {
    client.endpoint(Ratio::INFO).query("symbol", "B").query("timeframe", Timeframe::H1)
}

#[tokio::test(start_paused = true)]
async fn dynamic_history_uses_the_registry() {
    let service = Service::new(|request, _| answer(request, |time| time != START + 700 * HOUR));
    let (client, range) = (service.client(), at(START)..at(START + 1000 * HOUR));
    let typed = client.market().ratio().symbol("B").timeframe(Timeframe::H1).history(range.clone());
    let listed = hours(&client).history(range.clone());
    assert_eq!(typed.plan().unwrap(), listed.plan().unwrap());
    let (typed, listed) = (typed.collect().await.unwrap(), listed.collect().await.unwrap());
    assert_eq!(format!("{:?}", typed.columns()), format!("{:?}", listed.columns()));
    assert_eq!(listed.column("ratio").unwrap().numbers().len(), 999);
    assert_eq!((typed.times, typed.report.gaps), (listed.times, listed.report.gaps));
    assert_eq!(written(&typed.records), written(&listed.records));
    assert_eq!(listed.records.len(), 999);
    // A run resumes from the checkpoint of an earlier run.
    let mut pages = hours(&client).history(range.clone()).pages();
    let first = pages.next().await.unwrap().unwrap();
    let rest = hours(&client).history(range).resume(first.checkpoint).collect().await.unwrap();
    let all: Vec<AnyRecord> = first.records.into_iter().chain(rest.records).collect();
    assert_eq!(all, listed.records);
}

#[tokio::test(start_paused = true)]
async fn endpoint_without_a_history_fails_before_sending() {
    let service = Service::new(|_, _| reply(200, &[], "{}"));
    let client = service.client();
    let history = client.endpoint(invented::Health::INFO).history(at(START)..at(START + HOUR));
    let error = history.plan().unwrap_err().to_string();
    assert!(error.contains("the catalogue defines no history for this endpoint"), "{error}");
    assert_eq!(history.collect().await.unwrap_err().error.to_string(), error);
    assert_eq!(service.seen(), (0, 0));
}

#[test]
fn requests_of_endpoints_with_the_same_path_differ() {
    static ONE: EndpointInfo = EndpointInfo { path: Some("/query"), ..EndpointInfo::new("market", "one", "One") };
    static OTHER: EndpointInfo = EndpointInfo { path: Some("/query"), ..EndpointInfo::new("market", "other", "Other") };
    let client = Service::new(|_, _| reply(200, &[], "{}")).client();
    assert_eq!(client.endpoint(&ONE), client.endpoint(&ONE));
    assert_ne!(client.endpoint(&ONE), client.endpoint(&OTHER));
}

static ROWS: EndpointInfo = EndpointInfo {
    path: Some("/rows"),
    body: BodyInfo::Series { record: Some(&LEVEL), time: None, evidence: Evidence::Documented },
    data: Some("result.*"),
    ..EndpointInfo::new("market", "rows", "Rows")
};

static LIST: EndpointInfo = EndpointInfo {
    path: Some("/list"),
    data: Some("."),
    body: ROWS.body,
    ..EndpointInfo::new("market", "list", "List")
};

#[tokio::test(start_paused = true)]
async fn records_are_found_at_the_path_of_their_endpoint() {
    for (endpoint, body) in [
        (&ROWS, r#"{"result":{"BTC.USD":[{"price":1.5,"orders":null}],"last":7},"metadata":{}}"#),
        (&ROWS, r#"{"result":{"BTC":[{"price":1.5,"orders":null}],"last":7},"metadata":{}}"#),
        (&LIST, r#"[{"price":1.5,"orders":null}]"#),
    ] {
        let client = Service::new(move |_, _| reply(200, &[], body)).client();
        let AnyBody::Series(series) = client.endpoint(endpoint).await.unwrap() else { panic!("no series") };
        assert_eq!(series.len(), 1);
        assert_eq!(written(&series).parse::<Value>().unwrap(), body.parse::<Value>().unwrap());
    }
    for (body, expected) in [
        (r#"{"result": {"last": 7}}"#, "`result.*` is missing"),
        (r#"{"result": {"a": [], "b": []}}"#, "`result`: found a second list of records"),
        (r#"{"result": {"a": [{"price": "x"}]}}"#, "`result.a[0].price`: expected a number"),
    ] {
        let client = Service::new(move |_, _| reply(200, &[], body)).client();
        let error = client.endpoint(&ROWS).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
