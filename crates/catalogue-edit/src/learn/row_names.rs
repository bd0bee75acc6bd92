//! Names the fields of rows, which have no names in responses.

use super::guess_type::time_index;
use crate::observed_values::Observed;

/// A function that names the fields of rows, which have no names in responses. One of the first three fields is the
/// time, if its values are timestamps.
pub(super) fn name_of_index(rows: &Observed, time: &str) -> impl Fn(usize) -> String + use<> {
    let time_index = time_index(rows);
    let time = time.to_owned();
    move |index| if Some(index) == time_index { time.clone() } else { format!("value {}", index + 1) }
}
