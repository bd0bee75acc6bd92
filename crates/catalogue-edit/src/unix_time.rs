//! Recognizes Unix times by the names of their fields and by their magnitude.

use catalogue::model::TimeUnit;
use heck::ToSnakeCase;

use crate::word_lists::is_among_or_singular;

/// The last words in the names of fields with times.
const TIMES: &str = "time date timestamp stamp ts t at datetime since until expiry expires unixtime epoch tick \
    seconds millis created updated modified";

/// Words in the names of params for an end of a time range.
pub(crate) const ENDS: [&str; 9] = ["after", "before", "begin", "end", "from", "start", "till", "to", "until"];

/// The years 1990 and 3015, in Unix seconds. Some services use the year 3000 as never.
const FIRST: f64 = 6.3e8;
const LAST: f64 = 3.3e10;

/// The numbers of each unit in a second.
const UNITS: [(TimeUnit, f64); 4] = [
    (TimeUnit::Seconds, 1.0),
    (TimeUnit::Milliseconds, 1e3),
    (TimeUnit::Microseconds, 1e6),
    (TimeUnit::Nanoseconds, 1e9),
];

/// The client reads a timestamp as an integer of 64 bits.
const MAX_TIMESTAMP: f64 = 9.223e18;

/// `true` if the last word of a name is among words that are separated by spaces.
pub(crate) fn ends_in(name: &str, words: &str) -> bool {
    let snake = name.to_snake_case();
    match snake.split('_').next_back() {
        Some(last) => is_among_or_singular(words, last),
        None => false,
    }
}

/// The unit in which a number would be a timestamp between 1990 and 3015.
pub(crate) fn unit_by_magnitude(number: f64) -> Option<TimeUnit> {
    if number >= MAX_TIMESTAMP {
        return None;
    }
    for (unit, scale) in UNITS {
        if (FIRST * scale..=LAST * scale).contains(&number) {
            return Some(unit);
        }
    }
    None
}

/// `true` if a number is a timestamp in seconds, judged by its magnitude and the name of its field.
pub(crate) fn is_unix_time(name: &str, number: f64) -> bool {
    unit_by_magnitude(number) == Some(TimeUnit::Seconds) && is_named_like_a_time(name)
}

/// `true` if the name of a field or param is that of a time.
pub(crate) fn is_named_like_a_time(name: &str) -> bool {
    let snake = name.to_snake_case();
    // A list of times is named like one of them: `dateList`.
    let item = snake.strip_suffix("_list").unwrap_or(&snake);
    let begins_with_time = snake.starts_with("timestamp") || snake.starts_with("time_stamp");
    let is_time_of_value = snake == "as_of" || snake.ends_with("_as_of");
    ends_in(item, TIMES) || begins_with_time || is_time_of_value
}
