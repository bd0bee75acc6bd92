//! Paths in decoding errors, and the treatment of values that no field uses.
//!
//! Invalid JSON is an error anywhere; a value that `Value` cannot represent is an error only in a known field.

use super::super::sample::{Level, good_of, series_of};
use super::check;
use crate::values::Value;

#[test]
fn error_in_an_unknown_field_names_it() {
    let table = [
        (r#""number": 0.5, "x": 1e+"#, "`x`: expected a number, found `1e+` at "),
        (
            "\"number\": 0.5, \"x\": \"a\u{1}\"",
            "`x`: control character (\\u0000-\\u001F) found while parsing a string at ",
        ),
        (r#""number": 0.5, "x": "\u12""#, "`x`: invalid escape at "),
        (r#""number": 0.5, "x": [1, {"y": tru}]"#, "`x`: expected ident at "),
        (r#""number": 0.5, "x": {"y" 1}"#, "`x`: expected `:` at "),
        (r#""number": 0.5, "x": [1 2]"#, "`x`: expected `,` or `]` at line 1 column 114"),
        ("\"number\": 0.5, \n\"x\": [\n1\n 2]", "`x`: expected `,` or `]` at line 4 column 2"),
        (r#""number": 0.5, "x": {1: 2}"#, "`x`: key must be a string at "),
        (r#""number": 0.5 "x": 1"#, "expected `,` or `}`, found the string \"x\" at "),
        (r#""levels": [{"price": 1}, {"price": 1e999}]"#, "`levels[1].price`: the number `1e999` is out of range at "),
        (r#""grid": [[1], [2, 1e999]]"#, "`grid[1][1]`: the number `1e999` is out of range at "),
        (r#""any": {"a": [0, {"b": 1e999}]}"#, "`any.a[1].b`: the number `1e999` is out of range at "),
    ];
    for (entry, expected) in table {
        let error = check(entry).map(drop).unwrap_err();
        assert!(error.starts_with(expected), "{entry}: {error}");
    }
}

#[test]
fn unknown_valid_json_is_skipped() {
    let deep = format!("{}1{}", "[{\"a\":".repeat(50_000), "}]".repeat(50_000));
    let escapes = r#""\"\\\/\b\f\n\r\t\u00e9\"""#;
    for value in ["1e999", "-1E+999", r#""\ud800""#, r#"{"\udc00": "\ud800x"}"#, escapes, "[[], {}, [{}]]", &deep] {
        let record = check(&format!(r#""x": {value}, "maybe": 2"#)).unwrap();
        assert_eq!(record.unknown_fields.as_json(), format!(r#"{{"x": {value}}}"#));
        assert_eq!((record.maybe, record.unknown_fields.len()), (Some(2.0), 1));
        // The same applies to the metadata and to the fields around the records.
        for text in [
            format!(r#"{{"x": {value}, "data": [{{"price": 1}}]}}"#),
            format!(r#"{{"data": [{{"price": 1}}], "metadata": {{"x": {value}}}}}"#),
        ] {
            assert_eq!(series_of::<Level>(&text).map(|series| series.data.len()), Ok(1));
        }
    }
    let record = check(r#""\ud800": 1, "x": 2"#).unwrap();
    assert_eq!(record.unknown_fields.get("x"), Some(Value::from(2)));
    assert_eq!(record.unknown_fields.get("\\ud800"), Some(Value::from(1)));
    assert_eq!(
        series_of::<Value>(r#"{"data": [{"x": 1e999}]}"#).map(drop).map_err(|error| error[..11].to_owned()),
        Err("`data[0].x`".to_owned())
    );
}

#[test]
fn milliseconds_are_recognized_by_magnitude() {
    for (text, found) in [
        ("1700000000000", "`1700000000000`"),
        ("\"1700000000000\"", "the string \"1700000000000\""),
        ("1.7e12", "`1.7e12`"),
    ] {
        let expected = format!(
            "`time`: expected a timestamp as a number, found {found}, which is past the year 9999 in seconds and \
             probably counts milliseconds"
        );
        assert_eq!(check(&format!("\"time\": {text}")).map(drop), Err(expected));
    }
    assert!(check("\"time\": 253402300799").is_ok() && check("\"time\": -1700000000000").is_ok());
}

#[test]
fn invalid_record_is_dropped_on_request() {
    let bodies = [
        (r#"{"price": null}"#, "data[1].price", "expected a number, found `null`"),
        ("null", "data[1]", "expected an object, found `null` at line 1 column 25"),
        (r#"{"price": 1e999}"#, "data[1].price", "the number `1e999` is out of range at line 1 column 35"),
        (r#"{"price": 1, "price": 2}"#, "data[1].price", "duplicate key `price` in one object at line 1 column 47"),
    ];
    for (record, path, problem) in bodies {
        let text = format!(r#"{{"data": [{{"price": 1}}, {record}, {{"price": 3, "new": 4}}], "more": 5}}"#);
        assert_eq!(series_of::<Level>(&text).map(drop), Err(format!("`{path}`: {problem}")));
        let whole = good_of::<Level>(&text).unwrap();
        assert_eq!(whole.data.iter().map(|level| level.price).sum::<f64>().to_bits(), 4.0_f64.to_bits());
        assert_eq!(whole.data[1].unknown_fields.len(), 1);
        assert_eq!(whole.unknown_fields.len(), 1);
        let [bad] = &whole.bad_records[..] else { panic!("{:?}", whole.bad_records) };
        assert_eq!((bad.index, bad.path(), bad.text.as_str()), (1, path, record));
        // Counting the lines for each bad record would take too long, so its error has the byte instead.
        let problem = problem.split(" at line ").next().unwrap();
        assert!(bad.to_string().starts_with(&format!("`{path}`: {problem}")), "{bad}");
    }
    let any = good_of::<Value>(r#"{"data": [1, 1e999, 3]}"#).unwrap();
    assert_eq!((any.data.len(), any.bad_records[0].text.as_str()), (2, "1e999"));
    // A text in place of a value makes the value invalid, if the end of the record is clear.
    let token = good_of::<Level>(r#"{"data": [{"price": 1}, {"price": nul}]}"#).unwrap();
    assert_eq!((token.data.len(), token.bad_records[0].text.as_str()), (1, r#"{"price": nul}"#));
    for broken in [r#"{"data": [{"price": 1"#, r#"{"data": 1}"#] {
        assert_eq!(good_of::<Level>(broken).map(drop), series_of::<Level>(broken).map(drop), "{broken}");
    }
}
