//! The values that a built-in type fits, and the types that are wider.

use catalogue::model::{TimeForm, TimeFormat};
use catalogue::type_expr::Builtin;

use super::time_texts::{are_periods, time_format};
use crate::drafted_type::ANY;
use crate::observed_values::Observed;

/// A type for values that do not fit a built-in type; `None` if the client accepts the values.
pub(super) fn wider_builtin(known: Builtin, seen: &Observed) -> Option<&'static str> {
    if seen.values() == 0 || does_fit(known, seen) {
        return None;
    }
    Some(match known {
        Builtin::Number => narrowest_number(&["decimal"], seen),
        Builtin::Integer => narrowest_number(&["count", "number", "decimal"], seen),
        Builtin::Count => narrowest_number(&["integer", "number", "decimal"], seen),
        Builtin::Timestamp(TimeForm::Counted(_)) if seen.has_only(seen.text_times) => "string",
        Builtin::Timestamp(_) if seen.has_only(seen.integers) && seen.fractions == 0 => "integer",
        Builtin::Timestamp(_) if seen.are_texts() => "string",
        Builtin::Any | Builtin::String | Builtin::Boolean | Builtin::Decimal | Builtin::Timestamp(_) => ANY,
    })
}

/// `true` if the client accepts all values as values of a built-in type.
fn does_fit(known: Builtin, seen: &Observed) -> bool {
    match known {
        Builtin::Any => true,
        Builtin::String => seen.are_texts(),
        Builtin::Boolean => seen.has_only(seen.booleans),
        Builtin::Decimal | Builtin::Timestamp(TimeForm::Counted(_)) => seen.are_numbers(),
        Builtin::Number => seen.are_numbers() && seen.inexact == 0,
        Builtin::Integer => are_whole(seen),
        Builtin::Count => are_counts(seen),
        Builtin::Timestamp(TimeForm::Local(_)) => time_format(seen).is_some(),
        Builtin::Timestamp(TimeForm::Written(format)) => is_read_as(format, seen) || are_periods(seen, format),
    }
}

/// `true` if the client reads all times in a format. A day may have a time of day, and the other way round.
fn is_read_as(format: TimeFormat, seen: &Observed) -> bool {
    let Some(found) = time_format(seen) else { return false };
    let is_day_or_time = |format| matches!(format, TimeFormat::Date | TimeFormat::Iso8601);
    found == format || is_day_or_time(found) && is_day_or_time(format)
}

/// The first of several types of numbers that keeps all digits of the values; `any` if there is none.
fn narrowest_number(candidates: &[&'static str], seen: &Observed) -> &'static str {
    for candidate in candidates {
        let does_fit = match *candidate {
            "count" => are_counts(seen),
            "integer" => are_whole(seen),
            "number" => seen.are_numbers() && seen.inexact == 0 && seen.large == 0,
            _ => seen.are_numbers(),
        };
        if does_fit {
            return candidate;
        }
    }
    ANY
}

fn are_whole(seen: &Observed) -> bool {
    seen.are_numbers() && seen.non_integers == 0
}

fn are_counts(seen: &Observed) -> bool {
    seen.are_numbers() && seen.non_integers == seen.large_counts && seen.min >= 0.0
}
