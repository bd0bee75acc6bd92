use super::*;

const SERVICE: &str = "title: A\nversion: '1'\nenv_prefix: A\ntime: {unit: seconds, evidence: documented}\n";
const MARKET: &str = "title: Market\nendpoints:\n\
    - {name: Book, path: '/books/{symbol}', evidence: documented, params: [{name: symbol, type: string, in: path}], body: unknown}\n\
    - {name: Best, path: /books/best/, evidence: documented, params: [], body: unknown}\n\
    - {name: Daily, path: '/query#daily', evidence: documented, params: [{name: function, type: string, const_value: DAILY}], body: unknown}\n\
    - {name: Weekly, path: '/query#weekly', evidence: documented, params: [{name: function, type: string, const_value: WEEKLY}], body: unknown}\n";

fn catalogue() -> Catalogue {
    catalogue::load_texts(&[("service.yaml", SERVICE), ("market.yaml", MARKET)])
}

fn entry(url: &str, method: &str, status: u16, content: &str) -> String {
    format!(
        r#"{{"request": {{"method": "{method}", "url": "{url}", "headers": [{{"name": "x-api-key", "value": "secret"}}]}},
        "response": {{"status": {status}, "headers": [{{"name": "set-cookie", "value": "secret"}}], "content": {content}}}}}"#
    )
}

fn har(entries: &[String]) -> Vec<(String, Vec<u8>)> {
    vec![("a.har".to_owned(), format!(r#"{{"log": {{"entries": [{}]}}}}"#, entries.join(",")).into_bytes())]
}

const JSON: &str = r#"{"text": "[1]"}"#;

#[test]
fn entries_are_found_by_their_path_and_leave_no_credentials() {
    let files = har(&[
        entry("https://a.example/v1/books/BTC?key=secret", "GET", 200, JSON),
        entry("https://a.example/v1/books/best", "GET", 200, JSON),
        entry("https://a.example/v1/books/ETH/#secret", "GET", 200, JSON),
        entry("https://a.example/v1/query?function=DAILY&symbol=secret", "GET", 200, JSON),
        entry("https://a.example/v1/query?symbol=secret&function=WEEKLY", "GET", 200, JSON),
        entry("https://a.example/v1/query?function=secret", "GET", 200, JSON),
        entry("https://a.example/v1/trades?key=secret", "GET", 200, JSON),
        entry("https://secret@b.example/v1/books/BTC", "GET", 200, JSON),
        entry("https://a.example/v2/books/BTC", "GET", 200, JSON),
        entry("https://a.example/v1/books/BTC", "POST", 200, JSON),
        entry("https://a.example/v1/books/best?key=secret", "GET", 401, JSON),
    ]);
    let recording = Recording::read(catalogue(), &files, None).expect("a recording");
    let found: Vec<_> =
        recording.endpoints.iter().map(|sample| (sample.endpoint.as_str(), sample.responses.len())).collect();
    let expected = [("market.book", 2), ("market.best", 1), ("market.daily", 1), ("market.weekly", 1)];
    assert_eq!(found, expected);
    let skipped = [
        "`/v1/books/BTC`: a POST request",
        "`/v1/query`: no endpoint on this path sends this value of `function`",
        "`/v1/trades`: no endpoint has this path",
        "`/v1/books/BTC`: another host than `a.example`; `--host b.example` chooses it",
        "`/v2/books/BTC`: it is not below the base path `/v1` of the other entries",
    ];
    assert_eq!(recording.skipped, skipped);
    let errors: Vec<_> = recording.errors.iter().map(|sample| sample.endpoint.as_str()).collect();
    assert_eq!(errors, ["market.best"]);
    assert!(!format!("{recording:?}").contains("secret"));
    let other = Recording::read(catalogue(), &files, Some("b.example")).expect("a recording");
    assert_eq!(other.endpoints.len(), 1);
}

#[test]
fn a_bad_entry_costs_only_itself() {
    let files = har(&[
        entry("https://a.example/books/BTC", "GET", 200, r#"{"text": "<html>", "mimeType": "text/html"}"#),
        entry("https://a.example/books/BTC", "GET", 200, r#"{"text": "a,b\n1,2", "mimeType": "text/javascript"}"#),
        entry("https://a.example/books/BTC", "GET", 200, r#"{"text": "WzEs\nIDJd", "encoding": "base64"}"#),
        entry("https://a.example/books/ETH", "GET", 200, r#"{"text": "*", "encoding": "base64"}"#),
        entry("https://a.example/books/XRP", "GET", 200, "{}"),
        "{\"request\": 1}".to_owned(),
        "null".to_owned(),
    ]);
    let recording = Recording::read(catalogue(), &files, None).expect("a recording");
    let bodies: Vec<_> = recording.endpoints.iter().flat_map(|sample| &sample.responses).collect();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].1.ends_with(b"\n\n[1, 2]"));
    for (skipped, expected) in recording.skipped.iter().zip([
        "`/books/BTC`: the body is no JSON (`text/html`)",
        "`/books/BTC`: the body is no JSON (`text/javascript`)",
        "`/books/ETH`: the body is not valid base64",
        "`/books/XRP`: the recording has no body",
        "a.har, entry 6: no `request.url`",
        "a.har, entry 7: no `request.url`",
    ]) {
        assert!(skipped.starts_with(expected), "{skipped}");
    }
    for text in ["[]", "{\"log\": {}}", "x"] {
        let files = [("a.har".to_owned(), text.into())];
        assert!(Recording::read(catalogue(), &files, None).is_err(), "{text}");
    }
}

#[test]
fn slashes_at_the_end_of_paths_do_not_matter() {
    let market = "title: Market\nendpoints:\n\
        - {name: All, path: /items, evidence: documented, params: [], body: unknown}\n\
        - {name: One, path: '/items/{id}/', evidence: documented, params: [{name: id, type: string, in: path}], body: unknown}\n\
        - {name: Plain, path: '/items/{id}', evidence: documented, params: [{name: id, type: string, in: path}], body: unknown}\n";
    let files = har(&[
        entry("https://h.example/api/items/", "GET", 200, JSON),
        entry("https://h.example/api/items/7/", "GET", 200, JSON),
        entry("https://h.example/api/items/7", "GET", 200, JSON),
    ]);
    let catalogue = catalogue::load_texts(&[("service.yaml", SERVICE), ("market.yaml", &market.replace("- {name: Plain, path: '/items/{id}', evidence: documented, params: [{name: id, type: string, in: path}], body: unknown}\n", ""))]);
    let recording = Recording::read(catalogue, &files, None).expect("a recording");
    let found: Vec<_> =
        recording.endpoints.iter().map(|sample| (sample.endpoint.as_str(), sample.responses.len())).collect();
    assert_eq!(found, [("market.all", 1), ("market.one", 2)]);
}

#[test]
fn an_empty_recording_is_named() {
    let recorded = RecordedService {
        files: har(&[]),
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    };
    let why = endpoints_of(None, &recorded).err().map(|refusal| refusal.to_string());
    assert_eq!(why.as_deref(), Some("a.har: no entry has a response in JSON"));
}

#[test]
fn a_recording_without_a_usable_entry_names_the_causes() {
    let files = har(&[
        entry("https://a.example/v1/books", "POST", 200, JSON),
        entry("https://a.example/v1/books", "GET", 200, r#"{"text": "?", "encoding": "base64"}"#),
    ]);
    let why = endpoints_of(None, &recorded(&files, &[])).err().map(|refusal| refusal.to_string());
    assert_eq!(
        why.as_deref(),
        Some(
            "a.har: no entry has a response in JSON\nskipped: `/v1/books`: a POST request\nskipped: `/v1/books`: the body is not valid base64"
        )
    );
}

#[test]
fn a_recording_with_many_causes_states_how_many_are_not_named() {
    let mut entries = Vec::new();
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        entries.push(entry(&format!("https://a.example/{name}"), "POST", 200, JSON));
    }
    let why = endpoints_of(None, &recorded(&har(&entries), &[])).err().map(|refusal| refusal.to_string());
    let why = why.expect("a refusal");
    assert!(why.ends_with("skipped: `/e`: a POST request\nfurther causes: 2"), "{why}");
}

#[test]
fn a_recording_becomes_endpoints_with_params() {
    let files = har(&[
        entry(
            "https://a.example/api/v3/candles/BTC-USD?interval=1h&startTime=1700000000000&apikey=secret",
            "GET",
            200,
            JSON,
        ),
        entry("https://a.example/api/v3/candles/ETH-USD?interval=1d&limit=5", "GET", 200, JSON),
        entry("https://a.example/api/v3/trades/1234/fills?full=true", "GET", 200, JSON),
        entry("https://tracker.example/pixel", "GET", 200, JSON),
    ]);
    let recorded = RecordedService {
        files,
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    };
    let change = endpoints_of(None, &recorded).expect("a change");
    let texts: Vec<_> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let all: String = texts.iter().map(|(_, text)| text.as_str()).collect();
    for expected in [
        "path: /api/v3/candles/{candle}\n",
        "{name: startTime, type: timestamp, unit: milliseconds}",
        "{name: limit, type: count}",
        "path: /api/v3/trades/{trade}/fills\n",
        "{name: full, type: boolean}",
        "query: apikey",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
    assert!(!all.contains("secret") && !all.contains("1700000000000"), "{all}");
    assert!(change.notes().iter().any(|note| note.contains("tracker.example/pixel")), "{:?}", change.notes());
}

#[test]
fn each_function_on_a_path_becomes_an_endpoint() {
    let daily = r#"{"text": "{\"daily\": [{\"open\": 1.5}]}"}"#;
    let weekly = r#"{"text": "{\"weekly\": {\"volume\": 2}}"}"#;
    let files = har(&[
        entry("https://a.example/query?symbol=IBM&function=TIME_SERIES_DAILY&apikey=secret", "GET", 200, daily),
        entry("https://a.example/query?function=TIME_SERIES_WEEKLY&symbol=AA", "GET", 200, weekly),
        entry("https://a.example/query?function=TIME_SERIES_DAILY&symbol=AA&limit=5", "GET", 200, daily),
        entry("https://a.example/api?Action=balance&module=account", "GET", 200, JSON),
        entry("https://a.example/api?module=stats&Action=balance", "GET", 200, JSON),
        entry("https://a.example/api?module=c2VjcmV0IHNlY3JldA%3D%3D", "GET", 200, JSON),
    ]);
    let recorded = RecordedService {
        files: files.clone(),
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    };
    let change = endpoints_of(None, &recorded).expect("a change");
    let all: String = change.texts().map(|(_, text)| text).collect();
    for expected in [
        "- name: Time Series Daily\n  path: /query#TIME_SERIES_DAILY\n",
        "{name: function, type: string, const_value: TIME_SERIES_DAILY}\n  - {name: symbol, type: string}\n  - {name: limit, type: count}",
        "path: /query#TIME_SERIES_WEEKLY\n",
        "- name: Account Balance\n  path: /api#account.balance\n",
        "- name: Stats Balance\n",
        "path: /api\n",
        "{name: module, type: string}",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
    assert!(!all.contains("secret") && !all.contains("c2VjcmV0"), "{all}");
    let catalogue = catalogue::load_texts(&change.all_texts());
    let recording = Recording::read(catalogue, &files, None).expect("a recording");
    let found: Vec<_> =
        recording.endpoints.iter().map(|sample| (sample.endpoint.as_str(), sample.responses.len())).collect();
    let expected = [
        ("query.time_series_daily", 2),
        ("query.time_series_weekly", 1),
        ("general.account_balance", 1),
        ("general.stats_balance", 1),
        ("general.root", 1),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_host_is_one_of_the_recording() {
    let files = har(&[
        entry("https://a.example/books/BTC", "GET", 200, JSON),
        entry("https://b.example/books/BTC", "GET", 200, JSON),
        entry("https://b.example/books/ETH", "GET", 200, JSON),
    ]);
    let endpoints = |host: &str| {
        let recorded = RecordedService {
            files: files.clone(),
            hosts: vec![host.to_owned()],
            title: "things".to_owned(),
            evidence: catalogue::spec::Evidence::Reported,
        };
        endpoints_of(None, &recorded)
    };
    let why = endpoints("c.example").err().map(|refusal| refusal.to_string()).unwrap_or_default();
    let hosts = "pass one of these: `a.example`, `b.example`";
    assert_eq!(why, format!("no entry with a response in JSON has the host `c.example`; {hosts}"));
    let change = endpoints("B.example").expect("a change");
    assert!(change.notes().contains(&"skipped: `a.example/books/BTC`: another host than `b.example`".to_owned()));
    let change = endpoints("a.example").expect("a change");
    let skipped = "skipped: 2 responses of another host than `a.example`, first `b.example/books/BTC`";
    assert!(change.notes().contains(&skipped.to_owned()), "{:?}", change.notes());
}

#[test]
fn an_item_of_a_list_has_a_name_of_its_own() {
    let files = har(&[
        entry("https://a.example/api/items/7", "GET", 200, JSON),
        entry("https://a.example/api/items/", "GET", 200, JSON),
        entry("https://a.example/api/candles/BTC", "GET", 200, JSON),
    ]);
    let recorded = RecordedService {
        files,
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    };
    let change = endpoints_of(None, &recorded).expect("a change");
    let all: String = change.texts().map(|(_, text)| text).collect();
    for expected in [
        "- name: Item\n  path: /api/items/{item}\n",
        "- name: Items\n  path: /api/items/\n",
        "- name: Candles\n  path: /api/candles/{candle}\n",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
}

#[test]
fn segments_that_the_response_repeats_become_params() {
    let views = |site: &str, page: &str| {
        let record = format!(r#"{{\"site\": \"{site}\", \"page\": \"{page}\", \"kind\": \"per day\", \"count\": 1}}"#);
        format!(r#"{{"text": "{{\"items\": [{record}, {record}]}}"}}"#)
    };
    let differing = r#"{"text": "[{\"side\": \"buy\"}, {\"side\": \"sell\"}]"}"#;
    let files = har(&[
        entry("https://a.example/v1/metrics/views/en/Tides/20260701/20260710", "GET", 200, &views("en", "Tides")),
        entry("https://a.example/v1/metrics/views/de/Moon/20260601/20260602", "GET", 200, &views("DE", "Moon")),
        // This response repeats no param, so the path would have other names.
        entry("https://a.example/v1/metrics/views/20260501/MOON/20260601/20260602", "GET", 200, r#"{"text": "{}"}"#),
        // A member with several values is no param, and the first segment names the endpoint.
        entry("https://a.example/v1/orders/buy", "GET", 200, differing),
        entry("https://a.example/v1/views", "GET", 200, &views("en", "Tides")),
    ]);
    let recorded = RecordedService {
        files,
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    };
    let change = endpoints_of(None, &recorded).expect("a change");
    let all: String = change.texts().map(|(_, text)| text).collect();
    for expected in [
        "path: /v1/metrics/views/{site}/{page}/{start}/{end}\n",
        "{name: start, type: timestamp, in: path, format: yyyymmdd}",
        "path: /v1/orders/buy\n",
        "path: /v1/views\n",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
    assert_eq!(all.matches("path: /v1/metrics").count(), 1, "{all}");
}

#[test]
fn another_host_has_one_line() {
    let files = har(&[
        entry("https://a.example/books/BTC", "GET", 200, JSON),
        entry("https://a.example/books/ETH", "GET", 200, JSON),
        entry("https://a.example/books/XRP", "GET", 200, JSON),
        entry("https://b.example/pixel", "GET", 200, JSON),
        entry("https://b.example/other/pixel", "GET", 200, JSON),
    ]);
    let recording = Recording::read(catalogue(), &files, None).expect("a recording");
    let expected = "`b.example`: 2 responses of another host than `a.example`; `--host b.example` chooses it";
    assert_eq!(recording.skipped, [expected]);
}

#[test]
fn params_of_one_name_cost_no_endpoint() {
    let files = har(&[
        entry("https://a.example/query?function=DAILY&function=WEEKLY&Function=MONTHLY", "GET", 200, JSON),
        entry("https://a.example/prices?symbol=A&Symbol=B&symbol=C", "GET", 200, JSON),
        entry("https://a.example/candles/BTC?candle=5", "GET", 200, JSON),
    ]);
    let recorded = RecordedService {
        files: files.clone(),
        hosts: Vec::new(),
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    };
    let change = endpoints_of(None, &recorded).expect("a change");
    let all: String = change.texts().map(|(_, text)| text).collect();
    for expected in [
        "path: /query#DAILY\n",
        "- {name: function, type: string, const_value: DAILY}\n  - {name: Function, rust_name: function_2, type: string}\n",
        "path: /prices\n",
        "path: /candles/{path_candle}\n",
        "- {name: path_candle, type: string, in: path}\n  - {name: candle, type: count}\n",
    ] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
    assert!(!all.contains("WEEKLY") && !all.contains("MONTHLY"), "{all}");
    let notes = change.notes().join("\n");
    let expected =
        "`/query#DAILY`: the requests send `function` several times; only the first value is sent by the client";
    assert!(notes.contains(expected), "{expected} in\n{notes}");
    let catalogue = catalogue::load_texts(&change.all_texts());
    let recording = Recording::read(catalogue, &files, None).expect("a recording");
    assert_eq!(recording.endpoints.len(), 3);
}

#[test]
fn a_token_is_not_the_name_of_a_function() {
    let tokens = [
        "a8f3c1d9e2b74f60",
        "a8f3c1d9e2b74f60a8f3c1d9e2b74f60a8f3c1d9e2b74f60a8f3c1d9e2b74f60",
        "qwErTyuI7asDfGhjk",
        "b3f1c2d4-55e6-4aaa-9f00-c0ffee000001",
    ];
    for token in tokens {
        for selector in ["action", "method", "cmd", "function"] {
            let files = har(&[entry(&format!("https://a.example/query?{selector}={token}"), "GET", 200, JSON)]);
            let recorded = RecordedService {
                files,
                hosts: Vec::new(),
                title: "things".to_owned(),
                evidence: catalogue::spec::Evidence::Reported,
            };
            let change = endpoints_of(None, &recorded).expect("a change");
            let all: String = change.texts().map(|(_, text)| text).collect();
            assert!(!all.contains(token) && !change.notes().join("\n").contains(token), "{all}");
            assert!(all.contains(&format!("- {{name: {selector}, type: string}}\n")), "{all}");
        }
    }
}

const BROKER: &str = "title: Orders\nbase_url: {name: broker, suffix: /v3, evidence: documented}\nendpoints:\n\
    - {name: Orders, path: /orders, evidence: documented, params: [], body: unknown}\n\
    - {name: Best, path: '/books/best#broker', evidence: documented, params: [], body: unknown}\n";

#[test]
fn groups_on_another_host_have_a_location_of_their_own() {
    let texts = [("service.yaml", SERVICE), ("market.yaml", MARKET), ("orders.yaml", BROKER)];
    let files = har(&[
        entry("https://a.example/v1/books/BTC", "GET", 200, JSON),
        entry("https://a.example/v1/books/best/", "GET", 200, JSON),
        entry("https://b.example/api/v3/orders", "GET", 200, JSON),
        entry("https://b.example/api/v3/books/best", "GET", 200, JSON),
        entry("https://b.example/api/v3/fills", "GET", 200, JSON),
        entry("https://b.example/api/v2/orders", "GET", 200, JSON),
        entry("https://cdn.example/orders", "GET", 200, JSON),
    ]);
    let recording = Recording::read(catalogue::load_texts(&texts), &files, None).expect("a recording");
    let found: Vec<_> = recording.endpoints.iter().map(|sample| sample.endpoint.as_str()).collect();
    assert_eq!(found, ["market.book", "market.best", "orders.orders", "orders.best"]);
    let skipped = [
        "`/api/v3/fills`: no endpoint has this path",
        "`/api/v2/orders`: it is not below the base path `/api/v3` of the other entries",
        "`/orders`: another host than `a.example`; `--host cdn.example` chooses it",
    ];
    assert_eq!(recording.skipped, skipped);
}

fn recorded(files: &[(String, Vec<u8>)], hosts: &[&str]) -> RecordedService {
    let mut chosen = Vec::new();
    for host in hosts {
        chosen.push((*host).to_owned());
    }
    RecordedService {
        files: files.to_vec(),
        hosts: chosen,
        title: "things".to_owned(),
        evidence: catalogue::spec::Evidence::Reported,
    }
}

#[test]
fn chosen_hosts_become_groups_and_others_are_named() {
    let files = har(&[
        entry("https://api.example.com/candles", "GET", 200, JSON),
        entry("https://api.example.com/time", "GET", 200, JSON),
        entry("https://futures.example.com/candles", "GET", 200, JSON),
        entry("https://futures.example.com/funding", "GET", 200, JSON),
        entry("https://cdn.example.net/pixel", "GET", 200, JSON),
        entry("https://cdn.example.net/config", "GET", 200, JSON),
    ]);
    let change = endpoints_of(None, &recorded(&files, &["api.example.com", "futures.example.com"])).expect("a change");
    let texts: BTreeMap<_, _> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let modules: Vec<_> = texts.keys().map(String::as_str).collect();
    assert_eq!(modules, ["candles.yaml", "candles_futures.yaml", "funding.yaml", "service.yaml", "time.yaml"]);
    assert!(!texts["candles.yaml"].contains("base_url"), "{}", texts["candles.yaml"]);
    for (module, expected) in [
        ("candles_futures.yaml", "path: /candles#futures\n"),
        ("candles_futures.yaml", "base_url: {name: futures, evidence: reported}\n"),
        ("funding.yaml", "path: /funding\n"),
        ("funding.yaml", "base_url: {name: futures, evidence: reported}\n"),
    ] {
        assert!(texts[module].contains(expected), "{}", texts[module]);
    }
    let notes = change.notes().join("\n");
    assert!(notes.contains("groups on `futures.example.com` have the base URL `futures`"), "{notes}");
    assert!(
        notes.contains("skipped: 2 responses of another host") && notes.contains("cdn.example.net/pixel"),
        "{notes}"
    );

    let one = endpoints_of(None, &recorded(&files, &[])).expect("a change");
    let notes = one.notes().join("\n");
    assert!(one.texts().all(|(_, text)| !text.contains("base_url")), "{notes}");
    assert!(notes.contains("choose all of its hosts: `--host "), "{notes}");
    assert!(endpoints_of(None, &recorded(&files, &["api.example.com", "other.example"])).is_err());
}

#[test]
fn new_paths_of_known_groups_are_below_their_base_urls() {
    let texts = [("service.yaml", SERVICE), ("market.yaml", MARKET), ("orders.yaml", BROKER)];
    let files = har(&[
        entry("https://a.example/v1/books/BTC", "GET", 200, JSON),
        entry("https://b.example/api/v3/orders", "GET", 200, JSON),
        entry("https://b.example/api/v3/fills", "GET", 200, JSON),
    ]);
    let change = endpoints_of(Some(catalogue::load_texts(&texts)), &recorded(&files, &["a.example", "b.example"]))
        .expect("a change");
    let texts: BTreeMap<_, _> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    assert_eq!(texts.keys().map(String::as_str).collect::<Vec<_>>(), ["fills.yaml"]);
    for expected in ["path: /fills\n", "base_url: {name: broker, suffix: /v3, evidence: documented}\n"] {
        assert!(texts["fills.yaml"].contains(expected), "{texts:?}");
    }
}

#[test]
fn csv_and_lines_of_json_are_responses_by_their_type_or_their_content() {
    let content = |media_type: &str, text: &str| {
        let text = serde_json::Value::from(text);
        format!(r#"{{"mimeType": "{media_type}", "text": {text}}}"#)
    };
    let entries = [
        content("text/csv; charset=utf-8", "day\n2024-01-01\n"),
        content("application/x-ndjson", "{\"a\": 1}"),
        content("text/plain", "day,rate\n2024-01-01,1\n"),
        content("application/x-download", "day,rate\n2024-01-01,2\n"),
        content("application/json", "{\"a\": 1}\n{\"a\": 2}\n"),
        content("text/javascript", "a,b\nc,d\n"),
        content("text/plain", "Sorry"),
    ];
    let files = har(&entries.map(|content| entry("https://a.example/books/BTC", "GET", 200, &content)));
    let recording = Recording::read(catalogue(), &files, None).expect("a recording");
    let responses = &recording.endpoints[0].responses;
    let saved: Vec<_> = responses.iter().map(|(_, saved)| String::from_utf8_lossy(saved)).collect();
    assert_eq!(
        saved,
        [
            "HTTP/1.1 200\ncontent-type: text/csv\n\nday\n2024-01-01\n",
            "HTTP/1.1 200\ncontent-type: application/x-ndjson\n\n{\"a\": 1}",
            "HTTP/1.1 200\n\nday,rate\n2024-01-01,1\n",
            "HTTP/1.1 200\n\nday,rate\n2024-01-01,2\n",
            "HTTP/1.1 200\n\n{\"a\": 1}\n{\"a\": 2}\n",
        ]
    );
    assert_eq!(recording.skipped.len(), 2, "{:?}", recording.skipped);
}

fn recorded_candles(hosts: &[(&str, usize)]) -> Vec<(String, Vec<u8>)> {
    let mut entries = Vec::new();
    for (host, count) in hosts {
        for index in 0..*count {
            entries.push(entry(&format!("https://{host}/v1/candles?coin={index}"), "GET", 200, JSON));
        }
    }
    har(&entries)
}

/// A catalogue with candles of the service and of groups on another host.
fn candles_on_two_hosts(base_url: &str) -> Catalogue {
    let group = |title: &str, base_url: &str, path: &str| {
        format!(
            "title: {title}\n{base_url}endpoints:\n- {{name: Candles, path: '{path}', evidence: documented, params: [], \
             body: unknown}}\n"
        )
    };
    let spot = group("Spot", "", "/v1/candles");
    let other = format!("base_url: {{name: {base_url}, evidence: documented}}\n");
    let other = group("Other", &other, "/v1/candles#other");
    catalogue::load_texts(&[("service.yaml", SERVICE), ("spot.yaml", &spot), ("other.yaml", &other)])
}

fn candles_by_endpoint(base_url: &str, hosts: &[(&str, usize)], host: Option<&str>) -> Vec<(String, usize)> {
    let recording = Recording::read(candles_on_two_hosts(base_url), &recorded_candles(hosts), host);
    let mut found = Vec::new();
    for sample in recording.expect("a recording").endpoints {
        found.push((sample.endpoint, sample.responses.len()));
    }
    found.sort();
    found
}

#[test]
fn equal_paths_on_two_hosts_are_told_apart_by_the_names_of_base_urls() {
    let spot = ("api.example.com", 2);
    let futures = ("futures.example.com", 3);
    let of_spot = ("spot.candles".to_owned(), 2);
    let of_futures = ("other.candles".to_owned(), 3);
    for (hosts, expected) in [
        (&[spot, futures][..], &[of_futures.clone(), of_spot.clone()][..]),
        (&[futures, spot], &[of_futures.clone(), of_spot.clone()]),
        (&[spot], std::slice::from_ref(&of_spot)),
        (&[futures], std::slice::from_ref(&of_futures)),
    ] {
        assert_eq!(candles_by_endpoint("futures", hosts, None), expected, "{hosts:?}");
        assert_eq!(candles_by_endpoint("futures", hosts, Some("api.example.com")), expected, "{hosts:?}");
    }
}

#[test]
fn equal_paths_on_two_hosts_without_names_are_refused() {
    let hosts = [("a.example", 2), ("b.example", 3)];
    let refused = Recording::read(candles_on_two_hosts("perpetuals"), &recorded_candles(&hosts), None);
    let why = refused.expect_err("a refusal").to_string();
    assert!(why.contains("`a.example`") && why.contains("`b.example`") && why.contains("`--host`"), "{why}");
    let chosen = candles_by_endpoint("perpetuals", &hosts, Some("a.example"));
    assert_eq!(chosen, [("other.candles".to_owned(), 3), ("spot.candles".to_owned(), 2)]);
}

#[test]
fn the_service_and_its_groups_can_be_on_one_host() {
    let texts = [("service.yaml", SERVICE), ("market.yaml", MARKET), ("orders.yaml", BROKER)];
    let files = har(&[
        entry("https://a.example/v1/books/BTC", "GET", 200, JSON),
        entry("https://a.example/v3/orders", "GET", 200, JSON),
        entry("https://a.example/v3/books/best", "GET", 200, JSON),
    ]);
    let recording = Recording::read(catalogue::load_texts(&texts), &files, None).expect("a recording");
    let mut found: Vec<_> = recording.endpoints.iter().map(|sample| sample.endpoint.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, ["market.book", "orders.best", "orders.orders"]);
}

#[test]
fn keys_in_paths_are_not_shown() {
    let key = "123totallyrealapikey123";
    let path = |end: &str| format!("https://a.example/v1/{key}/{end}");
    let files = har(&[
        entry(&path("books"), "GET", 401, JSON),
        entry(&path("books"), "POST", 200, JSON),
        entry(&path("page"), "GET", 200, "{}"),
        entry(&path("books/BTC"), "GET", 200, JSON),
        entry(&path("tokens"), "GET", 200, JSON),
        entry("https://a.example/v2/tokens", "GET", 200, JSON),
        entry(&format!("https://b.example/{key}"), "GET", 200, JSON),
    ]);
    let recording = Recording::read(catalogue(), &files, None).expect("a recording");
    let skipped = recording.skipped.join("\n");
    assert!(skipped.contains("`/v1/…/books`: the status is 401"), "{skipped}");
    assert!(skipped.contains("`/v1/…/tokens`: no endpoint has this path"), "{skipped}");
    assert!(!skipped.contains(key), "{skipped}");
    let change = endpoints_of(None, &recorded(&files, &["a.example"])).expect("a change");
    let notes = change.notes().join("\n");
    assert!(notes.contains("`b.example/…`") && !notes.contains(key), "{notes}");
}

#[test]
fn secrets_in_paths_do_not_become_names() {
    let secrets = [
        "AbCdEf4-XyZw7_GhIjK2lMnOpQ",
        "dGhlIHNlY3JldCBrZXk=",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2VjcmV0LXRleHQ",
        "me@mail.example",
        "books;session=abc",
    ];
    for secret in secrets {
        let files = har(&[
            entry(&format!("https://a.example/v1/items/{secret}/rows"), "GET", 200, JSON),
            entry(&format!("https://a.example/v1/items/{secret}/lines"), "POST", 200, JSON),
        ]);
        let change = endpoints_of(None, &recorded(&files, &["a.example"])).expect("a change");
        let all = format!("{}{}", change.diff(""), change.notes().join("\n"));
        assert!(all.contains("path: /v1/items/{item}/rows\n"), "{all}");
        assert!(!all.contains(secret), "{all}");
    }
}

#[test]
fn key_without_a_name_is_no_param() {
    for key in ["9aa3d95b3bc440fa88ea12eaa4456161", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2VjcmV0LXRleHQ="] {
        let files = har(&[entry(&format!("https://a.example/v1/books?{key}&size=1"), "GET", 200, JSON)]);
        let change = endpoints_of(None, &recorded(&files, &["a.example"])).expect("a change");
        let all = format!("{}{}", change.diff(""), change.notes().join("\n"));
        assert!(all.contains("{name: size, type: count}") && all.contains("looks like a key"), "{all}");
        assert!(!all.contains(&key[..20]), "{all}");
    }
}

#[test]
fn long_names_in_paths_are_names() {
    for name in ["getLevel2OrderBookSnapshot", "web3TransactionHistory", "open_interest_v2_1h", "getOrdersV2ByUserId"] {
        let files = har(&[entry(&format!("https://a.example/v1/{name}"), "GET", 200, JSON)]);
        let change = endpoints_of(None, &recorded(&files, &["a.example"])).expect("a change");
        assert!(change.diff("").contains(&format!("path: /v1/{name}\n")), "{name}");
    }
}

#[test]
fn new_paths_of_a_host_are_below_the_base_url_with_its_name() {
    let group = |name: &str| {
        format!(
            "title: {name}\nbase_url: {{name: {name}, evidence: documented}}\nendpoints:\n- {{name: Candles, path: \
             '/candles#{name}', evidence: documented, params: [], body: unknown}}\n"
        )
    };
    let delivery = group("delivery");
    let futures = group("futures");
    let texts =
        [("service.yaml", SERVICE), ("market.yaml", MARKET), ("delivery.yaml", &delivery), ("futures.yaml", &futures)];
    let files = har(&[
        entry("https://api.example.com/books/BTC", "GET", 200, JSON),
        entry("https://futures.example.com/candles", "GET", 200, JSON),
        entry("https://futures.example.com/funding", "GET", 200, JSON),
    ]);
    let hosts = ["api.example.com", "futures.example.com"];
    let change = endpoints_of(Some(catalogue::load_texts(&texts)), &recorded(&files, &hosts)).expect("a change");
    let texts: BTreeMap<_, _> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    assert!(texts["funding.yaml"].contains("base_url: {name: futures, evidence: documented}\n"), "{texts:?}");
}

#[test]
fn param_that_a_request_repeats_has_several_values() {
    let files = har(&[
        entry("https://a.example/v1/trades?coin=BTC&coin=ETH&size=1&size=2&format=json&format=json", "GET", 200, JSON),
        entry("https://a.example/v1/trades?coin=BTC&size=5&kind=spot", "GET", 200, JSON),
    ]);
    let change = endpoints_of(None, &recorded(&files, &["a.example"])).expect("a change");
    let text = change.diff("");
    for line in [
        "{name: coin, type: string, list_setter: coins, list_as: repeated}",
        "{name: size, type: count, list_setter: sizes, list_as: repeated}",
        "{name: format, type: string, const_value: json}",
        "{name: kind, type: string}",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn value_with_both_ends_of_a_range_is_a_list_of_times() {
    let files = har(&[
        entry("https://a.example/values/gdp?date=2020:2023", "GET", 200, JSON),
        entry("https://a.example/values/debt?date=2023Q1:2023Q4", "GET", 200, JSON),
        entry("https://a.example/days/2024-01-01:2024-01-31/one", "GET", 200, JSON),
        entry("https://a.example/days/2024-02-01:2024-02-29/one", "GET", 200, JSON),
    ]);
    let change = endpoints_of(None, &recorded(&files, &["a.example"])).expect("a change");
    let text = change.diff("");
    for line in [
        "{name: date, type: timestamp, list_setter: dates, list_as: colons, format: year}",
        "{name: date, type: timestamp, list_setter: dates, list_as: colons, format: quarter}",
        "{name: day, type: timestamp, list_setter: days, list_as: colons, in: path, format: date}",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}
