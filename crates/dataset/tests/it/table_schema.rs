//! Tests of the columns and rows for every type of field, and for records without known fields.

use dataset::{TableSchema, TextWriter};
use runtime::registry::{BodyInfo, EndpointInfo, Evidence, FieldInfo, RecordInfo, TimeUnit, ValueType};
use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use runtime::{AnyBody, AnySeries, Dynamic};

use crate::support::service::Client;

const fn field(name: &'static str, ty: ValueType) -> FieldInfo {
    FieldInfo::new(name, name, ty, Evidence::Documented)
}

static LEVEL: RecordInfo = RecordInfo::new(
    "Level",
    &[field("price", ValueType::Number), FieldInfo { optional: true, ..field("orders", ValueType::Count) }],
);

static EVERY: RecordInfo = RecordInfo::new(
    "Every",
    &[
        FieldInfo { unit: "ms", summary: "When.", ..field("at", ValueType::Timestamp(TimeUnit::Milliseconds)) },
        FieldInfo { optional: true, ..field("scanned", ValueType::Timestamp(TimeUnit::Iso8601)) },
        FieldInfo { unit: "USD", summary: "How much.", notes: "Never too much.", ..field("number", ValueType::Number) },
        FieldInfo { optional: true, ..field("whole", ValueType::Integer) },
        FieldInfo { optional: true, ..field("count", ValueType::Count) },
        FieldInfo { optional: true, ..field("flag", ValueType::Boolean) },
        FieldInfo { optional: true, ..field("text", ValueType::String) },
        FieldInfo { optional: true, ..field("any", ValueType::Any) },
        FieldInfo { optional: true, ..field("level", ValueType::Record(&LEVEL)) },
        FieldInfo { optional: true, ..field("levels", ValueType::List(&ValueType::Record(&LEVEL))) },
        FieldInfo {
            optional: true,
            ..field("grid", ValueType::List(&ValueType::List(&ValueType::Option(&ValueType::Number))))
        },
        FieldInfo { optional: true, ..field("sums", ValueType::Map(&ValueType::Number)) },
    ],
);

static KNOWN: EndpointInfo = EndpointInfo {
    path: Some("/every"),
    body: BodyInfo::Series { record: Some(&EVERY), time: Some("at"), evidence: Evidence::Documented },
    ..EndpointInfo::new("market", "every", "Every")
};

static UNKNOWN: EndpointInfo = EndpointInfo {
    path: Some("/any"),
    body: BodyInfo::Series { record: None, time: Some("at"), evidence: Evidence::Documented },
    ..EndpointInfo::new("market", "any", "Any")
};

/// A request for an endpoint, and its response with this data.
async fn series(endpoint: &'static EndpointInfo, data: &str) -> (runtime::Request<Dynamic>, AnySeries) {
    let body = format!(r#"{{"data":[{data}]}}"#);
    let transport = from_fn(move |_: HttpRequest| {
        let body = body.clone();
        async move { Ok(HttpResponse::new(200, Headers::new(), body)) }
    });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    let request = builder.build().unwrap().endpoint(endpoint);
    let AnyBody::Series(series) = request.clone().await.unwrap() else { panic!("no series") };
    (request.into(), series)
}

/// The records as CSV and as JSON Lines.
fn lines(table: &TableSchema, series: &AnySeries) -> [String; 2] {
    let batch = table.batch(&series.records, &series.times()).unwrap();
    let both = [TextWriter::csv(Vec::new()), TextWriter::json(Vec::new())];
    both.map(|mut lines| {
        lines.write(&batch).unwrap();
        String::from_utf8(lines.into_inner().unwrap()).unwrap()
    })
}

#[tokio::test]
async fn records_with_fields_of_every_type_are_written() {
    let data = r#"{"at":1700000000250,"scanned":"2024-03-01T00:00:00.000001Z","number":0.1,"whole":-7,"count":8,"flag":true,"text":"a, \"b\"","any":{"x":[1]},"level":{"price":1.5,"orders":2,"new":1},"levels":[{"price":2},{"price":3}],"grid":[[1,null],[]],"sums":{"b":2,"a":1},"more":"x","large":12345678901234567890123},{"at":1700000001000,"number":1e21}"#;
    let (_, series) = series(&KNOWN, data).await;
    let table = TableSchema::for_endpoint(&KNOWN).unwrap();
    let [csv, json] = lines(&table, &series);
    let expected = [
        "at,scanned,number,whole,count,flag,text,any,level,levels,grid,sums,unknown_fields",
        r#"2023-11-14T22:13:20.250Z,2024-03-01T00:00:00.000001Z,0.1,-7,8,true,"a, ""b""","{""x"":[1]}","{""price"":1.5,""orders"":2,""new"":1}","[{""price"":2},{""price"":3}]","[[1,null],[]]","{""a"":1,""b"":2}","{""more"":""x"",""large"":12345678901234567890123}""#,
        "2023-11-14T22:13:21Z,,1e+21,,,,,,,[],[],{},",
    ];
    assert_eq!(csv.lines().collect::<Vec<_>>(), expected);
    let expected = r#"{"at":"2023-11-14T22:13:21Z","scanned":null,"number":1e+21,"whole":null,"count":null,"flag":null,"text":null,"any":null,"level":null,"levels":[],"grid":[],"sums":{},"unknown_fields":null}"#;
    assert_eq!(json.lines().nth(1), Some(expected));
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["any"]["x"][0], &first["unknown_fields"]["more"]), (&1.into(), &"x".into()));
}

/// A service may write its JSON on several lines, and unknown fields are kept as the service wrote them.
#[tokio::test]
async fn record_with_line_breaks_is_one_line() {
    let data =
        "{\"at\": 1,\n \"number\": 1,\n \"level\": {\"price\": 1, \"x\": [\r\n 1,\n 2]},\n \"more\": {\n \"y\": 1}}";
    let (_, series) = series(&KNOWN, data).await;
    let [csv, json] = lines(&TableSchema::for_endpoint(&KNOWN).unwrap(), &series);
    assert_eq!((csv.lines().count(), json.lines().count()), (2, 1), "{csv}{json}");
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&record["unknown_fields"]["more"]["y"], &record["level"]["x"][1]), (&1.into(), &2.into()));
}

#[tokio::test]
async fn columns_have_known_facts_as_metadata() {
    let schema = TableSchema::for_endpoint(&KNOWN).unwrap().schema();
    let number = schema.field_with_name("number").unwrap();
    let fact = |key: &str| number.metadata().get(key).map(String::as_str);
    assert_eq!((fact("unit"), fact("evidence")), (Some("USD"), Some("documented")));
    assert_eq!((fact("meaning"), number.is_nullable()), (Some("How much. Never too much."), true));
    assert_eq!(schema.field_with_name("at").unwrap().data_type().to_string(), r#"Timestamp(µs, "UTC")"#);
    assert!(TableSchema::for_endpoint(&UNKNOWN).is_none());
}
