//! The report of a comparison: one result for each endpoint, as text, JSON or annotations.

use std::path::Path;

use catalogue::Catalogue;
use catalogue_edit::{EndpointDrift, EndpointPlace, EndpointResponses, Refusal, endpoint_places};
use serde_json::{Value, json};

use crate::catalogue_errors::folder;
use crate::report_format::{self, Annotation, Format, Level};

/// The result for one endpoint.
struct EndpointReport {
    endpoint: String,
    result: Comparison,
    /// The responses, if there are any.
    responses: Option<EndpointResponses>,
}

impl EndpointReport {
    /// The lines that explain the result, without the name of the endpoint, which is stated before them.
    fn details(&self) -> Vec<&str> {
        let start = format!("{}: ", self.endpoint);
        let mut details = Vec::new();
        for line in self.result.lines() {
            details.push(line.strip_prefix(&start).unwrap_or(line));
        }
        details
    }
}

/// The result of a comparison.
pub(super) enum Comparison {
    /// The responses fit the catalogue.
    Same,
    /// The differences, each in one line.
    Different(Vec<String>),
    /// The catalogue does not describe the body.
    NotDescribed,
    /// The request failed.
    Failed(String),
    /// There was no request.
    Skipped(String),
}

impl Comparison {
    fn word(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different(_) => "different",
            Self::NotDescribed => "not described",
            Self::Failed(_) => "failed",
            Self::Skipped(_) => "skipped",
        }
    }

    /// The lines that explain the result.
    fn lines(&self) -> Vec<&str> {
        match self {
            Self::Same => Vec::new(),
            Self::Different(lines) => lines.iter().map(String::as_str).collect(),
            Self::NotDescribed => vec!["its fields are unknown; `cargo xtask learn` adds them"],
            Self::Failed(why) | Self::Skipped(why) => why.lines().collect(),
        }
    }

    fn level(&self) -> Option<Level> {
        match self {
            Self::Same => None,
            Self::Different(_) | Self::Failed(_) => Some(Level::Error),
            Self::Skipped(_) => Some(Level::Warning),
            Self::NotDescribed => Some(Level::Notice),
        }
    }
}

/// The results for all endpoints.
pub(super) struct Report {
    places: Vec<EndpointPlace>,
    /// The path of the catalogue's folder, with a separator at the end.
    pub(super) folder: String,
    endpoints: Vec<EndpointReport>,
}

impl Report {
    pub(super) fn new(catalogue: Catalogue, spec: &Path) -> Result<Self, Refusal> {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = folder(spec.strip_prefix(here).unwrap_or(spec));
        Ok(Self { places: endpoint_places(catalogue)?, folder: shown, endpoints: Vec::new() })
    }

    /// Adds an endpoint that returned nothing to compare.
    pub(super) fn add_without_response(&mut self, endpoint: String, result: Comparison) {
        self.endpoints.push(EndpointReport { endpoint, result, responses: None });
    }

    /// Adds an endpoint with its responses and their differences.
    pub(super) fn add_compared(&mut self, responses: EndpointResponses, drift: EndpointDrift) {
        let EndpointDrift { endpoint, differences, errors: _ } = drift;
        let is_described = self.place(&endpoint).is_none_or(|place| place.is_body_known);
        let result = match (differences.is_empty(), is_described) {
            (false, _) => Comparison::Different(differences),
            (true, true) => Comparison::Same,
            (true, false) => Comparison::NotDescribed,
        };
        self.endpoints.push(EndpointReport { endpoint, result, responses: Some(responses) });
    }

    /// Sorts the endpoints by name.
    pub(super) fn sort(&mut self) {
        self.endpoints.sort_by(|one, other| one.endpoint.cmp(&other.endpoint));
    }

    fn place(&self, endpoint: &str) -> Option<&EndpointPlace> {
        self.places.iter().find(|place| place.endpoint == endpoint)
    }

    pub(super) fn has_differences(&self) -> bool {
        self.endpoints.iter().any(|one| matches!(one.result, Comparison::Different(_)))
    }

    /// `true` if every endpoint has a response.
    pub(super) fn is_complete(&self) -> bool {
        for endpoint in &self.endpoints {
            if matches!(endpoint.result, Comparison::Failed(_) | Comparison::Skipped(_)) {
                return false;
            }
        }
        true
    }

    /// The responses of endpoints with a difference.
    pub(super) fn responses_with_differences(&self) -> Vec<EndpointResponses> {
        let mut all = Vec::new();
        for one in &self.endpoints {
            if let (Comparison::Different(_), Some(responses)) = (&one.result, &one.responses) {
                all.push(responses.clone());
            }
        }
        all
    }

    /// The report; `is_live` shows the endpoints without a difference too.
    pub(super) fn text(&self, format: Format, is_live: bool) -> String {
        match format {
            Format::Json => report_format::json(&self.json()),
            Format::Github => self.annotations(),
            Format::Text if is_live => self.table(),
            Format::Text => self.lines(),
        }
    }

    /// A line for each difference, and for each endpoint that could not be compared.
    fn lines(&self) -> String {
        let mut text = String::new();
        for one in &self.endpoints {
            for detail in one.details() {
                text += &format!("{}: {detail}\n", one.endpoint);
            }
        }
        if self.has_differences() { text } else { format!("{text}no differences\n") }
    }

    /// One row for each endpoint, and further rows for further details.
    fn table(&self) -> String {
        let width = self.endpoints.iter().map(|one| one.endpoint.len()).max().unwrap_or_default();
        let mut text = String::new();
        for one in &self.endpoints {
            let details = one.details();
            let mut row = format!("{:width$}  {:13}", one.endpoint, one.result.word());
            if details.is_empty() {
                text += &format!("{}\n", row.trim_end());
            }
            for detail in details {
                text += &format!("{row}  {detail}\n");
                row = " ".repeat(width + 15);
            }
        }
        format!("{text}\n{}\n", self.summary())
    }

    /// The number of endpoints with each result.
    fn summary(&self) -> String {
        let mut counts = Vec::new();
        for word in ["same", "different", "not described", "failed", "skipped"] {
            let mut count = 0;
            for endpoint in &self.endpoints {
                count += usize::from(endpoint.result.word() == word);
            }
            if count > 0 {
                counts.push(format!("{count} {word}"));
            }
        }
        format!("{} endpoints: {}", self.endpoints.len(), counts.join(", "))
    }

    fn json(&self) -> Value {
        let mut endpoints = Vec::new();
        for one in &self.endpoints {
            let place = self.place(&one.endpoint);
            endpoints.push(json!({
                "endpoint": one.endpoint,
                "result": one.result.word(),
                "details": one.details(),
                "file": place.map(|place| format!("{}{}", self.folder, place.file)),
                "line": place.map(|place| place.line),
            }));
        }
        json!({
            "endpoints": endpoints,
            "has_differences": self.has_differences(),
            "is_complete": self.is_complete(),
        })
    }

    fn annotations(&self) -> String {
        let mut text = String::new();
        for one in &self.endpoints {
            let Some(level) = one.result.level() else { continue };
            let place = self.place(&one.endpoint);
            let annotation = Annotation {
                level,
                title: format!("{}: {}", one.endpoint, one.result.word()),
                file: place.map(|place| format!("{}{}", self.folder, place.file)).unwrap_or_default(),
                line: place.map(|place| place.line),
                column: None,
                message: one.details().join("\n"),
            };
            text += &annotation.command();
        }
        format!("{text}{}\n", self.summary())
    }
}
