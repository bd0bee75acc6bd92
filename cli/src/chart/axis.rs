//! Marks of axes: round numbers with short names, and round times.
//!
//! Computes the positions and labels of marks for a range and a maximum number of marks; drawing is left to the caller.

use kuva::render::datetime::{DateTimeAxis, DateUnit};

/// A position on an axis and its label.
pub(crate) type Mark = (f64, String);

/// Evenly spaced round numbers that enclose a range.
pub(crate) fn covering((least, greatest): (f64, f64), most: usize) -> Vec<Mark> {
    let step = round_step((greatest - least) / small(most.max(2) - 1));
    let (begin, end) = ((least / step).floor(), (greatest / step).ceil());
    // The range may need a few more marks than requested at its ends; the limit ensures that the loop ends.
    let places = (0..=most + 2).map(|index| begin + small(index)).take_while(|place| *place <= end + 0.5);
    places.map(|place| (place * step, short(place * step, step))).collect()
}

/// The smallest of 1, 2 or 5 times a power of ten that is at least the given number.
fn round_step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let power = 10.0_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= least * 0.999_999).unwrap_or(10.0 * power)
}

/// A number with three digits: `1.5B`.
pub(crate) fn brief(number: f64) -> String {
    let text = short(number, number.abs() / 200.0);
    match text.find(|character: char| character.is_alphabetic()) {
        Some(unit) => format!("{}{}", without_zeros(&text[..unit]), &text[unit..]),
        None => without_zeros(&text).to_owned(),
    }
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A number with as few characters as distinguish it from its neighbours at a distance of `step`: `1.5B`.
fn short(number: f64, step: f64) -> String {
    let units = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k")];
    let (unit, name) = units.into_iter().find(|(unit, _)| number.abs() >= *unit).unwrap_or((1.0, ""));
    let unit = if name == "k" { 1e3 } else { unit };
    if number != 0.0 && number.abs() < 1e-4 {
        return format!("{number:.1e}");
    }
    // Clamped to 0 to 9.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let decimals = (-(step / unit).log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
    let decimals = if number == 0.0 { 0 } else { decimals };
    format!("{:.decimals$}{name}", number / unit)
}

/// Steps of time, with their formats.
fn time_steps() -> impl Iterator<Item = DateTimeAxis> {
    let step = |unit, step, format: &str| DateTimeAxis { unit, step, format: format.to_owned() };
    let minutes = [1, 2, 5, 10, 15, 30].map(|count| step(DateUnit::Minute, count, "%H:%M"));
    let hours = [1, 2, 3, 6, 12].map(|count| step(DateUnit::Hour, count, "%d %b %H:%M"));
    let days = [1, 2, 5, 10].map(|count| step(DateUnit::Day, count, "%d %b"));
    let months = [1, 2, 3, 6].map(|count| step(DateUnit::Month, count, "%b %Y"));
    let years = [1, 2, 5, 10].map(|count| step(DateUnit::Year, count, "%Y"));
    minutes.into_iter().chain(hours).chain(days).chain(months).chain(years)
}

/// The finest step of time with at most `most` marks in a range of Unix seconds.
pub(crate) fn time_axis((from, to): (f64, f64), most: usize) -> DateTimeAxis {
    let fits = |axis: &DateTimeAxis| (to - from) / seconds(axis) <= small(most);
    time_steps().find(fits).unwrap_or_else(|| DateTimeAxis::years("%Y").with_step(20))
}

fn seconds(axis: &DateTimeAxis) -> f64 {
    let unit = match axis.unit {
        DateUnit::Year => 365.0 * 86_400.0,
        DateUnit::Month => 30.0 * 86_400.0,
        DateUnit::Week => 7.0 * 86_400.0,
        DateUnit::Day => 86_400.0,
        DateUnit::Hour => 3_600.0,
        DateUnit::Minute => 60.0,
        DateUnit::Second => 1.0,
    };
    unit * small(axis.step)
}

/// Round times within a range of Unix seconds.
pub(crate) fn times(range: (f64, f64), most: usize) -> Vec<Mark> {
    let axis = time_axis(range, most);
    axis.generate_ticks(range.0, range.1).into_iter().map(|place| (place, axis.format_tick(place))).collect()
}

/// A number of marks, which is small.
#[allow(clippy::cast_precision_loss)]
fn small(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(marks: Vec<Mark>) -> Vec<String> {
        marks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn numbers_are_round_and_short_and_cover_the_range() {
        let table: [((f64, f64), &[&str]); 5] = [
            ((-1.0, 1.0), &["-1.0", "-0.5", "0", "0.5", "1.0"]),
            ((1.83e10, 2.02e10), &["18.0B", "18.5B", "19.0B", "19.5B", "20.0B", "20.5B"]),
            ((0.0, 11.0), &["0", "5", "10", "15"]),
            ((-0.000_12, 0.000_31), &["-0.0002", "0", "0.0002", "0.0004"]),
            ((90_000.0, 130_000.0), &["90k", "100k", "110k", "120k", "130k"]),
        ];
        for (range, expected) in table {
            let marks = covering(range, 5);
            assert_eq!(labels(marks.clone()), expected, "{range:?}");
            assert!(marks[0].0 <= range.0 && range.1 <= marks[marks.len() - 1].0, "{range:?}");
        }
    }

    #[test]
    fn three_digits_are_enough_for_a_mark() {
        for (number, text) in
            [(0.0, "0"), (1.5e9, "1.5B"), (-0.25, "-0.25"), (120_000.0, "120k"), (1e6, "1M"), (7.0, "7")]
        {
            assert_eq!(brief(number), text);
        }
    }

    #[test]
    fn times_are_round() {
        let day = 86_400.0;
        let from = 1_735_689_600.0;
        let year = labels(times((from, from + 365.0 * day), 7));
        assert_eq!(year, ["Jan 2025", "Mar 2025", "May 2025", "Jul 2025", "Sep 2025", "Nov 2025", "Jan 2026"]);
        assert_eq!(labels(times((from, from + day), 5)).first().map(String::as_str), Some("01 Jan 00:00"));
        assert_eq!(labels(times((from, from + 3600.0), 5)).len(), 5);
    }
}
