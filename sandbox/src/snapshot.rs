//! Lists that are no time series: the state at one moment.
//!
//! An endpoint with a line in the table has rows from the market, any other gets a few rows of plausible values. Rows
//! may lack fields of the registry, which are filled in by the caller.

use generated_client::Value;

use crate::asked::Asked;
use crate::calendar::{self, DAY, Interval, to_wire};
use crate::known;
use crate::market::Scope;
use crate::market::levels::{Level, Side, total_size};
use crate::number::{floor, real, rounded};

/// The values of a row that are known here, by field.
pub(crate) type Row = Vec<(&'static str, Value)>;

type Rows = fn(&Scope, &Asked, i64) -> Vec<Row>;

const SNAPSHOTS: [(&str, Rows); 3] = [
    ("/liquidationLevels", liquidation_levels),
    ("/cumulativeLiqLevel", cumulative_levels),
    ("/liquidationHeatmap", heatmap),
];

/// How many rows an endpoint without a line has.
const PLAUSIBLE_ROWS: usize = 10;

/// The rows of an endpoint at a moment.
pub(crate) fn rows(path: &str, scope: &Scope, asked: &Asked, moment: i64) -> Vec<Row> {
    match SNAPSHOTS.iter().find(|(known, _)| *known == path) {
        Some((_, rows)) => rows(scope, asked, moment),
        None => vec![Row::new(); PLAUSIBLE_ROWS],
    }
}

fn liquidation_levels(scope: &Scope, asked: &Asked, moment: i64) -> Vec<Row> {
    let position = asked.word(&[side(Side::Long), side(Side::Short)]);
    let wanted = move |level: &Level| position.is_none_or(|position| position == side(level.side));
    levels_asked(scope, asked, moment)
        .filter(wanted)
        .map(|level| {
            vec![
                ("timestamp", to_wire(moment)),
                ("creationDate", to_wire(level.created)),
                ("size", level.size().into()),
                ("price", level.price.into()),
                ("leverage", class(&level).into()),
                ("side", side(level.side).into()),
                ("openDuration", real(moment - level.created).into()),
            ]
        })
        .collect()
}

fn cumulative_levels(scope: &Scope, asked: &Asked, moment: i64) -> Vec<Row> {
    let [long, short] = [Side::Long, Side::Short].map(|side| {
        let levels: Vec<_> = levels_asked(scope, asked, moment).filter(|level| level.side == side).collect();
        (total_size(levels.iter().copied()), i64::try_from(levels.len()).unwrap_or(i64::MAX))
    });
    vec![vec![
        ("timestamp", to_wire(moment)),
        ("totalLongLiquidationSize", long.0.into()),
        ("totalShortLiquidationSize", short.0.into()),
        ("totalSizeLiquidationDelta", rounded(long.0 - short.0, 2).into()),
        ("totalLongLiquidationCount", long.1.into()),
        ("totalShortLiquidationCount", short.1.into()),
        ("totalCountLiquidationDelta", (long.1 - short.1).into()),
    ]]
}

/// Levels by price range, each a hundredth of the price wide, from 15 below it to 15 above.
fn heatmap(scope: &Scope, asked: &Asked, moment: i64) -> Vec<Row> {
    let price = scope.close(Interval { start: moment, end: moment });
    let width = rounded_up(price / 100.0);
    let lookback = lookback(asked).unwrap_or(DAY);
    let grade = asked.words().find_map(|word| word.strip_prefix('l')?.parse::<usize>().ok());
    let levels = scope.levels(moment).filter(|level| moment - level.created < lookback);
    let levels = levels.filter(|level| grade.is_none_or(|grade| grade == level.class + 1)).collect::<Vec<_>>();
    let middle = floor(price / width);
    let ranges = middle - 15..=middle + 15;
    let sides = ranges.flat_map(|range| [Side::Long, Side::Short].map(|side| (range, side)));
    let rows = sides.map(|(range, of)| {
        let inside = |level: &&Level| level.side == of && floor(level.price / width) == range;
        vec![
            ("startingPrice", rounded(real(range) * width, 8).into()),
            ("endingPrice", rounded(real(range + 1) * width, 8).into()),
            ("size", total_size(levels.iter().filter(inside).copied()).into()),
            ("side", side(of).into()),
            ("timestamp", to_wire(moment)),
        ]
    });
    rows.filter(|row: &Row| row.iter().all(|(_, value)| *value != 0.0)).collect()
}

fn levels_asked(scope: &Scope, asked: &Asked, moment: i64) -> impl Iterator<Item = Level> {
    let wanted = asked.word(&["high", "medium", "low"]);
    scope.levels(moment).filter(move |level| wanted.is_none_or(|wanted| wanted == class(level)))
}

fn class(level: &Level) -> &'static str {
    match level.class {
        0 | 1 => "high",
        2 => "medium",
        _ => "low",
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Long => "long",
        Side::Short => "short",
    }
}

/// The first length of time among the params. Where the catalogue gives no lengths, `m` is a month.
fn lookback(asked: &Asked) -> Option<i64> {
    let param = asked.params().find(|param| known::is_length(param))?;
    let said = asked.one(param.wire_name)?;
    let is_told = known::closed(param)?.iter().any(|value| value.value == said && value.duration.is_some());
    if is_told { calendar::length(said) } else { calendar::length(&said.replace('m', "M")) }
}

/// The next of 1, 2 and 5 times a power of ten.
fn rounded_up(width: f64) -> f64 {
    let power = 10_f64.powi(i32::try_from(floor(width.log10())).unwrap_or(0));
    let steps = [1.0, 2.0, 5.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= width).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use generated_client::registry::BodyInfo;

    use super::*;

    #[test]
    fn every_line_belongs_to_a_list_without_time() {
        for (path, _) in SNAPSHOTS {
            let endpoint = known::endpoint(path).unwrap_or_else(|| panic!("no endpoint has the path {path}"));
            assert!(matches!(endpoint.body, BodyInfo::Series { time: None, .. }), "{path} is another body now");
        }
    }

    #[test]
    fn widths() {
        let table = [(0.7, 1.0), (6.0, 10.0), (1.5, 2.0), (420.0, 500.0), (1.0, 1.0)];
        for (width, expected) in table {
            assert!((rounded_up(width) - expected).abs() < 1e-9);
        }
    }
}
