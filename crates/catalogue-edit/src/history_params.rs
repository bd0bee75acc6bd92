//! Recognizes the params that select the time range of a history, by their names and types.

use catalogue::spec::{Evidence, History, Param, Type};
use heck::ToSnakeCase;

use crate::draft::TIMESTAMP;

/// Returns the history that a list of params allows; `None` if no param sets an end of the range.
pub(crate) fn history(params: &[Param], types: &[Type], evidence: Evidence) -> Option<History> {
    let named = |words: &str, fits: &dyn Fn(&Param) -> bool| {
        let is_named = |param: &&Param| param.name.to_snake_case().split('_').any(|own| is_one_of(words, own));
        let mut found = params.iter().filter(|param| param.const_value.is_none() && fits(param)).filter(is_named);
        found.next().map(|param| param.name.clone())
    };
    let values = |param: &Param| types.iter().find(|ty| ty.name == param.ty).map_or(&[][..], |ty| &ty.values);
    let is_time = |param: &Param| param.ty.as_str() == TIMESTAMP;
    let is_step = |param: &Param| values(param).iter().any(|value| value.duration.is_some());
    let first = |param: &Param| values(param).iter().find(|value| ["asc", "ascending"].contains(&value.value.as_str()));
    let (sort, oldest_first) =
        params.iter().find_map(|param| Some((param.name.clone(), first(param)?.value.clone()))).unzip();
    let found = History {
        from: named("after begin from since start", &is_time),
        to: named("before end to until", &is_time),
        limit: named("count limit size", &|param| matches!(param.ty.as_str(), "count" | "integer")),
        step: named("granularity interval period resolution step timeframe", &is_step),
        sort,
        oldest_first,
        evidence,
        ..History::default()
    };
    Some(found).filter(|found| found.from.is_some() || found.to.is_some())
}

/// Returns whether a word is one of several words, alone or as in `startyear`.
fn is_one_of(words: &str, own: &str) -> bool {
    const PERIODS: [&str; 6] = ["date", "day", "month", "period", "time", "year"];
    let start = PERIODS.iter().find_map(|period| own.strip_suffix(period)).unwrap_or(own);
    words.split(' ').any(|word| word == own || word == start)
}
