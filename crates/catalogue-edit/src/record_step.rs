//! Recognizes the step of a series by the value of the param that sets it and by the times of its records. The value alone
//! has several meanings: `1m` is a minute or a month, and `60` are seconds or minutes.

use std::time::Duration;

use catalogue::duration::{Step, anchor, step};
use heck::ToSnakeCase;
use runtime::{Interval, Timestamp};

/// The units of the catalogue that a word can mean.
const UNITS: [(&str, &[&str]); 10] = [
    ("", &["s", "m", "h"]),
    ("s sec secs second seconds", &["s"]),
    ("m", &["m", "mo"]),
    ("min mins minute minutes", &["m"]),
    ("h hr hrs hour hours hourly", &["h"]),
    ("d day days daily", &["d", "bd"]),
    ("w wk week weeks weekly", &["w"]),
    ("mo mon month monthly months mth", &["mo"]),
    ("q quarter quarterly quarters", &["q"]),
    ("a annual annually y year yearly years", &["y"]),
];

/// The steps that services use, the shortest first.
const STEPS: &str = "1s 1m 3m 5m 10m 15m 30m 1h 2h 4h 6h 8h 12h 1d 1bd 1w 1mo 1q 1y";

/// The number of different times from which on their distances show a step.
const MIN_REGULAR: usize = 4;

/// The greatest length of a text that denotes a step.
const MAX_LENGTH: usize = 20;

/// The step between records, as their times show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenStep {
    pub(crate) step: Step,
    /// The `anchor` of intervals of a day or longer that begin at another time than the catalogue assumes.
    pub(crate) anchor: Option<String>,
}

impl SeenStep {
    fn of(step: Step, times: &[Timestamp]) -> Self {
        let interval = Interval::new(step);
        let mut anchor = None;
        if interval.shortest() >= DAY {
            anchor = times.iter().filter(|time| interval.start_of(**time) != **time).find_map(|time| as_anchor(*time));
        }
        Self { step, anchor }
    }
}

/// A day, in which the intervals of services begin at different times. Shorter intervals begin with an hour, or at the start of
/// the range of a request.
pub(crate) const DAY: Duration = Duration::from_secs(86_400);

/// A time as the catalogue writes an anchor; `None` if it cannot.
fn as_anchor(time: Timestamp) -> Option<String> {
    let text = time.to_string();
    let text = text.strip_suffix("T00:00:00Z").unwrap_or(&text);
    anchor(text).map(|_| text.to_owned())
}

/// `true` if a text may denote a step.
pub(crate) fn is_step(value: &str) -> bool {
    let is_word = value.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    is_word && !value.is_empty() && value.len() <= MAX_LENGTH
}

/// The step that a value denotes if it fits the times of records. For a value of another notation, such as `FIVE_MINUTE`,
/// regular times decide, if it has a word for their unit.
pub(crate) fn step_of(value: &str, times: &[Timestamp]) -> Option<SeenStep> {
    let meanings = meanings(value);
    if meanings.is_empty() {
        return regular_step(times).filter(|seen| has_unit_of(value, seen.step));
    }
    let times = in_order(times);
    let step = one_of(&meanings, value, &times)?;
    Some(SeenStep::of(step, &times))
}

/// `true` if a value such as `FIVE_MINUTE` has a word for the unit of a step.
fn has_unit_of(value: &str, regular: Step) -> bool {
    let text = STEPS.split(' ').find(|text| step(text) == Some(regular)).unwrap_or_default();
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let value = value.to_snake_case();
    let mut words = value.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.any(|word| units(word).contains(&unit))
}

fn has_letter(value: &str) -> bool {
    value.contains(|letter: char| letter.is_ascii_alphabetic())
}

/// The meaning of a value that fits the times of records.
fn one_of(meanings: &[Step], value: &str, times: &[Timestamp]) -> Option<Step> {
    if let [time] = times {
        // Any time begins a second, which a number without a unit can mean.
        return if has_letter(value) { only_one_that_begins_at(*time, meanings) } else { None };
    }
    let mut fitting = Vec::new();
    for step in meanings {
        if let Some(missing) = missing_between(*step, times) {
            fitting.push((missing, *step));
        }
    }
    // Of weekdays, only days are missing at each weekend.
    fitting.into_iter().min_by_key(|(missing, _)| *missing).map(|(_, step)| step)
}

/// The only step of which an interval begins at a time.
fn only_one_that_begins_at(time: Timestamp, steps: &[Step]) -> Option<Step> {
    let mut found = None;
    for step in steps {
        if *step == Step::BusinessDays || Interval::new(*step).start_of(time) != time {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(*step);
    }
    found
}

/// The step between records whose times are all as far apart; `None` if they are not, or if these are too few to tell.
pub(crate) fn regular_step(times: &[Timestamp]) -> Option<SeenStep> {
    let times = in_order(times);
    if times.len() < MIN_REGULAR {
        return None;
    }
    let step = STEPS.split(' ').filter_map(step).find(|step| is_next_of_all(*step, &times))?;
    Some(SeenStep::of(step, &times))
}

/// `true` if times are enough to tell whether they have a regular step.
pub(crate) fn are_enough(times: &[Timestamp]) -> bool {
    in_order(times).len() >= MIN_REGULAR
}

/// Different times in ascending order.
fn in_order(times: &[Timestamp]) -> Vec<Timestamp> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.dedup();
    times
}

/// The steps that a value can denote, such as `M30`, `1MIN`, `daily` or `60`.
fn meanings(value: &str) -> Vec<Step> {
    let lower = value.to_ascii_lowercase();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let word = lower.trim_matches(is_digit);
    let count = if lower.starts_with(is_digit) { lower.trim_end_matches(word) } else { lower.trim_start_matches(word) };
    let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase()) && count.chars().all(is_digit);
    if !is_plain || word.is_empty() && count.is_empty() {
        return Vec::new();
    }
    let count = if count.is_empty() { "1" } else { count };
    let mut steps = Vec::new();
    for unit in units(word) {
        steps.extend(step(&format!("{count}{unit}")));
    }
    steps
}

/// The units of the catalogue that a word can mean; none for any other word.
fn units(word: &str) -> &'static [&'static str] {
    for (words, units) in UNITS {
        if words.split(' ').any(|known| known == word) {
            return units;
        }
    }
    &[]
}

/// `true` if each time is one step after the time before it.
fn is_next_of_all(step: Step, times: &[Timestamp]) -> bool {
    let Some(first) = times.first() else { return false };
    let interval = Interval::new(step).anchored(*first);
    times.len() > 1 && times.windows(2).all(|pair| interval.moved(pair[0], 1) == pair[1])
}

/// The number of times that are missing between others, which are a number of steps apart; `None` if they are not, or if
/// none follows the one before it.
fn missing_between(step: Step, times: &[Timestamp]) -> Option<u64> {
    let interval = Interval::new(step).anchored(*times.first()?);
    let mut has_next = false;
    let mut missing: u64 = 0;
    for pair in times.windows(2) {
        let count = interval.passed(&(pair[0]..pair[1]));
        if interval.moved(pair[0], i64::try_from(count).ok()?) != pair[1] {
            return None;
        }
        has_next |= count == 1;
        missing = missing.saturating_add(count.saturating_sub(1));
    }
    has_next.then_some(missing)
}
