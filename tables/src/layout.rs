//! The names of folders and files, which say of which series and of which time they are.
//!
//! A series and a range come in, a path goes out, and the other way round. Folders are named as Hive names them, so
//! that whatever reads such a data set takes the values of the path as columns.

use std::ops::Range;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use runtime::Timestamp;

/// Characters that have a meaning in a path, or to readers of such a path.
const SPECIAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'\'')
    .add(b'*')
    .add(b'/')
    .add(b':')
    .add(b'=')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'{')
    .add(b'}');

/// The folder of a value: `coin=BTC`.
pub(crate) fn folder(name: &str, value: &str) -> String {
    format!("{}={}", utf8_percent_encode(name, SPECIAL), utf8_percent_encode(value, SPECIAL))
}

/// The name and the value of such a folder.
pub(crate) fn read_folder(folder: &str) -> Option<(String, String)> {
    let (name, value) = folder.split_once('=')?;
    let decoded = |text| percent_encoding::percent_decode_str(text).decode_utf8().ok().map(String::from);
    Some((decoded(name)?, decoded(value)?))
}

/// The folder of a day, in UTC: `date=2024-06-15`.
pub(crate) fn date_folder(time: Timestamp) -> String {
    let text = time.to_string();
    format!("date={}", text.get(..10).unwrap_or(&text))
}

/// The file of a range, whose ends are whole seconds: `20240615T000000Z-20240616T000000Z.parquet`.
pub(crate) fn part(range: &Range<Timestamp>) -> String {
    format!("{}-{}.{PART}", stamp(range.start), stamp(range.end))
}

/// The range of such a file; `None` for any other name.
pub(crate) fn read_part(path: &str) -> Option<Range<Timestamp>> {
    let name = path.rsplit('/').next()?.strip_suffix(PART)?.strip_suffix('.')?;
    let (from, to) = name.split_once('-')?;
    let range = read_stamp(from)?..read_stamp(to)?;
    (range.start < range.end).then_some(range)
}

/// The file of an interval that was open, from its beginning to when it was asked for:
/// `20240615T120000Z-20240615T123456Z.open.parquet`. It covers no range, so the interval is asked for again.
pub(crate) fn open_part(range: &Range<Timestamp>) -> String {
    format!("{}-{}.{OPEN}.{PART}", stamp(range.start), stamp(range.end))
}

/// The range of such a file; `None` for any other name.
pub(crate) fn read_open_part(path: &str) -> Option<Range<Timestamp>> {
    let name = path.strip_suffix(PART)?.strip_suffix('.')?.strip_suffix(OPEN)?;
    read_part(&format!("{name}{PART}"))
}

const PART: &str = "parquet";
const OPEN: &str = "open";

fn stamp(time: Timestamp) -> String {
    time.to_string().replace(['-', ':'], "")
}

fn read_stamp(stamp: &str) -> Option<Timestamp> {
    let digits = |range: Range<usize>| stamp.get(range).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    if stamp.len() != 16 || stamp.get(8..9)? != "T" || stamp.get(15..)? != "Z" {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(4..6)?, digits(6..8)?);
    let (hour, minute, second) = (digits(9..11)?, digits(11..13)?, digits(13..15)?);
    format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_folders() {
        for (name, value, expected) in [
            ("coin", "BTC", "coin=BTC"),
            ("exchange", "a_b,c-d.e", "exchange=a_b,c-d.e"),
            ("coin", "a/b=c %\n", "coin=a%2Fb%3Dc%20%25%0A"),
            ("coin", "ü", "coin=%C3%BC"),
            ("coin", "..", "coin=.."),
            ("coin", "", "coin="),
        ] {
            assert_eq!(folder(name, value), expected);
            assert_eq!(read_folder(expected), Some((name.to_owned(), value.to_owned())));
        }
        assert_eq!(date_folder(Timestamp::from(1_718_454_896)), "date=2024-06-15");
    }

    #[test]
    fn ranges_in_names() {
        let range = Timestamp::from(1_718_409_600)..Timestamp::from(1_718_454_896);
        assert_eq!(part(&range), "20240615T000000Z-20240615T123456Z.parquet");
        assert_eq!(read_part(&format!("a/date=2024-06-15/{}", part(&range))), Some(range.clone()));
        assert_eq!(open_part(&range), "20240615T000000Z-20240615T123456Z.open.parquet");
        assert_eq!((read_part(&open_part(&range)), read_open_part(&part(&range))), (None, None));
        assert_eq!(read_open_part(&format!("a/{}", open_part(&range))), Some(range));
        for other in ["", "x.parquet", "20240615T000000Z-20240615T000000Z.parquet", "20240615T000000Z-2.parquet"] {
            assert_eq!(read_part(other), None, "{other}");
        }
    }
}
