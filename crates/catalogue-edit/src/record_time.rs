//! Recognizes the field with the time of a record.

use catalogue::spec::Field;
use heck::ToSnakeCase;

use crate::drafted_type::TIMESTAMP;

/// The words in names of fields with the time of a record.
const WORDS: &str = "as at begin bucket candle created date dates datetime day effective epoch funding hour interval \
    list millis minute month ms observation observed of open period price quarter rate seconds stamp start started t \
    tick ticks time times timestamp trade ts unix utc week year";

/// Names that are certainly those of the time of a record.
const PLAIN: [&str; 4] = ["time", "time_stamp", "timestamp", "ts"];

/// `true` if a timestamp is presumably the time of its record, and not the time of an event, such as `expires_at` or
/// `list_time`, at which a market was listed.
pub(crate) fn is_time_of_record(field: &Field) -> bool {
    let name = field.name.to_snake_case();
    if field.optional || name.starts_with("list_") {
        return false;
    }
    name.split('_').all(|word| WORDS.split(' ').any(|known| known == word))
}

/// The timestamp that is presumably the time of a record: the only one with such a name, or the one with a plain name
/// such as `time`. The field `except` does not count.
pub(crate) fn time_of_record<'f>(fields: &'f [Field], except: Option<&str>) -> Option<&'f Field> {
    let mut times = Vec::new();
    for field in fields {
        let is_excluded = Some(field.name.as_str()) == except;
        if *field.ty == TIMESTAMP && !is_excluded && is_time_of_record(field) {
            times.push(field);
        }
    }
    match times.as_slice() {
        [one] => Some(one),
        several => several.iter().copied().find(|field| PLAIN.contains(&field.name.to_snake_case().as_str())),
    }
}
