//! Tests that every response that is learned from is decoded by the client with the learned catalogue, digit by digit.
//!
//! The bodies are drawn. With `RECORDED=DIR`, the files in the folders of DIR are tried too, and the figures are printed:
//! `RECORDED=DIR cargo test -p catalogue-edit --test it gate:: -- --nocapture`.

use std::fs;
use std::path::{Path, PathBuf};

use catalogue_edit::{Addition, EndpointResponses, Evidence, LearnOptions, add, drift, learn};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Lists, rows, columns and maps in which only some of the values are times, numbers or texts.
const FOUND: [&str; 9] = [
    r#"{"time":["0000-10-01","0000-13-00"],"x":[1,2]}"#,
    r#"{"x":{"time":["0000-10-01","0000-13-00"],"price":[1,2]}}"#,
    r#"[{"time":"0000-10-01"},{"time":"0000-13-00"}]"#,
    r#"{"0000-10-01":1,"0000-13-00":2}"#,
    // Two records with the same names, and times in two forms.
    r#"{"time":[["0.0",1600000000],["1","0000-01-01"],true]}"#,
    r#"{"a":{"time":"2024-01-01","price":1},"b":{"time":1700000000,"price":2}}"#,
    // Two records with the same names, and numbers of two sizes.
    r#"{"a":{"x":1,"id":-1},"b":{"x":"100000000000000000001","id":18446744073709551615}}"#,
    r#"{"a":{"x":"-","y":"1"},"b":{"x":"1","y":"n/a"},"c":{"x":"2","y":"1"}}"#,
    r#"[[100000000000000000001],["0000-00-00"]]"#,
];

type Texts = Vec<(String, String)>;

/// The outcome of learning from one body.
#[derive(Debug, PartialEq)]
enum Learning {
    Learned,
    /// The body is rejected before anything is learned, for example because it is an error.
    Refused(String),
    /// The learned catalogue does not decode the body.
    Undecodable(String),
}

fn started() -> Texts {
    let addition = Addition {
        path: "/things".to_owned(),
        group: "market".to_owned(),
        name: None,
        rust_name: None,
        summary: None,
        params: None,
        evidence: Evidence::Reported,
        service: "things".to_owned(),
    };
    let change = add(None, &addition).expect("a catalogue");
    change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

fn catalogue(texts: &Texts) -> catalogue::Catalogue {
    let borrowed: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    catalogue::load_texts(&borrowed)
}

fn options(bodies: &[Vec<u8>]) -> LearnOptions {
    let named = bodies.iter().enumerate().map(|(index, body)| (format!("body {index}"), body.clone()));
    let sample = EndpointResponses {
        endpoint: "/things".to_owned(),
        responses: named.collect(),
        ..EndpointResponses::default()
    };
    LearnOptions { endpoints: vec![sample], evidence: Evidence::Reported, enums: Vec::new(), accept_mock: false }
}

/// Learns from bodies. If that succeeds, `drift` must find no difference.
fn check(bodies: &[Vec<u8>]) -> Learning {
    let before = started();
    let options = options(bodies);
    let change = match learn(catalogue(&before), &options) {
        Ok(change) => change,
        Err(refusal) => {
            let why = refusal.to_string();
            let is_of_gate = ["the client cannot decode", "the client loses", "the client changes"]
                .iter()
                .any(|text| why.contains(text));
            return if is_of_gate { Learning::Undecodable(why) } else { Learning::Refused(why) };
        }
    };
    let mut after: std::collections::BTreeMap<String, String> = before.into_iter().collect();
    after.extend(change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())));
    let after: Texts = after.into_iter().collect();
    match drift(catalogue(&after), &options) {
        Ok(found) if found.iter().all(|endpoint| endpoint.differences.is_empty()) => Learning::Learned,
        Ok(found) => Learning::Undecodable(format!("drift: {found:?}")),
        Err(refusal) => Learning::Undecodable(refusal.to_string()),
    }
}

/// Scalars as services write them, among them numbers and times at the edges of types.
fn scalar() -> impl Strategy<Value = String> {
    let digits = "[1-9][0-9]{0,40}";
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| format!("\"{number}\"")),
        (0_u32..100).prop_map(|number| number.to_string()),
        (1_600_000_000_u64..1_800_000_000).prop_map(|number| number.to_string()),
        (1_600_000_000_000_u64..1_800_000_000_000).prop_map(|number| format!("\"{number}\"")),
        digits.prop_map(|number| number),
        digits.prop_map(|number| format!("\"{number}\"")),
        "-?(0|[1-9][0-9]{0,3})\\.[0-9]{1,24}".prop_map(|number| number),
        "-?(0|[1-9][0-9]{0,3})\\.[0-9]{1,24}".prop_map(|number| format!("\"{number}\"")),
        "[1-9]\\.[0-9]{1,4}e-?[1-9][0-9]?".prop_map(|number| number),
        "(0000|19[0-9]{2}|20[0-9]{2})-[0-1][0-9]-[0-3][0-9]".prop_map(|text| format!("\"{text}\"")),
        "20[0-9]{2}-[0-1][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9](:[0-6][0-9](\\.[0-9]{1,12})?)?(Z|[+-][0-2][0-9]:?[0-6][0-9])?"
            .prop_map(|text| format!("\"{text}\"")),
        "[a-zA-Z]{0,8}".prop_map(|text| format!("\"{text}\"")),
    ]
}

fn name() -> impl Strategy<Value = String> {
    let names = [
        "time",
        "timestamp",
        "createdAt",
        "date",
        "price",
        "size",
        "id",
        "orderId",
        "count",
        "symbol",
        "x",
        "levels",
        "data",
        "status",
        "a b",
        "größe",
        "24h",
        "type",
        "BTC-USD",
    ];
    prop::sample::select(names.to_vec()).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = String> {
    prop::collection::btree_map(name(), inner, 0..5).prop_map(|entries| {
        let entries: Vec<_> = entries.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", entries.join(","))
    })
}

/// A body: an object, a list of records of one shape, or any value.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let records = prop::collection::vec((name(), prop::collection::vec(scalar(), 3)), 1..5).prop_map(|columns| {
        let mut columns = columns;
        columns.sort();
        columns.dedup_by(|one, other| one.0 == other.0);
        let record = |index: usize| {
            let entries = columns.iter().map(|(name, values)| format!("\"{name}\":{}", values[index]));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        };
        format!("[{}]", (0..3).map(record).collect::<Vec<_>>().join(","))
    });
    let rows = prop::collection::vec(prop::collection::vec(scalar(), 3), 1..4).prop_map(|rows| {
        format!("[{}]", rows.iter().map(|row| format!("[{}]", row.join(","))).collect::<Vec<_>>().join(","))
    });
    prop_oneof![3 => object(value().boxed()), 3 => records, 1 => rows, 1 => value()].prop_map(String::into_bytes)
}

/// The number in an environment variable. The default seed is fixed, so that the same bodies are drawn in each run.
fn setting(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(number) => number.parse().expect("a number"),
        Err(_) => default,
    }
}

/// Bodies that a random seed found, and bodies of the same kinds.
#[test]
fn found_bodies_are_decoded() {
    for body in FOUND {
        if let Learning::Undecodable(why) = check(&[body.as_bytes().to_vec()]) {
            panic!("{why}\n{body}");
        }
    }
}

#[test]
fn what_is_learned_is_decoded() {
    let rng_seed = RngSeed::Fixed(setting("GATE_SEED", 20_261_128));
    let cases = u32::try_from(setting("GATE_CASES", 400)).expect("a number of 32 bits");
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, rng_seed, ..Config::default() });
    runner
        .run(&body(), |body| {
            if let Learning::Undecodable(why) = check(std::slice::from_ref(&body)) {
                return Err(TestCaseError::fail(format!("{why}\n{}", String::from_utf8_lossy(&body))));
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are the output of this test")]
fn recorded_bodies_are_decoded() {
    let Some(folder) = std::env::var_os("RECORDED") else { return };
    let mut learned = 0;
    let mut refused = Vec::new();
    let mut undecodable = Vec::new();
    for file in files(Path::new(&folder)) {
        match check(&[fs::read(&file).expect("a file")]) {
            Learning::Learned => learned += 1,
            Learning::Refused(why) => refused.push(format!("{}: {why}", file.display())),
            Learning::Undecodable(why) => undecodable.push(format!("{}: {why}", file.display())),
        }
    }
    println!(
        "{learned} learned, decoded and without difference; {} refused; {} undecodable",
        refused.len(),
        undecodable.len()
    );
    for line in refused.iter().chain(&undecodable) {
        println!("{}", line.lines().next().unwrap_or_default());
    }
    assert!(undecodable.is_empty(), "{undecodable:#?}");
}

/// Returns the files below a folder, without those that are no bodies.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_none_or(|extension| extension == "json") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// The catalogue states the range, so a value outside of it is news.
#[test]
fn values_outside_of_their_range_are_a_difference() {
    let body = |rates: [i32; 2]| {
        let [first, second] = rates;
        format!(r#"[{{"time":1700000000,"rate":{first}}},{{"time":1700003600,"rate":{second}}}]"#).into_bytes()
    };
    let mut texts: std::collections::BTreeMap<String, String> = started().into_iter().collect();
    let learned = learn(catalogue(&started()), &options(&[body([1, 2])])).unwrap();
    for (name, text) in learned.texts() {
        texts.insert(name.to_owned(), text.replace("name: rate, ", "name: rate, range: {min: 0, max: 10}, "));
    }
    let texts: Texts = texts.into_iter().collect();
    let differences = |rates: [i32; 2]| {
        let found = drift(catalogue(&texts), &options(&[body(rates)])).unwrap();
        found.into_iter().flat_map(|endpoint| endpoint.differences).collect::<Vec<_>>()
    };
    assert_eq!(differences([3, 10]), [""; 0]);
    let found = differences([3, 70]);
    assert!(found.len() == 1 && found[0].ends_with("1 of 2 values of `rate` are outside its range"), "{found:?}");
}
