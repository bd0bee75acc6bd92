//! The content of a job file: its text in TOML → the series, the range and the target, or an error at its position.

use std::fs;
use std::ops::Range;
use std::path::Path;

use dataset::quoted;
use toml::de::DeValue;
use wording::SERIES_KEYS;

use crate::endpoint_names::{Endpoint, name};
use crate::failure::{Failure, Result};
use crate::job_settings::{JobSettings, Overrides};
use crate::log::Log;
use crate::offered_param::{Offered, splits};
use crate::param_keys::ParamKeys;
use crate::param_options::Params;
use crate::requested_series::RequestedSeries;
use crate::series_combinations::{combine, combine_given, must_have_history};
use crate::time_arg::{self, Start};
use crate::toml_text::{TomlTable, TomlText, TomlValue};

const KEYS: [&str; 5] = ["from", "to", "out", "refetch", "series"];

/// Reads and checks a job file.
pub(crate) fn read(path: &Path, overrides: Overrides<'_>, log: Log) -> Result<JobSettings> {
    let text = fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))?;
    JobText(TomlText { name: quoted(path), text: &text }).job(overrides, log)
}

/// Parses the start of a range, which is not in the future.
fn past_start(text: &str) -> Result<Start, String> {
    let start = time_arg::start(text)?;
    if start.time > time_arg::now() { Err("it is in the future".to_owned()) } else { Ok(start) }
}

/// The earliest start of the series; `None` if a series has none.
fn earliest_start(series: &[RequestedSeries]) -> Option<Start> {
    let mut earliest: Option<Start> = None;
    for one in series {
        let start = one.from?;
        if earliest.is_none_or(|earliest| start.time < earliest.time) {
            earliest = Some(start);
        }
    }
    earliest
}

/// The values in the text of a param that these endpoints accept.
fn checked_values(endpoints: &[Endpoint], param: &Offered, text: &str) -> Result<Vec<String>> {
    let mut values = Vec::new();
    if splits(param.infos[0]) {
        for value in text.split(',') {
            values.push(value.to_owned());
        }
    } else {
        values.push(text.to_owned());
    }
    let known = vec![(param.wire_name.to_owned(), values.clone())];
    let params = Params { known, are_keys: true, ..Params::default() };
    combine_given(endpoints, &params, Log::Nothing)?;
    Ok(values)
}

/// The text of a job file.
pub(crate) struct JobText<'t>(pub(crate) TomlText<'t>);

impl JobText<'_> {
    pub(crate) fn job(&self, overrides: Overrides<'_>, log: Log) -> Result<JobSettings> {
        let text = &self.0;
        let table = text.table()?;
        self.check_keys(&table)?;
        let from = text.parsed(&table, "from", past_start)?;
        let to = text.parsed(&table, "to", time_arg::end)?;
        let out = self.target(&table)?;
        let refetch = text.parsed(&table, "refetch", time_arg::duration)?;
        let mut series = match table.get("series") {
            Some(groups) => self.series(groups, log)?,
            None => Vec::new(),
        };
        // An option of the command line replaces the value of the job and those of its series.
        for one in &mut series {
            if overrides.from.is_some() {
                one.from = None;
            }
            if overrides.to.is_some() {
                one.to = None;
            }
        }
        // A job needs no start if each of its series has one.
        let Some(from) = overrides.from.or(from).or_else(|| earliest_start(&series)) else {
            return Err(self.missing("from"));
        };
        let out = match (overrides.out, out) {
            (Some(out), _) => out.to_owned(),
            (None, Some(out)) => out,
            (None, None) => return Err(self.missing("out")),
        };
        if series.is_empty() {
            return Err(self.missing("series").help("a job has one or more [[series]] tables"));
        }
        let to = overrides.to.or(to).unwrap_or(time_arg::OPEN);
        Ok(JobSettings { series, from, to, out, refetch })
    }

    fn check_keys(&self, table: &TomlTable<'_>) -> Result<()> {
        for key in table.keys() {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                return Err(self.0.unknown_key(key, &KEYS));
            }
        }
        Ok(())
    }

    /// The target, which is quoted also if it looks like a number or a date.
    fn target(&self, table: &TomlTable<'_>) -> Result<Option<String>> {
        if let Some(out) = table.get("out")
            && !matches!(out.get_ref(), DeValue::String(_))
        {
            return Err(self.0.error(Some(out.span()), "expected a file or folder in quotes for `out`"));
        }
        self.0.parsed(table, "out", |text| Ok(text.to_owned()))
    }

    /// A key that is missing has no position. It may be below [[series]], where it is unknown.
    fn missing(&self, key: &str) -> Failure {
        Failure::usage(format!("{}: `{key}` is missing", self.0.name))
    }

    /// The series of all `[[series]]` tables.
    fn series(&self, groups: &TomlValue<'_>, log: Log) -> Result<Vec<RequestedSeries>> {
        let mut series: Vec<RequestedSeries> = Vec::new();
        let Some(all) = groups.get_ref().as_array().filter(|all| !all.is_empty()) else {
            return Err(self.0.error(Some(groups.span()), "expected one or more [[series]] tables"));
        };
        for group in all {
            let DeValue::Table(table) = group.get_ref() else {
                return Err(self.0.error(Some(group.span()), "expected a [[series]] table"));
            };
            let of_group = self.group(group.span(), table, log)?;
            if let Some(twice) = of_group.iter().find(|one| series.contains(one)) {
                let message = format!("{} repeats a series of an earlier [[series]] table", name(twice.endpoint));
                return Err(self.0.error(Some(group.span()), message));
            }
            series.extend(of_group);
        }
        Ok(series)
    }

    /// All series of a `[[series]]` table.
    fn group(&self, span: Range<usize>, table: &TomlTable<'_>, log: Log) -> Result<Vec<RequestedSeries>> {
        let endpoints = match table.get("endpoints") {
            Some(names) => self.0.each(names, must_have_history)?,
            None => Vec::new(),
        };
        let keys = ParamKeys::of(&endpoints);
        self.check_series_keys(table, &keys)?;
        if endpoints.is_empty() {
            return Err(self.0.error(Some(span), "`endpoints` is missing"));
        }
        let mut params = Params { are_keys: true, ..Params::default() };
        for (key, value) in table {
            let Some(param) = keys.find(key.get_ref()) else {
                continue;
            };
            // Each value is checked separately, so that an error has the position of the value.
            let values = self.0.each(value, |text| checked_values(&endpoints, param, text))?;
            params.known.push((param.wire_name.to_owned(), values.concat()));
        }
        let from = self.0.parsed(table, "from", past_start)?;
        let to = self.0.parsed(table, "to", time_arg::end)?;
        let mut series = combine(&endpoints, &params, log).map_err(|failure| failure.at(&self.0.position(span)))?;
        for one in &mut series {
            one.from = from;
            one.to = to;
        }
        Ok(series)
    }

    fn check_series_keys(&self, table: &TomlTable<'_>, params: &ParamKeys) -> Result<()> {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if SERIES_KEYS.contains(&name) || params.find(name).is_some() {
                continue;
            }
            if KEYS.contains(&name) {
                return Err(self.0.error(Some(key.span()), format!("`{name}` belongs above [[series]]")));
            }
            let names = params.names();
            let mut known = SERIES_KEYS.to_vec();
            known.extend(names.iter().map(String::as_str));
            return Err(self.0.unknown_key(key, &known));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use runtime::Interval;

    use super::*;
    use crate::endpoint_names;
    use crate::examples;
    use crate::requested_series::labels;
    use test_endpoints::{Metric, metric};

    /// An endpoint with a history, and lines of a job file that set its required params.
    fn endpoint() -> (String, String) {
        let endpoint = endpoint_names::with_history().next().unwrap();
        let param = |option: &str| option.trim().split_once(' ').map(|(name, value)| format!("{name} = \"{value}\"\n"));
        (endpoint_names::name(endpoint), examples::options(endpoint, 1).split("--").filter_map(param).collect())
    }

    fn check(text: &str) -> Result<JobSettings, String> {
        let source = JobText(TomlText { name: "job.toml".to_owned(), text });
        source.job(Overrides::default(), Log::Nothing).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_job_has_series_range_and_target() {
        let (name, params) = endpoint();
        let group = format!("[[series]]\nendpoints = [\"{name}\"]\n{params}");
        let job = check(&format!("from = 2025-01-31\nto = \"now\"\nout = \"a.csv\"\nrefetch = \"2d\"\n{group}"));
        let job = job.unwrap();
        assert_eq!(labels(&job.series), [name.as_str()]);
        assert_eq!(time_arg::shown(job.from.time), "2025-01-31 00:00");
        assert_eq!((job.out.as_str(), job.refetch), ("a.csv", Some(Duration::from_secs(2 * 86_400))));
    }

    #[test]
    fn a_series_has_its_own_range() {
        let endpoints: Vec<_> = endpoint_names::with_history().take(2).collect();
        let mut groups = String::new();
        for (endpoint, range) in endpoints.iter().zip(["from = 2024-01-31\nto = 2024-02-29\n", ""]) {
            let name = endpoint_names::name(endpoint);
            let options = examples::options(endpoint, 1);
            groups += &format!("[[series]]\nendpoints = \"{name}\"\n{range}");
            for (param, value) in options.split("--").filter_map(|option| option.trim().split_once(' ')) {
                groups += &format!("{param} = \"{value}\"\n");
            }
        }
        let text = format!("from = 2025-01-31\nto = 2025-02-28\nout = \"a.csv\"\n{groups}");
        let ranges = |job: &JobSettings| {
            let hour = Interval::from(Duration::from_secs(3600));
            let spans = job.series.iter().map(|one| time_arg::span(&job.range(one, hour)));
            spans.collect::<Vec<_>>()
        };
        let own = "from 2024-01-31 00:00 to 2024-02-29 00:00";
        let of_job = "from 2025-01-31 00:00 to 2025-02-28 00:00";
        let job = check(&text).unwrap();
        assert_eq!(ranges(&job)[..endpoints.len()], [own, of_job][..endpoints.len()]);
        let overrides = Overrides { to: Some("2025-03-01".parse().unwrap()), ..Overrides::default() };
        let source = JobText(TomlText { name: "job.toml".to_owned(), text: &text });
        let job = source.job(overrides, Log::Nothing).unwrap();
        assert_eq!(ranges(&job)[0], "from 2024-01-31 00:00 to 2025-03-01 00:00");
    }

    /// A job with the series of a metric, one with a range of its own and one with that of the job.
    fn with_own_range(range: &str, own: &str) -> JobSettings {
        let Metric { name, key, keys, history, .. } = metric();
        let mut text = format!("{range}out = \"a.csv\"\n");
        for (value, range) in keys.iter().zip([own, ""]) {
            text += &format!("[[series]]\nendpoints = \"{name}\"\n{range}");
            text += &format!("{} = \"{value}\"\n{} = \"{}\"\n", key.wire_name, history.step, metric().step(3600));
        }
        check(&text).unwrap()
    }

    #[test]
    fn the_range_of_each_series_is_checked() {
        let job = with_own_range("from = 2025-02-01\nto = 2025-03-01\n", "from = 2024-02-01\nto = 2024-03-01\n");
        job.check_ranges().unwrap();
        // No series has the range of the job.
        let mut own = with_own_range("from = 2025-01-02\nto = 2025-01-01\n", "from = 2025-02-01\nto = 2025-03-01\n");
        own.series.pop();
        own.check_ranges().unwrap();
        let reversed = with_own_range("from = 2025-02-01\n", "to = 2025-01-01\n");
        let error = reversed.check_ranges().unwrap_err().to_string();
        let range = "the range ends at 2025-01-01T00:00:00Z, before its start 2025-02-01T00:00:00Z";
        assert_eq!(error, format!("{}: {range}", metric().keys[0]));
    }

    #[test]
    fn the_latest_end_is_that_of_any_series() {
        let later = with_own_range("from = 2025-01-01\nto = 2025-02-01\n", "to = \"now\"\n");
        assert_eq!(later.latest_end(), time_arg::OPEN);
        let earlier = with_own_range("from = 2025-01-01\n", "to = 2025-02-01\n");
        assert_eq!(earlier.latest_end(), time_arg::OPEN);
        let mut own = with_own_range("from = 2025-01-01\n", "to = 2025-02-01\n");
        own.series.pop();
        assert_eq!(time_arg::shown(own.latest_end()), "2025-02-01 00:00");
    }

    #[test]
    fn an_error_advises_no_option_that_a_job_cannot_have() {
        let Metric { name, history, .. } = metric();
        let group = format!("[[series]]\nendpoints = \"{name}\"\n{} = \"no such\"\n", history.step);
        let error = check(&format!("from = 2025-01-31\nout = \"a.csv\"\n{group}")).unwrap_err();
        assert!(error.contains("expected ") && !error.contains("--param"), "{error}");
        for endpoint in endpoint_names::with_history() {
            let group = format!("[[series]]\nendpoints = \"{}\"\n", endpoint_names::name(endpoint));
            let missing = check(&format!("from = 2025-01-31\nout = \"a.csv\"\n{group}")).err().unwrap_or_default();
            assert!(!missing.contains("--"), "{missing}");
        }
    }

    #[test]
    fn errors_have_positions() {
        let (name, params) = endpoint();
        let group = format!("[[series]]\nendpoints = [\"{name}\"]\n{params}");
        let head = "from = \"2025-01-31\"\nout = \"a.csv\"\n";
        let table = [
            ("from = ".to_owned(), "job.toml:1:8: "),
            ("fro = 1\n".to_owned(), "job.toml:1:1: unknown key `fro`\n  help: did you mean `from`?"),
            ("out = \"a\"\n".to_owned(), "job.toml: `from` is missing"),
            (
                "from = \"2025\"\nout = \"a\"\n".to_owned(),
                "job.toml:1:8: invalid `from` `2025`: as Unix seconds, this would be 1970",
            ),
            (
                format!("from = 2999-01-01\nout = \"a.csv\"\n{group}"),
                "job.toml:1:8: invalid `from` `2999-01-01`: it is in the future",
            ),
            (head.to_owned(), "job.toml: `series` is missing"),
            (format!("{head}series = 1\n"), "job.toml:3:10: expected one or more [[series]] tables"),
            (format!("{head}[[series]]\n"), "job.toml:3:1: `endpoints` is missing"),
            (format!("{head}[[series]]\n{params}"), "job.toml:3:1: `endpoints` is missing"),
            (
                format!("{head}[[series]]\nendpoint = [\"{name}\"]\n"),
                "job.toml:4:1: unknown key `endpoint`\n  help: did you mean `endpoints`?",
            ),
            (format!("{group}{head}"), "`out` belongs above [[series]]"),
            (format!("{head}[[series]]\nendpoints = []\n"), "job.toml:4:13: the list is empty"),
            (format!("{head}[[series]]\nendpoints = [\"{name}\", \"\"]\n"), "job.toml:4:"),
            (format!("{head}[[series]]\nendpoints = [\"no such\"]\n"), "job.toml:4:14: unknown endpoint `no such`"),
            (format!("{head}[[series]]\nendpoints = \"{name}\"\n{params}zzz = 1\n"), "unknown key `zzz`"),
            (format!("{head}[[series]]\nendpoints = [\"{name}\", \"{name}\"]\n{params}"), "is listed twice"),
            (format!("{head}{group}{group}"), "repeats a series of an earlier [[series]] table"),
            ("from = 2025-01-31\nout = 5\n".to_owned(), "job.toml:2:7: expected a file or folder in quotes for `out`"),
        ];
        for (text, expected) in table {
            let error = check(&text).unwrap_err();
            assert!(error.contains(expected), "{text}\n{error}");
        }
    }
}
