//! The figures of a metrics file.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use runtime::registry::EndpointInfo;
use runtime::{RateLimit, Timestamp};
use tokio::task::JoinHandle;

use crate::earlier_metrics::EarlierSample;
use crate::metrics_text::{Metric, braces, format_metrics, prefix};

/// What the file states.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) endpoints: BTreeMap<String, EndpointFigures>,
    pub(crate) series: BTreeMap<SeriesLabels, SeriesFigures>,
    pub(crate) limit: Option<RateLimit>,
    /// Requests since `since`, from which the used share of the limit is computed.
    pub(crate) recent: Vec<(u64, &'static EndpointInfo)>,
    pub(crate) since: Option<Instant>,
    /// The used share of the limit at the last measurement.
    pub(crate) used: f64,
    /// Whether the last run was complete, and its end.
    pub(crate) run: Option<(bool, Timestamp)>,
    /// What an earlier command has written.
    pub(crate) earlier: Vec<EarlierSample>,
    /// Whether another run writes the same data, and its metrics.
    pub(crate) is_left: bool,
    /// The task that replaces the file.
    pub(crate) writing: Option<JoinHandle<()>>,
}

/// The labels of a series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeriesLabels {
    pub(crate) endpoint: String,
    /// The params that distinguish the series from others.
    pub(crate) params: String,
}

/// What is known of the requests of an endpoint.
#[derive(Debug, Default)]
pub(crate) struct EndpointFigures {
    /// The number of attempts by their outcome, which is a status or `failed`.
    pub(crate) attempts: BTreeMap<String, u64>,
    pub(crate) bytes: u64,
}

/// What is known of the records of a series.
#[derive(Debug, Default)]
pub(crate) struct SeriesFigures {
    /// The time of the newest record.
    pub(crate) newest: Option<Timestamp>,
    pub(crate) missing: u64,
    pub(crate) gaps: u64,
}

impl SeriesLabels {
    pub(crate) fn labels(&self) -> [(&'static str, &str); 2] {
        [("endpoint", &self.endpoint), ("series", &self.params)]
    }

    pub(crate) fn in_braces(&self) -> String {
        braces(&self.labels())
    }
}

impl Figures {
    /// Computes the used share of the limit since the last measurement.
    pub(crate) fn measure(&mut self) {
        let recent = std::mem::take(&mut self.recent);
        let since = self.since.replace(Instant::now());
        let (Some(limit), Some(since)) = (&self.limit, since) else { return };
        let elapsed = since.elapsed().as_secs_f64();
        if elapsed > 0.0 {
            self.used = limit.min_duration(&recent, Duration::ZERO).as_secs_f64() / elapsed;
        }
    }

    /// Formats the figures, with the names of a program.
    pub(crate) fn text(&self, program: &str) -> String {
        let mut metrics = request_metrics(self);
        let mut known = series_metrics(self);
        known.extend(run_metrics(self));
        for metric in &mut known {
            metric.add_earlier(&self.earlier);
        }
        metrics.extend(known);
        format_metrics(&prefix(program), &metrics)
    }
}

fn request_metrics(figures: &Figures) -> Vec<Metric> {
    let mut attempts = Metric::counter("requests_total", "Attempts of requests by outcome: the status, or `failed`.");
    let mut rate_limited = Metric::counter("rate_limited_total", "Responses with status 429.");
    let mut bytes = Metric::counter("response_bytes_total", "Size of the decoded responses.");
    for (endpoint, of_endpoint) in &figures.endpoints {
        let label = ("endpoint", endpoint.as_str());
        for (outcome, count) in &of_endpoint.attempts {
            attempts.add(&[label, ("outcome", outcome)], count);
        }
        rate_limited.add(&[label], &of_endpoint.attempts.get("429").copied().unwrap_or_default());
        bytes.add(&[label], &of_endpoint.bytes);
    }
    let mut used = Metric::gauge("rate_limit_used_ratio", "Used share of the rate limit since the last file.");
    if figures.limit.is_some() {
        used.add(&[], &format!("{:.3}", figures.used));
    }
    vec![attempts, rate_limited, bytes, used]
}

fn series_metrics(figures: &Figures) -> Vec<Metric> {
    let mut newest = Metric::gauge("newest_record_timestamp_seconds", "Time of the newest record.");
    let mut missing = Metric::gauge("missing_records", "Records that are missing between the first and the last one.");
    let mut gaps = Metric::gauge("gaps", "Ranges without records between the first and the last one.");
    for (series, of_series) in &figures.series {
        let labels = series.labels();
        if let Some(time) = of_series.newest {
            newest.add(&labels, &time.unix_seconds());
        }
        missing.add(&labels, &of_series.missing);
        gaps.add(&labels, &of_series.gaps);
    }
    vec![newest, missing, gaps]
}

fn run_metrics(figures: &Figures) -> Vec<Metric> {
    let mut complete = Metric::gauge("last_run_complete", "1 if the last run has fetched everything.");
    let mut ended = Metric::gauge("last_run_timestamp_seconds", "End of the last run.");
    if let Some((is_complete, time)) = figures.run {
        complete.add(&[], &u8::from(is_complete));
        ended.add(&[], &time.unix_seconds());
    }
    vec![complete, ended]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_format_of_prometheus() {
        let mut figures = Figures { run: Some((true, Timestamp::from_unix_seconds(70))), ..Figures::default() };
        let attempts = BTreeMap::from([("200".to_owned(), 3), ("429".to_owned(), 1)]);
        figures.endpoints.insert("market.rates".to_owned(), EndpointFigures { attempts, bytes: 9 });
        let newest = Some(Timestamp::from_unix_seconds(60));
        let labels = SeriesLabels { endpoint: "market.rates".to_owned(), params: "coin=\"A\"\nB".to_owned() };
        figures.series.insert(labels, SeriesFigures { newest, missing: 2, gaps: 1 });
        let text = figures.text("my-program");
        for line in [
            "my_program_requests_total{endpoint=\"market.rates\",outcome=\"429\"} 1",
            "my_program_rate_limited_total{endpoint=\"market.rates\"} 1",
            "my_program_response_bytes_total{endpoint=\"market.rates\"} 9",
            "my_program_newest_record_timestamp_seconds{endpoint=\"market.rates\",series=\"coin=\\\"A\\\"\\nB\"} 60",
            "my_program_last_run_complete 1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
        assert!(!text.contains("rate_limit_used_ratio"));
        assert!(text.lines().all(|line| line.starts_with("# ") || line.starts_with("my_program_")), "{text}");
    }

    #[test]
    fn used_share_is_that_since_the_last_measurement() {
        static ENDPOINT: EndpointInfo = EndpointInfo::new("market", "rates", "Rates");
        let limit = RateLimit::new(10, Duration::from_secs(1), 20);
        let since = Instant::now().checked_sub(Duration::from_secs(10));
        let mut figures = Figures { limit: Some(limit), since, recent: vec![(50, &ENDPOINT)], ..Figures::default() };
        figures.measure();
        assert!((0.3..0.6).contains(&figures.used), "{}", figures.used);
        figures.measure();
        assert!(figures.used < 0.1, "{}", figures.used);
    }
}
