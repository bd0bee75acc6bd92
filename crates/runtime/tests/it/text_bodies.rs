//! Tests of bodies in another format than JSON.

use runtime::record::FieldValue;
use runtime::registry::{
    BodyFormat, BodyInfo, EndpointInfo, ErrorBodyInfo, Evidence, FieldInfo, FieldSource, RecordInfo, RecordLayout,
    ServiceInfo, TimeUnit, ValueType,
};
use runtime::transport::{Headers, HttpResponse};
use runtime::{AnyBody, AnyClient, AnySeries, Error, ErrorKind, Timestamp};
use test_service::scripted::{Service, mock_response, reply};

const DAY: FieldInfo =
    FieldInfo::new("day", "day", ValueType::Timestamp(TimeUnit::Date), Evidence::Documented).optional(false);
const RATE: FieldInfo =
    FieldInfo::new("rate", "RATE", ValueType::Decimal, Evidence::Documented).optional(true).nulls(&[".", "-9999"]);
const COUNT: FieldInfo = FieldInfo::new("count", "count", ValueType::Count, Evidence::Documented).optional(true);
const IS_FINAL: FieldInfo =
    FieldInfo::new("is_final", "is_final", ValueType::Boolean, Evidence::Documented).optional(true);
const CODE: FieldInfo = FieldInfo::new("code", "code", ValueType::String, Evidence::Documented).optional(true);

static RECORD: RecordInfo = RecordInfo::new("Rate", &[DAY, RATE, COUNT, IS_FINAL, CODE]);
static BY_POSITION: RecordInfo = RecordInfo::new("Rate", &[DAY, RATE]).layout(RecordLayout::Positional);
static WITH_OTHERS: RecordInfo = RecordInfo::new(
    "Rates",
    &[
        DAY,
        FieldInfo::new("others", "others", ValueType::Map(&ValueType::Number), Evidence::Documented)
            .source(FieldSource::Others),
    ],
)
.others(Some(1));

const fn endpoint(record: Option<&'static RecordInfo>, format: BodyFormat) -> EndpointInfo {
    EndpointInfo {
        path: Some("/rates"),
        data: Some("."),
        format,
        body: BodyInfo::Series { record, time: Some("day"), evidence: Evidence::Documented },
        ..EndpointInfo::new("market", "rates", "Rates")
    }
}

static CSV: EndpointInfo = endpoint(Some(&RECORD), BodyFormat::Csv);
static CSV_BY_POSITION: EndpointInfo = endpoint(Some(&BY_POSITION), BodyFormat::Csv);
static CSV_WITH_OTHERS: EndpointInfo = endpoint(Some(&WITH_OTHERS), BodyFormat::Csv);
static CSV_OF_ANY: EndpointInfo = endpoint(None, BodyFormat::Csv);
static NDJSON: EndpointInfo = endpoint(Some(&RECORD), BodyFormat::Ndjson);

async fn read(endpoint: &'static EndpointInfo, body: &'static str) -> Result<AnySeries, Error> {
    let client = Service::new(move |_, _| reply(200, &[("content-type", "text/plain")], body)).client();
    match client.endpoint(endpoint).skip_bad_records().await? {
        AnyBody::Series(series) => Ok(series),
        other => panic!("no series: {other:?}"),
    }
}

/// The records as JSON, one on each line.
async fn records(endpoint: &'static EndpointInfo, body: &'static str) -> String {
    let series = read(endpoint, body).await.unwrap();
    assert!(series.bad_records.is_empty(), "{:?}", series.bad_records);
    let lines: Vec<_> = series.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    lines.join("\n")
}

#[tokio::test(start_paused = true)]
async fn values_of_csv_have_the_types_of_their_fields() {
    let text = "\u{feff}day,RATE,count, is_final ,code,note\r\n\
        2024-01-01,3.40,18446744073709551615,True,007,\"a, \"\"b\"\"\"\r\n\
        2024-01-02, +.5 ,,FALSE,,\r\n\
        2024-01-03,-9999,1,,true,1.50\r\n\
        2024-01-04,.,2,false,\"two\nlines\",é\r\n";
    let expected = [
        r#"{"day":"2024-01-01","RATE":3.40,"count":18446744073709551615,"is_final":true,"code":"007","note":"a, \"b\""}"#,
        r#"{"day":"2024-01-02","RATE":0.5,"count":null,"is_final":false,"code":null,"note":null}"#,
        r#"{"day":"2024-01-03","RATE":"-9999","count":1,"is_final":null,"code":"true","note":"1.50"}"#,
        r#"{"day":"2024-01-04","RATE":".","count":2,"is_final":false,"code":"two\nlines","note":"é"}"#,
    ];
    assert_eq!(records(&CSV, text).await, expected.join("\n"));
    let series = read(&CSV, text).await.unwrap();
    let rates: Vec<_> = series.iter().map(|record| record.value("RATE").and_then(FieldValue::number)).collect();
    assert_eq!(rates, [Some(3.4), Some(0.5), None, None]);
    assert_eq!(series.times()[3], Some(Timestamp::from_unix_seconds(1_704_326_400)));
}

#[tokio::test(start_paused = true)]
async fn csv_can_have_no_header_or_columns_that_are_not_listed() {
    let rows = records(&CSV_BY_POSITION, "2024-01-01,3.4\n2024-01-02,.\n").await;
    assert_eq!(rows, "[\"2024-01-01\",3.4]\n[\"2024-01-02\",\".\"]");
    let others = records(&CSV_WITH_OTHERS, "CPI,day,GDP\n-2e3,2024-01-01,1.50\n").await;
    assert_eq!(others, r#"{"day":"2024-01-01","CPI":-2e3,"GDP":1.50}"#);
    let any = records(&CSV_OF_ANY, "a,b\n1.50,\n").await;
    assert_eq!(any, r#"{"a":"1.50","b":null}"#);
    assert_eq!(records(&CSV_BY_POSITION, "").await, "");
    assert_eq!(records(&CSV, "day,RATE,count,is_final,code\n").await, "");
}

#[tokio::test(start_paused = true)]
async fn each_line_of_json_is_a_record() {
    let first = r#"{"day":"2024-01-01","RATE":3.40,"count":1,"is_final":true,"code":"a"}"#;
    let second = r#"{"day":"2024-01-02","RATE":null,"count":null,"is_final":null,"code":null,"new":[1]}"#;
    let both = format!("{first}\n{second}");
    for text in [format!("{both}\n"), format!("\u{feff}{first}\r\n\r\n{second}"), format!("[{first},{second}]")] {
        assert_eq!(records(&NDJSON, text.leak()).await, both);
    }
    assert_eq!(records(&NDJSON, first).await, first);
    assert_eq!(records(&NDJSON, first.replace(',', ",\n  ").leak()).await, first);
    assert_eq!(records(&NDJSON, "").await, "");
}

#[tokio::test(start_paused = true)]
async fn line_that_is_no_record_is_an_invalid_record() {
    let lines = "day,RATE\n2024-01-01,1\n2024-01-02\n2024-01-03,x\n2024-01-04,\"1\n2024-01-05,5\n2024-01-06,6,7\n";
    let series = read(&CSV, lines).await.unwrap();
    let bad: Vec<_> = series.bad_records.iter().map(|bad| (bad.index, bad.text.as_str())).collect();
    let expected = [
        (1, r#""2024-01-02""#),
        (2, r#"{"day":"2024-01-03","RATE":"x"}"#),
        (3, r#""2024-01-04,\"1""#),
        (5, r#""2024-01-06,6,7""#),
    ];
    assert_eq!((series.len(), bad.as_slice()), (2, &expected[..]));
    assert_eq!(series.bad_records[1].path(), "[2].RATE");
    let other = read(&NDJSON, "{\"day\":\"2024-01-01\"}\n{\"day\":\"2024-01-0\n").await.unwrap();
    assert_eq!((other.len(), other.bad_records[0].text.as_str()), (1, r#""{\"day\":\"2024-01-0""#));
    // Any text would be a valid record of unknown fields.
    let error = read(&CSV_OF_ANY, "a,b\n1,2\n3\n").await.unwrap_err().to_string();
    assert!(error.contains("expected a row of 2 values, found \"3\" at line 3 column 1"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn body_that_ends_within_a_record_is_an_error() {
    for (endpoint, body, place) in [
        (&CSV, "day,RATE\n2024-01-01,1\n2024-01-0", "line 3 column 10"),
        (&CSV, "day,RATE,code\r\n2024-01-01,1,\"two\nli", "line 3 column 3"),
        (&CSV, "day,RATE,code\n2024-01-01,1,\"tw", "line 2 column 17"),
        (&CSV_BY_POSITION, "2024-01-01,1\n2024-01-02", "line 2 column 11"),
        (&CSV_OF_ANY, "a,b\n1,2\n3", "line 3 column 2"),
        (&NDJSON, "{\"day\":\"2024-01-01\"}\n{\"day\":\"2024-01-0", "line 2 column 18"),
        (&NDJSON, "{\"day\":\"2024-01-01\"}\n{", "line 2 column 2"),
        (&NDJSON, "{\"day\":\"2024-0", "line 1 column 15"),
    ] {
        let error = read(endpoint, body).await.unwrap_err();
        let expected = format!("the body ends too early at {place}");
        assert!(error.to_string().contains(&expected), "{body}: {error}");
        assert_eq!(error.kind(), ErrorKind::Decode);
    }
    for body in ["day,RATE\n2024-01-01,1", "day,RATE\n2024-01-01,", "day,RATE\n2024-01-01,1\n  "] {
        assert_eq!(read(&CSV, body).await.unwrap().len(), 1, "{body}");
    }
    // More values than columns are not the result of a cut.
    let wide = read(&CSV, "day,RATE\n2024-01-01,1\n2024-01-02,1,2").await.unwrap();
    assert_eq!((wide.len(), wide.bad_records.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn body_in_another_format_is_an_error_with_its_text() {
    for (endpoint, body, expected) in [
        (&CSV, "", "it has no line with the names of the columns"),
        (&CSV, "No data", "expected the names of the columns, found \"No data\" at line 1 column 1"),
        (&CSV, "2024-01-01,1\n", "expected the names of the columns, found \"2024-01-01,1\" at line 1 column 1"),
        (&CSV, "day,RATE,day\n", "the column \"day\" occurs twice at line 1 column 1"),
        (&CSV, "<html><title>Sorry</title>", "the body is HTML or XML of type `text/plain` instead of CSV: the page"),
        (&CSV, r#"{"message": "no such series"}"#, "the service reports: no such series"),
        (&NDJSON, "{\n\"message\": \"no such series\"\n}", "the service reports: no such series"),
        (&NDJSON, "<!doctype html>", "the body is HTML or XML of type `text/plain` instead of lines of JSON"),
    ] {
        let error = read(endpoint, body).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{body}: {error}");
        assert_eq!((error.kind(), error.status(), error.is_retryable()), (ErrorKind::Decode, Some(200), false));
        assert_eq!(error.body().unwrap_or_default(), body.as_bytes());
    }
    let service = Service::new(|_, _| mock_response(Ok(HttpResponse::new(200, Headers::new(), b"day\n\xff".to_vec()))));
    let error = service.client().endpoint(&CSV).await.unwrap_err().to_string();
    assert!(error.contains("it is not UTF-8 from byte 4 on"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn error_in_a_line_is_an_error_of_the_response() {
    let first = r#"{"day":"2024-01-01"}"#;
    for (line, message) in
        [(r#"{"error": "timed out"}"#, "timed out"), (r#"{"error": {"message": "timed out", "id": 5}}"#, "timed out")]
    {
        let body = format!("{first}\n{line}\n");
        let error = read(&NDJSON, body.leak()).await.unwrap_err();
        let expected = format!("line 2 is an error of the service: {message}");
        assert!(error.to_string().contains(&expected), "{error}");
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Decode, false));
    }
    // A member of a record that the catalogue does not list can have any name.
    let noted = r#"{"day":"2024-01-02","message":"revised"}"#;
    assert_eq!(read(&NDJSON, format!("{first}\n{noted}\n").leak()).await.unwrap().len(), 2);
    for other in [r#"{"error": null}"#, r#"{"error": 0}"#, r#"{"day": null, "error": "x"}"#] {
        let series = read(&NDJSON, format!("{first}\n{other}\n").leak()).await.unwrap();
        assert_eq!((series.len(), series.bad_records.len()), (1, 1), "{other}");
    }
}

#[tokio::test(start_paused = true)]
async fn line_with_a_field_under_another_name_is_a_record() {
    static RENAMED: RecordInfo =
        RecordInfo::new("Rate", &[DAY, FieldInfo { also_named: &["close.rate"], ..RATE }]).others(None);
    static RENAMED_LINES: EndpointInfo = endpoint(Some(&RENAMED), BodyFormat::Ndjson);
    let body = "{\"day\":\"2024-01-01\"}\n{\"close.rate\":1.5,\"message\":\"revised\"}\n";
    let series = read(&RENAMED_LINES, body).await.unwrap();
    assert_eq!((series.len(), series.bad_records.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn line_that_is_a_list_is_a_record() {
    static SERVICE: ServiceInfo =
        ServiceInfo { error_body: ErrorBodyInfo::new(&["2", "message"]), ..ServiceInfo::new("Service") };
    static LISTS: EndpointInfo = endpoint(Some(&BY_POSITION), BodyFormat::Ndjson);
    let transport = Service::new(|_, _| reply(200, &[], "[\"2024-01-01\",1.5]\n[\"2024-01-02\",2.5,\"revised\"]\n"));
    let client = AnyClient::builder(&SERVICE, "https://example.com").transport(transport).build().unwrap();
    let AnyBody::Series(series) = client.endpoint(&LISTS).skip_bad_records().await.unwrap() else {
        panic!("no series")
    };
    assert_eq!(series.len() + series.bad_records.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn status_in_a_line_is_that_of_the_response() {
    static SERVICE: ServiceInfo = ServiceInfo {
        error_body: ErrorBodyInfo::new(&["note"]).code(&["status"]).success(&["ok"]),
        ..ServiceInfo::new("Service")
    };
    for (line, is_error) in [(r#"{"status": "failed", "note": "too many"}"#, true), (r#"{"status": "ok"}"#, false)] {
        let body: &'static str = format!("{{\"day\":\"2024-01-01\"}}\n{line}\n").leak();
        let transport = Service::new(move |_, _| reply(200, &[], body));
        let client = AnyClient::builder(&SERVICE, "https://example.com").transport(transport).build().unwrap();
        let outcome = client.endpoint(&NDJSON).skip_bad_records().await.map_err(|error| error.to_string());
        assert_eq!(outcome.is_err(), is_error, "{line}");
        if let Err(error) = outcome {
            assert!(error.contains("line 2 is an error of the service: too many"), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_value_is_an_error_with_the_text_that_was_sent() {
    const BODY: &str = "day,RATE\n2024-01-01,x\n";
    let client = Service::new(|_, _| reply(200, &[], BODY)).client();
    let error = client.endpoint(&CSV).await.unwrap_err();
    assert!(error.to_string().contains("`[0].RATE`: expected a number, found the string \"x\""), "{error}");
    assert_eq!((error.body(), error.json_path()), (Some(BODY.as_bytes()), Some("[0].RATE")));
}

#[tokio::test(start_paused = true)]
async fn text_of_a_body_is_as_the_service_sent_it() {
    const BODY: &str = "day,RATE\r\n2024-01-01,1.50\r\n";
    static SERVICE: ServiceInfo = ServiceInfo::new("Service");
    let transport = Service::new(|_, _| reply(200, &[], BODY));
    let client = AnyClient::builder(&SERVICE, "https://example.com").transport(transport).build().unwrap();
    assert_eq!(client.endpoint(&CSV).text().await.unwrap(), BODY);
}

#[tokio::test(start_paused = true)]
async fn line_that_the_connection_cut_is_requested_again() {
    let service = Service::new(|_, before| {
        let body = if before == 0 { "{\"day\":\"2024-01-01\"}\n{\"day\":" } else { "{\"day\":\"2024-01-01\"}\n" };
        let mut response = HttpResponse::new(200, Headers::new(), body);
        response.ends_with_connection = true;
        mock_response(Ok(response))
    });
    service.client().endpoint(&NDJSON).await.unwrap();
    assert_eq!(service.seen().0, 2);
}

#[tokio::test(start_paused = true)]
async fn request_accepts_the_format_unless_the_user_sets_the_header() {
    for (endpoint, expected) in [
        (&CSV, "text/csv, */*;q=0.1"),
        (&NDJSON, "application/x-ndjson, */*;q=0.1"),
        (&CSV, "text/tab-separated-values"),
    ] {
        let service = Service::new(move |request, _| {
            assert_eq!(request.headers.get("accept"), Some(expected));
            reply(200, &[], "day\n")
        });
        let mut builder = service.builder();
        if !expected.contains('*') {
            builder = builder.header("accept", expected);
        }
        let _ = builder.build().unwrap().endpoint(endpoint).await;
        assert_eq!(service.seen().0, 1);
    }
}
