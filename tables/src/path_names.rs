//! The path of a series, which is its endpoint and its params, and the names of the files of a data set.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::partition::Partition;

/// Characters that are encoded in names: all but ASCII letters, digits and `-_.,`, because other characters may have a
/// meaning in paths.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b',');

/// The folder of a data set with everything that is not data.
pub(crate) const HOME: &str = ".backfill";

/// Returns the part of a path for a param and its value, for example `coin=BTC`.
pub(crate) fn param(name: &str, value: &str) -> String {
    format!("{}={}", encoded(name), encoded(value))
}

/// Returns the decoded name and value of a part such as `coin=BTC`; `None` for other parts.
pub(crate) fn read_param(part: &str) -> Option<(String, String)> {
    let (name, value) = part.split_once('=')?;
    let decoded = |text| percent_encoding::percent_decode_str(text).decode_utf8().ok().map(String::from);
    Some((decoded(name)?, decoded(value)?))
}

/// Returns the endpoint of a series.
pub(crate) fn endpoint(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// Returns the params of a series: names and values.
pub(crate) fn params(path: &str) -> impl Iterator<Item = (String, String)> {
    path.split('/').skip(1).filter_map(read_param)
}

/// Returns a value in the form in which it is part of a file name.
pub(crate) fn encoded(value: &str) -> String {
    utf8_percent_encode(value, SPECIAL).to_string()
}

/// Returns the file of a period in a data set.
pub(crate) fn file(endpoint: &str, interval: &str, period: &str) -> String {
    format!("{endpoint}/{interval}-{period}.parquet")
}

/// Splits the path of a data set's file into the endpoint, the interval and the period; `None` for any other name.
pub(crate) fn read_file(path: &str) -> Option<(&str, &str, &str)> {
    let (endpoint, name) = path.strip_suffix(".parquet")?.split_once('/')?;
    let (interval, period) = name.split_once('-').filter(|_| !name.contains('/'))?;
    Partition::read(period).map(|_| (endpoint, interval, period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn param_round_trips() {
        for (name, value, expected) in [
            ("coin", "BTC", "coin=BTC"),
            ("exchange", "a_b,c-d.e", "exchange=a_b,c-d.e"),
            ("coin", "a/b=c %\n", "coin=a%2Fb%3Dc%20%25%0A"),
            ("coin", "ü", "coin=%C3%BC"),
            ("coin", "..", "coin=.."),
            ("coin", "", "coin="),
        ] {
            assert_eq!(param(name, value), expected);
            assert_eq!(read_param(expected), Some((name.to_owned(), value.to_owned())));
        }
    }

    #[test]
    fn file_path_is_split_into_endpoint_interval_and_period() {
        assert_eq!(read_file(&file("a.e", "1h", "2024-06-15")), Some(("a.e", "1h", "2024-06-15")));
        for other in ["", "1h-2024.parquet", "e/x/1h-2024.parquet", "e/1h-2024 (copy).parquet", "e/1h-2024.csv"] {
            assert_eq!(read_file(other), None, "{other}");
        }
    }
}
