//! The names of folders and files, which identify the series and the partition.
//!
//! Folders follow Hive's naming, so programs that read a data set get the values in the path as columns.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that are encoded in names: all but ASCII letters, digits and `-_.,`, because other characters may have a
/// meaning in paths or to readers of Hive paths.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b',');

/// Returns the name of the folder for a param and its value, for example `coin=BTC`.
pub(crate) fn folder(name: &str, value: &str) -> String {
    format!("{}={}", utf8_percent_encode(name, SPECIAL), utf8_percent_encode(value, SPECIAL))
}

/// Returns the decoded name and value of a folder such as `coin=BTC`; `None` for other folders.
pub(crate) fn read_folder(folder: &str) -> Option<(String, String)> {
    let (name, value) = folder.split_once('=')?;
    let decoded = |text| percent_encoding::percent_decode_str(text).decode_utf8().ok().map(String::from);
    Some((decoded(name)?, decoded(value)?))
}

/// Returns the endpoint of a series.
pub(crate) fn endpoint(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

/// Returns the params of a series: names and values.
pub(crate) fn params(path: &str) -> impl Iterator<Item = (String, String)> {
    path.split('/').skip(1).filter_map(read_folder)
}

/// Returns the folder of a series in a data set. The path has one level for each param in `names`. A param that is not
/// set has an empty value.
pub(crate) fn with_params(path: &str, names: &[String]) -> String {
    let mut all = endpoint(path).to_owned();
    for name in names {
        let value = params(path).find(|(known, _)| known == name).map(|(_, value)| value);
        all = format!("{all}/{}", folder(name, &value.unwrap_or_default()));
    }
    all
}

/// Name of the only file of a partition.
pub(crate) const FILE: &str = "data.parquet";

/// Splits the path of a data set's file into the folder of the series and the partition; `None` for any other name.
pub(crate) fn read_file(path: &str) -> Option<(&str, &str)> {
    path.strip_suffix(FILE)?.strip_suffix('/')?.rsplit_once('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_a_param_round_trips() {
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
        let names = ["exchange", "coin"].map(str::to_owned);
        assert_eq!(with_params("e/coin=B%20C", &names), "e/exchange=/coin=B%20C");
    }

    #[test]
    fn file_path_is_split_into_series_and_partition() {
        assert_eq!(read_file("e/coin=B/year=2024/data.parquet"), Some(("e/coin=B", "year=2024")));
        for other in ["", "data.parquet", "e/coin=B/date=2024-06-15/x.parquet"] {
            assert_eq!(read_file(other), None, "{other}");
        }
    }
}
