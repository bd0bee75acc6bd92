//! Guesses the type of a field from its name and its values.

use std::collections::BTreeSet;

use catalogue::model::{TimeForm, TimeFormat, TimeUnit};
use heck::ToSnakeCase;

use crate::observed_values::{Observed, shown};
use crate::unix_time::{ends_in, is_among, is_named_like_a_time, unit_of};
use crate::written_periods::is_period;

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
    if let Some(period) = period_format(name, seen) {
        return Guess::Time(TimeForm::Written(period));
    }
    // The client accepts numbers in strings. Ids, versions and codes remain strings.
    if seen.are_numbers() && (seen.numbers() > 0 || !is_code(name)) {
        return number(name, seen);
    }
    if seen.kinds() != 1 {
        return Guess::Builtin("any");
    }
    if seen.booleans > 0 {
        return Guess::Builtin("boolean");
    }
    if seen.lists > 0 {
        return if seen.are_rows() && do_items_differ(seen) { Guess::Rows } else { Guess::List };
    }
    if seen.objects > 0 {
        return match seen.fields.is_empty() {
            true => Guess::Builtin("any"),
            false if is_record(seen) => Guess::Record,
            false => Guess::Map,
        };
    }
    time_format(seen).map_or(Guess::Builtin("string"), |format| Guess::Time(TimeForm::Written(format)))
}

/// Guesses the type of numbers. Few samples do not prove that a value has no fractions, so only ids, counts and flags
/// become integers, and fields with many different integers.
fn number(name: &str, seen: &Observed) -> Guess {
    if let Some(unit) = unit_of_times(name, seen) {
        return Guess::Time(TimeForm::Counted(unit));
    }
    if let Some(exact) = exact_type(seen) {
        return Guess::Builtin(exact);
    }
    if seen.fractions + seen.non_integers > 0 {
        return Guess::Builtin("number");
    }
    // Digits such as `20240131` or `143000`.
    if seen.numbers() == 0 && seen.max > 99_999.0 && has_word(name, "date time") {
        return Guess::Builtin("string");
    }
    let is_whole = has_word(name, WHOLE) || is_code(name) || seen.has_many_integers() && !has_word(name, AMOUNTS);
    Guess::Builtin(if is_whole { "integer" } else { "number" })
}

/// The unit of numbers that are times.
fn unit_of_times(name: &str, seen: &Observed) -> Option<TimeUnit> {
    let unit = unit_of(seen.max)?;
    // The client reads a timestamp as an integer, so a number that only an exponent makes so large is none.
    let is_readable = seen.non_integers == 0 || seen.max < 9e15;
    // Zero stands for no time.
    let is_unit_of_all = unit_of(seen.least) == Some(unit);
    if is_readable && is_unit_of_all && is_named_like_a_time(name) { Some(unit) } else { None }
}

/// `true` if a name contains one of these words.
fn has_word(name: &str, words: &str) -> bool {
    name.to_snake_case().split('_').any(|word| is_among(words, word))
}

/// The format of numbers that are years, or days or hours without separators, such as `20240131`.
fn period_format(name: &str, seen: &Observed) -> Option<TimeFormat> {
    if !is_named_like_a_time(name) && !ends_in(name, PERIODS) {
        return None;
    }
    let formats = [TimeFormat::CompactHour, TimeFormat::CompactDate, TimeFormat::Year];
    formats.into_iter().find(|format| are_periods(seen, *format))
}

/// `true` if all values are periods of this format, as texts or as integers.
pub(super) fn are_periods(seen: &Observed, format: TimeFormat) -> bool {
    let is_whole = seen.fractions + seen.non_integers == 0;
    // The smallest and the largest of the integers stand for all of them.
    let integers = [shown(seen.min), shown(seen.max)];
    let mut texts: Vec<&String> = seen.texts.iter().collect();
    if seen.integers > 0 {
        texts.extend(&integers);
    }
    is_whole
        && seen.integers + seen.text_times == seen.values()
        && !texts.is_empty()
        && texts.iter().all(|text| is_period(text, format))
}

/// The type that keeps every digit of numbers of which `number` would lose some. A later value can be larger, so an
/// integer gets a type with more digits than it needs, unless it is an integer in JSON, which rarely has more than 64
/// bits.
fn exact_type(seen: &Observed) -> Option<&'static str> {
    if seen.large + seen.inexact == 0 {
        return None;
    }
    // An integer that `u64` can represent and `i64` cannot counts as a fraction.
    let are_bare_integers = seen.numeric_texts == 0 && seen.fractions == seen.large_counts;
    Some(match (are_bare_integers, seen.min < 0.0) {
        (true, false) => "count",
        (true, true) if seen.non_integers == 0 => "integer",
        _ => "decimal",
    })
}

/// Words in the names of fields that are integers.
const WHOLE: &str = "count copies decimals flag id index nonce number page precision rank seq sequence times trades";
/// Words in the names of fields that can have fractions, even if many samples have none.
const AMOUNTS: &str = "amount ask bid close cost fee funds high interest last low open price px qty quantity rate size \
    sum sz total vol volume";
/// The last words in the names of fields with names or codes.
const CODES: &str = "address code cursor date hash id jsonrpc key name symbol ticker tid uid uuid version";
/// The last words in the names of fields with periods, such as days or years.
const PERIODS: &str = "day month period quarter year";

/// `true` if a field contains names or codes by its own name, although its values look like numbers.
fn is_code(name: &str) -> bool {
    ends_in(name, CODES)
}

/// `true` if lists are rows: either the kind of the values depends on the index, or the first value is a time.
fn do_items_differ(lists: &Observed) -> bool {
    let are_times = lists.by_index.iter().all(is_time);
    if time_index(lists).is_some() && !are_times {
        return true;
    }
    let mut kinds = BTreeSet::new();
    for seen in lists.by_index.iter().filter(|index| index.values() > 0) {
        kinds.insert([seen.booleans, seen.numbers(), seen.text_times, seen.lists, seen.objects].map(|count| count > 0));
    }
    kinds.len() > 1
}

/// `true` if values without a name are times.
fn is_time(seen: &Observed) -> bool {
    matches!(guess(TIME, seen), Guess::Time(_))
}

/// A function that names the fields of rows, which have no names in responses. One of the first three fields is the
/// time, if its values are timestamps.
pub(super) fn name_of_index(rows: &Observed, time: &str) -> impl Fn(usize) -> String + use<> {
    let time_index = time_index(rows);
    let time = time.to_owned();
    move |index| if Some(index) == time_index { time.clone() } else { format!("value {}", index + 1) }
}

fn time_index(rows: &Observed) -> Option<usize> {
    rows.by_index.iter().take(3).position(is_time)
}

/// The name of the time field of rows, unless the catalogue declares another name.
pub(super) const TIME: &str = "time";

/// The format in which every string is a timestamp, if there is one.
pub(super) fn time_format(seen: &Observed) -> Option<TimeFormat> {
    if seen.kinds() != 1 || seen.text_times == 0 {
        return None;
    }
    if !seen.texts.is_empty() {
        for format in [TimeFormat::Quarter, TimeFormat::Month, TimeFormat::Hour] {
            if seen.texts.iter().all(|text| is_period(text, format) && text.parse::<u32>().is_err()) {
                return Some(format);
            }
        }
    }
    let mut format = TimeFormat::Date;
    for text in &seen.texts {
        if format_of(text)? == TimeFormat::Iso8601 {
            format = TimeFormat::Iso8601;
        }
    }
    Some(format)
}

/// The format of a string, if the client can parse it as a timestamp.
fn format_of(text: &str) -> Option<TimeFormat> {
    let formats = [TimeFormat::Date, TimeFormat::Iso8601];
    formats.into_iter().find(|format| TimeForm::Written(*format).is_written(text))
}

/// `true` if a text is a time, such as the key of a map from times to values.
pub(super) fn is_time_text(text: &str) -> bool {
    format_of(text).is_some()
        || is_period(text, TimeFormat::Quarter)
        || is_period(text, TimeFormat::Hour)
        || is_month_text(text)
}

fn is_month_text(text: &str) -> bool {
    is_period(text, TimeFormat::Month) && text.len() > "yyyymm".len()
}

/// `true` if the key of an object is probably data: a symbol, an address or an identifier.
pub(super) fn is_key_of_data(key: &str) -> bool {
    let is_hex = key.strip_prefix("0x").is_some_and(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
    let is_uuid = key.len() == 36 && key.chars().filter(|letter| *letter == '-').count() == 4;
    is_symbol(key) || is_hex || is_uuid || is_time_text(key) || key.parse::<f64>().is_ok()
}

/// `true` if records have a year, and a period in it such as `M01`.
pub(super) fn is_year_and_period(seen: &Observed) -> bool {
    let (Some(year), Some(period)) = (seen.fields.get("year"), seen.fields.get("period")) else { return false };
    year.text_times > 0
        && period.text_times > 0
        && year.texts.iter().all(|text| is_period(text, TimeFormat::Year))
        && period.texts.iter().all(|text| is_part_of_year(text))
}

/// `true` for a letter and a number, such as `M01` or `Q1`.
fn is_part_of_year(text: &str) -> bool {
    let number = text.strip_prefix(['M', 'Q', 'S', 'A', 'W']);
    text.len() < 4 && number.is_some_and(|number| number.parse::<u8>().is_ok())
}

/// `true` if the keys of objects are field names, and not data such as `1700000000` or the name of an exchange.
pub(super) fn is_record(seen: &Observed) -> bool {
    let has_usual_length = (1..=80).contains(&seen.fields.len());
    let are_names = seen.fields.keys().all(|name| begins_like_a_name(name));
    has_usual_length && are_names && keys_of_data(seen).is_none() && !is_map(seen)
}

fn begins_like_a_name(key: &str) -> bool {
    key.starts_with(|first: char| first.is_alphanumeric() || "_@#$".contains(first))
}

/// `true` if the keys of objects are probably data: most of them look like symbols, or at least three contain objects
/// with the same fields.
fn is_map(seen: &Observed) -> bool {
    let fields = &seen.fields;
    let Some((_, first)) = fields.first() else { return false };
    let symbols = fields.keys().filter(|name| is_symbol(name)).count();
    if symbols * 2 > fields.len() && fields.values().all(|field| field.kinds() == 1 && are_of_same_kind(field, first)) {
        return true;
    }
    let names: BTreeSet<_> = first.fields.keys().collect();
    let are_alike =
        fields.values().all(|field| field.objects > 0 && field.fields.keys().collect::<BTreeSet<_>>() == names);
    fields.len() > 2 && !names.is_empty() && are_alike
}

fn are_of_same_kind(one: &Observed, other: &Observed) -> bool {
    (one.objects > 0) == (other.objects > 0)
        && (one.lists > 0) == (other.lists > 0)
        && one.are_numbers() == other.are_numbers()
}

/// `true` if a key looks like the name of a coin or market, such as `XBTUSDT` or `BTC-USD`.
pub(super) fn is_symbol(key: &str) -> bool {
    let mut letters = 0;
    let mut others = 0;
    for character in key.chars() {
        letters += usize::from(character.is_ascii_alphabetic());
        others += usize::from(!is_upper(character) && !"-_/:.".contains(character));
    }
    key.len() > 2 && letters > 1 && others < 2 && key.chars().take(2).all(is_upper)
}

fn is_upper(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit()
}

/// Examples of the keys of a body or record, if the keys seem to be data such as times or coins: most keys look
/// like data, or no two objects have a key in common.
pub(super) fn keys_of_data(seen: &Observed) -> Option<String> {
    let data: Vec<_> = seen.fields.keys().filter(|key| is_number_or_date(key)).collect();
    if data.len() * 2 > seen.fields.len() {
        return data.first().map(|key| format!("`{key}`"));
    }
    let is_shared = seen.objects < 2 || seen.fields.values().any(|field| field.times > 1);
    let mut keys = seen.fields.keys();
    match (keys.next(), keys.next()) {
        (Some(first), Some(second)) if !is_shared => {
            Some(format!("`{first}` and `{second}`, which no two objects share"))
        }
        _ => None,
    }
}

fn is_number_or_date(key: &str) -> bool {
    let date = key.split(['T', 't', ' ']).next().unwrap_or_default();
    key.parse::<f64>().is_ok() || format_of(date).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact_numbers;

    #[test]
    fn values_by_name_and_magnitude() {
        let table = [
            ("x", "[1, 2]", Guess::Builtin("number")),
            ("trade_count", "[1, 2]", Guess::Builtin("integer")),
            ("userId", "[1]", Guess::Builtin("integer")),
            ("x", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]", Guess::Builtin("integer")),
            ("value 7", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]", Guess::Builtin("integer")),
            ("price", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]", Guess::Builtin("number")),
            ("x", "[1, 2.5]", Guess::Builtin("number")),
            ("x", "[1.0]", Guess::Builtin("number")),
            ("x", "[18446744073709551615]", Guess::Builtin("count")),
            ("x", "[9007199254740993]", Guess::Builtin("count")),
            ("x", "[9007199254740993, -1]", Guess::Builtin("integer")),
            ("x", "[18446744073709551615, -1]", Guess::Builtin("decimal")),
            ("x", "[18446744073709551616]", Guess::Builtin("decimal")),
            ("x", "[9007199254740993, 0.5]", Guess::Builtin("decimal")),
            ("x", "[0.070920000000000000001]", Guess::Builtin("decimal")),
            ("x", "[\"0.070920000000000000001\"]", Guess::Builtin("decimal")),
            ("x", "[0.30000000000000004, 1e300]", Guess::Builtin("number")),
            ("amount_wei", "[\"1000000000000000001\"]", Guess::Builtin("decimal")),
            ("x", "[true, null]", Guess::Builtin("boolean")),
            ("x", "[null]", Guess::Builtin("any")),
            ("x", "[1, \"a\"]", Guess::Builtin("any")),
            ("x", "[1, \"2\"]", Guess::Builtin("number")),
            ("x", "[1, \"2.5\"]", Guess::Builtin("number")),
            ("x", "[1, \"2\", \"NaN\"]", Guess::Builtin("number")),
            ("x", "[\"1\", \"x\"]", Guess::Builtin("string")),
            ("x", "[\"2\"]", Guess::Builtin("number")),
            ("tradeId", "[\"2\"]", Guess::Builtin("string")),
            ("x", "[\"2\", \"\"]", Guess::Builtin("number")),
            ("x", "[\"1385579841881785998\"]", Guess::Builtin("decimal")),
            ("orderId", "[\"1385579841881785998\"]", Guess::Builtin("string")),
            ("x", "[\"0000-00-00\"]", Guess::Builtin("string")),
            ("x", "[\"2024-02-30\"]", Guess::Builtin("string")),
            ("x", "[\"2024-01-31T24:00:00Z\"]", Guess::Builtin("string")),
            ("launchTime", "[\"0\", \"1704067200000\"]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
            ("expiration_timestamp", "[32503708800000]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
            ("timestamp", "[\"1400949917.858329958\"]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("epoch", "[1765210316.125]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("trade_time_kst", "[\"144215\"]", Guess::Builtin("string")),
            ("jsonrpc", "[\"2.0\"]", Guess::Builtin("string")),
            ("fundingTime", "[\"1704067200000\"]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
            ("x", "[\"a\"]", Guess::Builtin("string")),
            ("openDate", "[1700000000]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("created_at", "[1700000000, 1700000060]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("openDates", "[1700000000]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("updateCount", "[1700000000]", Guess::Builtin("integer")),
            ("openDate", "[1700000000000]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
            ("openDate", "[1700000000000000]", Guess::Time(TimeForm::Counted(TimeUnit::Microseconds))),
            ("openDate", "[1700000000000000000]", Guess::Time(TimeForm::Counted(TimeUnit::Nanoseconds))),
            ("openDate", "[1]", Guess::Builtin("integer")),
            ("date", "[\"2025\", \"2024\"]", Guess::Time(TimeForm::Written(TimeFormat::Year))),
            ("year", "[2025, 2024]", Guess::Time(TimeForm::Written(TimeFormat::Year))),
            ("price", "[2025, 2024]", Guess::Builtin("number")),
            ("date", "[\"2023Q4\", \"2023-Q3\"]", Guess::Time(TimeForm::Written(TimeFormat::Quarter))),
            ("period", "[\"2026-02\", \"2026-01\"]", Guess::Time(TimeForm::Written(TimeFormat::Month))),
            ("x", "[\"2026-13\"]", Guess::Builtin("string")),
            ("period", "[\"2026-01-01T05\"]", Guess::Time(TimeForm::Written(TimeFormat::Hour))),
            ("timestamp", "[\"2026070100\"]", Guess::Time(TimeForm::Written(TimeFormat::CompactHour))),
            ("day", "[\"20260701\"]", Guess::Time(TimeForm::Written(TimeFormat::CompactDate))),
            ("trade_date", "[\"20261301\"]", Guess::Builtin("string")),
            ("unix_seconds", "[1700000000]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("dateList", "[1653091200000]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
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
            ("x", "[[1.5, \"a\", 1700000000], [2.5, \"b\", 1700000000, true]]", Guess::Rows),
            ("x", "[[1700000000, 1.5]]", Guess::Rows),
            ("x", "[{\"a\": 1}]", Guess::Record),
            ("x", "[{}]", Guess::Builtin("any")),
            ("x", "[{\"1700000000\": 1}]", Guess::Map),
            ("x", "[{\"binance\": 1}, {\"okx\": 2}]", Guess::Map),
            ("x", "[{\"BTC-USD\": {\"a\": 1}}]", Guess::Map),
            ("x", "[{\"a\": {\"p\": 1}, \"b\": {\"p\": 1}, \"c\": {\"p\": 2}}]", Guess::Map),
            ("x", "[{\"24h_avg\": {\"p\": 1}}]", Guess::Record),
            ("ticks", "[[1766483460000, 1766483520000]]", Guess::List),
        ];
        for (name, values, expected) in table {
            let values = exact_numbers::parse(values).expect(values);
            let seen = Observed::of(values.as_sequence().into_iter().flatten());
            assert_eq!(guess(name, &seen), expected, "{name}: {values:?}");
        }
    }
}
