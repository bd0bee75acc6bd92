//! Rules about time: the unit of a moment, and how long a step is.

use super::{Checker, Place};
use crate::duration;
use crate::spec;
use crate::suggest::did_you_mean;
use crate::time_unit::TimeUnit;
use crate::type_expr::{Builtin, TypeExpr};

impl Checker {
    /// The unit of a param or a field; a moment can be counted in few.
    pub(super) fn unit(&mut self, ty: &str, unit: &str, place: Place<'_>) {
        let expr = TypeExpr::parse(ty);
        let is_moment = expr.is_some_and(|expr| *expr.innermost() == TypeExpr::Builtin(Builtin::Timestamp));
        if is_moment && !unit.is_empty() && TimeUnit::by_word(unit).is_none() {
            let message = format!("a timestamp is counted in `seconds` or `milliseconds`, not in `{unit}`");
            let mut help = did_you_mean(unit, ["seconds", "milliseconds"].into_iter());
            if help.is_empty() {
                "make it an `integer`, which has any unit".clone_into(&mut help);
            }
            self.push("time-unit", place.at("unit"), message, &help);
        }
    }

    /// The unit of a series' time, which a field of the record's own says itself.
    pub(super) fn body_unit(&mut self, body: &spec::Body, time: Option<&spec::Field>, place: Place<'_>) {
        let is_none = body.time.as_deref() == Some("none");
        let own = body.series.is_some() && time.is_none();
        if body.unit.is_some() && body.object.is_some() {
            self.push("body-time", place.at("unit"), "an object has no time field", "leave `unit` out");
        } else if body.unit.is_some() && is_none {
            self.push("time-unit", place.at("unit"), "the series has no time field", "leave `unit` out");
        } else if body.unit.is_some() && own {
            self.push("time-unit", place.at("unit"), "the time is a field of the record", "say its `unit` there");
        }
    }

    /// How long the step is that a value names.
    pub(super) fn duration(&mut self, value: &spec::Value, place: Place<'_>) {
        let Some(text) = value.duration.as_deref().filter(|text| duration::seconds(text).is_none()) else { return };
        let message = format!("`{text}` is no length of time");
        let help = "write it like `90s`, `5m`, `1h`, `1d` or `1w`; a month has none, as its length differs";
        self.push("duration", place.at("duration"), message, help);
    }
}
