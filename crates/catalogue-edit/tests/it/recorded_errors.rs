//! What the error responses of a recording tell.

use catalogue::load_texts;
use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, drift, learn};
use serde_json::{Value, json};

use crate::recorded::learned_from_entries;

fn entry(path: &str, status: u16, body: &Value) -> Value {
    json!({
        "request": {"method": "GET", "url": format!("https://a.example{path}")},
        "response": {"status": status, "content": {"text": body.to_string()}},
    })
}

#[test]
fn errors_teach_the_error_body() {
    let data = json!({"data": [{"time": 1_700_000_000, "price": 1.5}]});
    let error = json!({"error": {"type": "bad_parameter", "message": "Bad parameter"}});
    let other_error = json!({"problem": {"reason": "No such path"}});
    let same_endpoint = [entry("/prices?coin=a", 200, &data), entry("/prices?coin=b", 400, &error)];
    let several_endpoints = [
        entry("/prices", 200, &data),
        entry("/trades", 200, &data),
        entry("/trades", 503, &error),
        entry("/unknown", 404, &other_error),
    ];
    for entries in [&same_endpoint[..], &several_endpoints[..]] {
        let learned = learned_from_entries(entries);
        assert!(learned.contains("error_body:\n  message: [error.message]\n"), "{learned}");
        assert!(!learned.contains("bad_parameter") && !learned.contains("/unknown"), "{learned}");
    }
}

fn catalogue() -> catalogue::Catalogue {
    let service = "title: A\nversion: '1'\nenv_prefix: A\ntime: {unit: seconds, evidence: documented}\n";
    let market =
        "title: Market\nendpoints:\n- {name: Basis, path: /basis, evidence: documented, params: [], body: unknown}\n";
    load_texts(&[("service.yaml", service), ("market.yaml", market)])
}

fn response(text: &str) -> LearnOptions {
    let responses = EndpointResponses {
        endpoint: "/basis".to_owned(),
        responses: vec![("basis.json".to_owned(), text.as_bytes().to_vec())],
        ..EndpointResponses::default()
    };
    LearnOptions { endpoints: vec![responses], evidence: Evidence::Reported, enums: Vec::new(), accept_mock: false }
}

#[test]
fn an_error_alone_teaches_only_the_error_body() {
    let error = r#"{"error": {"type": "bad", "message": "Bad parameter"}}"#;
    let change = learn(catalogue(), &response(&format!("HTTP/1.1 400 Bad Request\n\n{error}"))).expect("a change");
    let changed: Vec<&str> = change.texts().map(|(name, _)| name).collect();
    assert_eq!(changed, ["service.yaml"]);
    assert!(
        change.notes().iter().any(|note| note.starts_with("/basis: only the error body is learned: ")),
        "{:?}",
        change.notes()
    );
    // Without a status, such a body is not certainly that of an error.
    assert!(learn(catalogue(), &response(error)).is_err());
}

#[test]
fn an_empty_list_of_errors_is_a_status_with_and_without_an_error() {
    let ticker = |name: &str| json!({"error": [], "result": {name: {"open": "1.5"}}});
    let good = [entry("/ticker?pair=AB", 200, &ticker("XAZB")), entry("/ticker?pair=BC", 200, &ticker("XBZC"))];
    let bad = json!({"error": ["EQuery:Unknown asset pair"]});
    let bad_with_result = json!({"error": ["EQuery:Unknown asset pair"], "result": {}});
    let without_error = learned_from_entries(&good);
    assert!(without_error.contains("error_body:\n  message: [error]\n  success: ['[]']\n"), "{without_error}");
    for error in [bad, bad_with_result] {
        for position in 0..=good.len() {
            let mut entries = good.to_vec();
            entries.insert(position, entry("/ticker?pair=NO", 200, &error));
            assert_eq!(learned_from_entries(&entries), without_error);
        }
    }
}

#[test]
fn a_learned_error_is_no_difference() {
    let catalogue = |texts: &str| {
        let market = "title: Market\nendpoints:\n- {name: Basis, path: /basis, evidence: documented, params: [], body: \
                      {time: none, series: [{name: price, type: number}]}}\n";
        let service =
            format!("title: A\nversion: '1'\nenv_prefix: A\ntime: {{unit: seconds, evidence: documented}}\n{texts}");
        load_texts(&[("service.yaml", &service), ("market.yaml", market)])
    };
    let responses = EndpointResponses {
        endpoint: "/basis".to_owned(),
        responses: vec![
            ("a.json".to_owned(), br#"[{"price": 1.5}]"#.to_vec()),
            ("b.json".to_owned(), br#"{"error": "no data"}"#.to_vec()),
        ],
        ..EndpointResponses::default()
    };
    let options = LearnOptions {
        endpoints: vec![responses],
        evidence: Evidence::Reported,
        enums: Vec::new(),
        accept_mock: false,
    };
    let known = drift(catalogue("error_body: {message: [error], evidence: documented}\n"), &options).expect("a report");
    assert_eq!((known[0].differences.len(), known[0].errors), (0, 1), "{known:?}");
    let unknown = drift(catalogue(""), &options).expect("a report");
    assert!(!unknown[0].differences.is_empty(), "{unknown:?}");
}

#[test]
fn a_field_with_the_name_of_a_message_is_compared() {
    let service = "title: A\nversion: '1'\nenv_prefix: A\ntime: {unit: seconds, evidence: documented}\n\
                   error_body: {message: [message], evidence: documented}\n";
    let market = "title: Market\nendpoints:\n- {name: Basis, path: /basis, evidence: documented, params: [], body: \
                  {object: [{name: message, type: string}, {name: price, type: number}]}}\n";
    let catalogue = load_texts(&[("service.yaml", service), ("market.yaml", market)]);
    let found = drift(catalogue, &response(r#"{"message": "fine", "price": 1.5}"#)).expect("a report");
    assert_eq!((found[0].differences.len(), found[0].errors), (0, 0), "{found:?}");
}

#[test]
fn a_status_of_one_and_zero_tells_data_from_errors() {
    let data = json!({"status": "1", "message": "OK", "result": [{"timeStamp": "1700000000", "value": "1.5"}]});
    let limit = json!({"status": "0", "message": "NOTOK", "result": "Max rate limit reached"});
    let nothing = json!({"status": "0", "message": "No transactions found", "result": []});
    let series = "data: result\n";
    let by_status = "error_body:\n  message: [message]\n  code: [status]\n  success: [1]\n";
    let by_message = "error_body:\n  message: [message]\n  success: [OK]\n  no_data: [No transactions found]\n";
    for (failed, expected) in [
        (vec![&limit], by_status),
        (vec![&nothing], by_message),
        (vec![&limit, &nothing], by_message),
        (vec![&nothing, &limit], by_message),
    ] {
        let mut entries = vec![entry("/api?address=a", 200, &data)];
        for body in failed {
            entries.push(entry("/api?address=b", 200, body));
        }
        for _ in 0..2 {
            entries.reverse();
            let learned = learned_from_entries(&entries);
            assert!(learned.contains(series) && learned.contains("time: timeStamp"), "{learned}");
            assert!(learned.contains(expected), "{learned}");
        }
    }
}

#[test]
fn messages_without_data_are_learned_from_all_endpoints() {
    let data = json!({"status": "1", "message": "OK", "result": [{"timeStamp": "1700000000", "value": "1.5"}]});
    let no_logs = json!({"status": "0", "message": "No logs found", "result": []});
    let no_transfers = json!({"status": "0", "message": "No transfers found", "result": []});
    let limit = json!({"status": "0", "message": "NOTOK", "result": "Max rate limit reached"});
    let learned = learned_from_entries(&[
        entry("/logs", 200, &data),
        entry("/logs", 200, &no_logs),
        entry("/transfers", 200, &no_transfers),
        entry("/transfers", 200, &limit),
    ]);
    let expected = "  success: [OK]\n  no_data: [No logs found, No transfers found]\n";
    assert!(learned.contains(expected), "{learned}");
}

#[test]
fn a_flag_of_records_is_no_status() {
    let one = json!({"status": 1, "price": 2.5, "tags": ["a"]});
    let other = json!({"status": 0, "price": 3.5, "tags": []});
    let learned = learned_from_entries(&[entry("/thing", 200, &one), entry("/thing", 200, &other)]);
    assert!(!learned.contains("error_body") && learned.contains("name: status"), "{learned}");
}

#[test]
fn an_error_in_a_line_is_no_record() {
    let lines = |text: &str| {
        json!({
            "request": {"method": "GET", "url": "https://a.example/values?start=2024-01-01"},
            "response": {"status": 200, "content": {"text": text}},
        })
    };
    let records =
        "{\"time\":\"2024-01-01T00:00:00Z\",\"value\":1.5}\n{\"time\":\"2024-01-01T01:00:00Z\",\"value\":2.5}\n";
    let good = lines(records);
    let with_error = format!("{records}{{\"error\":{{\"code\":\"timeout\",\"message\":\"query timed out\"}}}}\n");
    let bad = lines(&with_error);
    for entries in [[good.clone(), bad.clone()], [bad.clone(), good]] {
        let learned = learned_from_entries(&entries);
        assert!(learned.contains("- {name: time, type: timestamp, format: iso8601}\n"), "{learned}");
        assert!(learned.contains("message: [error.message]\n  code: [error.code]"), "{learned}");
        assert!(!learned.contains("name: error"), "{learned}");
    }
    let refusal = learn(catalogue(), &response(&with_error)).expect_err("an error").to_string();
    assert!(refusal.contains("basis.json has an error in one of its lines"), "{refusal}");
    // A log has messages in its records.
    let log = lines("{\"time\":\"2024-01-01T00:00:00Z\",\"message\":\"a\"}\n{\"message\":\"b\"}\n");
    assert!(learned_from_entries(&[log]).contains("name: message"));
}
