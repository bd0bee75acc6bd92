//! Local times in a time zone, with the feature `zones`. Without it, no zone is known.

#[cfg(feature = "zones")]
use jiff::tz::{Offset, TimeZone};

#[cfg(feature = "zones")]
use super::iso8601::SECOND;

/// Returns whether a name is that of a time zone, such as `America/New_York`; always `false` without the feature `zones`.
#[cfg(feature = "zones")]
pub fn is_time_zone(name: &str) -> bool {
    TimeZone::get(name).is_ok()
}

/// The time at which clocks in a zone show a local time, both in nanoseconds since the Unix epoch, as if the local time
/// were in UTC. `None` if the zone is unknown. Of a local time that clocks show twice, this is the first time; a local time
/// that clocks skip is moved by the length of the gap.
#[cfg(feature = "zones")]
pub(super) fn to_utc(local: i128, zone: &str) -> Option<i128> {
    let shown = Offset::UTC.to_datetime(second_of(local)?);
    let time = TimeZone::get(zone).ok()?.to_ambiguous_timestamp(shown).compatible().ok()?;
    Some(i128::from(time.as_second()) * SECOND + local.rem_euclid(SECOND))
}

/// The local time that clocks in a zone show at a time.
#[cfg(feature = "zones")]
pub(super) fn to_local(time: i128, zone: &str) -> Option<i128> {
    let offset = TimeZone::get(zone).ok()?.to_offset(second_of(time)?);
    Some(time + i128::from(offset.seconds()) * SECOND)
}

/// The second that contains a time.
#[cfg(feature = "zones")]
fn second_of(nanos: i128) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_second(i64::try_from(nanos.div_euclid(SECOND)).ok()?).ok()
}

/// Returns whether a name is that of a time zone, such as `America/New_York`; always `false` without the feature `zones`.
#[cfg(not(feature = "zones"))]
pub fn is_time_zone(_: &str) -> bool {
    false
}

#[cfg(not(feature = "zones"))]
pub(super) fn to_utc(_: i128, _: &str) -> Option<i128> {
    None
}

#[cfg(not(feature = "zones"))]
pub(super) fn to_local(_: i128, _: &str) -> Option<i128> {
    None
}

#[cfg(test)]
#[cfg(feature = "zones")]
mod tests {
    use crate::registry::TimeUnit;
    use crate::values::wire::ToWire;

    const NEW_YORK: TimeUnit = TimeUnit::Local("America/New_York");

    #[test]
    fn local_times_are_read_by_the_rules_of_their_zone() {
        for (unit, text, expected) in [
            (NEW_YORK, "2017-12-18 14:56:00", Some("2017-12-18T19:56:00Z")),
            (NEW_YORK, "2017-07-18T14:56:00.5", Some("2017-07-18T18:56:00.500Z")),
            (NEW_YORK, "2017-12-18 14:56", Some("2017-12-18T19:56:00Z")),
            // An offset decides.
            (NEW_YORK, "2017-12-18T14:56:00Z", Some("2017-12-18T14:56:00Z")),
            (NEW_YORK, "2017-12-18T14:56:00+01:00", Some("2017-12-18T13:56:00Z")),
            // Clocks show 01:30 twice, and skip 02:30.
            (NEW_YORK, "2024-11-03 01:30:00", Some("2024-11-03T05:30:00Z")),
            (NEW_YORK, "2024-03-10 02:30:00", Some("2024-03-10T07:30:00Z")),
            (NEW_YORK, "2024-03-10 at noon", None),
            (TimeUnit::Local("Asia/Kolkata"), "2024-03-10 00:00:00", Some("2024-03-09T18:30:00Z")),
            (TimeUnit::Local("Nowhere/Here"), "2024-03-10 00:00:00", None),
            (TimeUnit::Local("Nowhere/Here"), "2024-03-10 00:00:00Z", Some("2024-03-10T00:00:00Z")),
        ] {
            let read = unit.read(text).map(|time| time.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn times_are_sent_as_clocks_show_them() {
        for (unit, time, expected) in [
            (NEW_YORK, "2017-12-18T19:56:00Z", "2017-12-18T14:56:00"),
            (NEW_YORK, "2017-07-18T18:56:00.500Z", "2017-07-18T14:56:00.500"),
            (TimeUnit::Local("Nowhere/Here"), "2017-12-18T19:56:00Z", "2017-12-18T19:56:00Z"),
        ] {
            let time: crate::values::Timestamp = time.parse().expect("a time");
            assert_eq!(time.to_wire(unit), expected);
        }
    }
}
