//! Guesses the type of a field from its name and its values.

use codegen::model::{TimeForm, TimeFormat, TimeUnit};
use heck::ToSnakeCase;

use crate::observed_values::Observed;
use crate::rust_names::singular;

/// A guessed type.
#[derive(Debug, PartialEq)]
pub(super) enum Guess {
    /// A built-in type of the catalogue other than a timestamp.
    Builtin(&'static str),
    Time(TimeForm),
    /// A list. The type of its items is guessed separately.
    List,
    /// A list in which each index has its own type.
    Rows,
    /// An object whose keys are field names.
    Record,
    /// An object with arbitrary keys.
    Map,
}

/// Guesses the type from the name of a field and its values.
pub(super) fn guess(name: &str, seen: &Observed) -> Guess {
    // The client accepts numbers that are sent as strings, so a field that has numbers and such strings is a number. A
    // field that has only strings remains a string, because its values may be names that look like numbers.
    if seen.kinds() == 2 && seen.numbers() > 0 && seen.are_numbers() {
        return Guess::Builtin(if seen.fractions + seen.non_integers > 0 { "number" } else { "integer" });
    }
    if seen.kinds() != 1 {
        return Guess::Builtin("any");
    }
    if seen.booleans > 0 {
        return Guess::Builtin("boolean");
    }
    if seen.fractions > 0 {
        return Guess::Builtin("number");
    }
    if seen.integers > 0 {
        let is_time = |unit: &TimeUnit| unit_of(seen.max) == Some(*unit) && is_named_like_a_time(name);
        let unit = unit_of(seen.min).filter(is_time);
        return unit.map_or(Guess::Builtin("integer"), |unit| Guess::Time(TimeForm::Counted(unit)));
    }
    if seen.lists > 0 {
        return if seen.are_rows() && do_items_differ(seen) { Guess::Rows } else { Guess::List };
    }
    if seen.objects > 0 {
        return match seen.fields.0.is_empty() {
            true => Guess::Builtin("any"),
            false if is_record(seen) => Guess::Record,
            false => Guess::Map,
        };
    }
    time_format(seen).map_or(Guess::Builtin("string"), |format| Guess::Time(TimeForm::Written(format)))
}

/// Returns `true` if lists are rows: either the kind of the values depends on the index, or the first value is a time.
fn do_items_differ(lists: &Observed) -> bool {
    let kinds =
        |seen: &Observed| [seen.booleans, seen.numbers(), seen.text_times, seen.lists, seen.objects].map(|n| n > 0);
    let known = || lists.by_index.iter().filter(|index| index.values() > 0).map(kinds);
    has_time(lists) || known().any(|kinds| known().next() != Some(kinds))
}

/// Returns a function that names the fields of rows, which have no names in responses. The first field is the time, if
/// its values are timestamps.
pub(super) fn name_of_index(rows: &Observed, time: &str) -> impl Fn(usize) -> String + use<> {
    let (has_time, time) = (has_time(rows), time.to_owned());
    move |index| if index == 0 && has_time { time.clone() } else { format!("value {}", index + 1) }
}

fn has_time(rows: &Observed) -> bool {
    rows.by_index.first().is_some_and(|first| matches!(guess(TIME, first), Guess::Time(_)))
}

/// The name of the time field of rows, unless the catalogue declares another name.
pub(super) const TIME: &str = "time";

/// Returns the format in which every string is a timestamp, if there is one.
pub(super) fn time_format(seen: &Observed) -> Option<TimeFormat> {
    let are_texts = seen.kinds() == 1 && seen.text_times > 0;
    let formats: Option<Vec<_>> = seen.texts.iter().map(|text| format_of(text)).collect();
    let formats = formats.filter(|_| are_texts)?;
    let is_exact = formats.contains(&TimeFormat::Iso8601);
    Some(if is_exact { TimeFormat::Iso8601 } else { TimeFormat::Date })
}

/// Returns the format of a string, if the client can parse it as a timestamp.
fn format_of(text: &str) -> Option<TimeFormat> {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let clock = shape.strip_prefix("0000-00-00")?;
    if clock.is_empty() {
        return Some(TimeFormat::Date);
    }
    let clock = clock.strip_prefix(['T', 't', ' '])?.strip_prefix("00:00")?;
    let rest = clock.strip_prefix(":00").unwrap_or(clock);
    let rest = rest.strip_prefix(['.', ',']).map_or(rest, |fraction| fraction.trim_start_matches('0'));
    let offset = rest.trim_start_matches(['+', '-']);
    matches!(rest, "" | "Z" | "z").then_some(()).or((offset.len() < rest.len()).then_some(()))?;
    matches!(offset, "" | "Z" | "z" | "00" | "0000" | "00:00").then_some(TimeFormat::Iso8601)
}

/// Returns `true` if the keys of objects are field names, and not data such as `1700000000` or the name of an exchange.
fn is_record(seen: &Observed) -> bool {
    let names = &seen.fields.0;
    let is_name = |name: &str| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    // If no two objects have a key in common, the keys are not field names.
    let shared = seen.objects < 2 || names.iter().any(|(_, field)| field.times > 1);
    !names.is_empty() && names.len() <= 80 && shared && names.iter().all(|(name, _)| is_name(name))
}

/// Returns examples of the keys of a body or record, if the keys seem to be data such as times or coins: most keys look
/// like data, or no two objects have a key in common.
pub(super) fn keys_of_data(seen: &Observed) -> Option<String> {
    let names = || seen.fields.0.iter().map(|(name, _)| name.as_str());
    let is_data = |name: &&str| name.parse::<f64>().is_ok() || looks_like_a_time(name);
    if names().filter(is_data).count() * 2 > names().count() {
        return names().find(is_data).map(|name| format!("`{name}`"));
    }
    let is_shared = seen.objects < 2 || seen.fields.0.iter().any(|(_, field)| field.times > 1);
    let first: Vec<_> = names().take(2).map(|name| format!("`{name}`")).collect();
    (!is_shared && first.len() > 1).then(|| format!("{}, which no two objects share", first.join(" and ")))
}

/// Returns the unit in which a number would be a timestamp between 1990 and 2200.
pub(super) fn unit_of(number: f64) -> Option<TimeUnit> {
    // The years 1990 and 2200, in Unix seconds.
    let (first, last) = (6.3e8, 7.3e9);
    let units = [
        (TimeUnit::Seconds, 1.0),
        (TimeUnit::Milliseconds, 1e3),
        (TimeUnit::Microseconds, 1e6),
        (TimeUnit::Nanoseconds, 1e9),
    ];
    let fits = |scale: f64| (first * scale..=last * scale).contains(&number);
    units.into_iter().find(|(_, scale)| fits(*scale)).map(|(unit, _)| unit)
}

/// Returns `true` if a number is a timestamp in seconds, judged by its magnitude and the name of its field.
pub(crate) fn is_unix_time(name: &str, number: f64) -> bool {
    unit_of(number) == Some(TimeUnit::Seconds) && is_named_like_a_time(name)
}

fn is_named_like_a_time(name: &str) -> bool {
    const LAST: &[&str] = &["time", "date", "timestamp", "ts", "at", "datetime", "since", "until", "expiry", "expires"];
    let snake = name.to_snake_case();
    // The name of a list of timestamps may be in the plural.
    let is_last = |word: &str| LAST.contains(&word) || LAST.contains(&singular(word).as_str());
    snake.split('_').next_back().is_some_and(is_last) || snake.starts_with("timestamp")
}

/// Returns `true` if a text is a date such as `2024-01-31`, with or without a time of day after it.
fn looks_like_a_time(text: &str) -> bool {
    let shape: String = text.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00" && matches!(text.chars().nth(10), None | Some('T' | 't' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_name_and_magnitude() {
        let table = [
            ("x", "[1, 2]", Guess::Builtin("integer")),
            ("x", "[1, 2.5]", Guess::Builtin("number")),
            ("x", "[1.0]", Guess::Builtin("number")),
            ("x", "[18446744073709551615]", Guess::Builtin("number")),
            ("x", "[true, null]", Guess::Builtin("boolean")),
            ("x", "[null]", Guess::Builtin("any")),
            ("x", "[1, \"a\"]", Guess::Builtin("any")),
            ("x", "[1, \"2\"]", Guess::Builtin("integer")),
            ("x", "[1, \"2.5\"]", Guess::Builtin("number")),
            ("x", "[1, \"2\", \"NaN\"]", Guess::Builtin("any")),
            ("x", "[\"2\"]", Guess::Builtin("string")),
            ("x", "[\"a\"]", Guess::Builtin("string")),
            ("openDate", "[1700000000]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("created_at", "[1700000000, 1700000060]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("openDates", "[1700000000]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("updateCount", "[1700000000]", Guess::Builtin("integer")),
            ("openDate", "[1700000000000]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
            ("openDate", "[1700000000000000]", Guess::Time(TimeForm::Counted(TimeUnit::Microseconds))),
            ("openDate", "[1700000000000000000]", Guess::Time(TimeForm::Counted(TimeUnit::Nanoseconds))),
            ("openDate", "[1]", Guess::Builtin("integer")),
            ("openDate", "[\"2024-01-31T00:00:00Z\"]", Guess::Time(TimeForm::Written(TimeFormat::Iso8601))),
            ("x", "[\"2024-01-31\", \"2024-01-31 10:00\", null]", Guess::Time(TimeForm::Written(TimeFormat::Iso8601))),
            ("x", "[\"2024-01-31T10:00:00.5+02:00\"]", Guess::Time(TimeForm::Written(TimeFormat::Iso8601))),
            ("x", "[\"2024-01-31\"]", Guess::Time(TimeForm::Written(TimeFormat::Date))),
            ("x", "[\"2024-01-31T10:00 in the morning\"]", Guess::Builtin("string")),
            ("x", "[\"2024-01-31\", \"tomorrow\"]", Guess::Builtin("string")),
            ("x", "[\"2024-01-311\"]", Guess::Builtin("string")),
            ("x", "[[1]]", Guess::List),
            ("x", "[[1.5, 2], [2.5, 3]]", Guess::List),
            ("x", "[[1.5, \"a\"], [2.5, \"b\"]]", Guess::Rows),
            ("x", "[[1.5, \"a\"], [2.5]]", Guess::List),
            ("x", "[[1700000000, 1.5]]", Guess::Rows),
            ("x", "[{\"a\": 1}]", Guess::Record),
            ("x", "[{}]", Guess::Builtin("any")),
            ("x", "[{\"1700000000\": 1}]", Guess::Map),
            ("x", "[{\"binance\": 1}, {\"okx\": 2}]", Guess::Map),
        ];
        for (name, values, expected) in table {
            let values: serde_yaml::Value = serde_json::from_str(values).expect(values);
            let mut seen = Observed::default();
            values.as_sequence().into_iter().flatten().for_each(|value| seen.add(value));
            assert_eq!(guess(name, &seen), expected, "{name}: {values:?}");
        }
    }
}
