//! What a recording of requests tells beyond the bodies: which keys are data, and what a status is.

use std::collections::BTreeMap;

use catalogue::{Catalogue, load_texts};
use catalogue_edit::{Evidence, LearnOptions, RecordedService, Recording, endpoints_of, learn};
use serde_json::json;

/// A recorded request with its response.
struct Recorded {
    url: String,
    body: serde_json::Value,
}

/// The catalogue that is imported and learned from a recording.
fn learned_from(recorded: &[Recorded]) -> String {
    learned_from_entries(&entries_of(recorded))
}

fn entries_of(recorded: &[Recorded]) -> Vec<serde_json::Value> {
    let mut entries = Vec::new();
    for Recorded { url, body } in recorded {
        entries.push(json!({
            "request": {"method": "GET", "url": format!("https://a.example{url}")},
            "response": {"status": 200, "content": {"text": body.to_string()}},
        }));
    }
    entries
}

/// The catalogue that is imported and learned from the entries of a HAR file.
pub(crate) fn learned_from_entries(entries: &[serde_json::Value]) -> String {
    learned_with_notes(entries).0
}

/// The catalogue that is imported and learned from the entries of a HAR file, and the notes.
fn learned_with_notes(entries: &[serde_json::Value]) -> (String, String) {
    let har = json!({"log": {"entries": entries}}).to_string();
    let files = vec![("session.har".to_owned(), har.into_bytes())];
    let service = RecordedService {
        files: files.clone(),
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: Evidence::Reported,
    };
    let imported = endpoints_of(None, &service).expect("a catalogue");
    let imported: BTreeMap<&str, &str> = imported.texts().collect();
    let (texts, notes) = learned_again(&imported, &files);
    (texts.into_values().collect(), notes)
}

/// The texts of a catalogue that is learned from HAR files, and the notes.
fn learned_again(known: &BTreeMap<&str, &str>, files: &[(String, Vec<u8>)]) -> (BTreeMap<String, String>, String) {
    let recording = Recording::read(loaded(known), files, None).expect("a recording");
    let options = LearnOptions {
        endpoints: recording.with_errors(),
        evidence: Evidence::Reported,
        enums: Vec::new(),
        accept_mock: false,
    };
    let learned = learn(loaded(known), &options).expect("a change");
    let mut texts = BTreeMap::new();
    for (name, text) in known.iter().map(|(name, text)| (*name, *text)).chain(learned.texts()) {
        texts.insert(name.to_owned(), text.to_owned());
    }
    (texts, learned.notes().join("\n"))
}

fn loaded(texts: &BTreeMap<&str, &str>) -> Catalogue {
    let mut listed = Vec::new();
    for (name, text) in texts {
        listed.push((*name, *text));
    }
    load_texts(&listed)
}

#[test]
fn keys_that_the_request_sent_are_data() {
    let learned = learned_from(&[
        Recorded {
            url: "/price?ids=bitcoin,ethereum&vs=eur,usd".to_owned(),
            body: json!({"bitcoin": {"eur": 1.5, "usd": 2.5}, "ethereum": {"eur": 3.5, "usd": 4.5}}),
        },
        Recorded { url: "/price?ids=golem&vs=eur".to_owned(), body: json!({"golem": {"eur": 1.5}}) },
    ]);
    assert!(learned.contains("body: {type: map<map<number>>}"), "{learned}");
}

#[test]
fn keys_that_a_path_sent_are_data() {
    let learned = learned_from(&[
        Recorded {
            url: "/prices/current/gecko:bitcoin,gecko:ethereum".to_owned(),
            body: json!({"coins": {"gecko:bitcoin": {"price": 1.5}, "gecko:ethereum": {"price": 2.5}}}),
        },
        Recorded {
            url: "/prices/current/gecko:golem".to_owned(),
            body: json!({"coins": {"gecko:golem": {"price": 1.5}}}),
        },
    ]);
    assert_eq!(learned.matches("path: ").count(), 1, "{learned}");
    assert!(learned.contains("path: /prices/current/{current}\n"), "{learned}");
    assert!(learned.contains("type: map<"), "{learned}");
}

#[test]
fn fields_that_the_request_chose_are_no_data() {
    let learned = learned_from(&[Recorded {
        url: "/quote?fields=price,volume".to_owned(),
        body: json!({"price": 1.5, "volume": 2.5}),
    }]);
    assert!(learned.contains("- {name: price, type: number}"), "{learned}");
}

#[test]
fn a_segment_that_may_be_a_function_stays_in_the_path() {
    let learned = learned_from(&[
        Recorded { url: "/0/things:search".to_owned(), body: json!({"total": 5.5}) },
        Recorded { url: "/0/things".to_owned(), body: json!({"total": 5.5}) },
    ]);
    assert!(learned.contains("path: /0/things:search\n"), "{learned}");
}

#[test]
fn a_digit_in_the_base_path_is_a_version() {
    let body = json!([{"time": 1_700_000_000, "price": 1.5}]);
    let url = "/api/2/public/trades/7?from=1700000000&till=1700003600".to_owned();
    let learned = learned_from(&[Recorded { url, body }]);
    assert!(learned.contains("path: /api/2/public/trades/{trade}\n"), "{learned}");
    assert!(learned.contains("history: {from: from, to: till, "), "{learned}");
}

#[test]
fn a_word_in_a_record_is_no_status_of_the_service() {
    let learned = learned_from(&[
        Recorded {
            url: "/transactions/0x5".to_owned(),
            body: json!({"hash": "0x5", "result": "success", "fee": {"value": 2.5}}),
        },
        Recorded {
            url: "/list?module=list".to_owned(),
            body: json!({"message": "fine", "result": [{"hash": "0x5", "gas": 2.5}]}),
        },
    ]);
    assert!(!learned.contains("error_body"), "{learned}");
    assert!(learned.contains("{name: gas, type: number}"), "{learned}");
}

#[test]
fn a_status_of_all_endpoints_is_learned() {
    let learned = learned_from(&[
        Recorded { url: "/assets".to_owned(), body: json!({"status": "OK", "data": [{"name": "a", "price": 2.5}]}) },
        Recorded { url: "/markets".to_owned(), body: json!({"status": "OK", "data": [{"name": "b", "price": 2.5}]}) },
    ]);
    assert!(learned.contains("success: [OK]"), "{learned}");
}

#[test]
fn a_list_in_a_record_is_no_series() {
    let mut order = json!({"interactions": {"pre": [{"target": "0x5", "value": 2.5}], "post": []}});
    for index in 0..20 {
        order[format!("amount{index}")] = json!(2.5);
    }
    let learned = learned_from(&[Recorded { url: "/orders/0x5".to_owned(), body: order }]);
    assert!(learned.contains("{name: amount19, type: number}"), "{learned}");
    assert!(!learned.contains("series:"), "{learned}");
}

#[test]
fn many_words_in_one_place_are_data_if_their_responses_are_alike() {
    let mut collections = Vec::new();
    for name in ["apes", "birds", "cats", "dogs"] {
        collections.push(Recorded {
            url: format!("/sets/{name}/stats"),
            body: json!({"volume": 2.5, "owners": {"count": 5}}),
        });
        collections.push(Recorded { url: format!("/{name}/history"), body: json!({"data": [{name: 2.5, "t": 5}]}) });
    }
    let learned = learned_from(&collections);
    assert!(learned.contains("path: /sets/{set}/stats\n"), "{learned}");
    assert!(learned.contains("path: /cats/history\n"), "{learned}");
    assert_eq!(learned.matches("path: ").count(), 5, "{learned}");
}

#[test]
fn words_in_one_place_are_names_if_their_responses_have_no_records() {
    let mut responses = Vec::new();
    for name in ["orders", "deposits", "transfers", "withdrawals"] {
        let body = json!({"code": 0, "data": {"list": [], "total": 0}});
        responses.push(Recorded { url: format!("/{name}/history"), body });
    }
    let learned = learned_from(&responses);
    assert_eq!(learned.matches("path: ").count(), 4, "{learned}");
}

#[test]
fn a_time_in_two_words_makes_a_series() {
    let times = ["timeStamp", "time_stamp", "TimeStamp", "created", "asOf"];
    for time in times {
        for sent in [json!(1_700_000_000), json!("1700000000")] {
            let record = json!({time: sent, "blockNumber": "5", "value": "2.5"});
            let learned = learned_from(&[Recorded { url: "/list".to_owned(), body: json!([record]) }]);
            assert!(learned.contains(&format!("time: {time}\n")), "{learned}");
        }
    }
}

#[test]
fn the_time_of_a_listing_is_no_time_of_a_record() {
    let body = json!([{"symbol": "A", "listTime": "1700000000000"}, {"symbol": "B", "listTime": "1700000100000"}]);
    let learned = learned_from(&[Recorded { url: "/markets".to_owned(), body }]);
    assert!(learned.contains("time: none\n"), "{learned}");
    let dates = json!({"dateList": [1_700_000_000_000_u64, 1_700_000_100_000_u64], "prices": [1.5, 2.5]});
    let learned = learned_from(&[Recorded { url: "/chart".to_owned(), body: dates }]);
    assert!(learned.contains("time: dateList\n"), "{learned}");
}

#[test]
fn a_lone_word_in_capitals_behind_the_base_path_is_a_name() {
    let candles =
        |pair: &str| json!({"error": [], "result": {pair: [[1_700_000_000, "1.5", 5]], "last": 1_700_000_000}});
    let learned = learned_from(&[
        Recorded { url: "/0/public/OHLC?pair=AB".to_owned(), body: candles("AB") },
        Recorded { url: "/0/public/Trades?pair=AB".to_owned(), body: candles("AB") },
        Recorded { url: "/api/v1/OHLCV".to_owned(), body: json!([{"time": 1_700_000_000, "close": 1.5}]) },
        Recorded { url: "/api/v1/VWAP".to_owned(), body: json!([{"time": 1_700_000_000, "vwap": 1.5}]) },
        Recorded { url: "/v2/OHLC/AB-CD".to_owned(), body: json!([{"time": 1_700_000_000, "close": 1.5}]) },
    ]);
    for path in ["/0/public/OHLC", "/0/public/Trades", "/api/v1/OHLCV", "/api/v1/VWAP", "/v2/OHLC/{ohlc}"] {
        assert!(learned.contains(&format!("path: {path}\n")), "{path} in {learned}");
    }
    assert!(learned.contains("title: Ohlc"), "{learned}");
}

#[test]
fn words_in_capitals_are_data_if_they_are_repeated_or_vary() {
    for (first, second) in [
        (json!({"price": 1.5, "volume": 2.5}), json!({"price": 3.5, "volume": 2.5})),
        (json!({"symbol": "BTC", "price": 1.5}), json!({"symbol": "ETH", "name": "Ether"})),
        (json!({"BTC": {"price": 1.5}}), json!({"ETH": {"price": 1.5}})),
    ] {
        let learned = learned_from(&[
            Recorded { url: "/v1/BTC".to_owned(), body: first },
            Recorded { url: "/v1/ETH".to_owned(), body: second },
        ]);
        assert!(learned.contains("path: /v1/{v1}\n"), "{learned}");
    }
}

#[test]
fn a_segment_that_is_the_only_key_of_its_response_is_data() {
    let mut recorded = Vec::new();
    for coin in ["btc", "eth"] {
        let body = json!({coin: {"price": 1.5, "time": 1_700_000_000}});
        recorded.push(Recorded { url: format!("/v1/tickers/{coin}"), body });
    }
    recorded
        .push(Recorded { url: "/v1/market/assets".to_owned(), body: json!({"assets": {"name": "a", "size": 2.5}}) });
    recorded.push(Recorded { url: "/v1/market/trades".to_owned(), body: json!({"trades": {"side": "buy"}}) });
    let learned = learned_from(&recorded);
    for expected in
        ["path: /v1/tickers/{ticker}\n", "type: map<", "path: /v1/market/assets\n", "path: /v1/market/trades\n"]
    {
        assert!(learned.contains(expected), "{expected} in {learned}");
    }
}

#[test]
fn data_next_to_records_without_a_time_are_fields() {
    for beside in [
        json!({"address": "x", "balance": 5.5, "n_tx": 3}),
        json!({"total": {"volume": 5.5, "sales": 3}}),
        json!({"balance": "5.5"}),
        json!({"token": {"name": "x", "verified": true}}),
    ] {
        let mut body = beside.clone();
        body["txs"] = json!([{"hash": "a", "fee": 1.5}, {"hash": "b", "fee": 2.5}]);
        let learned = learned_from(&[Recorded { url: "/account".to_owned(), body }]);
        for name in beside.as_object().expect("an object").keys() {
            assert!(learned.contains(&format!("name: {name}")), "{name}: {learned}");
        }
        assert!(learned.contains("name: txs"), "{learned}");
    }
}

#[test]
fn facts_next_to_records_leave_them_a_list() {
    for mut body in [
        json!({"code": 0, "msg": "", "requestTime": 5}),
        json!({"status": "OK", "count": 2, "request_id": "x"}),
        json!({"jsonrpc": "2.0", "usIn": 1_700_000_000_000_000_u64, "usOut": 1_700_000_000_000_001_u64, "usDiff": 1}),
        json!({"page": 1, "perPage": 50, "totalPages": 3, "nextCursor": "x"}),
        json!({"meta": {"took": 5, "rate": 2.5}, "links": {"next": null}}),
        json!({"coin": "btc", "window": 5}),
    ] {
        body["items"] = json!([{"hash": "a", "fee": 1.5}, {"hash": "b", "fee": 2.5}]);
        let url = "/list?coin=btc&window=5".to_owned();
        let learned = learned_from(&[Recorded { url, body }]);
        assert!(learned.contains("data: items"), "{learned}");
    }
}

#[test]
fn data_next_to_a_time_series_leave_it_a_series() {
    let body = json!({"address": "x", "balance": 5.5, "txs": [{"time": 1_700_000_000, "fee": 1.5}]});
    let learned = learned_from(&[Recorded { url: "/account".to_owned(), body }]);
    assert!(learned.contains("data: txs"), "{learned}");
}

#[test]
fn a_list_that_is_empty_in_one_response_is_a_list_next_to_others() {
    let addresses = json!([{"a": "x", "n": 0.5}]);
    let txs = json!([{"time": 1_700_000_000, "v": 0.5}]);
    let learned = learned_from(&[
        Recorded { url: "/multi?active=a".to_owned(), body: json!({"addresses": addresses, "txs": txs}) },
        Recorded { url: "/multi?active=b".to_owned(), body: json!({"addresses": addresses, "txs": []}) },
    ]);
    assert!(learned.contains("name: addresses") && learned.contains("name: txs"), "{learned}");
    let learned = learned_from(&[
        Recorded { url: "/multi?active=a".to_owned(), body: json!({"addresses": addresses, "txs": []}) },
        Recorded { url: "/multi?active=b".to_owned(), body: json!({"addresses": [], "txs": txs}) },
    ]);
    assert!(learned.contains("name: addresses") && learned.contains("name: txs"), "{learned}");
}

#[test]
fn a_list_that_is_empty_in_one_response_stays_a_series() {
    let txs = json!([{"time": 1_700_000_000, "v": 0.5}]);
    let learned = learned_from(&[
        Recorded { url: "/list?active=a".to_owned(), body: json!({"count": 0, "txs": []}) },
        Recorded { url: "/list?active=b".to_owned(), body: json!({"count": 1, "txs": txs}) },
    ]);
    assert!(learned.contains("data: txs"), "{learned}");
}

/// The history of the requests `url` whose response has these days.
fn history_of(url: &str, days: &[&str]) -> String {
    let records: Vec<_> = days.iter().map(|day| json!({"date": day, "value": 1.5})).collect();
    let learned = learned_from(&[Recorded { url: url.to_owned(), body: json!(records) }]);
    let history = learned.lines().find(|line| line.contains("history:")).unwrap_or_default();
    history.trim().to_owned()
}

#[test]
fn a_record_at_the_start_of_the_range_shows_that_the_start_is_included() {
    let range = "/values?start=2024-01-02&end=2024-01-05";
    let included = history_of(range, &["2024-01-04", "2024-01-03", "2024-01-02"]);
    assert!(included.contains("includes_start: true"), "{included}");
    for days in [&["2024-01-03", "2024-01-04"][..], &["2024-01-01", "2024-01-02"]] {
        let unknown = history_of(range, days);
        assert!(unknown.contains("from: start") && !unknown.contains("includes_start"), "{unknown}");
    }
    let both_ends = learned_from(&[Recorded {
        url: "/values?date=2020:2022".to_owned(),
        body: json!([{"date": "2022", "value": 1.5}, {"date": "2020", "value": 2.5}]),
    }]);
    assert!(both_ends.contains("includes_start: true"), "{both_ends}");
}

#[test]
fn records_before_a_time_show_that_it_is_the_end_of_the_range() {
    let days = ["2024-01-04", "2024-01-03"];
    let both = history_of("/values?after=2024-01-05&before=2024-01-02", &days);
    assert!(both.contains("from: before, to: after"), "{both}");
    let one = history_of("/values?after=2024-01-05", &days);
    assert!(one.contains("{to: after"), "{one}");
    let start = history_of("/values?after=2024-01-02&before=2024-01-05", &days);
    assert!(start.contains("from: after, to: before"), "{start}");
}

#[test]
fn a_format_that_requests_always_select_is_a_constant() {
    let recorded = |format: &str| Recorded {
        url: format!("/values?day=2024-01-02&file_type={format}"),
        body: json!([{"date": "2024-01-02", "value": 1.5}]),
    };
    let always = learned_from(&[recorded("json"), recorded("json")]);
    assert!(always.contains("{name: file_type, type: string, const_value: json}"), "{always}");
    let often = learned_from(&[recorded("json"), recorded("full")]);
    assert!(often.contains("{name: file_type, type: string}"), "{often}");
}

#[test]
fn the_message_of_an_error_is_not_its_wrong_value() {
    let url = |symbol: &str| format!("https://a.example/rates?symbol={symbol}");
    let error = json!({"errors": [{"value": "X", "msg": "unknown symbol", "param": "symbol"}]});
    let entry = |symbol, status, body: serde_json::Value| {
        json!({
            "request": {"method": "GET", "url": url(symbol)},
            "response": {"status": status, "content": {"text": body.to_string()}},
        })
    };
    let learned =
        learned_from_entries(&[entry("BTC", 200, json!([{"day": "2024-01-02", "rate": 1.5}])), entry("X", 400, error)]);
    assert!(learned.contains("message: [errors.0.msg]"), "{learned}");
}

/// What is learned from a response with records at these times, for a request with `limit` and the param of a step.
fn learned_with_step(step: &str, times: &[&str]) -> String {
    let records: Vec<_> = times.iter().map(|time| json!({"time": time, "close": 1.5})).collect();
    let url = format!("/candles?start={}&end={}&limit=100&{step}", times[0], times[times.len() - 1]);
    learned_from(&[Recorded { url, body: json!(records) }])
}

#[test]
fn a_param_and_the_times_of_records_show_the_step_together() {
    let minutes = ["2024-01-31T23:58:00Z", "2024-01-31T23:59:00Z", "2024-02-01T00:00:00Z"];
    let hours = ["2024-01-31T22:00:00Z", "2024-01-31T23:00:00Z", "2024-02-01T01:00:00Z"];
    let months = ["2024-01-01", "2024-02-01", "2024-03-01"];
    let days = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"];
    let weekdays = ["2024-01-04", "2024-01-05", "2024-01-08"];
    for (param, times, value, duration) in [
        ("interval=1m", &minutes[..], "1m", "1m"),
        ("interval=1", &minutes, "'1'", "1m"),
        ("resampleFreq=1min", &minutes, "1min", "1m"),
        ("time_frame=1m", &minutes, "1m", "1m"),
        ("step=60", &minutes, "'60'", "1m"),
        ("resolution=1MIN", &minutes, "1MIN", "1m"),
        ("period=M1", &minutes, "M1", "1m"),
        ("bar=1H", &hours, "1H", "1h"),
        ("granularity=hourly", &hours, "hourly", "1h"),
        ("frequency=monthly", &months, "monthly", "1mo"),
        ("interval=1m", &months, "1m", "1mo"),
        ("interval=1d", &weekdays, "1d", "1bd"),
        // Regular times decide about a word.
        ("granularity=ONE_DAY", &days, "ONE_DAY", "1d"),
        // The start of an interval decides about the unit of a single record.
        ("interval=1m", &minutes[..1], "1m", "1m"),
        ("frequency=daily", &months[..1], "daily", "1d"),
    ] {
        let name = param.split('=').next().expect("a name");
        let learned = learned_with_step(param, times);
        assert!(learned.contains(&format!("limit: limit, step: {name}, ")), "{param}: {learned}");
        assert!(learned.contains(&format!("value: {value}, ")), "{param}: {learned}");
        assert!(learned.contains(&format!("duration: {duration}}}")), "{param}: {learned}");
    }
}

#[test]
fn long_intervals_that_begin_elsewhere_have_an_anchor() {
    for (param, times, anchor) in [
        ("interval=1w", ["2024-01-07", "2024-01-14", "2024-01-21"], "2024-01-07"),
        ("interval=1y", ["2022-04-01", "2023-04-01", "2024-04-01"], "2022-04-01"),
    ] {
        let learned = learned_with_step(param, &times);
        assert!(learned.contains(&format!("anchor: '{anchor}'")), "{param}: {learned}");
    }
    for (param, times) in [
        ("interval=1w", ["2024-01-01", "2024-01-08", "2024-01-15"]),
        ("interval=1mo", ["2024-01-01", "2024-02-01", "2024-03-01"]),
        // With summer time, days begin at another time in summer.
        ("interval=1d", ["2024-01-07T16:00:00Z", "2024-01-08T16:00:00Z", "2024-01-09T16:00:00Z"]),
        ("step=60", ["2024-01-01T00:00:20Z", "2024-01-01T00:01:20Z", "2024-01-01T00:02:20Z"]),
    ] {
        let learned = learned_with_step(param, &times);
        assert!(learned.contains("step: ") && !learned.contains("anchor"), "{param}: {learned}");
    }
}

#[test]
fn days_that_begin_at_another_time_are_noted_once() {
    let mut recorded = Vec::new();
    for month in ["01", "02"] {
        let days = ["07", "08", "09"].map(|day| json!({"time": format!("2024-{month}-{day}T16:00:00Z"), "close": 1.5}));
        recorded.push(Recorded { url: "/candles?start=2024-01-01&interval=1d".to_owned(), body: json!(days) });
    }
    let (_, notes) = learned_with_notes(&entries_of(&recorded));
    assert_eq!(notes.matches("add `anchor: 2024-01-07T16:00:00Z` to the `history`").count(), 1, "{notes}");
    assert_eq!(notes.matches("anchor: ").count(), 1, "{notes}");
}

#[test]
fn the_start_of_an_interval_is_a_time() {
    let body = json!([{"start": "1700000000", "low": "1.5"}, {"start": "1700000300", "low": "2.5"}]);
    let learned = learned_from(&[Recorded { url: "/candles".to_owned(), body }]);
    assert!(learned.contains("time: start\n"), "{learned}");
    let body = json!([{"start": "1700", "end": 2000}, {"start": "2001", "end": 2100}]);
    let learned = learned_from(&[Recorded { url: "/parts".to_owned(), body }]);
    assert!(!learned.contains("timestamp"), "{learned}");
}

#[test]
fn a_step_that_the_times_contradict_is_not_learned() {
    let days = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"];
    for (param, times) in [
        ("interval=1h", &days[..]),
        ("interval=fast", &days[..3]),
        ("interval=not%20a%20step", &days),
        ("window=1d", &days),
        ("interval=1d", &["2024-01-01", "2024-01-05"]),
        ("interval=1d", &["2024-01-01T07:00:00Z"]),
        ("interval=1", &["2024-01-01T07:00:00Z"]),
        ("interval=1", &["2024-01-01T07:00:39Z"]),
        ("interval=1m", &["2024-01-01T00:00:00Z"]),
        ("interval=1d", &["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-02T07:00:00Z"]),
    ] {
        let learned = learned_with_step(param, times);
        assert!(learned.contains("history: {from: start") && !learned.contains("duration"), "{param}: {learned}");
    }
    // The same value selects seconds in one response, and minutes in another.
    let at = |second: &str| Recorded {
        url: "/candles?start=2024-01-01&interval=1".to_owned(),
        body: json!([{"time": "2024-01-01T00:00:00Z", "close": 1.5}, {"time": second, "close": 1.5}]),
    };
    let learned = learned_from(&[at("2024-01-01T00:00:01Z"), at("2024-01-01T00:01:00Z")]);
    assert!(learned.contains("history: {from: start") && !learned.contains("duration"), "{learned}");
}

#[test]
fn a_time_is_no_step() {
    let mut records = Vec::new();
    for hour in 0..5 {
        records.push(json!({"time": 1_700_000_000 + 3600 * hour, "close": 1.5}));
    }
    let url = |rest: &str| format!("/candles?period_start=1700000000&period_end=1700014400{rest}");
    let with_interval = Recorded { url: url("&interval=1h"), body: json!(records) };
    let learned = learned_from(&[with_interval]);
    assert!(learned.contains("from: period_start, to: period_end, step: interval, "), "{learned}");
    let (learned, notes) =
        learned_with_notes(&entries_of(&[Recorded { url: url("&period=3000000000"), body: json!(records) }]));
    assert!(!learned.contains("step: "), "{learned}");
    assert!(!notes.contains("every: 1h"), "{notes}");
    let (_, notes) = learned_with_notes(&entries_of(&[Recorded { url: url(""), body: json!(records) }]));
    assert!(notes.contains("every: 1h"), "{notes}");
}

#[test]
fn endpoints_with_a_param_of_one_name_share_its_type() {
    let at = |path: &str, interval: &str, times: [&str; 2]| Recorded {
        url: format!("{path}?interval={interval}&start=2024-01-01"),
        body: json!([{"time": times[0], "close": 1.5}, {"time": times[1], "close": 1.5}]),
    };
    let hours = ["2024-01-01T01:00:00Z", "2024-01-01T02:00:00Z"];
    let days = ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"];
    let learned = learned_from(&[
        at("/candles", "1h", hours),
        at("/candles", "1d", days),
        at("/rates", "1d", days),
        at("/trades", "60", hours),
        at("/prices", "1m", ["2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z"]),
        at("/indices", "1m", ["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"]),
    ]);
    assert_eq!(learned.matches("name: Interval\n").count(), 1, "{learned}");
    assert_eq!(learned.matches("type: Interval}").count(), 4, "{learned}");
    // `1m` is a minute for one endpoint, and a month for another.
    assert_eq!(learned.matches("type: IndicesInterval}").count(), 1, "{learned}");
}

#[test]
fn records_that_are_as_far_apart_show_a_step_that_the_author_may_add() {
    let at = |times: &[&str]| Recorded {
        url: "/values?start=2024-01-01".to_owned(),
        body: json!(times.iter().map(|time| json!({"time": time, "value": 1.5})).collect::<Vec<_>>()),
    };
    let days = ["2024-01-04", "2024-01-03", "2024-01-02", "2024-01-01"];
    let months = ["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"];
    let few = ["2024-01-01", "2024-01-02", "2024-01-03"];
    let others = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-07"];
    for (responses, expected) in [
        (vec![at(&days)], Some("1d")),
        (vec![at(&days), at(&few)], Some("1d")),
        (vec![at(&months)], Some("1mo")),
        (vec![at(&few)], None),
        (vec![at(&days), at(&others)], None),
        (vec![at(&days), at(&months)], None),
    ] {
        let (learned, notes) = learned_with_notes(&entries_of(&responses));
        assert!(!learned.contains("every"), "{learned}");
        assert_eq!(notes.contains("every: "), expected.is_some(), "{notes}");
        if let Some(step) = expected {
            assert_eq!(notes.matches(&format!("add `every: {step}` to the `history`")).count(), 1, "{notes}");
        }
    }
}

#[test]
fn records_without_names_have_a_key_too() {
    let body = json!([["AB", 1_700_000_000, 1.5, null], ["BC", 1_700_000_000, 2.5, null]]);
    let (_, notes) = learned_with_notes(&entries_of(&[Recorded { url: "/status".to_owned(), body }]));
    assert!(notes.contains("if `key: [value 1]` distinguishes them"), "{notes}");
}

#[test]
fn a_word_without_the_unit_of_the_times_is_no_step() {
    let hours = ["2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z", "2024-01-01T02:00:00Z", "2024-01-01T03:00:00Z"];
    for other in ["ytd", "s3cret", "ONE_DAY"] {
        let learned = learned_with_step(&format!("period={other}&interval=1h"), &hours);
        assert!(learned.contains("step: interval, ") && !learned.contains(other), "{learned}");
    }
    for value in ["ONE_HOUR", "PT1H"] {
        let learned = learned_with_step(&format!("period={value}"), &hours);
        assert!(learned.contains(&format!("value: {value}, ")) && learned.contains("duration: 1h}"), "{learned}");
    }
    let quarters = ["2024-01-01", "2024-04-01", "2024-07-01", "2024-10-01"];
    assert!(learned_with_step("period=BY_QUARTER", &quarters).contains("duration: 3mo}"));
}

#[test]
fn weekdays_with_a_holiday_are_business_days() {
    let days = ["2024-01-11", "2024-01-12", "2024-01-16", "2024-01-17", "2024-01-18", "2024-01-19", "2024-01-22"];
    let learned = learned_with_step("interval=1d", &days);
    assert!(learned.contains("value: 1d, ") && learned.contains("duration: 1bd}"), "{learned}");
}

/// A response with candles of an interval.
fn candles(interval: &str, times: [&str; 3]) -> Recorded {
    Recorded {
        url: format!("/candles?interval={interval}&start=2024-01-01"),
        body: json!(times.map(|time| json!({"time": time, "close": 1.5}))),
    }
}

fn weeks() -> Recorded {
    candles("1w", ["2024-01-07", "2024-01-14", "2024-01-21"])
}

fn months() -> Recorded {
    candles("1mo", ["2024-01-01", "2024-02-01", "2024-03-01"])
}

#[test]
fn an_anchor_of_weeks_that_moves_months_is_only_noted() {
    for recorded in [[weeks(), months()], [months(), weeks()]] {
        let (learned, notes) = learned_with_notes(&entries_of(&recorded));
        assert!(learned.contains("duration: 1mo}") && !learned.contains("anchor"), "{learned}");
        assert_eq!(notes.matches("no interval of 1mo begins on 2024-01-07").count(), 1, "{notes}");
    }
    let days = candles("1d", ["2024-01-08", "2024-01-09", "2024-01-10"]);
    let learned = learned_from(&[days, weeks()]);
    assert!(learned.contains("anchor: '2024-01-07'"), "{learned}");
}

#[test]
fn records_that_contradict_the_anchor_are_noted() {
    let of_weeks = "title: Candles\nendpoints:\n- {name: Candles, path: /candles, evidence: reported, params: [\
        {name: interval, type: Interval}, {name: start, type: timestamp, format: date}], body: {time: time, series: [\
        {name: close, type: number}, {name: time, type: timestamp, format: date}]}, \
        history: {from: start, step: interval, anchor: '2024-01-07', evidence: reported}}\n";
    let service = "title: Things\nversion: '1'\nenv_prefix: THINGS\ntime: {unit: seconds, evidence: reported}\ntypes:\n\
        - {name: Interval, kind: identifier, evidence: reported, values: [{value: 1w, duration: 1w}]}\n";
    let known = [("candles.yaml", of_weeks), ("service.yaml", service)].into();
    let har = |recorded: Recorded| {
        let har = json!({"log": {"entries": entries_of(&[recorded])}}).to_string();
        [("session.har".to_owned(), har.into_bytes())]
    };
    let (_, notes) = learned_again(&known, &har(months()));
    assert!(notes.contains("no interval of 1mo begins on 2024-01-07, which is the `anchor`"), "{notes}");
    let (_, notes) = learned_again(&known, &har(weeks()));
    assert!(!notes.contains("no interval"), "{notes}");
}

#[test]
fn steps_that_differ_only_in_upper_and_lower_case_are_two_values() {
    let learned = learned_from(&[
        candles("1m", ["2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"]),
        candles("1M", ["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"]),
    ]);
    for (value, duration) in [("1m", "1m"), ("1M", "1mo")] {
        assert!(learned.contains(&format!("value: {value}, ")), "{learned}");
        assert!(learned.contains(&format!("duration: {duration}}}")), "{learned}");
    }
}
