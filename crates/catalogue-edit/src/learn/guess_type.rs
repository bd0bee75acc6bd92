//! Guesses the type of a field from its name and its values.

use std::collections::BTreeSet;

use catalogue::model::{TimeForm, TimeFormat, TimeUnit};
use heck::ToSnakeCase;

use crate::observed_values::{Observed, shown};
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
    if let Some(period) = period_format(name, seen) {
        return Guess::Time(TimeForm::Written(period));
    }
    // The client accepts numbers in strings. Ids, versions and codes remain strings, and so do integers whose digits a
    // number cannot store.
    if seen.are_numbers() && (seen.numbers() > 0 || !is_code(name) && seen.rounded == 0) {
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
    // Zero stands for no time.
    let is_time = |unit: &TimeUnit| unit_of(seen.least) == Some(*unit) && is_named_like_a_time(name);
    if let Some(unit) = unit_of(seen.max).filter(is_time) {
        return Guess::Time(TimeForm::Counted(unit));
    }
    if seen.fractions + seen.non_integers > 0 {
        return Guess::Builtin("number");
    }
    let snake = name.to_snake_case();
    let has = |words| snake.split('_').any(|own| is_among(words, own));
    // Digits such as `20240131` or `143000`.
    if seen.numbers() == 0 && seen.max > 99_999.0 && has("date time") {
        return Guess::Builtin("string");
    }
    let is_whole = has(WHOLE) || is_code(name) || seen.has_many_integers() && !has(AMOUNTS);
    Guess::Builtin(if is_whole { "integer" } else { "number" })
}

/// Returns the format of numbers that are years, or days or hours without separators, such as `20240131`.
fn period_format(name: &str, seen: &Observed) -> Option<TimeFormat> {
    if !is_named_like_a_time(name) && !ends_in(name, PERIODS) {
        return None;
    }
    let formats = [TimeFormat::CompactHour, TimeFormat::CompactDate, TimeFormat::Year];
    formats.into_iter().find(|format| are_periods(seen, *format))
}

/// Returns whether all values are periods of this format, as texts or as integers.
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

/// Returns whether a text is a period of this format in the years 1600 to 2199.
fn is_period(text: &str, format: TimeFormat) -> bool {
    if !TimeForm::Written(format).is_written(text) {
        return false;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize, to: usize| digits.get(from..to).and_then(|part| part.parse::<u32>().ok());
    let is_year = part(0, 4).is_some_and(|year| (1600..2200).contains(&year));
    let is_month = || part(4, 6).is_some_and(|month| (1..=12).contains(&month));
    let is_day = || is_month() && part(6, 8).is_some_and(|day| (1..=31).contains(&day));
    let is_hour = || is_day() && part(8, 10).is_some_and(|hour| hour < 24);
    is_year
        && match format {
            TimeFormat::Year => true,
            TimeFormat::Quarter => part(4, 5).is_some_and(|quarter| (1..=4).contains(&quarter)),
            TimeFormat::Month => is_month(),
            TimeFormat::CompactHour | TimeFormat::Hour => is_hour(),
            TimeFormat::CompactDate | TimeFormat::Date | TimeFormat::Iso8601 => is_day(),
        }
}

/// Words in the names of fields that are integers.
const WHOLE: &str = "count copies decimals flag id index nonce number page precision rank seq sequence times trades";
/// Words in the names of fields that can have fractions, even if many samples have none.
const AMOUNTS: &str = "amount ask bid close cost fee funds high interest last low open price px qty quantity rate size \
    sum sz total vol volume";
/// The last words in the names of fields with names or codes.
const CODES: &str = "address code cursor date hash id jsonrpc key name symbol ticker tid uid uuid version";
/// The last words in the names of fields with times.
const TIMES: &str =
    "time date timestamp ts t at datetime since until expiry expires unixtime epoch tick seconds millis";
/// The last words in the names of fields with periods, such as days or years.
const PERIODS: &str = "day month period quarter year";

/// Returns `true` if a word, or its singular, is among words that are separated by spaces.
fn is_among(words: &str, own: &str) -> bool {
    words.split(' ').any(|word| word == own || word == singular(own))
}

/// Returns `true` if the last word of a name is among words that are separated by spaces.
fn ends_in(name: &str, words: &str) -> bool {
    name.to_snake_case().split('_').next_back().is_some_and(|last| is_among(words, last))
}

/// Returns `true` if a field contains names or codes by its own name, although its values look like numbers.
fn is_code(name: &str) -> bool {
    ends_in(name, CODES)
}

/// Returns `true` if lists are rows: either the kind of the values depends on the index, or the first value is a time.
fn do_items_differ(lists: &Observed) -> bool {
    let kinds =
        |seen: &Observed| [seen.booleans, seen.numbers(), seen.text_times, seen.lists, seen.objects].map(|n| n > 0);
    let known = || lists.by_index.iter().filter(|index| index.values() > 0).map(kinds);
    let are_times = || lists.by_index.iter().all(|index| matches!(guess(TIME, index), Guess::Time(_)));
    time_index(lists).is_some() && !are_times() || known().any(|kinds| known().next() != Some(kinds))
}

/// Returns a function that names the fields of rows, which have no names in responses. One of the first three fields is
/// the time, if its values are timestamps.
pub(super) fn name_of_index(rows: &Observed, time: &str) -> impl Fn(usize) -> String + use<> {
    let (own, time) = (time_index(rows), time.to_owned());
    move |index| if Some(index) == own { time.clone() } else { format!("value {}", index + 1) }
}

fn time_index(rows: &Observed) -> Option<usize> {
    rows.by_index.iter().take(3).position(|seen| matches!(guess(TIME, seen), Guess::Time(_)))
}

/// The name of the time field of rows, unless the catalogue declares another name.
pub(super) const TIME: &str = "time";

/// Returns the format in which every string is a timestamp, if there is one.
pub(super) fn time_format(seen: &Observed) -> Option<TimeFormat> {
    let are_texts = seen.kinds() == 1 && seen.text_times > 0;
    let periods = [TimeFormat::Quarter, TimeFormat::Month, TimeFormat::Hour];
    let is_of =
        |format: &TimeFormat| seen.texts.iter().all(|text| is_period(text, *format) && text.parse::<u32>().is_err());
    if let Some(period) = periods.into_iter().find(is_of).filter(|_| are_texts && !seen.texts.is_empty()) {
        return Some(period);
    }
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

/// Returns `true` if a text is a time, such as the key of a map from times to values.
pub(super) fn is_time_text(text: &str) -> bool {
    let is_of = |format: &TimeFormat| is_period(text, *format);
    format_of(text).is_some() || [TimeFormat::Quarter, TimeFormat::Hour].iter().any(is_of) || is_month_text(text)
}

fn is_month_text(text: &str) -> bool {
    is_period(text, TimeFormat::Month) && text.len() > "yyyymm".len()
}

/// Returns `true` if the key of an object is probably data: a symbol, an address or an identifier.
pub(super) fn is_key_of_data(key: &str) -> bool {
    let is_hex = key.strip_prefix("0x").is_some_and(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
    let is_uuid = key.len() == 36 && key.chars().filter(|letter| *letter == '-').count() == 4;
    is_symbol(key) || is_hex || is_uuid || is_time_text(key) || key.parse::<f64>().is_ok()
}

/// Returns `true` if records have a year, and a period in it such as `M01`.
pub(super) fn is_year_and_period(seen: &Observed) -> bool {
    let texts = |name: &str| seen.fields.get(name).filter(|seen| seen.text_times > 0).map(|seen| &seen.texts);
    let is_year = |text: &String| is_period(text, TimeFormat::Year);
    let is_part = |text: &String| {
        text.starts_with(['M', 'Q', 'S', 'A', 'W']) && text.len() < 4 && text[1..].parse::<u8>().is_ok()
    };
    texts("year")
        .zip(texts("period"))
        .is_some_and(|(years, periods)| years.iter().all(is_year) && periods.iter().all(is_part))
}

/// Returns `true` if the keys of objects are field names, and not data such as `1700000000` or the name of an exchange.
pub(super) fn is_record(seen: &Observed) -> bool {
    let is_name = |name: &str| name.starts_with(|first: char| first.is_alphanumeric() || "_@#$".contains(first));
    let names = &seen.fields;
    let are_names = (1..=80).contains(&names.len()) && names.keys().all(|name| is_name(name));
    are_names && keys_of_data(seen).is_none() && !is_map(seen)
}

/// Returns `true` if the keys of objects are probably data: most of them look like symbols, or at least three contain
/// objects with the same fields.
fn is_map(seen: &Observed) -> bool {
    let fields = &seen.fields;
    let symbols = fields.keys().filter(|name| is_symbol(name)).count();
    let kind = |seen: &Observed| (seen.objects > 0, seen.lists > 0, seen.are_numbers());
    let shape = |seen: &Observed| seen.fields.keys().cloned().collect::<BTreeSet<_>>();
    let Some((_, first)) = fields.first() else { return false };
    let is_alike = |field: &Observed| field.objects > 0 && shape(field) == shape(first);
    symbols * 2 > fields.len() && fields.values().all(|field| field.kinds() == 1 && kind(field) == kind(first))
        || fields.len() > 2 && !shape(first).is_empty() && fields.values().all(is_alike)
}

/// Returns `true` if a key looks like the name of a coin or market, such as `XBTUSDT` or `BTC-USD`.
pub(super) fn is_symbol(key: &str) -> bool {
    let is_upper = |c: &char| c.is_ascii_uppercase() || c.is_ascii_digit();
    let others = key.chars().filter(|c| !is_upper(c) && !"-_/:.".contains(*c)).count();
    let letters = key.chars().filter(char::is_ascii_alphabetic).count();
    key.len() > 2 && letters > 1 && others < 2 && key.chars().take(2).all(|c| is_upper(&c))
}

/// Returns examples of the keys of a body or record, if the keys seem to be data such as times or coins: most keys look
/// like data, or no two objects have a key in common.
pub(super) fn keys_of_data(seen: &Observed) -> Option<String> {
    let names = || seen.fields.keys().map(String::as_str);
    let date = |name: &str| format_of(name.split(['T', 't', ' ']).next()?);
    let is_data = |name: &&str| name.parse::<f64>().is_ok() || date(name).is_some();
    if names().filter(is_data).count() * 2 > names().count() {
        return names().find(is_data).map(|name| format!("`{name}`"));
    }
    let is_shared = seen.objects < 2 || seen.fields.values().any(|field| field.times > 1);
    let first: Vec<_> = names().take(2).map(|name| format!("`{name}`")).collect();
    (!is_shared && first.len() > 1).then(|| format!("{}, which no two objects share", first.join(" and ")))
}

/// Returns the unit in which a number would be a timestamp between 1990 and 3015. Some services use the year 3000 as
/// never.
pub(super) fn unit_of(number: f64) -> Option<TimeUnit> {
    // The years 1990 and 3015, in Unix seconds.
    let (first, last) = (6.3e8, 3.3e10);
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
    let snake = name.to_snake_case();
    // A list of times is named like one of them: `dateList`.
    let item = snake.strip_suffix("_list").unwrap_or(&snake);
    ends_in(item, TIMES) || snake.starts_with("timestamp")
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("x", "[18446744073709551615]", Guess::Builtin("number")),
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
            ("x", "[\"1385579841881785998\"]", Guess::Builtin("string")),
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
            let values: serde_yaml::Value = serde_json::from_str(values).expect(values);
            let seen = Observed::of(values.as_sequence().into_iter().flatten());
            assert_eq!(guess(name, &seen), expected, "{name}: {values:?}");
        }
    }
}
