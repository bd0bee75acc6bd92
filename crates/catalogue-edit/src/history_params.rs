//! Recognizes the params that select the time range of a history, by their names and types.

use catalogue::model::ListFormat;
use catalogue::spec::{Evidence, History, Param, Type, Value};
use heck::ToSnakeCase;

use crate::drafted_type::TIMESTAMP;

/// The names of params for the ends of the range, for the number of records, and for the interval of a series.
const FROM: &str = "after begin from since start";
const TO: &str = "before end till to until";
const LIMIT: &str = "count limit size";
const STEP: &str = "bar bin frame freq frequency granularity interval period resolution step timeframe";

/// The values of a param for the order of records that begin with the oldest record.
const OLDEST_FIRST: [&str; 2] = ["asc", "ascending"];

/// The history that a list of params allows; `None` if no param sets an end of the range.
pub(crate) fn history(params: &[Param], types: &[Type], evidence: Evidence) -> Option<History> {
    // Most endpoints have no such param, so the types of their params, of which there may be thousands, are not compared.
    if !params.iter().any(|param| is_end_of_range(param) || has_both_ends(param)) {
        return None;
    }
    let mut found = History { evidence, ..History::default() };
    for param in params {
        if let Some(value) = oldest_first(values_of(param, types))
            && found.sort.is_none()
        {
            found.sort = Some(param.name.clone());
            found.oldest_first = Some(value.value.clone());
        }
        if param.const_value.is_some() {
            continue;
        }
        if has_both_ends(param) && found.from.is_none() && found.to.is_none() {
            found.from = Some(param.name.clone());
            found.to = Some(param.name.clone());
            continue;
        }
        let is_time = *param.ty == TIMESTAMP;
        let is_count = matches!(param.ty.as_str(), "count" | "integer");
        let is_step = values_of(param, types).iter().any(|value| value.duration.is_some());
        for (key, words, fits) in [
            (&mut found.from, FROM, is_time),
            (&mut found.to, TO, is_time),
            (&mut found.limit, LIMIT, is_count),
            (&mut found.step, STEP, is_step),
        ] {
            if key.is_none() && fits && is_named(param, words) {
                *key = Some(param.name.clone());
            }
        }
    }
    Some(found)
}

/// `true` if a param sets an end of the range.
fn is_end_of_range(param: &Param) -> bool {
    *param.ty == TIMESTAMP && param.const_value.is_none() && (is_named(param, FROM) || is_named(param, TO))
}

/// `true` if the value of a param has both ends of the range, such as `2020:2023`.
fn has_both_ends(param: &Param) -> bool {
    *param.ty == TIMESTAMP && param.list_as == ListFormat::Colons && param.const_value.is_none()
}

/// The values of the named type of a param.
fn values_of<'t>(param: &Param, types: &'t [Type]) -> &'t [Value] {
    match types.iter().find(|ty| ty.name == param.ty) {
        Some(ty) => &ty.values,
        None => &[],
    }
}

fn oldest_first(values: &[Value]) -> Option<&Value> {
    values.iter().find(|value| OLDEST_FIRST.contains(&value.value.as_str()))
}

/// `true` if a param sets the step of a series by its name.
pub(crate) fn is_named_like_a_step(name: &str) -> bool {
    has_word(name, STEP)
}

/// `true` if a word in the name of a param is one of several words.
fn is_named(param: &Param, words: &str) -> bool {
    has_word(&param.name, words)
}

fn has_word(name: &str, words: &str) -> bool {
    name.to_snake_case().split('_').any(|own| is_one_of(words, own))
}

/// `true` if a word is one of several words, alone or as in `startyear`.
fn is_one_of(words: &str, own: &str) -> bool {
    const PERIODS: [&str; 6] = ["date", "day", "month", "period", "time", "year"];
    let mut start = own;
    for period in PERIODS {
        if let Some(stem) = own.strip_suffix(period) {
            start = stem;
            break;
        }
    }
    words.split(' ').any(|word| word == own || word == start)
}
