//! Guesses the type of a field from its name and its values.

use std::collections::BTreeSet;

use catalogue::model::{TimeForm, TimeFormat, TimeUnit};
use heck::ToSnakeCase;

use super::key_names::is_record;
use super::time_texts::{are_periods, time_format};
use crate::observed_values::Observed;
use crate::unix_time::{ends_in, is_named_like_a_time, unit_by_magnitude};
use crate::word_lists::is_among_or_singular;

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
        return object(seen);
    }
    match time_format(seen) {
        Some(format) => Guess::Time(TimeForm::Written(format)),
        None => Guess::Builtin("string"),
    }
}

fn object(seen: &Observed) -> Guess {
    if seen.fields.is_empty() {
        Guess::Builtin("any")
    } else if is_record(seen) {
        Guess::Record
    } else {
        Guess::Map
    }
}

/// `true` if a field is a time, by its name and its values.
pub(super) fn is_time_field(name: &str, values: &Observed) -> bool {
    matches!(guess(name, values), Guess::Time(_))
}

/// `true` if one of the fields of records is a time.
pub(super) fn has_time(records: &Observed) -> bool {
    records.fields.iter().any(|(name, values)| is_time_field(name, values))
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
    let unit = unit_by_magnitude(seen.max)?;
    // The client reads a timestamp as an integer, so a number that only an exponent makes so large is none.
    let is_readable = seen.non_integers == 0 || seen.max < 9e15;
    // Zero stands for no time.
    let is_unit_of_all = unit_by_magnitude(seen.least) == Some(unit);
    let is_named = is_named_like_a_time(name) || ends_in(name, ENDS_OF_INTERVALS);
    if is_readable && is_unit_of_all && is_named { Some(unit) } else { None }
}

/// `true` if a name contains one of these words.
fn has_word(name: &str, words: &str) -> bool {
    name.to_snake_case().split('_').any(|word| is_among_or_singular(words, word))
}

/// The format of numbers that are years, or days or hours without separators, such as `20240131`.
fn period_format(name: &str, seen: &Observed) -> Option<TimeFormat> {
    if !is_named_like_a_time(name) && !ends_in(name, PERIODS) {
        return None;
    }
    let formats = [TimeFormat::CompactHour, TimeFormat::CompactDate, TimeFormat::Year];
    formats.into_iter().find(|format| are_periods(seen, *format))
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
/// The last words in the names of the ends of an interval, which are times if they are as large as times.
const ENDS_OF_INTERVALS: &str = "begin end start";
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
    is_time_field(TIME, seen)
}

pub(super) fn time_index(rows: &Observed) -> Option<usize> {
    rows.by_index.iter().take(3).position(is_time)
}

/// The name of the time field of rows, unless the catalogue declares another name.
pub(super) const TIME: &str = "time";

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
            ("timeStamp", "[\"1765210316\"]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("time_stamp", "[1765210316]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("block_time_stamps", "[1765210316]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("timeStampMs", "[1765210316125]", Guess::Time(TimeForm::Counted(TimeUnit::Milliseconds))),
            ("created", "[1765210316]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("lastUpdated", "[1765210316]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("asOf", "[1765210316]", Guess::Time(TimeForm::Counted(TimeUnit::Seconds))),
            ("proof_of", "[1765210316]", Guess::Builtin("number")),
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
            ("date", "[\"2025\", \"2023Q4\", \"2023M02\"]", Guess::Time(TimeForm::Written(TimeFormat::Period))),
            ("x", "[\"2026-01\", \"2026-01-31\"]", Guess::Time(TimeForm::Written(TimeFormat::Period))),
            ("x", "[\"2026\", \"2026-01-31T10:00\"]", Guess::Builtin("string")),
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
